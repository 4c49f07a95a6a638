"""Questions of one query that say almost the same, by their words alone."""

from __future__ import annotations

import re
from collections import OrderedDict

from rapidfuzz import fuzz, process

from curator.bank.questions import Question
from curator.bank.wording import comparable

# Set on two published banks: DL19's 430 questions hold one such pair ("an RN degree",
# "a BSN degree"), CAR Y3's 8,878 hold 65, nearly all the same question in other words.
# At 80 one word apart is enough: taste or toppings, comets or asteroids.
NEAR = 88.0  # of 100: token sort ratio
KEPT_TUPLES = 256

_WORD = re.compile(r"\w+")
_known: OrderedDict[int, tuple[tuple[Question, ...], dict[str, str]]] = OrderedDict()


def near_duplicates(questions: tuple[Question, ...]) -> dict[str, str]:
    """question_id of each question to its first near-duplicate that is kept.

    Texts are compared in lower case, without punctuation, whatever the order of their
    words. Retired questions, and those without a text, have none and are none. Kept
    by the very tuple, as a bank shares what an edit did not touch.
    """
    known = _known.get(id(questions))
    # The tuple is held, so its id cannot have passed to another one.
    if known is None or known[0] is not questions:
        known = _known[id(questions)] = (questions, compared(questions))
        while len(_known) > KEPT_TUPLES:
            _known.popitem(last=False)
    return known[1]


def compared(questions: tuple[Question, ...]) -> dict[str, str]:
    """``near_duplicates``, computed anew."""
    asked = [q for q in questions if q.state != "retired" and q.text]
    if len(asked) < 2:
        return {}
    texts = [normalised(q.text or "") for q in asked]
    near = process.cdist(texts, texts, scorer=fuzz.token_sort_ratio, score_cutoff=NEAR)
    found: dict[str, str] = {}
    for row, column in zip(*near.nonzero(), strict=True):
        question, other = asked[row], asked[column]
        if question is not other and other.state == "kept" and texts[row]:
            found.setdefault(question.question_id, other.question_id)
    return found


def normalised(text: str) -> str:
    """The text's words in lower case, a space between them."""
    return " ".join(_WORD.findall(comparable(text).lower()))
