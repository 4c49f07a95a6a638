"""Grading by an AVA model: resolve ``ava:FOLDER+SOURCE`` and score its answers.

Each distinct answer of the source grader is scored once. Scores are stored in batches,
and a query's ratings are derived from stored answers and scores when all its answers
are scored. An interrupted run loses only the batch being scored; the next run derives
the missing ratings.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from curator.errors import UnknownNameError
from curator.results import Rows
from curator.snapshot.gradebook import GraderRecord, Target, plain_name
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.snapshot import Snapshot
from curator.store import collection as store_collection
from curator.store import grades as store_grades
from curator.store import responses as store_answers
from curator.store.connection import write_transaction
from curator.store.grades import ItemKey
from curator.store.texts import stored_item_ids
from curator.verbs.answers.ava_training import TrainingStatus, show
from curator.verbs.answers.extracted import answering_graders
from curator.verbs.grading.missing import (
    EVERYTHING,
    GradeSelection,
    missing_in_query,
    queries_by_last_edit,
)
from grading.ava.card import has_card, read_card
from grading.ava.grader import FAMILY, AvaGrader, candidate_item, opened
from grading.errors import GradingError, MissingModelError
from grading.graders.text import CHECKS
from grading.items import Item
from grading.ratings import NOT_ASKED, UNREADABLE
from grading.registry import gives_answers, open_grader
from grading.responders import DTYPES

EXAMPLE = "flan-t5-large/qa"
PORTION = 64  # answers scored between two commits

# Suffixes of a source's name that do not change the answers: another check of them,
# or a number format.
_SAME_ANSWERS = {
    f"{verified}{dtype}"
    for verified in ("", *(f"/{check}" for check in CHECKS))
    for dtype in ("", *(f"/{dtype}" for dtype in DTYPES))
}

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class AvaModel:
    """An AVA grader's model: its folder, and its training as the folder has it now.

    ``threshold`` is the grader's. ``training`` is None where it cannot be read, for the
    reason ``problem``.
    """

    grader: str
    folder: Path
    threshold: float | None
    training: TrainingStatus | None
    problem: str


def ava_models(snapshot: Snapshot) -> Rows[AvaModel]:
    """List the model of each AVA grader, in the order the graders were added."""
    return Rows(
        _model(record)
        for record in snapshot.gradebook.records
        if record.spec.checks_answers
    )


def _model(record: GraderRecord) -> AvaModel:
    folder = Path(folder_of(record))
    training, problem = None, ""
    try:
        training = show(folder)
    except (GradingError, OSError) as error:
        problem = f"{str(error).rstrip('.')}."
        if not folder.is_dir():
            problem = (
                f"The folder '{folder}' does not exist. Its stored scores still count."
            )
    threshold = next(iter(record.spec.reading.thresholds), None)
    return AvaModel(record.name, folder, threshold, training, problem)


def resolve_ava_grader(
    snapshot: Snapshot, name: str, *, dry_run: bool = False
) -> tuple[GraderRecord, AvaGrader]:
    """Find the grader of this name, with its model opened but not loaded.

    The model is the one in the folder now. A stored grader with a number after its name
    keeps the threshold it was stored with. A source that is not in the workspace must
    be one that can be opened, with ``grader_id`` 0; in a ``dry_run`` the source's files
    may be missing. Raises MissingModelError where a model is missing or has changed,
    UnknownNameError, UnknownGraderError and NotGradableError where the source gives no
    answers.
    """
    records = [record for record in snapshot.gradebook.records if record.parts]
    stored = next((record for record in records if record.name == name), None)
    if stored is not None:
        folder, source = folder_of(stored), stored.parts[0]
    else:
        folder, source_name = _folder_and_source(name)
        read_card(Path(folder))  # a missing model is reported first
        source = _resolve_source(snapshot, name, source_name, dry_run)
    grader = opened(folder, source.spec)
    for record in [stored] if stored else records:
        if (
            record.spec.reading.answers_of == source.spec.responder.key
            and Path(folder_of(record)).absolute() == Path(folder).absolute()
            and record.spec.responder != grader.spec.responder
        ):
            raise MissingModelError(
                f"{record.name}: the model in '{folder}' has changed since it graded. "
                "Restore its files, or put the new model in another folder"
            )
    if stored is not None and not name.endswith(f"+{source.name}"):
        return stored, AvaGrader(stored.spec, grader.model)
    same = (record for record in records if record.spec.key == grader.spec.key)
    return next(same, GraderRecord(0, grader.spec, (source,))), grader


def folder_of(record: GraderRecord) -> str:
    """The folder in a stored grader's name."""
    suffix = f"+{record.parts[0].name}" if record.parts else ""
    has_suffix = bool(suffix) and record.name.endswith(suffix)
    name = record.name if has_suffix else plain_name(record.name)
    return name.removeprefix(FAMILY).removesuffix(suffix)


def _folder_and_source(name: str) -> tuple[str, str]:
    """The folder and the source in a name; "" for a name without a source.

    Both may contain a plus: the folder is the longest one that holds a model.
    """
    parts = name.removeprefix(FAMILY).split("+")
    halves = [
        ("+".join(parts[:end]).strip(), "+".join(parts[end:]).strip())
        for end in range(len(parts), 0, -1)
    ]
    is_model = (half for half in halves if half[0] and has_card(Path(half[0])))
    return next(is_model, halves[-1])


def _resolve_source(
    snapshot: Snapshot, name: str, source: str, dry_run: bool
) -> GraderRecord:
    """The answering grader that a name can mean, one for each model's answers.

    The name of a grader that can be opened is not taken for an abbreviation.
    """
    answering = matching = answering_graders(snapshot)
    can_open = bool(source) and gives_answers(source)
    if source:
        records = [
            record for record in snapshot.gradebook.records if record.spec.answers
        ]
        named = [record for record in records if record.name == source] or [
            record
            for record in records
            if record.name.startswith(source)
            and record.name.removeprefix(source) in _SAME_ANSWERS
        ]
        if not named and not can_open:
            named += snapshot.gradebook.match_graders(source, records)
        keys = {record.spec.responder.key for record in named}
        matching = tuple(r for r in answering if r.spec.responder.key in keys)
    if len(matching) == 1:
        return matching[0]
    if can_open:
        spec = open_grader(source, dry_run=dry_run).spec
        key = spec.responder.key
        same = (record for record in answering if record.spec.responder.key == key)
        return next(same, GraderRecord(0, spec))
    available = ", ".join(record.name for record in answering) or "none"
    raise UnknownNameError(
        f"'{name}' does not name a grader that gives answers to check; expected "
        f"{FAMILY}FOLDER+ANSWERING_GRADER. Available: {available}; or one that can be "
        f"asked here, such as {EXAMPLE}."
    )


@dataclass
class AnswerCounts:
    """Counts of the grades that are missing or were added by an answer-checking grader.

    ``grades`` pairs can be rated, for which ``answers`` distinct answers must be
    scored; ``without_answer`` pairs have no response of the answering grader. Of the
    grades added, ``unreadable`` have no value because the response has no words.
    """

    queries: int = 0
    grades: int = 0
    answers: int = 0
    without_answer: int = 0
    unreadable: int = 0


@dataclass(frozen=True)
class OpenQuestion:
    """A question of a query with pairs that have no rating.

    ``unrated`` is a mask of their pool positions; ``answered`` is how many of these
    have an answer, or a response that states none, and ``candidates`` are the answers.
    """

    query_id: str
    target: Target
    key: ItemKey
    unrated: NDArray[np.bool_]
    answered: int
    candidates: tuple[Item, ...]

    @property
    def without_answer(self) -> int:
        return int(self.unrated.sum()) - self.answered


def count_answers(
    snapshot: Snapshot, record: GraderRecord, selection: GradeSelection = EVERYTHING
) -> AnswerCounts:
    """Count the grader's missing grades; stores nothing, loads no model."""
    connection = snapshot.connection
    responder_id = store_answers.responder_with_key(
        connection, record.spec.responder.key
    )
    questions = _open_questions(snapshot, record, selection)
    unscored = {
        (item, question.key[1])
        for question in questions
        for item in _unscored(connection, responder_id, question)
    }
    return AnswerCounts(
        len({question.query_id for question in questions if question.answered}),
        sum(question.answered for question in questions),
        len(unscored),
        sum(question.without_answer for question in questions),
    )


def score_answers(
    workspace: OpenWorkspace,
    record: GraderRecord,
    grader: AvaGrader,
    selection: GradeSelection,
    progress: Progress,
    *,
    width: int = 1,
) -> AnswerCounts:
    """Rate every pair for which the answering grader has a response.

    ``width`` models score in parallel, so batches are as many times larger. Edits made
    during the run are graded too. ``progress`` gets (kept, kept and missing); an error
    in it or the model ends the run and keeps every finished batch.
    """
    connection, batch_size = workspace.connection, PORTION * width
    responder_id = store_grades.responder_id_of(connection, record.grader_id)
    counts, before = AnswerCounts(), -1
    graded_queries = set()
    while counts.grades > before:
        before, snapshot = counts.grades, workspace.current_snapshot().full
        questions = _open_questions(snapshot, record, selection)
        counts.without_answer = sum(question.without_answer for question in questions)
        total = before + sum(question.answered for question in questions)
        progress(before, total)
        for query_id in queries_by_last_edit(snapshot, selection.query_id):
            one_query = replace(selection, query_id=query_id)
            current = workspace.current_snapshot().full
            # Questions of the same words share answers and ratings.
            by_key: defaultdict[ItemKey, list[OpenQuestion]] = defaultdict(list)
            for question in _open_questions(current, record, one_query):
                if question.answered:
                    by_key[question.key].append(question)
            unscored = [
                (first, item)
                for first, *_ in by_key.values()
                for item in _unscored(connection, responder_id, first)
            ]
            for start in range(0, len(unscored), batch_size):
                batch = unscored[start : start + batch_size]
                candidates = [(item, first.target.answers) for first, item in batch]
                keyed = [(item, first.key[1]) for first, item in batch]
                scores = dict(zip(keyed, grader.scores(candidates), strict=True))
                with write_transaction(connection):
                    store_answers.store_scores(connection, responder_id, scores)
                counts.answers += len(batch)
                progress(counts.grades, max(total, counts.grades))
            for same_questions in by_key.values():
                _rate(connection, record, responder_id, same_questions, counts)
                graded_queries.add(query_id)
    counts.queries = len(graded_queries)
    return counts


def _rate(
    connection: sqlite3.Connection,
    record: GraderRecord,
    responder_id: int,
    questions: Sequence[OpenQuestion],
    counts: AnswerCounts,
) -> None:
    """Rate questions of the same words from stored answers and scores."""
    query_id, key, reading = (
        questions[0].query_id,
        questions[0].key,
        record.spec.reading,
    )
    with write_transaction(connection):
        vectors = store_grades.vectors_from_responses(
            connection, responder_id, reading, query_id, [key]
        )
        store_grades.write_vectors(connection, record.grader_id, query_id, vectors)
    for question in questions:
        ratings = vectors[key][: len(question.unrated)][question.unrated]
        counts.grades += int((ratings != NOT_ASKED).sum())
        counts.unreadable += int((ratings == UNREADABLE).sum())


def _open_questions(
    snapshot: Snapshot,
    record: GraderRecord,
    selection: GradeSelection,
) -> list[OpenQuestion]:
    connection, reading = snapshot.connection, record.spec.reading
    source_id = store_answers.responder_with_key(connection, reading.answers_of)
    questions = []
    for query_id in snapshot.query_ids(selection.query_id):
        if (missing := missing_in_query(snapshot, record, query_id, selection)) is None:
            continue
        pool = store_collection.pool_texts(connection, query_id)
        ids = stored_item_ids(connection, [target.item for target in missing.targets])
        for target, unrated in zip(missing.targets, missing.unknown, strict=True):
            item_id = ids.get(target.item, 0)  # 0 is no item's
            key_id = store_answers.stored_key_id(connection, target.answers)
            stated = store_answers.stated_answers(
                connection, source_id, item_id, reading.parser
            )
            texts = [pool[position][0] for position in np.flatnonzero(unrated).tolist()]
            responses = [stated[text_id] for text_id in texts if text_id in stated]
            answers = dict.fromkeys(text for text in responses if isinstance(text, str))
            candidates = tuple(candidate_item(target.item, text) for text in answers)
            key = (item_id, key_id)
            questions.append(
                OpenQuestion(query_id, target, key, unrated, len(responses), candidates)
            )
    return questions


def _unscored(
    connection: sqlite3.Connection, responder_id: int | None, question: OpenQuestion
) -> list[Item]:
    scored = store_answers.scores_of(
        connection, responder_id, question.key[1], question.candidates
    )
    return [item for item in question.candidates if item not in scored]
