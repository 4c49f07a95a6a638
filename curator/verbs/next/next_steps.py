"""``next_steps``: suggested next actions of a judge, the most useful first.

Each step has a kind, a reason and a remedy: the edits to make, or the page to open.
Steps of a query are cached by the objects they are computed from, so an edit
recomputes one query only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import ClassVar

from curator.bank.edits import Edit
from curator.bank.marks import Dismissal, StepKind
from curator.errors import SettingError
from curator.evaluation.next_steps import MIN_WEIGHT
from curator.evaluation.settings import Settings
from curator.results import HIDDEN, Rows, column, computed
from curator.snapshot.access import find_member
from curator.snapshot.scoring import board
from curator.snapshot.settings import BoardChoice, OptionValue, default_settings
from curator.snapshot.snapshot import Snapshot
from curator.verbs.curate.impact import proposal_settings
from grading.responders import INSTANT, VECTORS


def _names(edits: Sequence[Edit]) -> list[str]:
    return [type(edit).__name__ for edit in edits]


@dataclass(frozen=True, slots=True)
class NextStep:
    """A suggested action in a query, with its reason and its remedy.

    ``question_ids`` are the questions concerned, the one that the remedy changes first.
    ``weight`` is the expected effect, 0 or more. ``edits`` are the remedy's edits,
    () where it opens ``place``: a new question, this question's text, or the page
    where people vote, check or judge answers. ``state`` changes with the inputs of the
    step. ``dismissed`` says who dismissed the step in this state, and why.
    """

    columns: ClassVar = (
        "query_id kind weight why remedy key dismissed_by=dismissed.judge? "
        "because=dismissed.reason?"
    )

    kind: StepKind
    query_id: str
    question_ids: tuple[str, ...]
    why: str
    weight: float
    remedy: str
    edits: tuple[Edit, ...] = field(default=(), metadata=column(to_json=_names))
    state: str = ""
    passage_id: str | None = None
    subtopic_id: str | None = None
    place: str = field(default="", metadata=HIDDEN)
    dismissed: Dismissal | None = field(
        default=None,
        metadata=column(
            json_if=bool, to_json=lambda by: {"judge": by.judge, "reason": by.reason}
        ),
    )

    @property
    @computed()
    def key(self) -> str:
        """Identifier of the step: its kind and what it concerns, in sorted order."""
        parts = *sorted(self.question_ids), self.passage_id, self.subtopic_id
        return " ".join([self.kind, *filter(None, parts)])


def next_steps(
    snapshot: Snapshot,
    /,
    settings: BoardChoice | None = None,
    *,
    query_id: str | None = None,
    limit: int | None = None,
    dismissed: bool = False,
    **options: OptionValue,
) -> Rows[NextStep]:
    """Return the next steps of a query, or of all, by descending weight.

    Steps of equal weight keep the order of queries. Judgments, votes, checks and
    proposals hidden from the viewer are not used. Without grades there are only steps
    based on wording. Dismissed steps are left out until their state changes;
    ``dismissed`` returns only these, as far as visible. Raises UnknownNameError for an
    unknown query or grader, SettingError for a negative ``limit``.

    Args:
        dismissed: List dismissed steps, by whom and why.
    """
    if limit is not None and limit < 0:
        raise SettingError(f"The limit is {limit:,} steps: expected 0 or more.")
    chosen, viewer = default_settings(snapshot, options, settings), snapshot.viewer
    can_decide = True
    if viewer.is_judge:
        can_decide = find_member(snapshot.connection, viewer.judge).can_call("decide")
    steps: list[NextStep] = []
    for id_ in snapshot.query_ids(query_id):
        computed = _steps(snapshot, chosen, id_, can_decide)
        steps += (
            _dismissed_steps(snapshot, id_, computed)
            if dismissed
            else (_open_steps(snapshot, id_, computed))
        )
    steps.sort(key=lambda step: -step.weight)
    return Rows(steps[:limit], NextStep)


def _dismissed_steps(
    snapshot: Snapshot, query_id: str, steps: Iterable[NextStep]
) -> Iterator[NextStep]:
    dismissals = {
        (dismissal.key, dismissal.state): dismissal
        for dismissal in snapshot.bank.dismissals_of(query_id)
    }
    for step in steps:
        if dismissal := dismissals.get((step.key, step.state)):
            yield replace(step, dismissed=dismissal)


def _open_steps(
    snapshot: Snapshot, query_id: str, steps: Iterable[NextStep]
) -> list[NextStep]:
    """The steps that are not dismissed; "done" only if no other is worthwhile."""
    dismissed = {
        (dismissal.key, dismissal.state)
        for dismissal in snapshot.full.bank.dismissals_of(query_id)
    }
    steps = [step for step in steps if (step.key, step.state) not in dismissed]
    is_done = (query_id, snapshot.viewer.judge) in snapshot.bank.done
    others = [step.weight for step in steps if step.kind != "done"]
    if is_done or max(others, default=0.0) > MIN_WEIGHT:
        return [step for step in steps if step.kind != "done"]
    return steps


def _steps(
    snapshot: Snapshot, settings: Settings | None, query_id: str, can_decide: bool
) -> tuple[NextStep, ...]:
    """A query's steps, cached until its questions, grades or marks change.

    Empty for a query whose texts are restricted for the viewer.
    """
    if query_id in snapshot.restricted:
        return ()
    from curator.verbs.next.query_steps import QuerySteps

    graded: object = None
    if settings is not None and settings.grader:
        graded = snapshot.matrix(settings.grader, query_id, snapshot.bank)
    bank, marks, viewer = snapshot.bank, snapshot.full.bank, snapshot.viewer
    inputs = (
        graded,
        *_other_inputs(snapshot, settings, query_id),
        snapshot.collection.pools[query_id],
        bank.questions_of(query_id),
        bank.notes_of(query_id),
        marks.verdicts_of(query_id),
        marks.dismissals_of(query_id),
        *marks.checks.values(),
        marks.decisions_of(query_id),
    )
    return snapshot.caches.next_steps.get(
        (settings, query_id, viewer.is_judge, viewer.judge, can_decide),
        inputs,
        lambda: tuple(QuerySteps(snapshot, settings, query_id).all(can_decide)),
    )


def _other_inputs(
    snapshot: Snapshot, settings: Settings | None, query_id: str
) -> Iterator[object]:
    """Inputs of steps other than the chosen grader's grades: those of other graders.

    Vectors of questions' texts come with the grades of the graders that compare them.
    """
    for record in snapshot.gradebook.records:
        if record.spec.engine in (VECTORS, INSTANT):
            yield from snapshot.gradebook.cache_key(record, query_id)
    waiting = any(
        question.state == "proposed"
        for question in snapshot.bank.questions_of(query_id)
    )
    if waiting and settings is not None and settings.grader:
        known_settings = proposal_settings(snapshot, query_id, settings)
        yield from snapshot.gradebook.cache_key(
            snapshot.grader(known_settings.grader), query_id
        )
        scored = board(snapshot, known_settings)
        yield from (scored.known == scored.needed, scored.queries > 0)


def fingerprint(*parts: object) -> str:
    return sha256(repr(parts).encode("utf-8", "replace")).hexdigest()[:16]
