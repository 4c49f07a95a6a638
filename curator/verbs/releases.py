"""``release`` and ``diff``: freeze a bank with its grades, compare and restore it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from curator.bank.edits import Edit, Retire, SetBack
from curator.bank.questions import Bank, Question, kind_noun
from curator.bank.wording import without_controls
from curator.errors import (
    EvaluationError,
    NothingToChangeError,
    ReleaseError,
    UnknownNameError,
)
from curator.evaluation.grades import GradedQuery, graded_labels
from curator.evaluation.impact import LabelChange
from curator.evaluation.measures import compares_texts
from curator.evaluation.releases import (
    RATINGS,
    SHARE,
    FrozenItem,
    FrozenQuery,
    FrozenScore,
    Labels,
    Release,
    ReleaseDifference,
    difference,
    frozen_item,
    label_changes,
)
from curator.evaluation.settings import Settings
from curator.formats.text.notices import counted
from curator.results import Result, Rows, column
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.people import PEOPLE
from curator.snapshot.restricted import withheld_release
from curator.snapshot.scoring import board
from curator.snapshot.settings import BoardChoice, OptionValue, settings_from
from curator.snapshot.snapshot import Snapshot, cached_in_snapshot
from curator.store import edits as store_edits
from curator.store import releases as store_releases
from curator.store.connection import write_transaction
from curator.store.history import Batch
from curator.store.people import Work
from curator.store.releases import ReleaseRecord, release_name
from curator.verbs.checks.quality import certificate
from curator.verbs.files.export_request import refuse_partial
from curator.verbs.stability.stability import stability
from curator.verbs.team import assignments
from grading.ratings import NOT_ASKED, UNREADABLE

MAX_NAME = 100
MAX_WHY = 2000

_NO_LABELS = (
    "'{}' compares texts and gives no labels to freeze; choose a measure that uses "
    "grades."
)

_CODES = np.zeros(256, dtype=np.uint8)
_CODES[:6] = np.frombuffer(RATINGS[:6].encode(), dtype=np.uint8)
_CODES[NOT_ASKED & 255], _CODES[UNREADABLE & 255] = RATINGS[6:].encode()

NOT_RESTORED = (
    "Not restored: the bank has changed meanwhile. Check the differences again."
)
CHANGED = "Not frozen: the numbers have changed meanwhile. Check what is missing again."


@dataclass(frozen=True)
class Drift:
    """Changes of a release's labels and questions since it was frozen.

    ``labels`` are those that today's grades change, for the frozen questions in their
    frozen wording; edits of the bank do not count. ``questions`` is the number of
    questions to edit to restore the frozen bank.
    """

    columns: ClassVar = "release=record.name labels questions"

    record: ReleaseRecord
    labels: tuple[LabelChange, ...] = field(metadata=column("labels differ", show=len))
    questions: int = field(
        default=0, metadata=column("questions differ", key="questions_differ")
    )


def freeze(snapshot: Snapshot, settings: Settings, *, scores: bool = True) -> Release:
    """Return the kept bank with its grades under these settings, and with the board.

    Raises EvaluationError for settings without a grader, and, with ``scores``, for a
    measure without a board.
    """
    if not settings.grader:
        raise EvaluationError(_NO_LABELS.format(settings.measure))
    reading = snapshot.grader(settings.grader).spec.reading
    queries = (
        _frozen_query(snapshot, settings, query_id, reading.item_kind)
        for query_id in snapshot.query_ids()
    )
    frozen = Release(
        settings,
        reading.kind,
        snapshot.threshold(settings),
        tuple(query for query in queries if query.items),
    )
    if not (scores and snapshot.collection.systems and frozen.needed):
        return frozen
    system_board = board(snapshot, settings)
    if not system_board.standings:
        notes = " ".join(system_board.notes)
        raise EvaluationError(f"There is no board of {settings.measure} now. {notes}")
    scored = (
        FrozenScore(row.system, row.rank, row.score, row.stderr)
        for row in system_board.standings
    )
    return replace(frozen, board=tuple(scored))


def _frozen_query(
    snapshot: Snapshot, settings: Settings, query_id: str, item_kind: str
) -> FrozenQuery:
    graded = snapshot.matrix(settings.grader, query_id, snapshot.bank)
    pool = snapshot.collection.pools[query_id]
    uncounted = frozenset(pool.uncounted)
    places = [place for place in range(pool.size) if place not in uncounted]
    places.sort(key=pool.passage_ids.__getitem__)
    columns = np.array(places, dtype=np.intp)
    codes = _CODES[graded.ratings[:, columns].astype(np.uint8)]
    ratings_by_item = {
        item_id: row.tobytes().decode("ascii")
        for item_id, row in zip(graded.item_ids, codes, strict=True)
    }
    shares_by_item: dict[str, str] = {}
    fractional = settings.rule.fractional or graded.expected
    if fractional and graded.probabilities is not None:
        shares = graded.probabilities[:, columns].astype(SHARE)
        rows = zip(graded.item_ids, shares, strict=True)
        shares_by_item = {item_id: row.tobytes().hex() for item_id, row in rows}
    asks_query = item_kind == "query"  # a question could have the query's id
    item_ratings = {} if asks_query else ratings_by_item
    item_shares = {} if asks_query else shares_by_item
    items = [
        frozen_item(
            question,
            item_ratings.get(question.question_id),
            item_shares.get(question.question_id),
        )
        for question in snapshot.bank.questions_of(query_id)
        if question.state == "kept"
    ]
    if asks_query:
        title = snapshot.queries[query_id].title
        items += [
            FrozenItem(
                item_id,
                "query",
                title,
                ratings=ratings,
                probabilities=shares_by_item.get(item_id),
            )
            for item_id, ratings in ratings_by_item.items()
        ]
    passage_ids = tuple(pool.passage_ids[place] for place in places)
    return FrozenQuery(query_id, passage_ids, tuple(items))


def release(
    workspace: OpenWorkspace,
    /,
    name: str,
    settings: BoardChoice | None = None,
    *,
    why: str = "",
    allow_partial: bool = False,
    seen: Readiness | None = None,
    **options: OptionValue,
) -> ReleaseRecord:
    """Freeze the kept bank, its settings and its labels; they never change again.

    Also saves the certificate from people's checks and the stability of the board.
    ``seen`` are the gaps shown to the user; if they have changed, nothing is frozen.
    Raises ReleaseError then, for an invalid or used name and if no question is kept,
    EvaluationError if grades are missing, unless ``allow_partial``.

    Args:
        why (--reason --why TEXT): Purpose of the release.
        allow_partial: Release even if grades are missing.
    """
    connection = workspace.connection
    settings = settings_from(workspace.current_snapshot(), options, settings)
    name, why = _checked_texts(name, why)
    if compares_texts(settings.measure):
        raise EvaluationError(_NO_LABELS.format(settings.measure))
    # Slow, so it is cached before taking the lock; other saves need not wait.
    stability(workspace.current_snapshot().full, settings)
    with write_transaction(connection):
        # Read the grades and the bank again under the write lock.
        snapshot = workspace.current_snapshot().with_texts
        _refuse_hidden_verdicts(snapshot, settings)
        # Hidden votes of others are not part of the release.
        if seen is not None and replace(seen, unseen=0, closed=0) != replace(
            readiness(snapshot, seen.settings), unseen=0, closed=0
        ):
            raise ReleaseError(CHANGED)
        snapshot = snapshot.full
        frozen = freeze(snapshot, settings)
        if not frozen.needed:
            kind = kind_noun(snapshot.grader(settings.grader).spec.reading.item_kind)
            reason = "No question is kept, so there is nothing to release."
            if frozen.questions:
                reason = (
                    f"'{settings.grader}' grades a {kind} against passages, and there "
                    "is none to grade, so there are no labels to release."
                )
            raise ReleaseError(reason)
        refuse_partial(frozen.known, frozen.needed, allow_partial)
        is_complete = frozen.known >= frozen.needed
        return store_releases.write_release(
            connection,
            name,
            frozen,
            by=workspace.judge,
            why=why,
            certificate=certificate(snapshot, settings),
            stability=stability(snapshot, settings).figures if is_complete else None,
        )


def _checked_texts(name: str, why: str) -> tuple[str, str]:
    """The name without surrounding blanks, and the reason on one line.

    Raises ReleaseError if one of them is too long, or if the name is not printable or
    has only digits, which identify events.
    """
    name, why = release_name(name), " ".join(without_controls(why).split())
    if not 0 < len(name) <= MAX_NAME or not name.isprintable():
        raise ReleaseError(
            f"A release needs a name of 1 to {MAX_NAME} visible characters on one line."
        )
    if name.lstrip("-").isdecimal():
        raise ReleaseError(
            f"'{name}' would be taken for the number of an event; a release's name "
            f"needs more than digits, such as 'v{name.lstrip('-')}'."
        )
    if len(why) > MAX_WHY:
        raise ReleaseError(
            f"The reason of a release can have {MAX_WHY:,} characters; this one has "
            f"{len(why):,}."
        )
    return name, why


def _hides_labels(snapshot: Snapshot, grader: str) -> bool:
    derived = snapshot.gradebook.is_derived(grader)
    return derived and snapshot.hidden_marks("answers") > 0


def _refuse_hidden_verdicts(snapshot: Snapshot, settings: Settings) -> None:
    if _hides_labels(snapshot, settings.grader):
        raise EvaluationError(
            f"The labels of '{settings.grader}' would show you others' verdicts on "
            "answers that you have not judged yet: judge them first, or ask the "
            "organizer."
        )


NO_RELEASES = "No releases yet. `curator release WORKSPACE NAME` makes one."


def releases(snapshot: Snapshot) -> Rows[ReleaseRecord]:
    """Return every release, the latest first, with author, time and reason."""
    records = store_releases.read_releases(snapshot.connection)
    none = "" if records else NO_RELEASES
    return Rows(records, ReleaseRecord, caption=none)


def release_named(snapshot: Snapshot, name: str) -> tuple[ReleaseRecord, Release]:
    """Return a release with its content. Raises UnknownNameError.

    Without its board for a judge in blind mode, since it contains system names.
    """
    record, frozen = _read(snapshot, name)
    return record, replace(frozen, board=()) if _hides_systems(snapshot) else frozen


def release_difference(
    snapshot: Snapshot, name: str, other: str | None = None
) -> ReleaseDifference:
    """Return the differences from a release to another, or to the present workspace.

    Uses the settings of the release. Without the boards for a judge in blind mode.
    Raises UnknownNameError.
    """
    masked = _hides_systems(snapshot)
    _, before = _read(snapshot, name)
    if other is None:
        _refuse_hidden_verdicts(snapshot, before.settings)

    def current(*, scores: bool = True) -> Release:
        frozen = freeze(snapshot.full, before.settings, scores=scores)
        return withheld_release(frozen, snapshot.restricted)

    if other is not None:
        changes = difference(before, _read(snapshot, other)[1])
    else:
        try:
            changes = difference(before, current())
        except EvaluationError as error:
            changes = difference(before, current(scores=False))
            changes = replace(changes, systems=(), notes=(str(error),))
    return replace(changes, systems=()) if masked else changes


def _read(snapshot: Snapshot, name: str) -> tuple[ReleaseRecord, Release]:
    """Read a release, without texts of queries restricted in this snapshot."""
    record, frozen = store_releases.read_release(snapshot.full.connection, name)
    return record, withheld_release(frozen, snapshot.restricted)


def _hides_systems(snapshot: Snapshot) -> bool:
    return snapshot.viewer.is_judge and snapshot.collection.blind


def release_drifts(snapshot: Snapshot) -> Rows[Drift]:
    """Return each release with the labels that its grader would change today.

    The latest first. Raises ReleaseError for a damaged release.
    """
    full_state = snapshot.full  # only labels and numbers are returned
    drifts = [_drift(full_state, record) for record in releases(full_state)]
    for place, drift in enumerate(drifts):
        if _hides_labels(snapshot, drift.record.grader):
            drifts[place] = replace(drift, labels=())
    return Rows(drifts, Drift)


@cached_in_snapshot
def _drift(snapshot: Snapshot, record: ReleaseRecord) -> Drift:
    _, frozen = store_releases.read_release(snapshot.connection, record.name)
    changes = label_changes(frozen.labels(), current_labels(snapshot, frozen))
    return Drift(record, changes, len(edits_to_restore(snapshot, frozen, "")))


def current_labels(snapshot: Snapshot, frozen: Release) -> Labels:
    """Return today's labels of the frozen questions and passages."""
    labels: Labels = {}
    questions = {
        query.query_id: tuple(to_question(query.query_id, i) for i in query.questions())
        for query in frozen.queries
    }
    if any(record.by_people for record in snapshot.gradebook.records):
        # Look up people's verdicts on the frozen wording, not the present one.
        snapshot = snapshot.with_bank(replace(snapshot.bank, by_query=questions))
    try:
        record = snapshot.grader(frozen.settings.grader)
    except UnknownNameError:
        if frozen.settings.grader.startswith(PEOPLE):
            return labels  # every verdict was withdrawn
        raise
    for query in frozen.queries:
        query_questions = questions[query.query_id]
        graded = snapshot.graded(record, query.query_id, query_questions)
        best = graded_labels(graded, frozen.settings.rule)
        label_by_id = dict(zip(graded.pool.passage_ids, best.tolist(), strict=True))
        for passage_id in query.passage_ids:
            if label_by_id.get(passage_id, -1) >= 0:
                labels[query.query_id, passage_id] = label_by_id[passage_id]
    return labels


def drift_sentence(drift: Drift) -> str:
    """Return a note on the number of changed labels of a release."""
    number = len(drift.labels)
    have = "has" if number == 1 else "have"
    return (
        f"release '{drift.record.name}': {counted(number, 'label')} {have} changed "
        "since (by new grades, or a new reading of them); its qrels stay as they were."
    )


def restore_release(
    workspace: OpenWorkspace, name: str, *, seen: ReleaseDifference | None = None
) -> Batch:
    """Restore the kept bank of a release, as edits in one batch.

    Questions kept since are retired; frozen ones are kept in their frozen wording.
    Other proposals stay proposed. ``seen`` is the difference shown to the user; nothing
    else is changed. Raises NothingToChangeError if the bank is the same, ReleaseError
    if the difference is no longer the one shown, UnknownNameError.
    """
    connection = workspace.connection
    _, frozen = store_releases.read_release(connection, name)
    with write_transaction(connection):
        # The lock prevents edits between reading the bank and writing.
        snapshot = workspace.current_snapshot().full
        edits = edits_to_restore(snapshot, frozen, f"release {name}")
        if not edits:
            raise NothingToChangeError(f"The bank already is that of release '{name}'.")
        kept = _kept_content(snapshot.bank)
        current = {edit.question_id: kept.get(edit.question_id) for edit in edits}
        if seen is not None and current != _expected_words(seen):
            raise ReleaseError(NOT_RESTORED)
        edits_with_provenance = _with_provenance(connection, edits)
        return store_edits.apply(connection, edits_with_provenance, by=workspace.judge)


def _with_provenance(
    connection: sqlite3.Connection, edits: Sequence[Retire | SetBack]
) -> list[Edit]:
    """Restore the provenance of questions that return to the bank."""
    backs = [e for e in edits if isinstance(e, SetBack) and e.based_on is None]
    last = store_releases.last_states(connection, [edit.question_id for edit in backs])
    completed: list[Edit] = []
    for edit in edits:
        if isinstance(edit, SetBack) and (earlier := last.get(edit.question_id)):
            question = replace(edit.question, provenance=earlier.provenance)
            edit = replace(edit, question=question)
        completed.append(edit)
    return completed


def edits_to_restore(
    snapshot: Snapshot, frozen: Release, reason: str
) -> list[Retire | SetBack]:
    """Return the edits that turn the kept bank into the frozen one."""
    frozen_items = {
        item.item_id: (query.query_id, item)
        for query in frozen.queries
        for item in query.questions()
    }
    current = {question.question_id: question for question in snapshot.bank}
    kept = _kept_content(snapshot.bank)
    edits: list[Retire | SetBack] = [
        Retire(question_id, reason, current[question_id].revision)
        for question_id in kept
        if question_id not in frozen_items
    ]
    for question_id, (query_id, item) in frozen_items.items():
        if kept.get(question_id) != item.content:
            old = current.get(question_id)
            target = to_question(query_id, item)
            edits.append(SetBack(target, old.revision if old else None, reason))
    return edits


def _kept_content(bank: Bank) -> dict[str, tuple[object, ...]]:
    return {
        question.question_id: frozen_item(question, None).content
        for question in bank
        if question.state == "kept"
    }


def _expected_words(
    expected: ReleaseDifference,
) -> dict[str, tuple[object, ...] | None]:
    """The changes of the bank that were shown: words by id, None if not kept."""
    return {
        **{item.item_id: item.content for _, item in expected.added},
        **{item.item_id: None for _, item in expected.removed},
        **{item.item_id: item.content for _, _, item in expected.reworded},
    }


def to_question(query_id: str, item: FrozenItem) -> Question:
    """Return a frozen item as the kept question that it was."""
    return Question(
        item.item_id,
        query_id,
        item.text,
        "nugget" if item.kind == "nugget" else "question",
        subtopic_id=item.subtopic_id,
        choices=item.choices,
        answers=item.answers,
        aggregator=item.aggregator,
    )


@dataclass(frozen=True)
class Readiness(Result["Readiness"]):
    """Gaps of a release of the present bank under these settings.

    ``needed`` and ``known`` grades are those of the board; ``ungraded`` are pairs
    without a response, ``unreadable`` those whose response states no rating,
    ``undecided`` proposals, by query. ``not_done`` are queries not marked done, () if
    none is marked: then ``marks_done`` is false. ``kept`` are questions and nuggets.
    ``assigned`` are unfinished assignments (work, query, judge): a query of two judges
    is done when both are; a judge sees only their own. ``unseen`` counts the votes,
    verdicts and checks of others hidden from the viewer, ``closed`` the queries whose
    proposals are hidden.
    """

    settings: Settings | None
    queries: int
    kept: int
    needed: int = 0
    known: int = 0
    ungraded: Mapping[str, int] = field(default_factory=dict)
    unreadable: Mapping[str, int] = field(default_factory=dict)
    undecided: Mapping[str, int] = field(default_factory=dict)
    not_done: tuple[str, ...] = ()
    marks_done: bool = False
    unseen: int = 0
    closed: int = 0
    assigned: tuple[tuple[Work, str, str], ...] = ()

    @property
    def missing(self) -> int:
        """Number of unknown grades, ungraded or unreadable."""
        return self.needed - self.known

    @property
    def proposals(self) -> int:
        return sum(self.undecided.values())

    @property
    def complete(self) -> bool:
        return not (self.missing or self.undecided or self.not_done or self.assigned)


def readiness(snapshot: Snapshot, settings: BoardChoice | None) -> Readiness:
    """Return the gaps of a release: missing grades, undecided proposals, open work.

    Without settings no grades are required.
    """
    if settings is not None:
        settings = settings_from(snapshot, {}, settings)
    bank, queries = snapshot.bank, snapshot.query_ids()
    done = {query_id for query_id, _ in bank.done}
    undecided = Counter(q.query_id for q in bank if q.state == "proposed")
    matrices: Mapping[str, GradedQuery] = {}
    if settings is not None and settings.grader:
        matrices = snapshot.matrices(settings.grader, bank, queries)
    missing = {id_: matrix.needed - matrix.known for id_, matrix in matrices.items()}
    unreadable = {
        query_id: int((matrix.ratings == UNREADABLE).sum())
        for query_id, matrix in matrices.items()
        if missing[query_id]
    }
    viewer = snapshot.viewer
    assigned = assignments(snapshot, judge=viewer.judge if viewer.is_judge else None)
    return Readiness(
        settings,
        len(queries),
        sum(question.state == "kept" for question in bank),
        sum(matrix.needed for matrix in matrices.values()),
        sum(matrix.known for matrix in matrices.values()),
        {q: n for q in missing if (n := missing[q] - unreadable.get(q, 0))},
        {query_id: number for query_id, number in unreadable.items() if number},
        {query_id: undecided[query_id] for query_id in queries if undecided[query_id]},
        tuple(query_id for query_id in queries if query_id not in done) if done else (),
        bool(done),
        snapshot.hidden_marks(),
        len(snapshot.viewer.closed),
        tuple((a.work, a.query_id, a.judge) for a in assigned if not a.finished),
    )
