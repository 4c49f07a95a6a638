"""Which languages texts are in, and which graders read only some languages.

Languages are told by py3langid, over many texts together, since a short one can be
mistaken. Its model takes half a second and 100 MB, so what is plainly English by its
stop words is told without it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from grading.responders import GraderSpec
from grading.stems import STOP_WORDS

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

Shares = Mapping[str, float]
"""The share of texts in each language, the most frequent first; {} if none is told."""

ENGLISH = "English"
READ_SHARE = 0.9  # of texts have to be in languages that a grader reads
MIN_SHARE = 0.05  # a smaller share is left out, as it may be mistaken
TEXT_LENGTH = 600  # characters of a text
GROUP_LENGTH = 300  # characters of texts that are judged as one
MIN_LATIN_LENGTH = 60  # characters of Latin script that can be told to be no English
MIN_PROBABILITY = 0.7  # the probability at which they are
LANGUAGES_OF_MODELS = {
    "lexical": {ENGLISH},
    "sentence-transformers/all-": {ENGLISH},
    "sentence-transformers/multi-qa-": {ENGLISH},
    # What T5's vocabulary was made from; letters of other scripts are unknown to it.
    "google/flan-t5-": {ENGLISH, "French", "German", "Romanian"},
}
MIN_STOP_WORDS = 0.2  # of the words of English; German has some .08 of them

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_ID = re.compile(r"[!-~]*[\d_@/][!-~]*")  # ids, numbers, addresses: in no language
_SCRIPTS = {"HIRAGANA": "CJK", "KATAKANA": "CJK"}
_NAMES: dict[str, str] = dict(
    re.findall(
        r"(\w+):(\w+)",
        """
    af:Afrikaans am:Amharic ar:Arabic az:Azerbaijani be:Belarusian bg:Bulgarian
    bn:Bengali ca:Catalan cs:Czech cy:Welsh da:Danish de:German dz:Dzongkha el:Greek
    en:English es:Spanish et:Estonian eu:Basque fa:Persian fi:Finnish fr:French ga:Irish
    gl:Galician gu:Gujarati ha:Hausa he:Hebrew hi:Hindi hr:Croatian hu:Hungarian
    hy:Armenian id:Indonesian ig:Igbo is:Icelandic it:Italian ja:Japanese ka:Georgian
    kk:Kazakh km:Khmer kn:Kannada ko:Korean ku:Kurdish ky:Kyrgyz lo:Lao lt:Lithuanian
    lv:Latvian mg:Malagasy mk:Macedonian ml:Malayalam mn:Mongolian mr:Marathi ms:Malay
    mt:Maltese my:Burmese ne:Nepali nl:Dutch no:Norwegian om:Oromo or:Odia pa:Punjabi
    pl:Polish ps:Pashto pt:Portuguese ro:Romanian ru:Russian rw:Kinyarwanda si:Sinhala
    sk:Slovak sl:Slovenian so:Somali sq:Albanian sr:Serbian sv:Swedish sw:Swahili
    ta:Tamil te:Telugu tg:Tajik th:Thai tl:Tagalog tr:Turkish ug:Uyghur uk:Ukrainian
    ur:Urdu uz:Uzbek vi:Vietnamese xh:Xhosa yo:Yoruba zh:Chinese zu:Zulu
    """,
    )
)


def language_shares(texts: Iterable[str]) -> Shares:
    """Estimate the share of these texts in each language.

    Texts of one script are judged together until they are long enough, in their order.
    Texts without letters count nowhere.
    """
    groups: list[tuple[str, list[str]]] = []
    waiting: dict[str, list[str]] = {}
    for text in texts:
        begin = _ID.sub(" ", text[:TEXT_LENGTH])
        if script := _script(begin):
            group = waiting.setdefault(script, [])
            group.append(begin)
            if sum(map(len, group)) >= GROUP_LENGTH:
                groups.append((script, waiting.pop(script)))
    groups += waiting.items()
    counts: Counter[str] = Counter()
    unclear = []
    for script, group in groups:
        if script == "LATIN" and _is_plainly_english(" ".join(group)):
            counts[ENGLISH] += len(group)
        else:
            unclear.append((script, group))
    total = sum(len(group) for _, group in groups)
    if sum(len(group) for _, group in unclear) >= MIN_SHARE * total:
        for script, group in unclear:
            counts[_language(" ".join(group), script)] += len(group)
    del counts[""]
    shares = {name: count / counts.total() for name, count in counts.most_common()}
    return {name: share for name, share in shares.items() if share >= MIN_SHARE}


def describe_shares(shares: Shares) -> str:
    """Name the languages, each with its share where there are several or others."""
    if len(shares) == 1 and sum(shares.values()) >= READ_SHARE:
        return next(iter(shares))
    parts = (f"{name} {share:.0%}" for name, share in shares.items())
    return ", ".join(parts) or "not told"


def can_grade_languages(spec: GraderSpec, shares: Shares) -> bool:
    """Return False where a grader is known not to read these languages."""
    for model, languages in LANGUAGES_OF_MODELS.items():
        if spec.responder.model.startswith(model):
            return can_read_languages(shares, languages)
    return True


def can_read_languages(shares: Shares, languages: Collection[str] = (ENGLISH,)) -> bool:
    """Return whether who reads these languages reads (nearly) all texts."""
    read = sum(share for name, share in shares.items() if name in languages)
    return read >= READ_SHARE * sum(shares.values())


def _script(text: str) -> str:
    """Name the script of most letters, as Unicode does; "" without letters."""
    letters = [character for character in text if character.isalpha()][:GROUP_LENGTH]
    if not letters:
        return ""
    if text.isascii():
        return "LATIN"
    names = (unicodedata.name(letter, "").partition(" ")[0] for letter in letters)
    counts = Counter(_SCRIPTS.get(name, name) for name in names)
    return counts.most_common(1)[0][0]


def _is_plainly_english(text: str) -> bool:
    words = _WORD.findall(text.lower().replace("’", "'"))
    stop_words = sum(word in STOP_WORDS for word in words)
    return stop_words >= MIN_STOP_WORDS * len(words)


def _language(text: str, script: str) -> str:
    """Name the language, with its script if need be; "" for one that tells too little.

    Another script is no English, whichever language it is taken for.
    """
    code, probability = _identifier().classify(text)
    language = _NAMES[code]
    if script == "LATIN":
        is_sure = probability >= MIN_PROBABILITY and len(text) >= MIN_LATIN_LENGTH
        return language if is_sure or language == ENGLISH else ""
    name = script.title()
    return language if name in (language, "Cjk") else f"{language} in {name} script"


@cache
def _identifier() -> LanguageIdentifier:
    """Load the model, of the languages that have a name here."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages([*_NAMES])
    return identifier
