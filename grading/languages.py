"""Identify languages of texts, and graders that support only some languages.

py3langid identifies languages of several texts together, since single short texts are
unreliable. Its model takes half a second and 100 MB, so texts with many English stop
words are recognised without it.
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
"""Share of texts per language, the most frequent first; {} if unknown."""

ENGLISH = "English"
READ_SHARE = 0.9  # of texts have to be in languages that a grader supports
MIN_SHARE = 0.05  # a smaller share is left out, since it may be an error
TEXT_LENGTH = 600  # characters of a text that are read
GROUP_LENGTH = 300  # characters of texts that are identified together
MIN_LATIN_LENGTH = (
    60  # characters of Latin script to identify another language than English
)
MIN_PROBABILITY = 0.7  # to identify another language than English
LANGUAGES_OF_MODELS = {
    "lexical": {ENGLISH},
    "sentence-transformers/all-": {ENGLISH},
    "sentence-transformers/multi-qa-": {ENGLISH},
    # The languages of T5's vocabulary, which has no letters of other scripts.
    "google/flan-t5-": {ENGLISH, "French", "German", "Romanian"},
}
MIN_STOP_WORDS = 0.2  # share of English words; German texts have about .08

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_ID = re.compile(r"[!-~]*[\d_@/][!-~]*")  # ids, numbers and addresses have no language
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

    Texts of one script are identified together, in order, until they are long enough.
    Texts without letters are ignored.
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
    """Name the languages, with shares unless there is only one."""
    if len(shares) == 1 and sum(shares.values()) >= READ_SHARE:
        return next(iter(shares))
    parts = (f"{name} {share:.0%}" for name, share in shares.items())
    return ", ".join(parts) or "unknown"


def can_grade_languages(spec: GraderSpec, shares: Shares) -> bool:
    """Return False if a grader is known not to support these languages."""
    for model, languages in LANGUAGES_OF_MODELS.items():
        if spec.responder.model.startswith(model):
            return can_read_languages(shares, languages)
    return True


def can_read_languages(shares: Shares, languages: Collection[str] = (ENGLISH,)) -> bool:
    """Return True if (nearly) all texts are in these languages."""
    read = sum(share for name, share in shares.items() if name in languages)
    return read >= READ_SHARE * sum(shares.values())


def _script(text: str) -> str:
    """Return Unicode's name of the script of most letters, "" without letters."""
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
    """Return the language, with its script if necessary; "" if it is uncertain.

    A text in another script is never English.
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
    """Load the model for the languages in ``_NAMES``."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages([*_NAMES])
    return identifier
