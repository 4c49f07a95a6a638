"""Graders that check by an AVA model what an answering grader extracted.

The answering grader is asked about the passages; the model sees the question, the
answer key and the answer alone. So an answer is scored once, in however many passages
and by whomever it was found. Source: Vu & Moschitti 2020, section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from grading.answers import BARE_LETTER, LABELLED
from grading.ava import open_ava
from grading.ava.model import Ava, Triple, checked_scores
from grading.errors import UnknownGraderError
from grading.items import AllOf, Item, answer_texts
from grading.readings import AVA, CHAT
from grading.responders import ENGINE, GraderSpec, Reading, Responder

FAMILY = "ava:"
ENGINE_NAME = "ava"
MEAN = "mean/1"  # bump when a triple would be worded, or its scores averaged, otherwise


@dataclass(frozen=True)
class AvaGrader:
    """An AVA model, and which responder's answers it checks."""

    spec: GraderSpec
    model: Ava = field(repr=False)

    def scores(self, asked: Sequence[tuple[Item, tuple[str, ...]]]) -> list[float]:
        """Each candidate's mean score over the texts of its answer key, or the lowest.

        ``asked`` are items of the kind candidate, each with the answer key it is
        checked by, which has to hold an answer; all triples go in one call. Raises
        InvalidScoreError, so that nothing is kept of a model that gives what is no
        score.
        """
        by_candidate = [triples_of(*one) for one in asked]
        triples = [triple for some in by_candidate for triple in some]
        scores = checked_scores(self.model, triples)
        ends = np.cumsum([len(some) for some in by_candidate])
        parts = np.split(scores, ends[:-1])
        # Of answers that are all needed, the one that is missing most decides.
        return [
            float(part.min() if isinstance(answers, AllOf) else part.mean())
            for part, (_, answers) in zip(parts, asked, strict=True)
        ]


def opened(folder: str, source: GraderSpec) -> AvaGrader:
    """The grader that checks this answering grader's answers by the folder's model.

    Right is above the threshold that its card states. Raises MissingModelError where
    there is no model.
    """
    model = open_ava(Path(folder))
    return AvaGrader(ava_spec(f"{FAMILY}{folder}+{source.name}", model, source), model)


def ava_spec(name: str, model: Ava, source: GraderSpec) -> GraderSpec:
    """What says which model checks whose answers, above which threshold.

    The responder is the model alone, so its scores serve every answering grader and
    every threshold.
    """
    decoding = ((ENGINE, ENGINE_NAME), ("references", MEAN))
    thresholds = (float(model.card.threshold),)
    kind, answers_of = source.reading.item_kind, source.responder.key
    parser = AVA + CHAT if source.reading.parser.endswith(CHAT) else AVA
    return GraderSpec(
        name,
        Responder(model.card.name, model.fingerprint, "", decoding),
        Reading("keyed", kind, parser, thresholds, answers_of),
    )


def named(name: str, *, cache: Any = None, prompt: Any = None) -> NoReturn:
    """Refuse: without a workspace there is nobody's answer to check."""
    raise UnknownGraderError(
        f"'{name}' checks answers that another grader of a workspace extracted; it is "
        "opened with one, as in `curator grade WORKSPACE --grader "
        "ava:FOLDER+ANSWERING_GRADER`"
    )


def candidate_item(asked: Item, answer: str) -> Item:
    """The item that says whether ``answer`` is right, by what was asked."""
    return Item("candidate", asked.text, asked.choices, candidate=answer)


def triples_of(item: Item, answers: Sequence[str]) -> list[Triple]:
    """What the model sees of a candidate: a triple for each text of the answer key.

    Each text once; a letter stands for its choice's text.
    """
    texts = (one.strip() for one in answer_texts(answers, item.choices))
    question = (item.text or "").strip()
    candidate = candidate_text(item.candidate or "", item.choices)
    references = dict.fromkeys(text for text in texts if text)
    return [Triple(question, reference, candidate) for reference in references]


def candidate_text(answer: str, choices: Sequence[tuple[str, str]]) -> str:
    """The answer's words: of "(B)" the choice's text, of "b) skin" what follows.

    Where there are no choices, or not this one, the answer as it is.
    """
    texts = {letter.strip().lower(): text for letter, text in choices}
    plain = answer.strip()
    if plain.lower() in {text.strip().lower() for text in texts.values()}:
        return plain
    bare, labelled = BARE_LETTER.fullmatch(plain), LABELLED.fullmatch(plain)
    if bare and bare[1].lower() in texts:
        return texts[bare[1].lower()].strip()
    if labelled and labelled[1].lower() in texts:
        return labelled[2].strip()
    return plain
