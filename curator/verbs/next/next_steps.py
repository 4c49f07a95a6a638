"""``next_steps``: what a judge could do next, the most useful first.

Each step is of one kind, says why, and has a remedy: the edits that it makes, or none
where it opens a place. What is computed of a query is kept by the objects it was made
of, so an edit has one query looked at again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256

from curator.bank.edits import Edit, Keep, Retire
from curator.bank.marks import Dismissal
from curator.bank.near_duplicates import near_duplicates
from curator.bank.questions import Question
from curator.collection.pools import GAP
from curator.engine.settings import Chosen, Options, settings_from
from curator.engine.state import State
from curator.evaluation.influence import IfKept, Influence
from curator.evaluation.next_steps import Kind, weight
from curator.evaluation.settings import Settings
from curator.formats.text.notices import counted
from curator.results import Rows
from curator.verbs.curate.impact import if_kept
from curator.verbs.curate.near_duplicates import near
from curator.verbs.curate.question_rows import question_lines


@dataclass(frozen=True, slots=True)
class NextStep:
    """Something to do in a query: why, and what its remedy is.

    ``question_ids`` are those it is about, the one that its remedy changes first.
    ``weight`` is how much hangs on it, 0 or more. ``edits`` are what the remedy makes,
    () where it opens a place. ``state`` differs once what the step rests on does.
    ``dismissed`` says who left it alone in this state, and why.
    """

    kind: Kind
    query_id: str
    question_ids: tuple[str, ...]
    why: str
    weight: float
    remedy: str
    edits: tuple[Edit, ...] = ()
    state: str = ""
    passage_id: str | None = None
    subtopic_id: str | None = None
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
    asks for that alone. Raises UnknownNameError for a query or grader there is not.
    """
    chosen = None
    if settings is not None or state.gradebook.records:
        chosen = settings_from(state, options, settings)
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
    """One query's steps that nobody, or somebody, has dismissed; in no order."""
    left = {(o.key, o.state): o for o in state.bank.dismissals_of(query_id)}
    for step in every_step_of(state, settings, query_id):
        found = left.get((step.key, step.state)) if left else None
        if dismissed == (found is not None):
            yield replace(step, dismissed=found) if found else step


def every_step_of(
    state: State, settings: Settings | None, query_id: str
) -> tuple[NextStep, ...]:
    """One query's steps, kept until its questions, grades or marks change."""
    graded: object = None
    if settings is not None and settings.grader:
        graded = state.matrix(settings.grader, query_id, state.bank)
    bank, viewer = state.bank, state.viewer
    made_of = (
        *(graded, state.collection.pools[query_id], bank.of_query(query_id)),
        *(bank.checks_of(query_id), bank.verdicts_of(query_id)),
    )
    key = settings, query_id, viewer.is_judge and viewer.judge
    return state.kept.next_steps.get(
        key, made_of, lambda: tuple(_Query(state, settings, query_id).steps())
    )


def fingerprint(*parts: object) -> str:
    """What a step rests on, as a short name that differs where a part does."""
    return sha256(repr(parts).encode("utf-8", "replace")).hexdigest()[:16]


class _Query:
    """One query as its viewer sees it, and what could be done in it."""

    def __init__(self, state: State, settings: Settings | None, query_id: str) -> None:
        self.state, self.settings, self.query_id = state, settings, query_id
        self.pool = state.collection.pools[query_id]
        lines = question_lines(state, settings, query_id=query_id)
        self.questions = {one.question.question_id: one.question for one in lines}
        self.place = {one: place for place, one in enumerate(self.questions)}
        self.reach: dict[str, Influence] = {
            one.question.question_id: one.influence for one in lines if one.influence
        }

    def steps(self) -> Iterator[NextStep]:
        """Every step, in no order."""
        duplicates = set()
        for step in self.near_duplicates():
            duplicates.add(step.question_ids[0])
            yield step
        for one in self.kept():
            # Whoever follows the first has no use for the others.
            if one.question_id not in duplicates:
                yield from self.of_question(one)
        yield from self.proposals()

    def kept(self) -> Iterator[Question]:
        """The questions that stand."""
        return (one for one in self.questions.values() if one.state == "kept")

    def step(
        self,
        kind: Kind,
        questions: Iterable[Question],
        why: str,
        moves: float | None,
        remedy: str,
        *edits: Edit,
    ) -> NextStep:
        """A step on these questions, of which the first is the one to change."""
        about = tuple(questions)
        return NextStep(
            kind,
            self.query_id,
            tuple(one.question_id for one in about),
            why,
            weight(kind, moves),
            remedy,
            edits,
            fingerprint(kind, *sorted((q.question_id, q.text, q.state) for q in about)),
        )

    def moves(self, question: Question) -> float | None:
        """The question's influence, None where nobody knows it."""
        reach = self.reach.get(question.question_id)
        return reach.influence if reach else None

    def near_duplicates(self) -> Iterator[NextStep]:
        """Kept questions that say almost the same: the one that does less is to go."""
        pairs = {
            frozenset((one, other))
            for near_by in (
                near_duplicates(self.state.bank.of_query(self.query_id)),
                {q: n.question_id for q, n in near(self.state, self.query_id).items()},
            )
            for one, other in near_by.items()
            if {self.questions[q].state for q in (one, other)} == {"kept"}
        }
        for pair in sorted(
            pairs, key=lambda two: sorted(map(self.place.__getitem__, two))
        ):
            less, more = sorted((self.questions[q] for q in pair), key=self._does)
            yield self.step(
                "near-duplicate",
                (less, more),
                f"Asks almost the same as “{more.title}”, which "
                f"{self._does_more(less, more)}.",
                self.moves(less),
                "Retire it",
                Retire(less.question_id, "duplicate", less.revision),
            )

    def _does(self, question: Question) -> tuple[float, int, int]:
        """What sorts questions by what they do, the earliest last among equals."""
        reach = self.reach.get(question.question_id)
        place = self.place[question.question_id]
        return self.moves(question) or 0.0, reach.passages if reach else 0, -place

    def _does_more(self, less: Question, more: Question) -> str:
        ours, theirs = self._does(less), self._does(more)
        if theirs[0] > ours[0]:
            return "moves scores more"
        return "more passages answer" if theirs[1] > ours[1] else "was there first"

    def of_question(self, question: Question) -> Iterator[NextStep]:
        """What its grades say of a kept question: the first of these, or nothing."""
        reach = self.reach.get(question.question_id)
        if reach is None or reach.known < reach.needed:
            return
        systems = int((self.pool.top != GAP).any(axis=1).sum())
        retire = partial(Retire, question.question_id, based_on=question.revision)
        if not reach.passages:
            yield self.step(
                "no-answer",
                [question],
                f"None of the {reach.needed:,} passages answers it.",
                self.moves(question),
                "Retire it",
                retire("unanswerable"),
            )
        elif reach.nonrelevant_share == 1:
            yield self.step(
                "only-non-relevant",
                [question],
                "All judged passages that answer it are judged not relevant, "
                f"of {counted(reach.passages, 'passage')}.",
                self.moves(question),
                "Retire it",
                retire("off topic"),
            )
        elif systems > 1 and reach.systems == systems:
            yield self.step(
                "every-system",
                [question],
                f"Each of the {systems} systems answers it, so it tells none apart.",
                self.moves(question),
                "Retire it",
                retire("too easy"),
            )

    def proposals(self) -> Iterator[NextStep]:
        """Proposals to decide: to be dropped where nothing is new in them."""
        waiting = [one for one in self.questions.values() if one.state == "proposed"]
        if not waiting:
            return
        known: dict[str, IfKept] = {}
        if self.settings is not None:
            offered = if_kept(self.state, self.query_id, self.settings).proposals
            known = {one.question_id: one for one in offered if not one.missing}
        alike = near_duplicates(self.state.bank.of_query(self.query_id))
        alike |= {q: n.question_id for q, n in near(self.state, self.query_id).items()}
        for one in waiting:
            would, other = known.get(one.question_id), alike.get(one.question_id)
            remedy, reason = "Drop it", None
            edit: Edit
            if other is not None:
                reason = "duplicate"
                why = f"Asks almost the same as “{self.questions[other].title}”."
            elif would and not would.passages:
                why = "No passage answers this proposal."
            else:
                remedy, why = "Keep it", "A proposal to decide."
                if would:
                    why = f"A proposal to decide, with {_passages(would.passages)}."
            edit = Retire(one.question_id, reason, one.revision)
            if remedy == "Keep it":
                edit = Keep(one.question_id, one.revision)
            moves = would.influence if would else None
            yield self.step("proposal", [one], why, moves, remedy, edit)


def _passages(number: int) -> str:
    return f"{counted(number, 'passage')} that answer{'s' if number == 1 else ''} it"
