"""``check_batch``: the pairs that a judge was drawn, to be checked one after the other.

They stay in the file until the next draw takes their place, with the probabilities that
they were drawn with: whoever comes back goes on where they left off, in another window
too. What graders and other judges say of a pair is there once the judge has answered.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal, get_args

import numpy as np

from curator.bank.edits import CheckPair
from curator.bank.edits.check import UNSURE, now, said_by
from curator.bank.marks import Check
from curator.bank.questions import Bank, Question, active
from curator.collection.pools import UNJUDGED
from curator.engine.opened import OpenWorkspace
from curator.engine.settings import default_grader
from curator.engine.settings import settings as chosen_settings
from curator.engine.state import State
from curator.errors import EditError, EvaluationError
from curator.evaluation.grades import NO_LABEL, graded_labels
from curator.store import bank as store_bank
from curator.store import collection as store_collection
from curator.store import edits as store_edits
from curator.store import history
from curator.store.bank import DrawnPair
from curator.store.connection import exclusive
from curator.store.history import Batch, Saving
from curator.verbs.checks.next_checks import (
    SEEDS,
    NextChecks,
    asked_of,
    next_checks,
    to_check,
)

BatchOf = Literal["pairs", "passages", "opinions", "assigned"]
"""What is drawn: pairs, passages, a second opinion on what others have checked, or what
the first board's grader grades in the queries that are the judge's to check."""

ANY: tuple[BatchOf, ...] = ("opinions", "assigned")
"""Which hold pairs or passages."""

COUNT = 20
JUDGMENT = "judged"
OTHERS_HAVE = "somebody else has checked it: a second opinion"
NO_OTHERS = "Nobody else has checked anything that you have not."


@dataclass(frozen=True, slots=True)
class Said:
    """What a grader says of a pair, and whether that is a yes, None where nobody knows.

    Of official judgments, as ``judged``, the grade.
    """

    grader: str
    label: int
    yes: bool | None


@dataclass(frozen=True, slots=True)
class PairToCheck:
    """One pair of a batch as it stands.

    ``words`` are the question's, of a passage the query's. ``mine`` is the judge's
    check, without which there are neither ``others`` nor ``said``; ``yes`` whether it
    is one, of a passage whether it is relevant, None where nobody knows. ``gone`` where
    the question is not kept in these words any more: nobody is asked about it.
    """

    drawn: DrawnPair
    words: str
    query: str
    text: str
    gone: bool
    mine: Check | None
    others: tuple[Check, ...] = ()
    said: tuple[Said, ...] = ()
    yes: bool | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """What a judge has checked so far: how many, how many yes, of how many decided.

    Of passages no answer is a yes or a no. ``seconds`` is the median of a check.
    """

    checks: int
    yes: int
    decided: int
    seconds: float | None

    @property
    def share(self) -> float | None:
        """Of those decided how many are a yes, None where nothing is decided."""
        return self.yes / self.decided if self.decided else None


@dataclass(frozen=True)
class CheckBatch:
    """What a judge was drawn ``at`` a time, "" where nothing was, in the order drawn.

    ``grader`` is the first board's. ``grades`` are those that a passage is given here,
    ``judges`` how many checks each has made of all. ``note`` says why there is nothing.
    """

    of: BatchOf
    at: str
    pairs: tuple[PairToCheck, ...]
    grader: str | None
    grades: tuple[str, ...]
    tally: Tally
    judges: tuple[tuple[str, int], ...]
    note: str = ""

    @property
    def answered(self) -> int:
        """How many of them the judge has checked."""
        return sum(one.mine is not None for one in self.pairs)

    @property
    def following(self) -> int | None:
        """The place of the next that is to be answered, None where all are."""
        places = enumerate(self.pairs)
        return next((i for i, p in places if p.mine is None and not p.gone), None)


def check_batch(state: State, of: str | None = None) -> CheckBatch:
    """The pairs that whoever looks was drawn last, and what they have said of them.

    ``of`` pairs, passages, opinions or assigned; by default assigned where any is left,
    else what the first board's grader grades. Raises EvaluationError for anything else.
    """
    return _batch(state, _of(state, of))


def draw_batch(
    workspace: OpenWorkspace,
    of: str | None = None,
    *,
    after: str = "",
    count: int = COUNT,
    seed: int | None = None,
) -> CheckBatch:
    """The batch after the one drawn at the time ``after``, drawn now if nobody has yet.

    So two windows that ask for the next one get the same. Who names nothing and has
    checked all that is theirs goes on with what the first board's grader grades. Where
    nothing is left to be drawn the batch stays, with why in ``note``. Raises
    EvaluationError.
    """
    with exclusive(workspace.connection):
        state = workspace.state()
        asked, note = _of(state, of), ""
        at, _ = _drawn_last(state, asked)
        if at == after:
            if of is None and asked == "assigned" and not to_check(state):
                asked = asked_of(state, _first_grader(state), None)
            pairs, note = _drawn(state, asked, count, seed)
            if pairs:
                by = workspace.judge
                store_bank.write_drawn(workspace.connection, by, asked, now(), pairs)
        return _batch(state, asked, note)


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
    """Save what the judge says of a pair of their batch; None takes it back.

    ``at`` is when the batch was drawn and ``before`` what the judge had said as far as
    they saw: where either is otherwise by now nothing is saved. ``shown`` and ``nonce``
    as in ``apply``. Raises EditError, NothingToChangeError.
    """
    connection, by = workspace.connection, workspace.judge
    with exclusive(connection):
        if nonce and (saved := history.batch_of_nonce(connection, nonce)):
            return saved
        drawn_at, pairs = _drawn_last(workspace.state(), of)
        if drawn_at != at or not 0 <= place < len(pairs):
            raise EditError(
                "Other pairs were drawn meanwhile, in another window: this answer was "
                "not saved."
            )
        pair = pairs[place]
        bank = store_bank.read_queries(connection, Bank(), [pair.query_id])
        if not _is_kept(bank, pair):
            raise EditError(
                "The question was changed meanwhile: this answer to it was not saved."
            )
        mine = said_by(bank, pair.query_id, (pair.item, pair.passage_id), by)
        said = mine and mine.answer
        if said not in (before, answer):
            raise EditError(
                f"You have said '{said or 'nothing'}' of this pair meanwhile, in "
                "another window: that stands."
            )
        # A correction keeps what the first answer had.
        drawn = (None, 0) if mine else (pair.probability, pair.drawn)
        edit = CheckPair(
            *(pair.query_id, pair.question_id, pair.passage_id, answer),
            *drawn,
            seconds,
        )
        saving = Saving(shown=shown, nonce=nonce, seconds=seconds)
        return store_edits.apply(connection, [edit], by=by, **saving)


def _of(state: State, of: str | None) -> BatchOf:
    """What is asked for. Raises EvaluationError for what nobody can be asked."""
    found: BatchOf | None = next((one for one in get_args(BatchOf) if one == of), None)
    if of is not None and found is None:
        expected = ", ".join(get_args(BatchOf))
        raise EvaluationError(f"of is '{of}'; expected one of {expected}.")
    return found or _usual(state)


def _usual(state: State) -> BatchOf:
    """What is asked of who chooses nothing: what is theirs, as long as any is left.

    Who has just answered the last of it is not led away from what it came to.
    """
    asked = asked_of(state, _first_grader(state), None)
    mine, other = (_drawn_last(state, of)[0] for of in ("assigned", asked))
    return "assigned" if mine > other or to_check(state) else asked


def _drawn_last(state: State, of: str) -> tuple[str, tuple[DrawnPair, ...]]:
    """When whoever looks was drawn pairs last, and which, but of restricted queries."""
    connection, judge = state.with_texts.connection, state.viewer.judge
    at, pairs = store_bank.read_drawn(connection, judge, of)
    return at, tuple(one for one in pairs if one.query_id not in state.restricted)


def _first_grader(state: State) -> str | None:
    """The first board's, by whose ratings pairs are drawn; None without grades."""
    return default_grader(state)


def _drawn(
    state: State, of: BatchOf, count: int, seed: int | None
) -> tuple[tuple[DrawnPair, ...], str]:
    """What is drawn now, or why nothing is."""
    if of == "opinions":
        seed = secrets.randbelow(SEEDS) if seed is None else seed
        every = tuple(_of_others(state))
        order = np.random.default_rng(seed).permutation(len(every))[:count]
        return tuple(every[i] for i in order.tolist()), "" if every else NO_OTHERS
    if of == "assigned":
        return _drawn_in_mine(state, count, seed)
    found = next_checks(state, count, of=of, seed=seed)
    return _pairs(found), "" if found.checks else " ".join(found.notes)


def _drawn_in_mine(
    state: State, count: int, seed: int | None
) -> tuple[tuple[DrawnPair, ...], str]:
    """What is left in the queries that are the viewer's, or why nothing is."""
    found = next_checks(state, count, seed=seed, assigned=True)
    why = {
        one.query_id: f"yours: {one.done} of {one.total} checks of this query are made"
        for one in to_check(state)
    }
    pairs = (replace(one, reason=why[one.query_id]) for one in _pairs(found))
    return tuple(pairs), " ".join(found.notes)


def _pairs(found: NextChecks) -> tuple[DrawnPair, ...]:
    together = len(found.checks)
    return tuple(
        DrawnPair(
            one.query_id,
            one.item_id,
            one.item if one.item_id else None,
            one.passage_id,
            one.probability,
            0 if one.probability is None else together,
            _reason(found, toward),
        )
        for one, toward in zip(found.checks, found.toward, strict=True)
    )


def _reason(found: NextChecks, toward: bool) -> str:
    """Why it is asked; not how probable that was, which would tell of its rating."""
    of = f"of {found.population:,} {found.of} not checked by you yet"
    if toward:
        return f"the order of the systems hangs on it more than on most {of}"
    return f"drawn by lot {of}, so that what is found holds of all"


def _of_others(state: State) -> Iterator[DrawnPair]:
    """What others have checked and the viewer has not, as far as it can be asked."""
    judge = state.viewer.judge
    for query_id, checks in state.bank.checks.items():
        mine = {(c.item, c.passage_id) for c in checks if c.judge == judge}
        others = dict.fromkeys((c.item, c.passage_id) for c in checks)
        kept = active(state.bank.of_query(query_id), "any")
        ids = {one.text: one.question_id for one in reversed(kept)}
        pool = frozenset(state.collection.pools[query_id].counted)
        for item, passage_id in others.keys() - mine:
            if passage_id in pool and (item is None or item in ids):
                question_id = None if item is None else ids[item]
                yield DrawnPair(
                    *(query_id, question_id, item, passage_id, None, 0, OTHERS_HAVE)
                )


def _question(bank: Bank, pair: DrawnPair) -> Question | None:
    """The question in the words that were drawn, None where it is not kept so."""
    found = pair.question_id and bank.find(pair.query_id, pair.question_id)
    if found and found.state == "kept" and found.text == pair.item:
        return found
    return None


def _is_kept(bank: Bank, pair: DrawnPair) -> bool:
    return pair.question_id is None or _question(bank, pair) is not None


def _batch(state: State, of: BatchOf, note: str = "") -> CheckBatch:
    at, drawn = _drawn_last(state, of)
    ids = [one.passage_id for one in drawn]
    texts = store_collection.passage_texts(state.connection, ids)
    pairs = tuple(_pair(state, one, texts[one.passage_id]) for one in drawn)
    highest = store_bank.highest_grade(state.connection)
    grades = tuple(map(str, range(highest + 1)))
    every = (one for checks in state.bank.checks.values() for one in checks)
    judges = tuple(Counter(one.judge for one in every).most_common())
    grader = _first_grader(state)
    tally = _tally(state, of)
    return CheckBatch(of, at, pairs, grader, grades, tally, judges, note)


def _tally(state: State, of: BatchOf) -> Tally:
    """Of all that the viewer has checked, pairs or passages."""
    mine = [
        one
        for checks in state.bank.checks.values()
        for one in checks
        if one.judge == state.viewer.judge
        and (of in ANY or (one.item is None) == (of == "passages"))
    ]
    said = [one.answer for one in mine if one.answer != UNSURE and one.item]
    looked = [one.seconds for one in mine if one.seconds is not None]
    seconds = median(looked) if looked else None
    return Tally(len(mine), said.count("yes"), len(said), seconds)


def _pair(state: State, drawn: DrawnPair, text: str) -> PairToCheck:
    judge, query_id = state.viewer.judge, drawn.query_id
    query = state.queries[query_id].name
    here = [
        one
        for one in state.bank.checks_of(query_id)
        if (one.item, one.passage_id) == (drawn.item, drawn.passage_id)
    ]
    mine = next((one for one in here if one.judge == judge), None)
    gone = not _is_kept(state.bank, drawn)
    found = PairToCheck(drawn, drawn.item or query, query, text, gone, mine)
    if mine is None:
        return found
    others = tuple(one for one in here if one.judge != judge)
    said = () if gone else tuple(_said(state, drawn))
    yes = _is_yes(mine.answer, state.collection.min_relevance)
    return replace(found, others=others, said=said, yes=yes)


def _is_yes(answer: str, min_relevance: int | None) -> bool | None:
    if answer in ("yes", "no"):
        return answer == "yes"
    if answer == UNSURE or min_relevance is None:
        return None
    return int(answer) >= min_relevance


def _said(state: State, pair: DrawnPair) -> Iterator[Said]:
    """What each grader that has graded the pair says of it, the first board's first."""
    pool = state.collection.pools[pair.query_id]
    place = pool.passage_ids.index(pair.passage_id)
    question = _question(state.bank, pair)
    # What was learned from the very check says nothing of it.
    records = [one for one in state.gradebook.records if not one.derived]
    first = _first_grader(state)
    for record in sorted(records, key=lambda one: one.name != first):
        matrix, label = state.matrix(record.name, pair.query_id, state.bank), NO_LABEL
        settings = chosen_settings(state, record.name, "P@1", label="max")
        if question is None:
            label, least = int(graded_labels(matrix)[place]), state.relevant_from
        elif question.question_id in matrix.item_ids:
            row = matrix.item_ids.index(question.question_id)
            label, least = int(matrix.ratings[row, place]), state.threshold
        if label >= 0:
            yield Said(record.name, label, label >= least(settings))
    judged = int(pool.judgments[place])
    if question is None and judged != UNJUDGED:
        from_grade = state.collection.min_relevance
        yes = None if from_grade is None else judged >= from_grade
        yield Said(JUDGMENT, judged, yes)
