"""Grading by an AVA model: what ``ava:FOLDER+SOURCE`` names, and its run.

The answers that another grader gave are scored, once each. What a rating is follows
from what is stored, an answer and its score. Scores are stored by portions, and a
question's ratings are derived when all its answers are scored. Killed at any time, a
run has lost the portion that was being scored; the ratings that follow from the others
come with the next run.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from curator.engine.gradebook import GraderRecord, Target, plain_name
from curator.engine.opened import OpenWorkspace
from curator.engine.state import State
from curator.errors import NotGradableError, UnknownNameError
from curator.results import Rows
from curator.store import collection as store_collection
from curator.store import grades as store_grades
from curator.store import responses as store_answers
from curator.store.connection import exclusive
from curator.store.grades import ItemKey
from curator.store.texts import stored_item_ids
from curator.verbs.answers.ava_report import SavedReport, read_saved_report
from curator.verbs.answers.extracted import answering_graders
from curator.verbs.grading.missing import (
    EVERYTHING,
    Wanted,
    edited_last_first,
    missing_in,
)
from grading.ava.card import Card, has_card, read_card
from grading.ava.grader import FAMILY, AvaGrader, candidate_item, opened
from grading.errors import GradingError, MissingModelError, UnknownGraderError
from grading.graders.text import CHECKS
from grading.items import Item
from grading.ratings import NOT_ASKED, UNREADABLE
from grading.registry import gives_answers, grader_names, open_grader
from grading.responders import DTYPES

EXAMPLE = "flan-t5-large/qa"
PORTION = 64  # answers scored between two commits

# What may stand behind a source's name: the same answers, read otherwise, or in the
# one number format they are here in.
_SAME_ANSWERS = {
    f"{verified}{dtype}"
    for verified in ("", *(f"/{one}" for one in CHECKS))
    for dtype in ("", *(f"/{one}" for one in DTYPES))
}

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class AvaModel:
    """An AVA grader's model: where it lies, and its card.

    ``card`` is None where it cannot be read; ``problem`` then says why. The card is
    that of the folder as it is now: ``threshold`` is the one by which the grader
    decides. ``report`` is what was saved there of a report, None without one;
    ``report_problem`` says why one cannot be read.
    """

    grader: str
    folder: Path
    threshold: float | None
    card: Card | None = None
    problem: str = ""
    report: SavedReport | None = None
    report_problem: str = ""


def ava_models(state: State) -> Rows[AvaModel]:
    """The model of each AVA grader of the workspace, in the order they came in."""
    return Rows(
        _model(record)
        for record in state.gradebook.records
        if record.spec.checks_answers
    )


def _model(record: GraderRecord) -> AvaModel:
    folder = Path(folder_of(record))
    threshold = next(iter(record.spec.reading.thresholds), None)
    model = AvaModel(record.name, folder, threshold)
    try:
        model = replace(model, card=read_card(folder))
    except (GradingError, OSError) as error:
        problem = f"{str(error).rstrip('.')}."
        if not folder.is_dir():
            problem = f"The folder '{folder}' is not here; what it scored still counts."
        return replace(model, problem=problem)
    try:
        return replace(model, report=read_saved_report(folder))
    except GradingError as error:
        return replace(model, report_problem=f"{error}.")


def resolve_ava_grader(
    state: State, name: str, *, dry_run: bool = False
) -> tuple[GraderRecord, AvaGrader]:
    """The grader of this name with its model, opened but not loaded.

    It says what the model in its folder is now. One of the workspace that has a number
    behind its name keeps the threshold it was stored with. A source that the workspace
    does not have is one that can be opened here, with ``grader_id`` 0; in a ``dry_run``
    the source's files may be missing. Raises
    MissingModelError where a model is gone or is another one by now, UnknownNameError,
    UnknownGraderError and NotGradableError where nobody's answers can be checked.
    """
    records = state.gradebook.records
    stored = next((one for one in records if one.name == name and one.parts), None)
    if stored is not None:
        folder, source = folder_of(stored), stored.parts[0]
    else:
        folder, source_name = _folder_and_source(state, name)
        read_card(Path(folder))  # a missing model is reported first
        source = _resolve_source(state, name, source_name, dry_run)
    grader = opened(folder, source.spec)
    key, here = source.spec.responder.key, Path(folder).absolute()
    of_folder = (
        one
        for one in records
        if one.parts and one.spec.reading.answers_of == key
        if Path(folder_of(one)).absolute() == here
    )
    for one in [stored] if stored else of_folder:
        if one.spec.responder != grader.spec.responder:
            raise MissingModelError(
                f"{one.name}: the model in '{folder}' is not the one that it was when "
                "it graded. Put the same files back, or keep the new model in another "
                "folder"
            )
    if stored is not None and not name.endswith(f"+{source.name}"):
        return stored, AvaGrader(stored.spec, grader.model)
    for record in records:
        if record.spec.key == grader.spec.key:
            return record, grader
    return GraderRecord(0, grader.spec, (source,)), grader


def folder_of(record: GraderRecord) -> str:
    """The folder that a stored grader's name names."""
    rest = f"+{record.parts[0].name}" if record.parts else ""
    in_full = bool(rest) and record.name.endswith(rest)
    name = record.name if in_full else plain_name(record.name)
    return name.removeprefix(FAMILY).removesuffix(rest)


def _folder_and_source(state: State, name: str) -> tuple[str, str]:
    """The folder and the source that a name names; "" for a source that it does not.

    Either may hold a plus itself, so every one may be the one between.
    """
    whole = name.removeprefix(FAMILY).strip()
    pluses = [at for at, letter in enumerate(whole) if letter == "+"]
    halves = [(whole[:at].strip(), whole[at + 1 :].strip()) for at in pluses]
    of_models = [one for one in halves if _is_model(one[0])]
    for one in of_models:
        if len(_matching_sources(state, one[1])) == 1:
            return one
    if not halves or _is_model(whole):
        return whole, ""
    of_sources = [one for one in halves if _matching_sources(state, one[1])]
    return (of_models or of_sources[-1:] or halves)[0]


def _resolve_source(
    state: State, name: str, source: str, dry_run: bool
) -> GraderRecord:
    """The answering grader of this name: the workspace's, or one to be asked first."""
    here = answering_graders(state)
    if any(
        one.name == source and not one.spec.answers for one in state.gradebook.records
    ):
        raise _no_answers(name, source, here)
    matching = _matching_sources(state, source) if source else here
    if len(matching) == 1:
        return matching[0]
    if not source or (matching and not _gives_answers(source)):
        raise UnknownNameError(
            f"'{name}' does not say whose answers it checks; expected "
            f"{FAMILY}FOLDER+ANSWERING_GRADER. {_listed(matching)}"
        )
    answers = gives_answers(source)
    if answers is None:
        raise UnknownNameError(
            f"'{name}': no grader '{source}' gives answers here.{_hint(source, here)} "
            f"{_listed(here)}"
        )
    if not answers:
        raise _no_answers(name, source, here)
    spec = open_grader(source, dry_run=dry_run).spec
    same = (one for one in here if one.spec.responder.key == spec.responder.key)
    return next(same, GraderRecord(0, spec))


def _matching_sources(state: State, name: str) -> tuple[GraderRecord, ...]:
    """The answering graders that a name can mean, one for each model's answers.

    The name of one that could be opened is not taken for another's cut short.
    """
    if not name:
        return ()
    records = [one for one in state.gradebook.records if one.spec.answers]
    matching = [one for one in records if one.name == name] or [
        one
        for one in records
        if one.name.startswith(name) and one.name.removeprefix(name) in _SAME_ANSWERS
    ]
    if not matching and not _gives_answers(name):
        matching += state.gradebook.meant(name, records)
    keys = {one.spec.responder.key for one in matching}
    return tuple(
        one for one in answering_graders(state) if one.spec.responder.key in keys
    )


def _gives_answers(name: str) -> bool:
    """Whether this names a grader that can be opened and answers."""
    try:
        return bool(gives_answers(name))
    except UnknownGraderError:
        return False


def _is_model(folder: str) -> bool:
    return bool(folder) and has_card(Path(folder))


def _names(graders: Sequence[GraderRecord]) -> str:
    return ", ".join(one.name for one in graders)


def _listed(graders: Sequence[GraderRecord]) -> str:
    if graders:
        return f"There are: {_names(graders)}."
    return (
        "There is none in this workspace: import answers, or grade with one that "
        f"answers, such as {EXAMPLE}."
    )


def _hint(source: str, here: Sequence[GraderRecord]) -> str:
    """The nearest name, of the workspace's first, as a question after a blank."""
    own = [part for one in here for part in (one.name, one.name.partition("/")[0])]
    new = [f"{one}/qa" for one in grader_names() if "<" not in one]
    for names in (own, list(filter(_gives_answers, new))):
        if near := get_close_matches(source, names, 1):
            return f" Did you mean '{near[0]}'?"
    return ""


def _no_answers(
    name: str, source: str, here: Sequence[GraderRecord]
) -> NotGradableError:
    """What is wrong with a grader that does not answer, and which would."""
    like = f"{source}/qa" if _gives_answers(f"{source}/qa") else EXAMPLE
    others = f", or of this workspace: {_names(here)}" if here else ""
    return NotGradableError(
        f"'{name}': {source} gives no answers that could be checked; name one that "
        f"answers, such as {like}{others}."
    )


@dataclass(frozen=True)
class AnswerCounts:
    """What a grader that checks answers is missing, or what it was given.

    ``grades`` pairs could be rated, for which ``answers`` distinct answers are to be
    scored; of ``without_answer`` pairs the answering grader has said nothing. Of the
    grades given, ``unreadable`` stay unknown, as the response has no words.
    """

    queries: int = 0
    grades: int = 0
    answers: int = 0
    without_answer: int = 0
    unreadable: int = 0


@dataclass(frozen=True)
class OpenQuestion:
    """One question of a query with pairs that have no rating.

    ``unrated`` are their pool positions, as a mask; ``answered`` is how many of these
    have an answer, or a response that states none, and ``candidates`` are the answers.
    """

    query_id: str
    target: Target
    key: ItemKey
    unrated: NDArray[np.bool_]
    answered: int
    candidates: tuple[Item, ...]


def count_answers(
    state: State, record: GraderRecord, wanted: Wanted = EVERYTHING
) -> AnswerCounts:
    """What the grader is missing as things are; stores nothing, loads no model."""
    responder_id = store_answers.responder_with_key(
        state.connection, record.spec.responder.key
    )
    query_ids = state.query_ids(wanted.query_id)
    questions = _open_questions(state, record, query_ids, wanted)
    unscored = {
        (item, one.key[1])
        for one in questions
        for item in _unscored(state.connection, responder_id, one)
    }
    answered = sum(one.answered for one in questions)
    return AnswerCounts(
        len({one.query_id for one in questions if one.answered}),
        answered,
        len(unscored),
        sum(int(one.unrated.sum()) for one in questions) - answered,
    )


def score_answers(
    workspace: OpenWorkspace,
    record: GraderRecord,
    grader: AvaGrader,
    wanted: Wanted,
    progress: Progress,
    *,
    width: int = 1,
) -> AnswerCounts:
    """Rate every pair of which the answering grader has said something.

    ``width`` models at once score, so portions have as many times the answers.
    What is edited meanwhile is graded too. ``progress`` gets (kept, kept and missing);
    what it or the model raises ends the run with every finished portion kept.
    """
    run = _Run(workspace.connection, record, grader, progress, PORTION * width)
    before = -1
    while run.kept > before:
        before, state = run.kept, workspace.working_state()
        query_ids = state.query_ids(wanted.query_id)
        questions = _open_questions(state, record, query_ids, wanted)
        answered = sum(one.answered for one in questions)
        run.total = before + answered
        progress(before, run.total)
        for one in edited_last_first(state, wanted.query_id):
            run.check(_open_questions(workspace.working_state(), record, [one], wanted))
    return AnswerCounts(
        len(run.queries),
        run.kept,
        run.answers,
        sum(int(one.unrated.sum()) for one in questions) - answered,
        run.unreadable,
    )


def _open_questions(
    state: State, record: GraderRecord, query_ids: Sequence[str], wanted: Wanted
) -> list[OpenQuestion]:
    """The questions that have pairs to rate, with what was answered there."""
    connection = state.connection
    source_id = store_answers.responder_with_key(
        connection, record.spec.reading.answers_of
    )
    found = []
    for query_id in query_ids:
        if (missing := missing_in(state, record, query_id, wanted)) is None:
            continue
        pool = store_collection.pool_texts(connection, query_id)
        ids = stored_item_ids(connection, [target.item for target in missing.targets])
        for target, unrated in zip(missing.targets, missing.unknown, strict=True):
            item_id = ids.get(target.item, 0)  # 0 is no item's
            key_id = store_answers.stored_key_id(connection, target.answers)
            stated = store_answers.stated_answers(
                connection, source_id, item_id, record.spec.reading.parser
            )
            texts = (pool[position][0] for position in np.flatnonzero(unrated).tolist())
            here = [stated[text_id] for text_id in texts if text_id in stated]
            answers = dict.fromkeys(one for one in here if isinstance(one, str))
            candidates = tuple(candidate_item(target.item, one) for one in answers)
            key = (item_id, key_id)
            found.append(
                OpenQuestion(query_id, target, key, unrated, len(here), candidates)
            )
    return found


def _unscored(
    connection: sqlite3.Connection, responder_id: int | None, one: OpenQuestion
) -> list[Item]:
    """The answers that have no score yet."""
    known = store_answers.scores_of(
        connection, responder_id, one.key[1], one.candidates
    )
    return [item for item in one.candidates if item not in known]


@dataclass
class _Run:
    """One run: what it has kept, and how it checks a query."""

    connection: sqlite3.Connection
    record: GraderRecord
    grader: AvaGrader
    progress: Progress
    portion: int
    total: int = 0
    kept: int = 0
    answers: int = 0
    unreadable: int = 0
    queries: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.responder_id = store_grades.responder_id_of(
            self.connection, self.record.grader_id
        )

    def check(self, found: Sequence[OpenQuestion]) -> None:
        """Score what is new in this query, by portions, and rate every question."""
        # Two questions of the same words have the same answers and ratings.
        alike: defaultdict[ItemKey, list[OpenQuestion]] = defaultdict(list)
        for one in found:
            if one.answered:
                alike[one.key].append(one)
        unscored = [
            (key, first.target, item)
            for key, (first, *_) in alike.items()
            for item in _unscored(self.connection, self.responder_id, first)
        ]
        left = Counter(key for key, _, _ in unscored)
        for key, questions in alike.items():
            if not left[key]:
                self._rate(key, questions)
        for start in range(0, len(unscored), self.portion):
            portion = unscored[start : start + self.portion]
            self._score(portion)
            done = Counter(key for key, _, _ in portion)
            left.subtract(done)
            for key in done:
                if not left[key]:
                    self._rate(key, alike[key])
            self.progress(self.kept, max(self.total, self.kept))

    def _score(self, portion: Sequence[tuple[ItemKey, Target, Item]]) -> None:
        """Have these answers scored, and keep the scores in one transaction."""
        scores = self.grader.scores(
            [(item, target.answers) for _, target, item in portion]
        )
        by_item = {
            (item, key_id): score
            for ((_, key_id), _, item), score in zip(portion, scores, strict=True)
        }
        with exclusive(self.connection):
            store_answers.store_scores(self.connection, self.responder_id, by_item)
        self.answers += len(portion)

    def _rate(self, key: ItemKey, questions: Sequence[OpenQuestion]) -> None:
        """Keep the ratings of these questions, which are alike, as they follow."""
        query_id = questions[0].query_id
        with exclusive(self.connection):
            vectors = store_grades.vectors_from_responses(
                self.connection,
                self.responder_id,
                self.record.spec.reading,
                query_id,
                [key],
            )
            store_grades.write_vectors(
                self.connection, self.record.grader_id, query_id, vectors
            )
        for one in questions:
            ratings = vectors[key][: len(one.unrated)]
            self.kept += int((one.unrated & (ratings != NOT_ASKED)).sum())
            self.unreadable += int((one.unrated & (ratings == UNREADABLE)).sum())
        self.queries.add(query_id)
