"""Missing grades, undecided proposals and open work before a release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from curator.evaluation.grades import GradedQuery
from curator.evaluation.settings import Settings
from curator.results import Result
from curator.snapshot.settings import BoardChoice, settings_from
from curator.snapshot.snapshot import Snapshot
from curator.store.people import Work
from curator.verbs.team.assignment import assignments
from grading.ratings import UNREADABLE


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
    missing = {
        query_id: matrix.needed - matrix.known for query_id, matrix in matrices.items()
    }
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
        tuple(
            (assignment.work, assignment.query_id, assignment.judge)
            for assignment in assigned
            if not assignment.finished
        ),
    )
