"""Graders that check answers extracted by another grader with an AVA model.

The answering grader is asked about the passages; the model sees only the question, the
answer key and the answer. So an answer is scored once, regardless of the passages and
the graders that returned it. Source: Vu & Moschitti 2020, section 3.
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
MEAN = (
    "mean/1"  # bump when a triple would be worded, or its scores averaged, differently
)


@dataclass(frozen=True)
class AvaGrader:
    """An AVA model, and the responder whose answers it checks."""

    spec: GraderSpec
    model: Ava = field(repr=False)

    def scores(self, candidates: Sequence[tuple[Item, tuple[str, ...]]]) -> list[float]:
        """Return each candidate's mean or lowest score over its answer key's texts.

        ``candidates`` are items of the kind candidate, each with its answer key, which
        must contain an answer; all triples are scored in one call. The lowest score
        counts if all answers are needed. Raises InvalidScoreError, so that no invalid
        score is stored.
        """
        by_candidate = [triples_of(*candidate) for candidate in candidates]
        triples = [
            triple for candidate_triples in by_candidate for triple in candidate_triples
        ]
        scores = checked_scores(self.model, triples)
        ends = np.cumsum([len(candidate_triples) for candidate_triples in by_candidate])
        parts = np.split(scores, ends[:-1])
        # If all answers are needed, the one with the lowest score decides.
        return [
            float(part.min() if isinstance(answers, AllOf) else part.mean())
            for part, (_, answers) in zip(parts, candidates, strict=True)
        ]


def opened(folder: str, source: GraderSpec) -> AvaGrader:
    """Return the grader that checks this answering grader's answers with a model.

    Answers are right above the threshold in the model's card. Raises MissingModelError
    if there is no model in the folder.
    """
    model = open_ava(Path(folder))
    return AvaGrader(ava_spec(f"{FAMILY}{folder}+{source.name}", model, source), model)


def ava_spec(name: str, model: Ava, source: GraderSpec) -> GraderSpec:
    """Return the specification: the model, the answering grader, the threshold.

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


def named(name: str, *, cache: Any = None) -> NoReturn:
    """Raise an error: without a workspace there are no answers to check."""
    raise UnknownGraderError(
        f"'{name}' checks answers that another grader of a workspace extracted; it is "
        "opened with one, as in `curator grade WORKSPACE --grader "
        "ava:FOLDER+ANSWERING_GRADER`"
    )


def candidate_item(item: Item, answer: str) -> Item:
    """Return the candidate item of an answer, for the item that was asked."""
    return Item("candidate", item.text, item.choices, candidate=answer)


def triples_of(item: Item, answers: Sequence[str]) -> list[Triple]:
    """Return the triples of a candidate: one for each text of the answer key.

    Equal texts are used once; a choice's letter is replaced by its text.
    """
    texts = (answer.strip() for answer in answer_texts(answers, item.choices))
    question = (item.text or "").strip()
    candidate = candidate_text(item.candidate or "", item.choices)
    references = dict.fromkeys(text for text in texts if text)
    return [Triple(question, reference, candidate) for reference in references]


def candidate_text(answer: str, choices: Sequence[tuple[str, str]]) -> str:
    """Return the text of an answer: of "(B)" the choice's, of "b) skin" the rest.

    Without such a choice the answer is returned unchanged.
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
