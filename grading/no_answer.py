"""Recognise responses that there is no answer, or that refuse to give one.

Each clause is matched by a small English grammar over classes of words: SRC names the
source ("the given passage"), SAY is a verb of stating, SAID its participle, FACT what
is stated ("information", "mention"), FIND a verb of finding. So "The text does not
explicitly mention it." becomes "SRC does not SAY it". It supports English only.
"""

from __future__ import annotations

import re
from typing import Literal

from grading.highlight import sentences
from grading.ratings import is_unanswerable

Statement = Literal["answer", "no answer", "refusal"]

MOST_SENTENCES = 40  # a longer response is an answer
LONGEST_SENTENCE = 1_000  # characters

_MARKUP = re.compile(r"</?\w+>|[*_`#>\"“”{}\[\]<]+")
_CONTRACTIONS = [
    (re.compile(pattern), text)
    for pattern, text in (
        (r"\bcannot\b|\bcan'?t\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"\b(do|does|did|is|are|was|were|has|have|could|would)n'?t\b", r"\1 not"),
        (r"\bi'm\b", "i am"),
        (r"\bi'd\b", "i would"),
        (r"\b(it|that|there|this)'s\b", r"\1 is"),
        (r"\blet's\b", "let us"),
    )
]
_GIVEN = "given|provided|supplied|attached|retrieved|above|following|quoted"
_FACTS = "information|info|details?|data|evidence"
# Words that name other things, too: "The material contains no lead" is an answer.
_WORKS = (
    "author|document|article|documentation|extract|source|material|fragment|chunk"
    "|transcript|statement|sentence|writer|input"
)
_LACKS_THING = rf"""
    \ (?:(?:do|does)\ not\ (?:contain|include|hold|support|have)|(?:contain|ha)s?\ no
    |lacks?)\ (?!.*\b(?:{_FACTS}|mention|answer|indication|clue|reference))
"""
_SOURCE = rf"""
    \b(?:(?:the|this|that|these|those|your|any\ of\ the|any)\ )?
    (?: (?:(?:{_GIVEN}|original|short|input|entire|whole|search|source)\ )*
        (?: (?:context|passage|text|excerpt|paragraph|snippet|knowledge\ base)s?
          | (?:{_WORKS})s?\b(?!{_LACKS_THING}) )
      | (?:(?:{_GIVEN}|search|context)\ )+
        (?:{_FACTS}|{_WORKS}|section|page|story|report|result)s?
      | (?<=the\ )(?:above|prompt)(?=\ do)
      | available\ information | (?:{_FACTS})(?=\ (?:{_GIVEN}|available)\b)
    )
    (?:\ (?:{_GIVEN}|available|below|here|itself|alone
      |(?:that\ )?(?:you|i|we|was|is)(?:\ have|\ was)?\ (?:gave|shared|{_GIVEN})))*
    \b(?!\ (?:of|through)\ (?!wh|how|the\ (?:passage|text)\b))(?:,\ which\ [^,]*,)?
"""
_CLASSES = {
    name: re.compile(rf"\b(?:{words})\b" if name != "SRC" else words, re.VERBOSE)
    for name, words in {
        "SRC": _SOURCE,
        "SAID": """mentioned|said|told|stated|specified|given|provided|discussed
            |addressed|explained|described|covered|included|contained|indicated|listed|detailed
            |named""",
        "FOUND": """answered|found|determined|inferred|known|identified|answerable
            |available|applicable|present|supported""",
        "FACT": rf"(?:{_FACTS}|indication|explanation|description|clue|reference)s?",
        "SAYFACT": "(?:mention|answer)s?",
        "TELL": "(?:sa[yi]|state|tell|indicate|suggest|impl[yi]|reveal|show)(?:e?s)?",
        "SAYABOUT": "(?:discuss|talk|concern|focus|deal)(?:e?s)?",
        "SAY": r"""(?:specif[yi]|address|explain|describe|clarif[yi]|refer|touch
            |disclose|elaborate|name|relate|go\ into|speak|list|cover)(?:e?s)?""",
        "GIVE": "(?:provide|contain|include|give|offer|supply|hold|support)s?",
        "FIND": r"find|determine|locate|infer|identif(?:y|ies)|deduce|establish|know",
        "": r"""(?!only|merely|comply|reply)(?:[a-z]{2,}ly|also|even|ever|yet|anywhere
            |at\ all)\ """,
    }.items()
}
_FACT = r"(?:[\w-]+ ){0,2}(?:(?:SAY)?FACT|SRC)"
_VERB = r"(?:TELL|SAY(?:FACT|ABOUT)?|GIVE|FIND)"
_DONE = r"(?:SAID|FOUND)"
_IN = (
    r"(?:in|within|from|by|on|based on|using|with|to|throughout|SAID) "
    r"(?:reading |any part of )?SRC\b"
)
_THERE = "there (?:is|are|was|were)"
_NOT = (
    r"(?:do|does|did|is|are|was|were|has|have|can|could) not (?!(?:just|only|merely) )"
)
_NO = r"(?:no|not any|not enough|not sufficient|insufficient|little or no)"
_CANNOT = r"(?:(?:can|could|do|did) not|(?:(?:am|was|are) )?(?:unable|not able) to)"
_X = r"(?:that )?(?:(?!\b(?:that (?!in|from)|which|who|because|until|as SAID)\b).)*?"
_NO_ANSWER = re.compile(
    "|".join(
        (
            # The passage does not mention, gives no, is silent on ...
            r"(?:(?:none of|neither|nothing in|no part of) )?SRC (?:nor \w+ \w+ )?(?:"
            rf"(?:{_NOT}|never |neither |fails? to |at no point )(?:appear to |seem to "
            rf"|allow us to |help |make |have |be )*(?:{_VERB}|{_FACT}|used|clear"
            r"|sufficient|enough|relevant|related|about|in)"
            rf"|(?:{_VERB}|has|have|makes?|is|are) (?:us )?(?:no|nothing|silent|unclear"
            r"|insufficient|irrelevant|unrelated|lacking|about (?:a different|another)"
            r")\b"
            rf"|(?:lacks?|omits?)\b|only {_VERB} .*, not\b"
            r"|(?:is (?:only )?about|SAYABOUT) .*(?:(?:,| and) not|rather than)\b"
            r"|leaves? .*\b(?:open|unanswered|unclear|unsaid|ambiguous)$)",
            r"(?:none of|neither|nothing in|no part of) (?:the FACT in )?SRC "
            rf"(?:nor \w+ \w+ )?{_VERB}",
            r"(?:nowhere|at no point) .*SRC",
            # There is no information about it, No date is given ...
            rf"(?:{_THERE} )?(?:{_NO}|nothing)\b{_X}\b(?:here\b|{_IN})",
            rf"there (?:is|are) {_NO} {_FACT}"
            r"(?:$| (?:about|on|regarding|concerning|SAID)"
            rf"| to (?:{_VERB}|this|that|the question)\b(?! of))",
            r"(?:there is )?(?:no|not any) (?:\w+ )?SAYFACT of\b(?!.*\bin\b)",
            rf"{_NO} {_FACT}(?: (?:is|are))?(?: {_DONE})?(?: here)?$",
            rf"(?:not enough|not sufficient|insufficient) {_FACT} "
            rf"(?:{_DONE}|to {_VERB})",
            rf"(?:no|nothing)\b{_X}(?:is|are) SAID(?:$| about| on| {_IN})",
            r"no SAYFACT can be\b",
            # not mentioned in the passage, The year is not given ...
            rf"(?:{_X}\b(?:is|are|was|were|can|could) )?not (?:be )?(?:{_DONE} )?{_IN}",
            rf"(?:{_X}\b(?:is|are) )?not SAID(?: here)?$|not FOUND$",
            r"(?:(?:this|that|the|an) )?(?:\w+ )?(?:SAY)?FACT(?: to .*)? "
            r"(?:(?:is|was|can) )?not (?:be )?"
            rf"(?:{_DONE}(?! (?:to|until|o\w+line)\b)|{_IN})",
            rf"{_X}\b(?:(?:does|do) not (?:appear|occur|exist)|{_NOT}(?:TELL|SAY)"
            rf"|(?:is|are) (?:missing|absent)) {_IN}",
            r"(?:(?:it|this|that|(?:the|this) (?:SAYFACT|problem)) )?"
            rf"can not be {_DONE}$",
            r"(?:the|this|your) question (?:is|can) "
            rf"(?:not (?:be )?{_DONE}|unanswerable)",
            r"(?:(?:it|this) is )?(?:not (?:clear|possible)|unclear|impossible|hard"
            rf"|difficult)\b{_X}(?:{_IN}"
            r"|(?<=to )(?:TELL|FIND|SAYFACT(?: (?:the|this) question)?)$)",
            rf"(?:the )?(?:FACT|SRC) (?:{_IN} )?is (?:insufficient|not (?:enough"
            rf"|sufficient))(?:$| (?:to {_VERB}|for|{_IN}))",
            r"(?:to SAYFACT (?:this|the) question,? )?(?:more|additional|further) "
            r"(?:FACT|SRC) (?:is|are|would be) (?:needed|required|necessary)",
            r"(?:it|this) (?:is (?:not SAID (?:wh|how|if)|(?:not clear|unclear) which)"
            r"|can not be used to SAYFACT)",
            r"(?:is )?(?:unrelated|irrelevant|not related) to (?:the|this) question",
            # I cannot find it, Unable to determine ...
            rf"(?:i )?{_CANNOT} (?:FIND|see |TELL (?:wh|how|if))|i do not have {_FACT}",
            rf"i (?:have|see|find|found) no {_FACT}|(?:i|we) (?:am|are) not SAID "
            rf"(?:{_FACT}|wh|how|if)",
            rf"(?:(?:i|we|you|one) )?{_CANNOT} {_X}\b"
            rf"(?:without (?:more|further|additional|any)\b|{_IN})",
            r"(?:unable to|can not) SAYFACT$|does not (?:TELL$|SAY)",
            r"i am (?:not sure|unsure|uncertain)\b|the question asks\b",
        )
    )
)
_LEAD = re.compile(
    r"(?:(?:unfortunately|oops|however|but|so|therefore|thus|hence|also|additionally|and"
    r"|in conclusion|in summary|overall|well|instead|actually|although|though|which"
    r"|even though|while|because|since|i am afraid(?: that)?|no(?=[.,:])"
    r"|it (?:seems|appears)(?: that)?|(?:FACT|reason|note)(?=:))"
    r"|(?P<source>(?:based (?:\w+ )?on|from|SAID|using) SRC)"
    r"|(?:according to|in|within) SRC|[a-z]+ly(?=,)|as \w+(?=,)"
    r"|(?:(?:the|my|final|short|correct) )*(?:SAYFACT|response|a)(?: is)? ?[:=])"
    r"(?:\s*[.,:]\s*|\s+|$)"
)
_ANSWER_IS = re.compile(r"the (?:final |correct )?SAYFACT is:? (?!no$)")
# After "Based on the passage,".
_UNSURE = re.compile(
    r"(?:it|this) (?:is (?:not (?:clear|possible)|unclear|impossible|hard)"
    r"|can not be)\b"
    rf"|there (?:is|are) (?:{_NO} {_FACT}|no way to\b)"
    r"|(?:we|one|you) (?:can|do) not (?:TELL|FIND)"
)
# "It", or no subject at all, after a source was named.
_IT_SAYS = re.compile(
    rf"(?P<it>it )?(?:{_NOT}|never |fails to )(?:(?P<said>(?:TELL|SAY|GIVE .*FACT))"
    rf"|{_VERB})|(?:it )?(?:{_VERB}|has|makes) (?:us )?(?:no|nothing)\b"
)
_APOLOGY = re.compile(
    r"(?:i am )?(?:(?:really|very|so|truly|deeply) )?"
    r"(?:sorry|i apologi[sz]e|(?:my )?apologies|i regret)"
    r"(?=[,.!;:]| (?:but|for|that|i|you)\b|$)"
    r"(?: (?:for|you)\b[^,:]*)?[,.!;:]*\s*(?P<but>but\b|that\b)?\s*"
)
_AI = (
    r"an? (?:\w+ )?(?:ai|artificial intelligence|(?:large )?language model|chatbot)"
    r"(?: (?:language )?(?:model|assistant|system|chatbot))?"
)
_AS_AI = re.compile(rf"as {_AI}(?:,|(?= i\b)| (?=developed|created|trained|made))")
_KINDS = {
    "refusal": re.compile(
        r"(?:i|we|my (?:guid|polic|program|train)\w+) (?:\w+ ){0,6}?(?:(?:(?:can|should"
        r"|will|am|was) not|do not allow|unable)\b(?: \w+){0,5} (?:SAY\w*|GIVE(?! up\b)"
        r"|TELL(?! a\b)|help(?! \w+ing)|assist|comply|fulfill?|respond|engage|generate"
        r"|create|write|produce|continue|share|participate|complete|process|comfort\w+"
        r"|do (?:that|this|so))\b|(?:must|to) (?:decline|refuse|avoid|pass on)\b"
        r"|(?:rather|prefer) not|do not feel comfort"
        r"|do not have (?:personal|access|the ability|real|feelings))"
        rf"|i am (?:just |only )?{_AI}|let us (?:change|SAYABOUT)\b"
        r"|.*\b(?:violates?|against|outside) (?:my|our|the) (?:\w+ )?"
        r"(?:guid|polic|program|ethic)"
        r"|(?:your|this|the) (?:request|question|prompt|message) (?:is|was|has been) "
        r"(?:flagged|blocked|rejected|refused|declined|filtered)(?! by (?!our\b))"
        r"|it (?:would|is not) (?:not )?(?:be )?(?:not )?\w+ for me to\b"
    ),
    "says": re.compile(r"SRC (?:does )?(?:TELL\b|\w+ (?:us )?that\b)"),
    "about": re.compile(
        r"SRC is an?\b|(?:SRC|it|(?:the|its) (?:main )?(?:SAY|topic)) "
        r"(?:(?:only|instead|merely|just|rather|does) )*(?:(?:is|are) "
        r"(?:(?:only|rather|instead) )*(?:about|focused|on|related)\b"
        r"|(?<=only )(?:TELL|SAY)|(?:SAY|GIVE)(?!\w* that\b))"
    ),
    "filler": re.compile(
        r"(?:please|let me FIND|feel free|if you|you (?:may|might|can|could|should)"
        r"|would you|could you|can you|do you|is there|to SAYFACT (?:this|the)"
        r"|i (?:am here|understand|appreciate"
        r"|(?:would )?(?:recommend|TELL|need|hope))|(?:further|additional|more) FACT"
        r"|for more|thank|consider)\b|.*\?$"
    ),
}
_VERDICT = re.compile(
    r"(?:unanswerable|(?:none|null)(?=$)|no SAYFACT|not (?:SAID|FOUND|enough FACT)|n/a)"
    r"(?:[.!:,]|$| (?:based on|from|SAID|using|with|by) SRC)"
)
_STARTS = (
    r"(?:(?:it|there|this|that|i|we|does|do|is not|can not|the SAYFACT|the question"
    r"|no FACT)\b|SRC|\w+ no(?:thing)?\b)"
)
_CLAUSES = re.compile(
    r"\s*[;—–]\s*|\s-+\s|[,:]? (?=(?:but|however|although|though|while|because)\b)"
    r"|, (?=(?:so|therefore|thus|hence|instead|only|which)\b)"
    rf"|,? and (?={_STARTS})|, (?={_STARTS})"
)


def classify_answer(response: str) -> Statement:
    """Classify a response without thoughts.

    A refusal says nothing about the passage. Any clause with other content makes it an
    answer: "The passage gives no date, but says it was spring."
    """
    spans = sentences(response)
    longest = max((end - start for start, end in spans), default=0)
    if len(spans) > MOST_SENTENCES or longest > LONGEST_SENTENCE:
        return "answer"
    kinds: set[str] = set()
    for start, end in spans:
        kinds |= _sentence_kinds(_normalised(response[start:end]), kinds)
    if "verdict" in kinds:
        return "no answer"
    if "none" in kinds:
        return "answer" if "answer" in kinds else "no answer"
    if "refusal" in kinds or ("apology" in kinds and "answer" not in kinds):
        return "refusal"
    return "answer"


def _normalised(sentence: str) -> str:
    """Lower-case, drop markup and adverbs, and replace words by their classes."""
    text = _MARKUP.sub("", sentence).lower().replace("’", "'").strip(" '")
    for contraction, written_out in _CONTRACTIONS:
        text = contraction.sub(written_out, text)
    text = " ".join(text.split())
    for name, words in _CLASSES.items():
        text = words.sub(name, text)
    return text


def _sentence_kinds(sentence: str, before: set[str]) -> set[str]:
    """Return the kinds of a sentence's clauses; ``before``: of earlier sentences.

    "source" means that a source was named, which "it" may refer to.
    """
    kinds: list[str] = []
    refused = False
    if apology := _APOLOGY.match(sentence):
        kinds.append("apology")
        refused = apology["but"] is not None
        sentence = sentence[apology.end() :]
    if by_ai := _AS_AI.match(sentence):
        refused = True
        sentence = sentence[by_ai.end() :].strip()
    sentence, derived = _without_lead(sentence)
    for part in _CLAUSES.split(sentence):
        clause = part.strip(" ,:.")
        if not clause:
            continue
        kind = _clause_kind(clause, derived, "source" in before, "source" in kinds)
        if kind == "refusal" and "answer" in {*before, *kinds}:
            kind = "answer"  # a quotation in the answer
        kinds.append("refusal" if refused and kind == "answer" else kind)
        if "SRC" in clause:
            kinds.append("source")
    if "says" in kinds:
        # "The passage says that he left, but not where" gives no answer.
        after = kinds[kinds.index("says") :]
        kinds.append("about" if "none" in after else "answer")
    return set(kinds)


def _clause_kind(clause: str, derived: bool, named: bool, named_here: bool) -> str:
    """Return the kind of a clause.

    ``derived``: the sentence begins with "Based on the passage,"; ``named``: a source
    was named in an earlier sentence; ``named_here``: in this one.
    """
    if _NO_ANSWER.match(clause):
        return "none"
    clause, led = _without_lead(_ANSWER_IS.sub("", clause, count=1))
    if not clause:
        return "lead"
    if _VERDICT.match(clause):
        return "verdict"
    if is_unanswerable(clause) or _NO_ANSWER.match(clause):
        return "none"
    if (derived or led) and _UNSURE.match(clause):
        return "none"
    of_it = _IT_SAYS.match(clause)
    if of_it and (named_here or (of_it["said"] and (named or of_it["it"]))):
        return "none"
    kinds = (kind for kind, pattern in _KINDS.items() if pattern.match(clause))
    return next(kinds, "answer")


def _without_lead(text: str) -> tuple[str, bool]:
    """Return ``text`` without introductory words, and True if they name a source."""
    derived = False
    while lead := _LEAD.match(text):
        derived |= lead["source"] is not None
        text = text[lead.end() :]
    return text, derived
