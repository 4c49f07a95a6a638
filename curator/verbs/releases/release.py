"""``release`` and ``diff``: a bank frozen with its grades, compared and restored."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from curator.bank.edits import Edit, Retire, SetBack
from curator.bank.questions import Question, kind_words
from curator.bank.wording import without_controls
from curator.engine.opened import OpenWorkspace
from curator.engine.people import PEOPLE
from curator.engine.scoring import board
from curator.engine.settings import Chosen, Options, settings_from
from curator.engine.state import State
from curator.errors import (
    EvaluationError,
    NothingToChangeError,
    ReleaseError,
    UnknownNameError,
)
from curator.evaluation.grades import graded_labels
from curator.evaluation.impact import LabelChange
from curator.evaluation.measures import compares_texts
from curator.evaluation.releases import (
    RATINGS,
    SHARE,
    Difference,
    FrozenItem,
    FrozenQuery,
    FrozenScore,
    Labels,
    Release,
    difference,
    frozen_item,
    label_changes,
)
from curator.evaluation.settings import Settings
from curator.formats.text.notices import counted
from curator.results import Rows
from curator.store import edits as store_edits
from curator.store import releases as store_releases
from curator.store.connection import exclusive
from curator.store.damage import refuse_damaged
from curator.store.history import Batch
from curator.store.releases import ReleaseRecord, release_name
from curator.verbs.checks.quality import certificate
from curator.verbs.files.export_request import refuse_partial
from curator.verbs.releases.readiness import Readiness, readiness
from curator.verbs.stability.stability import stability
from curator.visibility.restricted import withheld_release
from grading.ratings import NOT_ASKED, UNREADABLE

LONGEST_NAME = 100
LONGEST_WHY = 2000

_NO_LABELS = (
    "'{}' compares texts and gives no labels to freeze; name a measure that rests on "
    "grades."
)

_CODES = np.zeros(256, dtype=np.uint8)
_CODES[:6] = np.frombuffer(RATINGS[:6].encode(), dtype=np.uint8)
_CODES[NOT_ASKED & 255], _CODES[UNREADABLE & 255] = RATINGS[6:].encode()

NOT_RESTORED = "Not restored: the bank has changed meanwhile. Look once more."
CHANGED = (
    "Not frozen: the numbers changed meanwhile. Look at what is missing once more."
)


@dataclass(frozen=True)
class Drift:
    """What has become of a release's labels and questions here since.

    ``labels`` are those that the grades here give otherwise by now: of the questions
    that were frozen, in the words that were frozen. What people have made of the bank
    is no part of that; ``questions`` says how many of it would have to be edited to
    make it the frozen one again.
    """

    record: ReleaseRecord
    labels: tuple[LabelChange, ...]
    questions: int = 0


def freeze(state: State, settings: Settings, *, scores: bool = True) -> Release:
    """The kept bank with its grades under these settings, and with the board.

    Raises EvaluationError for settings without a grader, and where the measure has no
    board, unless without ``scores``.
    """
    if not settings.grader:
        raise EvaluationError(_NO_LABELS.format(settings.measure))
    reading = state.grader(settings.grader).spec.reading
    queries = (
        _frozen_query(state, settings, query_id, reading.item_kind)
        for query_id in state.query_ids()
    )
    frozen = Release(
        *(settings, reading.kind, state.threshold(settings)),
        tuple(query for query in queries if query.items),
    )
    if not (scores and state.collection.systems and frozen.needed):
        return frozen
    found = board(state, settings)
    if not found.standings:
        raise EvaluationError(
            f"There is no board of {settings.measure} now. {' '.join(found.notes)}"
        )
    return replace(
        frozen,
        board=tuple(
            FrozenScore(one.system, one.rank, one.score, one.stderr)
            for one in found.standings
        ),
    )


def _frozen_query(
    state: State, settings: Settings, query_id: str, item_kind: str
) -> FrozenQuery:
    graded = state.matrix(settings.grader, query_id, state.bank)
    pool = state.collection.pools[query_id]
    aside = frozenset(pool.aside)
    columns = np.array(
        sorted(
            (place for place in range(pool.size) if place not in aside),
            key=pool.passage_ids.__getitem__,
        ),
        dtype=np.intp,
    )
    codes = _CODES[graded.ratings[:, columns].astype(np.uint8)]
    ratings_of = {
        item_id: row.tobytes().decode("ascii")
        for item_id, row in zip(graded.item_ids, codes, strict=True)
    }
    shares_of: dict[str, str] = {}
    fractional = settings.rule.fractional or graded.expected
    if fractional and graded.probabilities is not None:
        shares = graded.probabilities[:, columns].astype(SHARE)
        rows = zip(graded.item_ids, shares, strict=True)
        shares_of = {item_id: row.tobytes().hex() for item_id, row in rows}
    asks_query = item_kind == "query"  # whose id a question could have too
    items = [
        frozen_item(question, None)
        if asks_query
        else frozen_item(
            question,
            ratings_of.get(question.question_id),
            shares_of.get(question.question_id),
        )
        for question in state.bank.of_query(query_id)
        if question.state == "kept"
    ]
    if asks_query:
        title = state.queries[query_id].title
        items += [
            FrozenItem(
                *(item_id, "query", title),
                ratings=ratings,
                probabilities=shares_of.get(item_id),
            )
            for item_id, ratings in ratings_of.items()
        ]
    passage_ids = tuple(pool.passage_ids[place] for place in columns.tolist())
    return FrozenQuery(query_id, passage_ids, tuple(items))


def release(
    workspace: OpenWorkspace,
    /,
    name: str,
    settings: Chosen | None = None,
    *,
    why: str = "",
    allow_partial: bool = False,
    seen: Readiness | None = None,
    **options: Options,
) -> ReleaseRecord:
    """Freeze the kept bank, its settings and its labels; they never change again.

    Beside them stands what people's checks say of the labels at that moment, and how
    stable the board is.
    ``seen`` is what somebody was shown as missing, and nothing is frozen where that is
    otherwise by now. Raises ReleaseError then, for a name that is taken or none and
    where nothing is kept, EvaluationError where grades are missing, unless
    ``allow_partial``.
    """
    connection = workspace.connection
    settings = settings_from(workspace.state(), options, settings)
    name, why = _refused_words(name, why)
    if compares_texts(settings.measure):
        raise EvaluationError(_NO_LABELS.format(settings.measure))
    refuse_damaged(workspace.path, connection, "so nothing is frozen")
    # What takes a while is kept by the state, so that nobody's save waits for it.
    stability(workspace.working_state().whole, settings)
    with exclusive(connection):
        # The grades and the bank as they are under the write lock, and no others.
        state = workspace.working_state()
        _refuse_hidden_verdicts(state, settings)
        # Votes of others that one is not shown are no part of what is frozen.
        if seen is not None and replace(seen, unseen=0, closed=0) != replace(
            readiness(state, seen.settings), unseen=0, closed=0
        ):
            raise ReleaseError(CHANGED)
        state = state.whole
        frozen = freeze(state, settings)
        if not frozen.needed:
            kind = kind_words(state.grader(settings.grader).spec.reading.item_kind)
            nothing = "No question is kept, so there is nothing to release."
            if frozen.questions:
                nothing = (
                    f"'{settings.grader}' grades a {kind} against passages, and none "
                    "is here to be graded, so there are no labels to release."
                )
            raise ReleaseError(nothing)
        refuse_partial(frozen.known, frozen.needed, allow_partial)
        return store_releases.write_release(
            connection,
            name,
            frozen,
            by=workspace.judge,
            why=why,
            certificate=certificate(state, settings),
            stability=None
            if frozen.known < frozen.needed
            else stability(state, settings).figures,
        )


def _refused_words(name: str, why: str) -> tuple[str, str]:
    """The name without blanks around it, and why on one line.

    Raises ReleaseError where one of them is too long, or the name cannot be seen or
    is one of digits, which name events.
    """
    name, why = release_name(name), " ".join(without_controls(why).split())
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise ReleaseError(
            f"A release needs a name of 1 to {LONGEST_NAME} characters on one line, "
            "all of them to be seen."
        )
    if name.lstrip("-").isdecimal():
        raise ReleaseError(
            f"'{name}' would be taken for the number of an event; a release's name "
            f"needs more than digits, such as 'v{name.lstrip('-')}'."
        )
    if len(why) > LONGEST_WHY:
        raise ReleaseError(
            f"Why a release was made is said in up to {LONGEST_WHY:,} characters, not "
            f"{len(why):,}."
        )
    return name, why


def _hides_labels(state: State, grader: str) -> bool:
    """Whether the labels rest on what people say that whoever looks may not see."""
    derived = state.gradebook.derived(grader)
    return derived and state.viewer.hides_judgments(state.bank)


def _refuse_hidden_verdicts(state: State, settings: Settings) -> None:
    """Raise EvaluationError where labels by people would tell a judge of others'."""
    if _hides_labels(state, settings.grader):
        raise EvaluationError(
            f"The labels of '{settings.grader}' would show what others say of answers "
            "that you have not judged yet: judge them first, or ask the organizer."
        )


def releases(state: State) -> Rows[ReleaseRecord]:
    """Every release, the latest first: who froze what, when and why."""
    found = store_releases.read_releases(state.connection)
    return Rows(found, "releases.release_table")


def release_named(state: State, name: str) -> tuple[ReleaseRecord, Release]:
    """A release with its content. Raises UnknownNameError.

    For a judge in blind mode without its board, which has names in it.
    """
    record, frozen = _read(state, name)
    return record, replace(frozen, board=()) if _masked(state) else frozen


def release_difference(state: State, name: str, other: str | None = None) -> Difference:
    """What differs from a release to another, or to the workspace as it is.

    The workspace is looked at under the settings of the release. For a judge in blind
    mode without the boards. Raises UnknownNameError.
    """
    masked = _masked(state)
    _, before = _read(state, name)
    if other is None:
        _refuse_hidden_verdicts(state, before.settings)
    state = state.whole
    if other is not None:
        _, after = _read(state, other)
        found = difference(before, after)
    else:
        try:
            found = difference(before, freeze(state, before.settings))
        except EvaluationError as error:
            now = freeze(state, before.settings, scores=False)
            found = replace(difference(before, now), systems=(), notes=(str(error),))
    return replace(found, systems=()) if masked else found


def _read(state: State, name: str) -> tuple[ReleaseRecord, Release]:
    """A release, without texts of the queries whose texts the state has not."""
    record, frozen = store_releases.read_release(state.with_texts.connection, name)
    return record, withheld_release(frozen, state.restricted)


def _masked(state: State) -> bool:
    return state.viewer.is_judge and state.collection.blind


def release_drifts(state: State) -> Rows[Drift]:
    """Each release with the labels that its grader gives otherwise by now.

    The latest first. Raises ReleaseError for one that is not what was frozen.
    """
    whole = state.with_texts.whole  # labels and numbers are told
    drifts = (
        whole.cached(("drift", record), partial(_drift, whole, record))
        for record in releases(whole)
    )
    found = (
        replace(one, labels=()) if _hides_labels(state, one.record.grader) else one
        for one in drifts
    )
    return Rows(found, "releases.drift_table")


def _drift(state: State, record: ReleaseRecord) -> Drift:
    _, frozen = store_releases.read_release(state.connection, record.name)
    changes = label_changes(frozen.labels(), labels_now(state, frozen))
    return Drift(record, changes, len(edits_to(state, frozen, "")))


def labels_now(state: State, frozen: Release) -> Labels:
    """What the frozen questions' grades say today, of the passages of then."""
    labels: Labels = {}
    questions = {
        query.query_id: tuple(
            as_question(query.query_id, item) for item in query.questions()
        )
        for query in frozen.queries
    }
    if state.gradebook.has_people:
        # What people said of the frozen words, whichever the questions have now.
        state = state.with_bank(replace(state.bank, by_query=questions))
    try:
        record = state.grader(frozen.settings.grader)
    except UnknownNameError:
        if not frozen.settings.grader.startswith(PEOPLE):
            raise
        return labels  # every verdict was taken back
    for query in frozen.queries:
        asked = questions[query.query_id]
        graded = state.graded(record, query.query_id, asked)
        best = graded_labels(graded, frozen.settings.rule)
        known = dict(zip(graded.pool.passage_ids, best.tolist(), strict=True))
        for passage_id in query.passage_ids:
            if known.get(passage_id, -1) >= 0:
                labels[query.query_id, passage_id] = known[passage_id]
    return labels


def drift_sentence(drift: Drift) -> str:
    """``release 'v1': 3 labels are others by now; its qrels stay as they were.``"""
    number = len(drift.labels)
    be = "is another" if number == 1 else "are others"
    return (
        f"release '{drift.record.name}': {counted(number, 'label')} {be} by now "
        "(grades came, or were read otherwise); its qrels stay as they were."
    )


def restore_release(
    workspace: OpenWorkspace, name: str, *, seen: Difference | None = None
) -> Batch:
    """Make the kept bank that of a release again, as edits that undo as one.

    What is kept now and was not then is retired; what was kept is kept in the words it
    had. Proposals that were not kept stay proposed. ``seen`` is what somebody was shown
    of the difference, and nothing else is then changed. Raises NothingToChangeError
    where the bank is as it was, ReleaseError where it is no longer what was shown,
    UnknownNameError.
    """
    connection = workspace.connection
    _, frozen = store_releases.read_release(connection, name)
    with exclusive(connection):
        # Nobody can add or reword between the look at the bank and the write.
        state = workspace.working_state().whole
        edits = edits_to(state, frozen, f"release {name}")
        if not edits:
            raise NothingToChangeError(f"The bank is that of release '{name}' already.")
        kept = {
            one.question_id: frozen_item(one, None).words
            for one in state.bank
            if one.state == "kept"
        }
        now = {one.question_id: kept.get(one.question_id) for one in edits}
        if seen is not None and now != _differing_in(seen):
            raise ReleaseError(NOT_RESTORED)
        return store_edits.apply(
            connection, _as_last_seen(connection, edits), by=workspace.judge
        )


def _as_last_seen(
    connection: sqlite3.Connection, edits: Sequence[Retire | SetBack]
) -> list[Edit]:
    """The edits; what comes back to the bank comes from where it came from first."""
    backs = [one for one in edits if isinstance(one, SetBack) and one.based_on is None]
    last = store_releases.last_seen(connection, [one.question_id for one in backs])
    found: list[Edit] = []
    for edit in edits:
        if isinstance(edit, SetBack) and (gone := last.get(edit.question_id)):
            was = replace(edit.question, provenance=gone.provenance)
            edit = replace(edit, question=was)
        found.append(edit)
    return found


def edits_to(state: State, frozen: Release, reason: str) -> list[Retire | SetBack]:
    """The edits that make the kept bank the frozen one; none where it is that."""
    wanted = {
        item.item_id: (query.query_id, item)
        for query in frozen.queries
        for item in query.questions()
    }
    now = {question.question_id: question for question in state.bank}
    edits: list[Retire | SetBack] = [
        Retire(one.question_id, reason, one.revision)
        for one in now.values()
        if one.state == "kept" and one.question_id not in wanted
    ]
    for question_id, (query_id, item) in wanted.items():
        old = now.get(question_id)
        kept = old is not None and old.state == "kept"
        if old is None or not kept or frozen_item(old, None).words != item.words:
            target = as_question(query_id, item)
            edits.append(SetBack(target, old.revision if old else None, reason))
    return edits


def _differing_in(seen: Difference) -> dict[str, tuple[object, ...] | None]:
    """What is other in the bank that was seen: words by id, None where not kept."""
    return {
        **{item.item_id: item.words for _, item in seen.added},
        **{item.item_id: None for _, item in seen.removed},
        **{item.item_id: item.words for _, _, item in seen.reworded},
    }


def as_question(query_id: str, item: FrozenItem) -> Question:
    """A frozen item as the kept question that it was."""
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
