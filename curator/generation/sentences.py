"""Classification of sentences in a response: questions, tasks and remarks.

A remark next to a question is recognized by its surroundings or its beginning. Anything
that may belong to the question stays: its second sentence, its task, its brackets.
"""

from __future__ import annotations

import re

CLOSING = " \"'”’»」』`*_)]}"  # may follow the end of a sentence
QUESTION_MARKS = "?？؟՞፧\u037e"
ENDS = f"{QUESTION_MARKS}.!…。！।"
_GREEK = re.compile(r"[\u0370-\u037d\u0384-\u03ff\u1f00-\u1fff]")

_BOLD = re.compile(r"\*\*([^*]+)\*\*")
_WRAPPED = re.compile(
    r"([*_`\"']|__)((?:(?!\1).)+)\1|[“„]([^“”„]+)[”“]|[‘‚]([^‘’‚]+)[’‘]|"
    r"«([^«»]+)»|「([^「」]+)」",
    re.DOTALL,
)

TASKS = (
    "analy[sz]e|compare|contrast|define|describe|discuss|evaluate|explain|explore|"
    "identify|illustrate|justify|outline|summari[sz]e"
)
_BEGINS_TASK = re.compile(
    rf"[*_(]*(?:{TASKS}|assume|choose|cite|consider|give|include|list|name|provide|"
    r"refer|select|show|state|support|use)\b",
    re.IGNORECASE,
)

_QUESTION_AND_REST = re.compile(
    r"(?P<question>.*[?？؟][\"'”’»」』`*_)\]}]*)\s*(?P<rest>.*)", re.DOTALL
)
_ALL_BOLD = re.compile(r"(\*\*|__)[^*]+\1", re.DOTALL)
_NAMED_REMARK = re.compile(
    r"""
    [*_(\[\ ]* (?:
        why[ ](?:it|this|these|ask|that)\b [^:?.\n]{0,40} | what[ ](?:it|this)[ ]tests
      | (?: (?:key|learning|expected|sample|short|correct)[ ] )?
        (?: aim|answer|assesses|bloom\S*|category|concepts?|difficulty|explanation|focus
          | goal|hint|importance|justification|level|note|objective|purpose|rationale
          | reason|reasoning|relevance|significance|skills?|source|tests|type )
        (?: [ ](?:level|type|tested) )?
    ) [ ]? (?: \([^()\n]{1,20}\) )? [*_]* [:：]
    """,
    re.VERBOSE | re.IGNORECASE,
)
_VERBS = (
    "(?:address|aim|ask|assess|check|cover|encourage|evaluat|examin|explor|focus|help|"
    "highlight|investigat|invit|measur|prob|prompt|relat|requir|seek|target|test)"
)
# "This question tests recall.", "(Tests recall)", "(Easy)"
_ABOUT_QUESTION = re.compile(
    rf"""
    [*_(\[]* (?: this[ ](?:question|one|item)\b
               | (?:this|it|the[ ]question)[ ](?:also[ ])?{_VERBS}e?s\b )
  | [*_]* [(\[] [*_]* (?: {_VERBS}(?:e?s|ing)\b | (?:
        advanced|basic|beginner|difficult|easy|hard|intermediate|medium|simple|analysis
      | analytical|application|comprehension|conceptual|definition|evaluation|factual
      | recall|synthesis|understanding ) (?:[ ,/:-]{{1,3}}\w+){{0,3}} [*_]* [)\]] )
    """,
    re.VERBOSE | re.IGNORECASE,
)
# A comma separates the columns of CSV.
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


def is_question(text: str) -> bool:
    """Return True if the text ends in a question mark of any script.

    In Greek also a semicolon. Quotes, brackets and markup may follow it.
    """
    stripped = text.rstrip(CLOSING)
    is_greek = stripped.endswith(";") and _GREEK.search(stripped) is not None
    return is_greek or stripped.endswith(tuple(QUESTION_MARKS))


def is_finished(text: str) -> bool:
    """Return True if the text ends as a sentence does, so that nothing is missing."""
    return is_question(text) or text.rstrip(CLOSING).endswith(tuple(ENDS))


def begins_task(text: str) -> bool:
    """Return True if the text begins as the task "Justify your answer." does."""
    return _BEGINS_TASK.match(text) is not None


def is_named_remark(text: str) -> bool:
    """Return True if the text has a label, as "Rationale: ..." has."""
    return _NAMED_REMARK.match(text) is not None


def is_bold(text: str) -> bool:
    return _ALL_BOLD.fullmatch(text) is not None


def without_markup(text: str) -> str:
    """Return the stripped text without bold, enclosing quotes and enclosing markup.

    A comma after a quoted text is removed with the quotes.
    """
    text = _BOLD.sub(r"\1", text).strip()
    # No pair of marks contains itself, so the loop ends soon.
    while wrapped := _WRAPPED.fullmatch(text.rstrip(", ")):
        text = wrapped[wrapped.lastindex or 0].strip()
    return text


def question_alone(text: str) -> str:
    """Return a question without its label and the remark after it.

    Its markup stays if nothing was removed. Other texts are returned unchanged.
    """
    split = _QUESTION_AND_REST.fullmatch(text)
    if split is None:
        return text
    if split["rest"] and _is_remark(split["rest"], behind=split["question"]):
        text = split["question"]
    if not is_question(text):
        return text
    labelled = _BOLD_LABEL.fullmatch(text) or _LABEL.fullmatch(without_markup(text))
    if labelled and not labelled["rest"][:1].islower():
        return labelled["rest"]
    return text


def _is_remark(remainder: str, *, behind: str) -> bool:
    """Return True if ``remainder`` after a question on its line is not part of it.

    After a dash, an arrow or the end of bold type it is a remark, unless it sets a task
    or continues the sentence.
    """
    if _ABOUT_QUESTION.match(remainder) or is_named_remark(remainder):
        return True
    separator = _SET_OFF.match(remainder)
    remark = remainder[separator.end() :] if separator else remainder
    if begins_task(remark):
        return False
    return bool(separator) or (is_bold(behind) and not remark[0].islower())
