"""``check_batch``: the pairs drawn for a judge, to be checked one after the other.

A batch stays in the file, with its probabilities, until the next draw replaces it, so a
judge can continue in another window. The labels of graders and of other judges are
added to a pair once the judge has answered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal, cast, get_args

import numpy as np

from curator.bank.changes import utc_now
from curator.bank.edits import CheckPair
from curator.bank.hasty import hasty_checks
from curator.bank.marks import Check, is_gold
from curator.bank.marks.check import UNSURE, check_by
from curator.bank.questions import Bank, Question, active
from curator.collection.pools import UNJUDGED
from curator.errors import EditError, NothingToChangeError
from curator.evaluation.grades import NO_LABEL, graded_labels
from curator.results import Result
from curator.snapshot.norming import visible_rounds
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.settings import default_grader
from curator.snapshot.settings import settings as chosen_settings
from curator.snapshot.snapshot import Snapshot
from curator.store import bank as store_bank
from curator.store import collection as store_collection
from curator.store import edits as store_edits
from curator.store import history
from curator.store.bank import DrawnPair
from curator.store.connection import write_transaction
from curator.store.history import Batch, BatchOptions
from curator.verbs.checks.gold import mix_gold, repeated_pairs
from curator.verbs.checks.next_checks import (
    choose_seed,
    next_checks,
    require_choice,
    resolve_kind,
    unfinished_assignments,
)

BatchSource = Literal["pairs", "passages", "opinions", "assigned"]
"""Source of a batch: pairs, passages, a second opinion on what others have checked, or
pairs of the first board's grader in the queries assigned to the judge."""

MIXED_SOURCES: tuple[BatchSource, ...] = ("opinions", "assigned")
"""Sources that may hold both pairs and passages."""

COUNT = 20
JUDGMENT = "judged"
OTHERS_HAVE = "checked by another judge: second opinion"
NO_OTHERS = "No other judge has checked a pair that you have not."


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """A grader's label of a pair, and whether that is a yes; None if undecidable.

    For official judgments, named ``judged``, the label is the grade.
    """

    grader: str
    label: int
    yes: bool | None


@dataclass(frozen=True, slots=True)
class PairToCheck:
    """A pair of a batch in its current state.

    ``words`` are the question's text, for a passage the query's. ``mine`` is the
    judge's check; ``others`` and ``grader_labels`` are empty without it. ``yes`` is
    True if the check is a yes, for a passage if it is relevant, and None if
    undecidable. ``outdated`` is True where the question is no longer kept in these
    words; such a pair is skipped.
    """

    drawn: DrawnPair
    words: str
    query: str
    text: str
    outdated: bool
    mine: Check | None
    others: tuple[Check, ...] = ()
    grader_labels: tuple[LabelledPair, ...] = ()
    yes: bool | None = None


@dataclass(frozen=True, slots=True)
class CheckCounts:
    """Counts of a judge's checks: all, those that say yes, and those decided.

    Answers about passages are neither yes nor no. ``seconds`` is the median per check.
    """

    checks: int
    yes: int
    decided: int
    seconds: float | None

    @property
    def share(self) -> float | None:
        """Share of the decided checks that say yes; None where none is decided."""
        return self.yes / self.decided if self.decided else None


@dataclass(frozen=True)
class CheckBatch:
    """A judge's pairs in the order drawn; ``at`` is the time, "" without a draw.

    ``grader`` is the first board's. ``grades`` are the possible grades of a passage,
    ``judges`` the number of checks by each judge. ``note`` is the reason for an empty
    batch. ``set_aside`` counts the judge's hasty answers that can be confirmed.
    """

    of: BatchSource
    at: str
    pairs: tuple[PairToCheck, ...]
    grader: str | None
    grades: tuple[str, ...]
    tally: CheckCounts
    judges: tuple[tuple[str, int], ...]
    note: str = ""
    set_aside: int = 0

    @property
    def answered(self) -> int:
        return sum(pair.mine is not None for pair in self.pairs)


@dataclass(frozen=True)
class CheckQueue(Result["CheckQueue"]):
    """Numbers of answers that wait for the viewer: pairs, and items of norming.

    Pairs are those drawn, or all assigned ones; items those of rounds not yet revealed.
    """

    pairs: int
    norming: int


def check_queue(snapshot: Snapshot, of: str | None = None) -> CheckQueue:
    """Count what the viewer has to answer; ``of`` as for ``check_batch``.

    Draws nothing, and reads no grades.
    """
    if not snapshot.collection.queries:
        return CheckQueue(0, 0)
    judge, source = snapshot.viewer.judge, _parse_source(snapshot, of)
    if source == "assigned":
        assigned = unfinished_assignments(snapshot)
        pairs = sum(assignment.remaining for assignment in assigned)
    else:
        bank = snapshot.bank
        pairs = sum(
            _is_kept(bank, pair)
            and check_by(bank, pair.query_id, (pair.item, pair.passage_id), judge)
            is None
            for pair in _last_draw(snapshot, source)[1]
        )
    rounds = visible_rounds(snapshot)
    norming = sum(
        len(round_.items) - dict(round_.answered).get(judge, 0)
        for round_ in rounds
        if round_.is_blind
    )
    return CheckQueue(pairs, norming)


def check_batch(snapshot: Snapshot, of: str | None = None) -> CheckBatch:
    """Load the batch last drawn for the viewer, with their answers.

    ``of`` is pairs, passages, opinions or assigned; by default assigned while any is
    remains, else what the first board's grader grades. Raises EvaluationError for
    another value.
    """
    return _batch(snapshot, _parse_source(snapshot, of))


def draw_batch(
    workspace: OpenWorkspace,
    of: str | None = None,
    *,
    after: str = "",
    count: int = COUNT,
    seed: int | None = None,
) -> CheckBatch:
    """Return the batch after the one drawn at the time ``after``, drawing it if needed.

    Two windows that ask for the next batch therefore get the same. Without ``of``, a
    judge who has checked everything assigned to them continues with what the first
    board's grader grades. Where nothing is left to draw the batch stays, with the
    reason in ``note``. Raises EvaluationError.
    """
    with write_transaction(workspace.connection):
        snapshot = workspace.current_snapshot()
        source, note = _parse_source(snapshot, of), ""
        at, _ = _last_draw(snapshot, source)
        if at == after:
            if (
                of is None
                and source == "assigned"
                and not unfinished_assignments(snapshot)
            ):
                source = resolve_kind(snapshot, default_grader(snapshot), None)
            if source == "passages":  # gold items are pairs
                pairs, note = _draw_pairs(snapshot, source, count, seed)
            else:
                pairs, note = mix_gold(
                    snapshot,
                    count,
                    seed,
                    _queries_of(snapshot, source),
                    lambda n: _draw_pairs(snapshot, source, n, seed),
                )
            if pairs:
                by = workspace.judge
                store_bank.write_drawn_pairs(
                    workspace.connection, by, source, utc_now(), pairs
                )
        return _batch(snapshot, source, note)


def answer_check(
    workspace: OpenWorkspace,
    of: str,
    at: str,
    place: int,
    answer: str | None,
    *,
    before: str | None = None,
    seconds: float | None = None,
    shown: str | None = None,
    nonce: str | None = None,
) -> Batch:
    """Save the judge's answer to a pair of their batch; None removes it.

    ``at`` is when the batch was drawn and ``before`` the answer that the judge's page
    showed; nothing is saved if either has changed. ``shown`` and ``nonce`` as in
    ``apply``. Raises EditError, NothingToChangeError.
    """
    connection, by = workspace.connection, workspace.judge
    with write_transaction(connection):
        if nonce and (saved := history.batch_of_nonce(connection, nonce)):
            return saved
        drawn_at, pairs = _last_draw(workspace.current_snapshot(), of)
        if drawn_at != at or not 0 <= place < len(pairs):
            raise EditError(
                "Your answer was not saved: other pairs were drawn in another window."
            )
        pair = pairs[place]
        bank = store_bank.reread_queries(connection, Bank(), [pair.query_id])
        if not _is_kept(bank, pair):
            raise EditError("Your answer was not saved: the question has been changed.")
        mine = check_by(bank, pair.query_id, (pair.item, pair.passage_id), by)
        answer_saved = mine and mine.answer
        if answer_saved not in (before, answer):
            done = (
                f"you answered '{answer_saved}'" if answer_saved else "you removed it"
            )
            raise EditError(f"Your answer was not saved: {done} in another window.")
        # A correction keeps the probability of the first answer.
        drawn = (None, 0) if mine else (pair.probability, pair.drawn)
        edit = CheckPair(
            pair.query_id,
            pair.question_id,
            pair.passage_id,
            answer,
            *drawn,
            seconds,
        )
        saving = BatchOptions(shown=shown, nonce=nonce, seconds=seconds)
        return store_edits.apply(connection, [edit], by=by, **saving)


def confirm_checks(workspace: OpenWorkspace, *, nonce: str | None = None) -> Batch:
    """Confirm the viewer's hasty checks, so that they count like others.

    ``nonce`` as in ``apply``. Raises NothingToChangeError without any.
    """
    connection, by = workspace.connection, workspace.judge
    with write_transaction(connection):
        if nonce and (saved := history.batch_of_nonce(connection, nonce)):
            return saved
        edits = _confirmations(workspace.current_snapshot())
        if not edits:
            raise NothingToChangeError(f"No check of {by} is set aside.")
        return store_edits.apply(connection, edits, by=by, nonce=nonce)


def _confirmations(snapshot: Snapshot) -> list[CheckPair]:
    judge, edits = snapshot.viewer.judge, []
    own_checks = {
        query_id: [check for check in checks if check.judge == judge]
        for query_id, checks in snapshot.bank.checks.items()
    }
    for query_id, check in hasty_checks(own_checks):
        question_id = None
        if check.item is not None:
            kept = active(snapshot.bank.questions_of(query_id), "any")
            ids = (
                question.question_id for question in kept if question.text == check.item
            )
            question_id = next(ids, None)
            if question_id is None:
                continue
        edits.append(
            CheckPair(
                query_id,
                question_id,
                check.passage_id,
                check.answer,
                at=check.at,
                confirmed=True,
            )
        )
    return sorted(edits, key=lambda edit: edit.at)


def _parse_source(snapshot: Snapshot, of: str | None) -> BatchSource:
    require_choice(of, get_args(BatchSource))
    return _default_source(snapshot) if of is None else cast("BatchSource", of)


def _default_source(snapshot: Snapshot) -> BatchSource:
    # A judge who just finished the assigned checks stays on that batch.
    graded = resolve_kind(snapshot, default_grader(snapshot), None)
    mine, other = (_last_draw(snapshot, source)[0] for source in ("assigned", graded))
    return "assigned" if mine > other or unfinished_assignments(snapshot) else graded


def _last_draw(snapshot: Snapshot, of: str) -> tuple[str, tuple[DrawnPair, ...]]:
    """Read the time of the viewer's last draw, and its unrestricted pairs."""
    connection, judge = snapshot.full.connection, snapshot.viewer.judge
    at, pairs = store_bank.read_drawn_pairs(connection, judge, of)
    return at, tuple(pair for pair in pairs if pair.query_id not in snapshot.restricted)


def _queries_of(snapshot: Snapshot, of: BatchSource) -> frozenset[str]:
    if of == "assigned":
        return frozenset(work.query_id for work in unfinished_assignments(snapshot))
    return frozenset(snapshot.collection.pools)


def _draw_pairs(
    snapshot: Snapshot, of: BatchSource, count: int, seed: int | None
) -> tuple[tuple[DrawnPair, ...], str]:
    """Draw pairs; returns them and the reason if there are none."""
    if of == "opinions":
        candidates = tuple(repeated_pairs(snapshot, gold=False, reason=OTHERS_HAVE))
        order = np.random.default_rng(choose_seed(seed)).permutation(len(candidates))
        pairs = tuple(candidates[i] for i in order[:count].tolist())
        return pairs, "" if candidates else NO_OTHERS
    if of == "assigned":
        drawn = next_checks(snapshot, count, seed=seed, assigned=True)
    else:
        drawn = next_checks(snapshot, count, of=of, seed=seed)
    pairs = tuple(
        DrawnPair(
            check.query_id,
            check.item_id,
            check.item if check.item_id else None,
            check.passage_id,
            check.probability,
            0 if check.probability is None else len(drawn.checks),
            check.reason,
        )
        for check in drawn.checks
    )
    return pairs, "" if pairs else " ".join(drawn.notes)


def _question(bank: Bank, pair: DrawnPair) -> Question | None:
    question = pair.question_id and bank.find(pair.query_id, pair.question_id)
    if question and question.state == "kept" and question.text == pair.item:
        return question
    return None


def _is_kept(bank: Bank, pair: DrawnPair) -> bool:
    return pair.question_id is None or _question(bank, pair) is not None


def _batch(snapshot: Snapshot, of: BatchSource, note: str = "") -> CheckBatch:
    at, drawn = _last_draw(snapshot, of)
    ids = [pair.passage_id for pair in drawn]
    texts = store_collection.passage_texts(snapshot.connection, ids)
    pairs = tuple(_pair(snapshot, pair, texts[pair.passage_id]) for pair in drawn)
    highest = store_bank.highest_grade(snapshot.connection)
    grades = tuple(map(str, range(highest + 1)))
    counted = snapshot.full.bank.checks.values()  # who checked how many, not what
    all_checks = (check for checks in counted for check in checks)
    judges = Counter(c.judge for c in all_checks if not is_gold(c.judge))
    grader = default_grader(snapshot)
    tally = _check_counts(snapshot, of)
    set_aside = len(_confirmations(snapshot))
    return CheckBatch(
        of,
        at,
        pairs,
        grader,
        grades,
        tally,
        tuple(judges.most_common()),
        note,
        set_aside,
    )


def _check_counts(snapshot: Snapshot, of: BatchSource) -> CheckCounts:
    viewer_checks = [
        check
        for checks in snapshot.bank.checks.values()
        for check in checks
        if check.judge == snapshot.viewer.judge
        and (of in MIXED_SOURCES or (check.item is None) == (of == "passages"))
    ]
    answers = [
        check.answer for check in viewer_checks if check.answer != UNSURE and check.item
    ]
    times = [check.seconds for check in viewer_checks if check.seconds is not None]
    seconds = median(times) if times else None
    return CheckCounts(len(viewer_checks), answers.count("yes"), len(answers), seconds)


def _pair(snapshot: Snapshot, drawn: DrawnPair, text: str) -> PairToCheck:
    judge, query_id = snapshot.viewer.judge, drawn.query_id
    query = snapshot.queries[query_id].name
    checks = [
        check
        for check in snapshot.bank.checks_of(query_id)
        if (check.item, check.passage_id) == (drawn.item, drawn.passage_id)
    ]
    mine = next((check for check in checks if check.judge == judge), None)
    is_gone = not _is_kept(snapshot.bank, drawn)
    pair = PairToCheck(drawn, drawn.item or query, query, text, is_gone, mine)
    if mine is None:
        return pair
    others = tuple(check for check in checks if check.judge != judge)
    labels = () if is_gone else tuple(_grader_labels(snapshot, drawn))
    yes = _is_yes(mine.answer, snapshot.collection.min_relevance)
    return replace(pair, others=others, grader_labels=labels, yes=yes)


def _is_yes(answer: str, min_relevance: int | None) -> bool | None:
    if answer in ("yes", "no"):
        return answer == "yes"
    if answer == UNSURE or min_relevance is None:
        return None
    return int(answer) >= min_relevance


def _grader_labels(snapshot: Snapshot, pair: DrawnPair) -> Iterator[LabelledPair]:
    pool = snapshot.collection.pools[pair.query_id]
    position = pool.passage_ids.index(pair.passage_id)
    question = _question(snapshot.bank, pair)
    # Graders learned from checks are no independent evidence.
    records = [record for record in snapshot.gradebook.records if not record.derived]
    first = default_grader(snapshot)
    for record in sorted(records, key=lambda record: record.name != first):
        matrix, label = (
            snapshot.matrix(record.name, pair.query_id, snapshot.bank),
            NO_LABEL,
        )
        settings = chosen_settings(snapshot, record.name, "P@1", label="max")
        if question is None:
            label, least = int(graded_labels(matrix)[position]), snapshot.relevant_from
        elif question.question_id in matrix.item_ids:
            row = matrix.item_ids.index(question.question_id)
            label, least = int(matrix.ratings[row, position]), snapshot.threshold
        if label >= 0:
            yield LabelledPair(record.name, label, label >= least(settings))
    judged = int(pool.judgments[position])
    if question is None and judged != UNJUDGED:
        from_grade = snapshot.collection.min_relevance
        yes = None if from_grade is None else judged >= from_grade
        yield LabelledPair(JUDGMENT, judged, yes)
