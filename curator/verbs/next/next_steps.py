"""``next_steps``: what a judge could do next, the most useful first.

Each step is of one kind, says why, and has a remedy: the edits that it makes, or none
where it opens a place. What is computed of a query is kept by the objects it was made
of, so an edit has one query looked at again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256

from curator.bank.edits import Edit
from curator.bank.marks import Dismissal, StepKind
from curator.engine.scoring import board
from curator.engine.settings import Chosen, Options, default_settings
from curator.engine.state import State
from curator.errors import SettingError
from curator.evaluation.next_steps import WORTH_WHILE
from curator.evaluation.settings import Settings
from curator.results import Rows
from curator.verbs.curate.impact import knowing
from grading.responders import INSTANT, VECTORS


@dataclass(frozen=True, slots=True)
class NextStep:
    """Something to do in a query: why, and what its remedy is.

    ``question_ids`` are those it is about, the one that its remedy changes first.
    ``weight`` is how much hangs on it, 0 or more. ``edits`` are what the remedy makes,
    () where it opens ``place``: a new question, this question's text, or the page
    where people vote, check or judge answers. ``state`` differs once what the step
    rests on does. ``dismissed`` says who left it alone in this state, and why.
    """

    kind: StepKind
    query_id: str
    question_ids: tuple[str, ...]
    why: str
    weight: float
    remedy: str
    edits: tuple[Edit, ...] = ()
    state: str = ""
    passage_id: str | None = None
    subtopic_id: str | None = None
    place: str = ""
    dismissed: Dismissal | None = None

    @property
    def key(self) -> str:
        """What it is called: its kind, and what it is about, in any order of this."""
        about = *sorted(self.question_ids), self.passage_id, self.subtopic_id
        return " ".join([self.kind, *filter(None, about)])


def next_steps(
    state: State,
    /,
    settings: Chosen | None = None,
    *,
    query_id: str | None = None,
    limit: int | None = None,
    dismissed: bool = False,
    **options: Options,
) -> Rows[NextStep]:
    """What to do next in a query, or in all; what hangs most on comes first.

    Of equal weight, in the order of queries. Judgments, votes, checks and proposals
    that the viewer is not to see are in none. Without grades only what rests on words
    is there. What somebody dismissed is left out until its state changes; ``dismissed``
    asks for that alone, as far as it may be shown. Raises UnknownNameError for a query
    or grader there is not, SettingError for a negative ``limit``.
    """
    if limit is not None and limit < 0:
        raise SettingError(f"The limit is {limit:,} steps: expected 0 or more.")
    chosen = default_settings(state, options, settings)
    found = [
        step
        for one in state.query_ids(query_id)
        for step in steps_of(state, chosen, one, dismissed=dismissed)
    ]
    found.sort(key=lambda step: -step.weight)
    return Rows(found[:limit], "next.next_table")


def steps_of(
    state: State, settings: Settings | None, query_id: str, *, dismissed: bool = False
) -> Iterator[NextStep]:
    """One query's steps that nobody, or somebody, has dismissed; in no order.

    That the viewer is done is among them where no other is worth while.
    """
    left = {(o.key, o.state): o for o in state.bank.dismissals_of(query_id)}
    is_done = (query_id, state.viewer.judge) in state.bank.done
    most = 0.0
    for step in every_step_of(state, settings, query_id):  # the last is to be done
        found = left.get((step.key, step.state)) if left else None
        if step.kind == "done" and (is_done or most > WORTH_WHILE):
            continue
        if found is None:
            most = max(most, step.weight)
            if not dismissed:
                yield step
        elif dismissed and state.viewer.dismissal(query_id, found):
            yield replace(step, dismissed=found)


def every_step_of(
    state: State, settings: Settings | None, query_id: str
) -> tuple[NextStep, ...]:
    """One query's steps, kept until its questions, grades or marks change.

    None in a query whose texts the viewer is not shown.
    """
    if query_id in state.restricted:
        return ()
    from curator.verbs.next.query_steps import QuerySteps

    graded: object = None
    if settings is not None and settings.grader:
        graded = state.matrix(settings.grader, query_id, state.bank)
    bank, viewer = state.bank, state.viewer
    made_of = (
        *(graded, *_beside(state, settings, query_id)),
        *(state.collection.pools[query_id], bank.of_query(query_id)),
        *(bank.verdicts_of(query_id), bank.notes_of(query_id)),
        *(bank.dismissals_of(query_id), *bank.checks.values()),
        state.decisions(bank).get(query_id, ()),
    )
    key = settings, query_id, viewer.is_judge, viewer.judge
    return state.kept.next_steps.get(
        key, made_of, lambda: tuple(QuerySteps(state, settings, query_id).all())
    )


def _beside(state: State, settings: Settings | None, query_id: str) -> Iterator[object]:
    """What steps rest on beside the chosen grader's grades: those of other graders.

    Vectors of questions' texts come with the grades of the graders that compare them.
    """
    for record in state.gradebook.records:
        if record.spec.engine in (VECTORS, INSTANT):
            yield from state.gradebook.made_of(record, query_id)
    waiting = any(one.state == "proposed" for one in state.bank.of_query(query_id))
    if waiting and settings is not None and settings.grader:
        used = knowing(state, query_id, settings)
        yield from state.gradebook.made_of(state.grader(used.grader), query_id)
        scored = board(state, used)
        yield from (scored.known == scored.needed, scored.queries > 0)


def fingerprint(*parts: object) -> str:
    """What a step rests on, as a short name that differs where a part does."""
    return sha256(repr(parts).encode("utf-8", "replace")).hexdigest()[:16]
