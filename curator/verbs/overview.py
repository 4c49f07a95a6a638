"""``overview``: state of a bank, work of its judges, and what to do next.

Counts from the history include only what the viewer may see: no hidden marks of
other judges, and nothing of hidden proposals.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from statistics import median
from typing import ClassVar, Literal, get_args

import numpy as np

from curator.bank.edits.kinds import KINDS, base_kind
from curator.bank.marks import GOLD
from curator.errors import CuratorError
from curator.evaluation.checks.quality import Certificate
from curator.evaluation.passage_agreement import auc
from curator.evaluation.settings import DEFAULT_LABEL, Settings
from curator.results import FILE, HIDDEN, NOWHERE, Result, column, computed, minute
from curator.snapshot.settings import (
    BoardChoice,
    OptionValue,
    default_settings,
    reference_settings,
    transferred_rating,
)
from curator.snapshot.settings import settings as chosen_settings
from curator.snapshot.snapshot import Snapshot
from curator.store.history import EventSummary
from curator.verbs.checks.quality import certificate
from curator.verbs.curate.question_rows import QuestionLine, question_lines
from curator.verbs.history import effective_events, traces
from curator.verbs.leaderboard.leaderboard import correlated, judged_labels
from curator.verbs.next import NextStep, next_steps
from curator.verbs.proposals.decisions import decisions
from curator.verbs.releases import release_difference, releases
from curator.verbs.setup import GraderState, graders
from curator.verbs.validity.validity import default_references

QueryState = Literal["untouched", "in work", "done", "changed since done"]
MAX_STEPS = 3


@dataclass(frozen=True, slots=True)
class QueryProgress:
    """Progress of a query, and its questions in every state.

    ``edits`` counts the effective edits of its questions, ``edited`` is the time of the
    last one (ISO 8601, UTC), ``done_by`` are the judges who marked it done. ``steps``
    counts the next steps and ``need`` sums their weights; None if not computed.
    """

    query_id: str
    name: str = field(metadata=column("title"))
    state: QueryState
    lines: tuple[QuestionLine, ...] = field(metadata=HIDDEN)
    kept: int
    proposed: int
    retired: int
    edits: int = 0
    edited: str | None = field(default=None, metadata=column(show=minute))
    done_by: tuple[str, ...] = ()
    steps: int | None = None
    need: float | None = None


@dataclass(frozen=True, slots=True)
class JudgeActivity:
    """A judge's effective work, without what was undone.

    ``edits`` count the questions changed, ``seconds`` is the median time for one of
    them over the ``timed`` that were measured, ``decided`` counts proposals, ``done``
    queries marked done. ``last_saved`` is the time of their last save (ISO 8601, UTC).
    ``days`` counts edits by day, as (``2026-05-04``, 12).
    """

    judge: str
    edits: int
    seconds: float | None = field(
        metadata=column(
            "s an edit", title="s an edit", digits=1, help="Median of those measured"
        )
    )
    timed: int = field(metadata=column(only=FILE))
    decided: int = field(
        metadata=column("proposals decided", title="Decided", help="Proposals")
    )
    done: int = field(
        metadata=column("queries done", title="Done", help="Queries marked done")
    )
    last_saved: str = field(
        metadata=column("last seen", show=minute, help="UTC", json="seen")
    )
    days: tuple[tuple[str, int], ...] = field(default=(), metadata=column(only=NOWHERE))


@dataclass(frozen=True, slots=True)
class GraderEvidence:
    """Evidence of a grader's quality; fields are None without data to compare with.

    ``auc`` is of its labels against the ``judged`` passages' official judgments,
    ``kappa`` Cohen's of the same at the minimum rating, of best ratings where labels
    are means; ``tau`` Kendall's between its board and ``against``; ``certificate`` is
    from people's checks. ``is_computed`` is false until these are computed.
    ``kappa_settings`` and ``tau_settings`` are those of these two.
    """

    name: str = field(metadata=column("grader"))
    kind: str
    known: int
    needed: int = field(metadata=column(only=FILE))
    is_computed: bool = field(default=False, metadata=HIDDEN)
    kappa: float | None = field(
        default=None,
        metadata=column(
            title="κ", help="Cohen's kappa of relevant passages with the judgments"
        ),
    )
    auc: float | None = field(
        default=None,
        metadata=column(
            title="AUC",
            help="How often a relevant passage has a higher label than another",
        ),
    )
    judged: int = field(default=0, metadata=column(only=FILE))
    tau: float | None = field(
        default=None,
        metadata=column(
            title="τ",
            help="Kendall's tau with the official ranks, or the judgments' board",
        ),
    )
    against: str | None = field(default=None, metadata=column(only=FILE, missing=""))
    certificate: Certificate | None = field(
        default=None, metadata=column(to_json=lambda by: by and by.sentence)
    )
    kappa_settings: Settings | None = None
    tau_settings: Settings | None = None


@dataclass(frozen=True, slots=True)
class ReleaseChanges:
    """Changes since the latest release: questions, labels, ranks.

    ``note`` says what could not be compared.
    """

    columns: ClassVar = "name added reworded removed labels moved note"

    name: str = field(metadata=column("since release", only=FILE))
    at: str
    by: str
    added: int = 0
    reworded: int = 0
    removed: int = 0
    labels: int = 0
    moved: int = field(default=0, metadata=column("systems moved"))
    note: str = ""


@dataclass(frozen=True)
class Overview(Result[QueryProgress], table="overview.overview_tables"):
    """Progress of a bank, its judges and its graders, under these settings.

    Queries are in their order, judges sorted by number of edits. ``since`` is None
    without a release; ``steps`` are the most useful next steps.
    """

    settings: Settings | None
    queries: tuple[QueryProgress, ...]
    judges: tuple[JudgeActivity, ...]
    graders: tuple[GraderEvidence, ...]
    systems: int = field(default=0, metadata=HIDDEN)
    since: ReleaseChanges | None = field(
        default=None, metadata=column(json="since_release")
    )
    steps: tuple[NextStep, ...] = field(default=(), metadata=column(json="next"))

    @property
    @computed()
    def states(self) -> dict[QueryState, int]:
        """Number of queries in each state."""
        counts = Counter(query.state for query in self.queries)
        return {name: counts[name] for name in get_args(QueryState)}


def overview(
    snapshot: Snapshot,
    /,
    settings: BoardChoice | None = None,
    *,
    quick: bool = False,
    **options: OptionValue,
) -> Overview:
    """Return queries, judges, graders, changes since the last release, and next steps.

    docs/curate.md explains each figure. Without grades there are no settings and no
    figures of questions.
    """
    chosen = default_settings(snapshot, options, settings)
    effective = effective_events(traces(snapshot.with_texts)[::-1])
    edits = [trace for trace in effective if base_kind(trace.kind) != "propose"]
    steps = None if quick else next_steps(snapshot, chosen)
    evidence = (
        _evidence(snapshot, entry, chosen, quick) for entry in graders(snapshot)
    )
    return Overview(
        chosen,
        _queries(snapshot, chosen, edits, steps),
        _judges(snapshot, edits),
        tuple(evidence),
        len(snapshot.collection.systems),
        None if quick else changes_since_release(snapshot),
        tuple(steps or ())[:MAX_STEPS],
    )


def _changes_question(trace: EventSummary) -> bool:
    kind = KINDS.get(base_kind(trace.kind))
    return kind is None or kind.mark is None


def _queries(
    snapshot: Snapshot,
    settings: Settings | None,
    traces: Iterable[EventSummary],
    steps: Iterable[NextStep] | None,
) -> tuple[QueryProgress, ...]:
    edits: defaultdict[str, list[EventSummary]] = defaultdict(list)
    marked: dict[str, int] = {}
    for trace in traces:
        if _changes_question(trace):
            edits[trace.query_id].append(trace)
        elif trace.kind == "done" and (trace.query_id, trace.by) in snapshot.bank.done:
            marked[trace.query_id] = trace.event_id
    done = defaultdict(list)
    for query_id, judge in sorted(snapshot.bank.done):
        done[query_id].append(judge)
    needs: dict[str, list[float]] = defaultdict(list)
    for step in steps or ():
        # A "done" step needs no work.
        needs[step.query_id].append(0.0 if step.kind == "done" else step.weight)

    def query_row(query_id: str) -> QueryProgress:
        lines = question_lines(snapshot, settings, query_id=query_id)
        states = Counter(line.question.state for line in lines)
        last_edit = next(reversed(edits[query_id]), None)
        progress: QueryState = "in work" if last_edit else "untouched"
        if query_id in done:
            # Imported marks have no event; they count as newer than all edits.
            later = last_edit and last_edit.event_id > marked.get(query_id, 2**62)
            progress = "changed since done" if later else "done"
        return QueryProgress(
            query_id,
            snapshot.queries[query_id].name,
            progress,
            lines,
            states["kept"],
            states["proposed"],
            states["retired"],
            len(edits[query_id]),
            last_edit.at if last_edit else None,
            tuple(done.get(query_id, ())),
            None if steps is None else len(needs[query_id]),
            None if steps is None else sum(needs[query_id]),
        )

    return tuple(map(query_row, snapshot.query_ids()))


def _judges(
    snapshot: Snapshot, traces: Iterable[EventSummary]
) -> tuple[JudgeActivity, ...]:
    by_judge: dict[str, list[EventSummary]] = defaultdict(list)
    for trace in traces:
        by_judge[trace.by.removeprefix(GOLD)].append(trace)
    decided = {
        row.judge or "": row.unedited + row.reworded + row.dropped
        for row in decisions(snapshot).judges
    }
    done = Counter(judge for _, judge in snapshot.bank.done)

    def activity(judge: str, traces: list[EventSummary]) -> JudgeActivity:
        edits = [trace for trace in traces if _changes_question(trace)]
        sizes = Counter(trace.batch_id for trace in edits)
        timed = [(trace, trace.seconds) for trace in edits if trace.seconds is not None]
        seconds = [total / sizes[trace.batch_id] for trace, total in timed]
        return JudgeActivity(
            judge,
            len(edits),
            median(seconds) if seconds else None,
            len(seconds),
            decided.get(judge, 0),
            done[judge],
            max(trace.at for trace in traces),
            tuple(sorted(Counter(trace.at[:10] for trace in edits).items())),
        )

    activities = [activity(*pair) for pair in by_judge.items()]
    return tuple(sorted(activities, key=lambda row: (-row.edits, row.judge)))


def _evidence(
    snapshot: Snapshot, grader: GraderState, chosen: Settings | None, quick: bool
) -> GraderEvidence:
    evidence = GraderEvidence(
        grader.name, grader.kind, grader.known, grader.needed, not quick
    )
    if quick or chosen is None or not grader.known:
        return evidence
    try:
        grader_settings = chosen_settings(
            snapshot,
            grader.name,
            chosen.measure,
            transferred_rating(snapshot, chosen, grader.name),
            chosen.k,
            chosen.min_answered,
            chosen.label,
        )
    except CuratorError:
        return evidence  # not every grader has the measure
    relevant = snapshot.collection.min_relevance
    with suppress(CuratorError):  # there may be no judgments
        labels, _ = judged_labels(snapshot, grader_settings)
        evidence = replace(evidence, judged=len(labels.labels))
        if relevant is not None:
            area = auc(labels.labels.astype(np.float64), labels.judgments >= relevant)
            # Means of ratings rarely reach the threshold of a single rating.
            table_settings = grader_settings
            if grader_settings.rule.fractional:
                table_settings = replace(grader_settings, label=DEFAULT_LABEL)
                labels, _ = judged_labels(snapshot, table_settings)
            table = labels.agreement(snapshot.relevant_from(table_settings), relevant)
            evidence = replace(
                evidence, auc=area, kappa=table.kappa, kappa_settings=table_settings
            )
    with suppress(CuratorError):
        against = default_references(snapshot)[0]
        reference = reference_settings(snapshot, grader_settings, against)
        against_reference = correlated(snapshot, grader_settings, reference)
        tau = against_reference.kendall
        evidence = replace(
            evidence, tau=tau, against=against, tau_settings=grader_settings
        )
    return replace(evidence, certificate=certificate(snapshot, grader_settings))


def changes_since_release(snapshot: Snapshot) -> ReleaseChanges | None:
    """Return the changes since the latest release; None without one."""
    latest = next(iter(releases(snapshot)), None)
    if latest is None:
        return None
    about = latest.name, latest.at, latest.by
    try:
        difference = release_difference(snapshot, latest.name)
    except CuratorError as error:
        return ReleaseChanges(*about, note=str(error))
    return ReleaseChanges(
        *about,
        added=len(difference.added),
        reworded=len(difference.reworded),
        removed=len(difference.removed),
        labels=len(difference.labels),
        moved=sum(row.rank_before != row.rank_after for row in difference.moved),
        note=" ".join(difference.notes),
    )
