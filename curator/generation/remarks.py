"""What a model says about a question, beside it: none of it is asked in an exam.

A remark is known by what stands around it or by how it begins. What could as well be
part of the question stays: its second sentence, its task, its brackets.
"""

from __future__ import annotations

import re

from curator.generation.sentences import begins_task, is_question, without_markup

_QUESTION_AND_REST = re.compile(
    r"(?P<question>.*[?？؟][\"'”’»」』`*_)\]}]*)\s*(?P<rest>.*)", re.DOTALL
)
_BOLD = re.compile(r"(\*\*|__)[^*]+\1", re.DOTALL)

_VERBS = (
    "address|aim|ask|assess|check|cover|encourage|evaluat|examin|explor|focus|help|"
    "highlight|investigat|invit|measur|prob|prompt|relat|requir|seek|target|test"
)
_LEVELS = (
    r"advanced|basic|beginner|difficult|easy|hard|intermediate|medium|simple|analysis|"
    r"analytical|application|comprehension|conceptual|definition|evaluation|factual|"
    r"recall|synthesis|understanding"
)
_NAMES = (
    r"(?:(?:key|learning|expected|sample|short|correct)\ )?"
    r"(?:aim|answer|assesses|bloom\S*|category|concepts?|difficulty|explanation|focus|"
    r"goal|hint|importance|justification|level|note|objective|purpose|rationale|"
    r"reason|reasoning|relevance|significance|skills?|source|tests|type)"
    r"(?:\ level|\ type|\ tested)?"
    r"|why\ (?:it|this|these|ask|that)\b[^:?.\n]{0,40}|what\ (?:it|this)\ tests"
)
_NAMED = re.compile(
    rf"[*_(\[\ ]*(?:{_NAMES})\ ?(?:\([^()\n]{{1,20}}\))?[*_]*[:：]", re.IGNORECASE
)
_ABOUT = re.compile(
    rf"""
    [*_]* (?:
        [(\[]? [*_]* (?:
            this [ ] (?:question|one|item) \b
          | (?:this|it|the[ ]question) [ ] (?:also[ ])? (?:{_VERBS}) e?s \b
        )
      | [(\[] [*_]* (?:
            (?:{_VERBS}) (?:e?s|ing) \b
          | (?:{_LEVELS}) (?: [ ,/:-]{{1,3}} \w+ ){{0,3}} [*_]* [)\]]
        )
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
# A comma stands between the columns of CSV.
_SET_OFF = re.compile(r"(?:[-–—]+ |[-=]+>|[—→⇒➔:：]|,(?=[\"'\w])) *")

# "**Mechanism:** How does it work?", "**Mechanism** - How …?"
_BOLD_LABEL = re.compile(
    r"(\*\*|__)[^*_?]{1,80}?(?:[:：] ?\1|\1 ?(?:[:：]|[-–—](?= ))) *(?P<rest>.*)",
    re.DOTALL,
)
_LABEL = re.compile(
    r"""
    # "In Python: What …?" and "Plato asked: What …?" need what stands before the colon.
    (?! (?: after|as|at|before|by|during|for|from|given|if|in|of|on|since|to|true|under
          | when|where|with|without|what|why|who|how|which|is|are|do|does|can|consider
        ) \b )
    (?! [^:]* \b (?: ask|say|said|wonder|write|wrote ) \w* : )
    [^\W\d_][^\s:?.,]* (?: [ ][^\s:?.,]+ ){0,2} : [ ]+ (?P<rest>.*)
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)

_NOTES = re.compile(
    r"[ #>*_]*(?:(?:additional|important|some|key) )?"
    r"(?:explanations?|notes?|rationale|remarks?)[*_ ]*[:：]?[*_ ]*",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"""
    (?: let\ me\ know | feel\ free | i\ hope | is\ there\ anything\ else
      | (?:shall|should)\ i\ (?:continue|go\ on|proceed|write|add)
      | (?:can|could|may)\ i\ (?:help|assist)
      | do\ you\ (?:want|need)\ (?:me|more|any|help)
      | (?:would\ you\ like|want) \ (?:me\ to|more|another|additional|any|help
          |to\ (?:see|continue|proceed))
      | (?:can|could)\ you\ (?:please\ )? (?:provide|share|give\ me)
        \ (?:more|further|additional)\ (?:context|detail|information)
    ) \b
    """,
    re.VERBOSE | re.IGNORECASE,
)


def question_alone(text: str) -> str:
    """A question without the label before it and the remark behind it.

    Its markup stays where nothing was left out. Any other text is returned as it is.
    """
    split = _QUESTION_AND_REST.fullmatch(text)
    if split is None:
        return text
    if split["rest"] and _is_remark(split["rest"], behind=split["question"]):
        text = split["question"]
    if not is_question(text):
        return text
    plain = without_markup(text)
    labelled = _BOLD_LABEL.fullmatch(text) or _LABEL.fullmatch(plain)
    if labelled and not labelled["rest"][:1].islower():
        return labelled["rest"]
    return text


def _is_remark(rest: str, *, behind: str) -> bool:
    """Whether what stands ``behind`` a question on its line is none of it.

    After a dash, an arrow or the end of bold type, it is, unless it sets a task or the
    sentence goes on.
    """
    if _ABOUT.match(rest) or _NAMED.match(rest):
        return True
    set_off = _SET_OFF.match(rest)
    said = rest[set_off.end() :] if set_off else rest
    if begins_task(said):
        return False
    in_bold = _BOLD.fullmatch(behind) is not None
    return bool(set_off) or (in_bold and not said[0].islower())


def is_named_remark(text: str) -> bool:
    """Whether the text says what it is, as "Rationale: ..." does."""
    return _NAMED.match(text) is not None


def begins_notes(line: str) -> bool:
    """Whether the line is a heading of remarks: "Notes:"."""
    return _NOTES.fullmatch(line) is not None


def is_offer(text: str) -> bool:
    """Whether the text speaks to the person who asked for the list."""
    return _OFFER.match(text) is not None
