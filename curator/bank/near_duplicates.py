"""Near-duplicate questions of one query, by their words alone."""

from __future__ import annotations

import re
from collections import OrderedDict

from rapidfuzz import fuzz, process

from curator.bank.questions import Question
from curator.bank.wording import comparable

# Calibrated on two published banks: DL19's 430 questions contain one such pair ("an RN
# degree", "a BSN degree"), CAR Y3's 8,878 contain 65, nearly all the same question in
# other words. At 80 one different word is enough: taste or toppings, comets or
# asteroids.
NEAR = 88.0  # of 100: token sort ratio
CACHE_SIZE = 256

_WORD = re.compile(r"\w+")
_cache: OrderedDict[int, tuple[tuple[Question, ...], dict[str, str]]] = OrderedDict()


def near_duplicates(questions: tuple[Question, ...]) -> dict[str, str]:
    """Return each question's first kept near-duplicate, by question id.

    Texts are compared in lower case, without punctuation, regardless of word order.
    Retired questions and those without a text are ignored. Cached by the identity of
    the tuple, which banks share for queries that an edit did not change.
    """
    cached = _cache.get(id(questions))
    # The cache holds the tuple, so its id cannot be reused.
    if cached is None or cached[0] is not questions:
        cached = _cache[id(questions)] = (questions, find_near_duplicates(questions))
        while len(_cache) > CACHE_SIZE:
            _cache.popitem(last=False)
    return cached[1]


def find_near_duplicates(questions: tuple[Question, ...]) -> dict[str, str]:
    """Compute ``near_duplicates`` without the cache."""
    candidates = [
        question
        for question in questions
        if question.state != "retired" and question.text
    ]
    if len(candidates) < 2:
        return {}
    texts = [normalised(question.text or "") for question in candidates]
    scores = process.cdist(
        texts, texts, scorer=fuzz.token_sort_ratio, score_cutoff=NEAR
    )
    duplicates: dict[str, str] = {}
    for row, column in zip(*scores.nonzero(), strict=True):
        question, other = candidates[row], candidates[column]
        if question is not other and other.state == "kept" and texts[row]:
            duplicates.setdefault(question.question_id, other.question_id)
    return duplicates


def normalised(text: str) -> str:
    """Return the text's words in lower case, separated by a space."""
    return " ".join(_WORD.findall(comparable(text).lower()))
