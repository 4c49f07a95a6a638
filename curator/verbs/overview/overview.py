"""``overview``: where a bank stands, who works on it, and what to do next.

What is counted of the history is what the viewer may see of it: no marks of others that
are hidden, and nothing of proposals that are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal, get_args

import numpy as np

from curator.bank.edits.kinds import KINDS, base_kind
from curator.engine.settings import (
    Chosen,
    Options,
    carried_rating,
    default_settings,
    reference_settings,
)
from curator.engine.settings import settings as chosen_settings
from curator.engine.state import State
from curator.errors import CuratorError
from curator.evaluation.checks.quality import Certificate
from curator.evaluation.correlation import Correlation
from curator.evaluation.passage_agreement import auc
from curator.evaluation.settings import DEFAULT_LABEL, Settings
from curator.results import Result
from curator.store.history import Trace, read_traces
from curator.verbs.checks.quality import certificate
from curator.verbs.curate.question_rows import QuestionLine, question_lines
from curator.verbs.leaderboard.leaderboard import correlated, judged_labels
from curator.verbs.next.next_steps import NextStep, next_steps
from curator.verbs.proposals.decisions import decisions
from curator.verbs.releases.release import release_difference, releases
from curator.verbs.setup.status import GraderState, graders
from curator.verbs.validity.validity import usual_references
from curator.visibility.viewer import LOOKED_AT

QueryState = Literal["untouched", "in work", "done", "changed since done"]
MOST_STEPS = 3


@dataclass(frozen=True, slots=True)
class QueryStanding:
    """One query: how far it is, and its questions in every state.

    ``edits`` counts the edits of its questions that stand, ``edited`` is when the last
    one was made (ISO 8601, UTC), ``done_by`` are the judges who marked it done. Its
    ``steps`` are things to do next and its ``need`` their weights together; None where
    nobody has looked.
    """

    query_id: str
    name: str
    state: QueryState
    lines: tuple[QuestionLine, ...]
    kept: int
    proposed: int
    retired: int
    edits: int = 0
    edited: str | None = None
    done_by: tuple[str, ...] = ()
    steps: int | None = None
    need: float | None = None


@dataclass(frozen=True, slots=True)
class JudgePace:
    """One judge's work that stands.

    ``edits`` count the questions changed, ``seconds`` is the median time for one of
    them over the ``timed`` that were measured, ``decided`` counts proposals, ``done``
    queries marked done. ``seen`` is when they last saved anything (ISO 8601, UTC).
    ``days`` counts edits by day, as (``2026-05-04``, 12).
    """

    judge: str
    edits: int
    seconds: float | None
    timed: int
    decided: int
    done: int
    seen: str
    days: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class GraderTrust:
    """What is known of a grader here: None where there is nothing to hold it against.

    ``auc`` is of its labels against the ``judged`` passages' official judgments,
    ``kappa`` Cohen's of the same at the minimum rating, of best ratings where labels
    are means; ``tau`` Kendall's between its board and ``against``; ``certificate`` what
    people's checks say. ``looked`` is false where nobody has looked yet.
    ``kappa_settings`` and ``tau_settings`` are those of these two.
    """

    name: str
    kind: str
    known: int
    needed: int
    looked: bool = False
    kappa: float | None = None
    auc: float | None = None
    judged: int = 0
    tau: float | None = None
    against: str | None = None
    certificate: Certificate | None = None
    kappa_settings: Settings | None = None
    tau_settings: Settings | None = None


@dataclass(frozen=True, slots=True)
class SinceRelease:
    """What is other by now than in the latest release: questions, labels, ranks.

    ``note`` says what could not be compared.
    """

    name: str
    at: str
    by: str
    added: int = 0
    reworded: int = 0
    removed: int = 0
    labels: int = 0
    moved: int = 0
    note: str = ""


@dataclass(frozen=True)
class Overview(Result[QueryStanding], table="overview.overview_tables"):
    """A bank as its organizer wants to see it, under these settings.

    Queries in their order, judges the busiest first. ``since`` is None without a
    release; ``steps`` are the most useful things to do next.
    """

    settings: Settings | None
    queries: tuple[QueryStanding, ...]
    judges: tuple[JudgePace, ...]
    graders: tuple[GraderTrust, ...]
    systems: int = 0
    since: SinceRelease | None = None
    steps: tuple[NextStep, ...] = ()

    @property
    def states(self) -> dict[QueryState, int]:
        """How many queries are in each state."""
        found = Counter(one.state for one in self.queries)
        return {one: found[one] for one in get_args(QueryState)}


def overview(
    state: State,
    /,
    settings: Chosen | None = None,
    *,
    quick: bool = False,
    **options: Options,
) -> Overview:
    """Queries, judges, graders, what changed since the last release, and what next.

    ``quick`` leaves out what takes a moment: what graders are worth, the release, and
    the steps. Without grades there are no settings and no figures of questions.
    """
    chosen = default_settings(state, options, settings)
    traces = _standing(_seen(state))
    known = graders(state)
    steps = () if quick else next_steps(state, chosen)
    return Overview(
        chosen,
        _queries(state, chosen, traces, None if quick else steps),
        _judges(state, traces),
        tuple(
            GraderTrust(one.name, one.kind, one.known, one.needed)
            if quick
            else _trust(state, one, chosen)
            for one in known
        ),
        len(state.collection.systems),
        None if quick else since_release(state),
        tuple(steps[:MOST_STEPS]),
    )


def _seen(state: State) -> list[Trace]:
    """The history, without what it would tell the viewer of what is hidden."""
    viewer, found = state.viewer, read_traces(state.with_texts.connection)
    if not viewer.is_judge:
        return found
    shown = {
        query_id: {one.question_id for one in state.bank.of_query(query_id)}
        for query_id in viewer.closed
    }

    def told(one: Trace) -> bool:
        if one.by != viewer.judge and base_kind(one.kind) in LOOKED_AT:
            return False
        return (
            one.query_id not in shown
            or one.question_id is None
            or one.question_id in shown[one.query_id]
        )

    return [one for one in found if told(one)]


def _standing(traces: Iterable[Trace]) -> list[Trace]:
    """What people did that nobody took back, the latest last; no proposals."""
    gone: set[int] = set()
    found = []
    for one in sorted(traces, key=lambda one: -one.event_id):
        if one.batch_id in gone or one.inverse_of is not None:
            if one.batch_id not in gone and one.inverse_of is not None:
                gone.add(one.inverse_of)
        elif base_kind(one.kind) != "propose":
            found.append(one)
    return found[::-1]


def _changes(one: Trace) -> bool:
    """Whether it changed a question, and is no mark beside."""
    kind = KINDS.get(base_kind(one.kind))
    return kind is None or kind.mark is None


def _queries(
    state: State,
    settings: Settings | None,
    traces: Iterable[Trace],
    steps: Iterable[NextStep] | None,
) -> tuple[QueryStanding, ...]:
    edits: Counter[str] = Counter()
    last: dict[str, Trace] = {}
    marked: dict[str, int] = {}
    for one in traces:
        if _changes(one):
            edits[one.query_id] += 1
            last[one.query_id] = one
        elif one.kind == "done" and (one.query_id, one.by) in state.bank.done:
            marked[one.query_id] = one.event_id
    done = defaultdict(list)
    for query_id, judge in sorted(state.bank.done):
        done[query_id].append(judge)
    needs: dict[str, list[float]] = defaultdict(list)
    for step in steps or ():
        # That nothing is left to do is no need of anything.
        needs[step.query_id].append(0.0 if step.kind == "done" else step.weight)

    def standing(query_id: str) -> QueryStanding:
        lines = question_lines(state, settings, query_id=query_id)
        states = Counter(line.question.state for line in lines)
        changed = last.get(query_id)
        how: QueryState = "in work" if changed else "untouched"
        if query_id in done:
            # Marks that came with a bundle have no event: nothing changed since.
            later = changed and changed.event_id > marked.get(query_id, 2**62)
            how = "changed since done" if later else "done"
        return QueryStanding(
            query_id,
            state.queries[query_id].name,
            how,
            lines,
            *(states["kept"], states["proposed"], states["retired"]),
            edits[query_id],
            changed.at if changed else None,
            tuple(done[query_id]) if query_id in done else (),
            None if steps is None else len(needs[query_id]),
            None if steps is None else sum(needs[query_id]),
        )

    return tuple(map(standing, state.query_ids()))


def _judges(state: State, traces: Iterable[Trace]) -> tuple[JudgePace, ...]:
    by_judge: dict[str, list[Trace]] = defaultdict(list)
    for one in traces:
        by_judge[one.by].append(one)
    decided = {
        one.judge or "": one.unedited + one.reworded + one.dropped
        for one in decisions(state).judges
    }
    done = Counter(judge for _, judge in state.bank.done)

    def pace(judge: str, own: list[Trace]) -> JudgePace:
        edits = [one for one in own if _changes(one)]
        together = Counter(one.batch_id for one in edits)
        seconds = [
            one.seconds / together[one.batch_id]
            for one in edits
            if one.seconds is not None
        ]
        return JudgePace(
            judge,
            len(edits),
            median(seconds) if seconds else None,
            len(seconds),
            decided.get(judge, 0),
            done[judge],
            max(one.at for one in own),
            tuple(sorted(Counter(one.at[:10] for one in edits).items())),
        )

    found = [pace(*one) for one in by_judge.items()]
    return tuple(sorted(found, key=lambda one: (-one.edits, one.judge)))


def _trust(state: State, grader: GraderState, chosen: Settings | None) -> GraderTrust:
    """What judgments, official ranks and checks say of a grader."""
    trust = GraderTrust(grader.name, grader.kind, grader.known, grader.needed, True)
    if chosen is None or not grader.known:
        return trust
    under = None
    # A grader has not every measure, nor a collection every reference.
    with suppress(CuratorError):
        under = chosen_settings(
            state,
            grader.name,
            chosen.measure,
            carried_rating(state, chosen, grader.name),
            chosen.k,
            chosen.min_answered,
            chosen.label,
        )
    if under is None:
        return trust
    relevant = state.collection.min_relevance
    with suppress(CuratorError):
        labels, _ = judged_labels(state, under)
        trust = replace(trust, judged=len(labels.label))
        if relevant is not None:
            above = auc(labels.label.astype(np.float64), labels.judgment >= relevant)
            # Of means hardly any reaches the rating that a single grade does.
            at = replace(under, label=DEFAULT_LABEL) if under.rule.fractional else under
            if at is not under:
                labels, _ = judged_labels(state, at)
            table = labels.agreement(state.relevant_from(at), relevant)
            trust = replace(trust, auc=above, kappa=table.kappa, kappa_settings=at)
    with suppress(CuratorError):
        against = usual_references(state)[0]
        reference = reference_settings(state, under, against)
        against_reference = correlated(state, under, reference)
        if isinstance(against_reference, Correlation):
            tau = against_reference.kendall
            trust = replace(trust, tau=tau, against=against, tau_settings=under)
    return replace(trust, certificate=certificate(state, under))


def since_release(state: State) -> SinceRelease | None:
    """What is other by now than in the latest release; None without one."""
    latest = next(iter(releases(state)), None)
    if latest is None:
        return None
    found = SinceRelease(latest.name, latest.at, latest.by)
    try:
        differ = release_difference(state, latest.name)
    except CuratorError as error:
        return replace(found, note=str(error))
    return replace(
        found,
        added=len(differ.added),
        reworded=len(differ.reworded),
        removed=len(differ.removed),
        labels=len(differ.labels),
        moved=sum(one.rank_before != one.rank_after for one in differ.moved),
        note=" ".join(differ.notes),
    )
