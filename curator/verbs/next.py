"""``next_steps``: suggested next actions of a judge, the most useful first.

Each step has a kind, a reason and a remedy: the edits to make, or the page to open.
Steps of a query are cached by the objects they are computed from, so an edit
recomputes one query only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, ClassVar

import numpy as np

from curator.bank.edits import Done, Edit, Keep, Retire
from curator.bank.marks import Dismissal, StepKind
from curator.bank.marks.decision import decided_vote
from curator.bank.near_duplicates import near_duplicates
from curator.bank.opinions import opinions, valid_decisions
from curator.bank.question_words import asks_for, is_compound
from curator.bank.questions import Question
from curator.bank.wording import isolated, shortened
from curator.collection.pools import GAP, UNJUDGED
from curator.edit_words import DROP, RETIRE
from curator.errors import SettingError
from curator.evaluation.grades import GradedQuery
from curator.evaluation.influence import Influence, Preview
from curator.evaluation.next_steps import MIN_WEIGHT, passage_stake, weight
from curator.evaluation.settings import Settings
from curator.formats.text.notices import counted
from curator.results import HIDDEN, Rows, column, computed
from curator.snapshot.access import find_member
from curator.snapshot.scoring import board
from curator.snapshot.settings import BoardChoice, OptionValue, default_settings
from curator.snapshot.snapshot import Snapshot
from curator.verbs.checks.next_checks import mixed_weights, population
from curator.verbs.curate.impact import if_kept, near, proposal_settings
from curator.verbs.curate.question_rows import question_lines
from curator.verbs.judges import vote_sources
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
        bank = snapshot.bank if dismissed else snapshot.full.bank
        dismissals = {(mark.key, mark.state): mark for mark in bank.dismissals_of(id_)}
        marked = [
            (step, dismissals.get((step.key, step.state)))
            for step in _steps(snapshot, chosen, id_, can_decide)
        ]
        if dismissed:
            steps += [replace(step, dismissed=mark) for step, mark in marked if mark]
            continue
        open_steps = [step for step, mark in marked if not mark]
        others = [step for step in open_steps if step.kind != "done"]
        is_done = (id_, viewer.judge) in snapshot.bank.done
        # "done" is suggested only if no other step is worthwhile.
        most = max((step.weight for step in others), default=0.0)
        steps += others if is_done or most > MIN_WEIGHT else open_steps
    steps.sort(key=lambda step: -step.weight)
    return Rows(steps[:limit], NextStep)


def _steps(
    snapshot: Snapshot, settings: Settings | None, query_id: str, can_decide: bool
) -> tuple[NextStep, ...]:
    """A query's steps, cached until its questions, grades or marks change.

    Empty for a query whose texts are restricted for the viewer.
    """
    if query_id in snapshot.restricted:
        return ()
    from curator.verbs.next import QuerySteps

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


RETIRE_IT = f"{RETIRE.base.capitalize()} it"
MAX_PASSAGES = 5  # per query; others follow once these are covered or dismissed
COVERED_SHARE = 0.5  # share of kept questions; a passage that answers more is covered
SHARED_SYSTEMS = 0.1  # share of systems that must retrieve a passage already covered
CONFLICTS = {
    "judges": "Judges differ on whether it is vital.",
    "checks": "Judges differ on whether passages answer it ({}).",
    "answers": "Judges differ on whether answers to it are right ({}).",
}
MAJORITY = 0.5  # share of the judged passages that answer a question


class QuerySteps:
    """Computes the next steps of one query as its viewer sees it."""

    def __init__(
        self, snapshot: Snapshot, settings: Settings | None, query_id: str
    ) -> None:
        self.snapshot, self.settings, self.query_id = snapshot, settings, query_id
        self.pool = snapshot.collection.pools[query_id]
        lines = question_lines(snapshot, settings, query_id=query_id)
        self.questions = {line.question.question_id: line.question for line in lines}
        self.place = {id_: place for place, id_ in enumerate(self.questions)}
        self.kept = [q for q in self.questions.values() if q.state == "kept"]
        self.influences: dict[str, Influence] = {
            line.question.question_id: line.influence
            for line in lines
            if line.influence
        }

    def all(self, can_decide: bool) -> Iterator[NextStep]:
        """Yield every step, in no order; disagreements for those who can decide."""
        duplicates = set()
        for step in self.near_duplicates():
            duplicates.add(step.question_ids[0])
            yield step
        for question in self.kept:
            # The first remedy makes the others superfluous.
            if question.question_id not in duplicates:
                yield from self.question_steps(question)
        to_write = [*self.uncovered_passages(), *self.empty_subtopics()]
        yield from to_write or self.empty_query()
        yield from self.flagged()
        if can_decide:
            yield from self.disagreements()
        yield from self.proposals()
        yield from self.check()
        yield from self.done()

    def step(
        self,
        kind: StepKind,
        questions: Iterable[Question],
        why: str,
        stake: float | None,
        remedy: str,
        *edits: Edit,
        inputs: object = None,
        **about: Any,
    ) -> NextStep:
        """Build a step on these questions; its remedy changes the first."""
        concerned = tuple(questions)
        texts = sorted((q.question_id, q.text, q.state) for q in concerned)
        state = repr((kind, texts, inputs)).encode("utf-8", "replace")
        return NextStep(
            kind,
            self.query_id,
            tuple(question.question_id for question in concerned),
            why,
            weight(kind, stake),
            remedy,
            edits,
            sha256(state).hexdigest()[:16],
            **about,
        )

    def influence(self, question: Question) -> float | None:
        effect = self.influences.get(question.question_id)
        return effect.influence if effect else None

    @cached_property
    def graded(self) -> GradedQuery | None:
        """Return the grades on the kept questions; None under a passage grader."""
        if self.settings is None or not self.settings.grader:
            return None
        graded = self.snapshot.matrix(
            self.settings.grader, self.query_id, self.snapshot.bank
        )
        return None if graded.reading == "direct" else graded

    @cached_property
    def near_duplicate_of(self) -> dict[str, str]:
        """Maps question ids to near-duplicates, by meaning or by wording."""
        by_meaning = near(self.snapshot, self.query_id).items()
        by_wording = near_duplicates(self.snapshot.bank.questions_of(self.query_id))
        return {
            id_: duplicate.question_id for id_, duplicate in by_meaning
        } | by_wording

    def near_duplicates(self) -> Iterator[NextStep]:
        """Yield kept near-duplicates; the remedy retires the one with less effect."""
        pairs = {
            tuple(sorted(map(self.place.__getitem__, pair)))
            for pair in self.near_duplicate_of.items()
            if {self.questions[question_id].state for question_id in pair} == {"kept"}
        }
        in_order = [*self.questions.values()]
        for pair in sorted(pairs):
            less, more = sorted(map(in_order.__getitem__, pair), key=self._effect)
            yield self.step(
                "near-duplicate",
                (less, more),
                f"Asks almost the same as “{isolated(more.title)}”.",
                self.influence(less),
                RETIRE_IT,
                Retire(less.question_id, "duplicate", less.revision),
            )

    def _effect(self, question: Question) -> tuple[float, int, int]:
        """Sort key by a question's effect; among equals the earliest comes last."""
        effect = self.influences.get(question.question_id)
        place = self.place[question.question_id]
        return self.influence(question) or 0.0, effect.passages if effect else 0, -place

    def question_steps(self, question: Question) -> Iterator[NextStep]:
        """Yield the first step by a kept question's wording or grades, if any."""
        effect = self.influences.get(question.question_id)
        stake = self.influence(question)
        systems = int((self.pool.top != GAP).any(axis=1).sum())
        share = effect.nonrelevant_share if effect else None
        kind: StepKind
        if unanswerable := asks_for(question):
            why = f"Asks for {unanswerable}, which no text can answer."
            kind, reason = "unanswerable", "unanswerable"
        elif is_compound(question):
            why = "Asks two things at once; a passage may answer one of them."
            yield self.step(
                "compound", [question], why, stake, "Split it", place="question"
            )
            return
        elif effect is None or effect.known < effect.needed:
            return
        elif not effect.passages:
            why = f"Answered by 0 of {counted(effect.needed, 'passage')}."
            kind, reason = "no-answer", "unanswerable"
        elif share is not None and share > MAJORITY:
            part = "All" if share == 1 else f"{100 * share:.0f}\N{NO-BREAK SPACE}%"
            why = f"{part} of the judged passages that answer it are not relevant."
            kind, reason = "only-non-relevant", "off topic"
            stake = (stake or 0.0) * (2 * share - 1)
        elif systems > 1 and effect.systems == systems:
            why = f"All {systems} systems answer it, so it does not tell them apart."
            kind, reason = "every-system", "too easy"
        else:
            return
        retire = Retire(question.question_id, reason, question.revision)
        yield self.step(kind, [question], why, stake, RETIRE_IT, retire)

    def uncovered_passages(self) -> Iterator[NextStep]:
        """Yield likely relevant passages that few or no questions cover."""
        graded = self.graded
        if graded is None or self.settings is None or graded.known < graded.needed:
            return
        pool, snapshot = self.pool, self.snapshot
        depth = snapshot.measure(self.settings).depth
        top, votes = pool.top_k(depth), pool.rank_votes(depth)
        questions, systems = len(graded.item_ids), len(pool.top)
        answers = graded.correct(snapshot.threshold(self.settings)).sum(axis=0)
        covered = answers / max(questions, 1)
        judged, min_relevance = pool.judgments, snapshot.collection.min_relevance
        has_judgment = (judged != UNJUDGED) & (min_relevance is not None)
        likely = np.where(has_judgment, judged >= (min_relevance or 0), votes > 0)
        # A question written from a passage of only one system favours that system.
        spread = np.bincount(top[top != GAP], minlength=pool.size)
        shared = (spread >= 2) & (spread >= SHARED_SYSTEMS * systems)
        likely &= (answers == 0) | (shared & (covered <= COVERED_SHARE))
        likely[list(pool.uncounted)] = False
        highest = max(snapshot.collection.highest_judgment, 1)
        effects = [effect.influence for effect in self.influences.values()]
        influences = [effect for effect in effects if effect is not None]
        # The first questions of a query determine all its scores.
        influence = sum(influences) / len(influences) if influences else 1.0
        stakes = {
            index: passage_stake(
                int(judged[index]) / highest if has_judgment[index] else None,
                float(votes[index]) / max(systems, 1),
                float(covered[index]),
                influence,
            )
            for index in np.flatnonzero(likely).tolist()
        }
        marks = snapshot.full.bank.dismissals_of(self.query_id)
        dismissals = {dismissal.key: dismissal.state for dismissal in marks}
        offered = 0
        for index, stake in sorted(stakes.items(), key=lambda item: -item[1]):
            passage_id = pool.passage_ids[index]
            dismissed = dismissals.get(f"uncovered-passage {passage_id}")
            if offered == MAX_PASSAGES and dismissed is None:
                continue
            kind = "relevant" if has_judgment[index] else "retrieved"
            by = f"{answers[index]} of {counted(questions, 'question')}"
            if not answers[index]:
                by = "no question"
            step = self.step(
                "uncovered-passage",
                [],
                f"A {kind} passage covered by {by}: {shortened(passage_id, 40)}.",
                stake,
                "Write from it",
                passage_id=passage_id,
                place="draft",
            )
            # A dismissed passage does not count towards the limit.
            if step.state == dismissed:
                yield step
            elif offered < MAX_PASSAGES:
                offered += 1
                yield step

    def empty_query(self) -> Iterator[NextStep]:
        if all(question.state == "retired" for question in self.questions.values()):
            why = "No question asks about this query yet."
            yield self.step("empty-query", [], why, 1.0, "Write one", place="draft")

    def empty_subtopics(self) -> Iterator[NextStep]:
        """Yield subtopics without a kept question, if questions use subtopics."""
        covered = {question.subtopic_id for question in self.kept}
        used = {question.subtopic_id for question in self.questions.values()} - {None}
        for subtopic in self.snapshot.queries[self.query_id].subtopics:
            name = subtopic.text or subtopic.subtopic_id
            if subtopic.subtopic_id in covered or (self.questions and not used):
                continue
            yield self.step(
                "empty-subtopic",
                [],
                f"No question is about “{isolated(name)}”.",
                1 / (len(self.kept) + 1),
                "Write one",
                subtopic_id=subtopic.subtopic_id,
                place="draft",
            )

    def flagged(self) -> Iterator[NextStep]:
        """Yield flagged notes on kept and proposed questions."""
        for note in self.snapshot.bank.notes_of(self.query_id):
            question = self.questions.get(note.question_id)
            if note.flagged and question and question.state != "retired":
                yield self.step(
                    "flagged",
                    [question],
                    f"{note.judge} flagged it: {shortened(note.text, 80)}",
                    self.influence(question),
                    "Look at it",
                    inputs=(note.judge, note.text),
                    place="question",
                )

    def disagreements(self) -> Iterator[NextStep]:
        """Yield kept questions with conflicting votes, checks or verdicts."""
        sources = vote_sources(self.snapshot)
        bank = self.snapshot.bank
        decisions = self.snapshot.decisions(bank).get(self.query_id, ())
        conflicts: Counter[tuple[str | None, str]] = Counter()
        for kind, where in (("check", "checks"), ("verdict", "answers")):
            stated = opinions(kind, bank.marks_of(kind, self.query_id))
            decided = valid_decisions(
                kind, stated, decisions, bank.questions_of(self.query_id)
            )
            for target, values in stated.items():
                differ = len(set(values.values())) > 1 and target not in decided
                conflicts[target[0], where] += differ
        for question in self.kept:
            votes = {vote for judge, vote in question.votes if judge not in sources}
            differ = len(votes) > 1 and not decided_vote(question, decisions)
            conflicts[question.text, "judges"] = int(differ)
            for where, why in CONFLICTS.items():
                if number := conflicts[question.text, where]:
                    yield self.step(
                        "disagreement",
                        [question],
                        why.format(number),
                        self.influence(question),
                        "Settle it",
                        inputs=(where, number),
                        place=where,
                    )

    def proposals(self) -> Iterator[NextStep]:
        """Yield proposals to decide; those that add nothing are to be dropped."""
        waiting = [q for q in self.questions.values() if q.state == "proposed"]
        offered: Iterable[Preview] = ()
        if waiting and self.settings is not None:
            offered = if_kept(self.snapshot, self.query_id, self.settings).proposals
        effects = {
            effect.question_id: effect for effect in offered if not effect.missing
        }
        for question in waiting:
            effect = effects.get(question.question_id)
            duplicate_id = self.near_duplicate_of.get(question.question_id)
            remedy, reason = f"{DROP.base.capitalize()} it", None
            if duplicate_id is not None:
                reason = "duplicate"
                title = isolated(self.questions[duplicate_id].title)
                why = f"Asks almost the same as “{title}”."
            elif effect and not effect.passages:
                why = "No passage answers this proposal."
            else:
                remedy, why = "Keep it", "A proposal to decide."
            edit: Edit = Keep(question.question_id, question.revision)
            if remedy != "Keep it":
                edit = Retire(question.question_id, reason, question.revision)
            stake = effect.influence if effect else None
            yield self.step("proposal", [question], why, stake, remedy, edit)

    def check(self) -> Iterator[NextStep]:
        """Yield the pair with the most effect on the board, if pairs are checked."""
        snapshot, settings = self.snapshot, self.settings
        if not (settings and self.graded and any(snapshot.full.bank.checks.values())):
            return
        (pairs,) = population(snapshot, settings.grader, "pairs", self.query_id)
        if not len(pairs.item):
            return
        grader = snapshot.grader(settings.grader)
        weights, toward_board = mixed_weights(snapshot, [pairs], [grader], "pairs")
        index = int(weights.argmax())
        if not toward_board[index]:
            return
        question = pairs.items[pairs.item[index]]
        yield self.step(
            "check",
            [question],
            "It is uncertain if this passage answers it, and the board depends on it.",
            self.influence(question),
            "Check it",
            passage_id=self.pool.passage_ids[pairs.passage[index]],
            place="checks",
        )

    def done(self) -> Iterator[NextStep]:
        """Yield the "done" step, if the effect of changes is known."""
        graded = self.graded
        if graded is None or graded.known < graded.needed:
            return
        compared = (self.pool.top != GAP).any(axis=1).sum() > 1
        if compared and any(
            self.influence(question) is not None for question in self.kept
        ):
            why, done = "Nothing else here would change much.", Done(self.query_id)
            words = [(question.question_id, question.text) for question in self.kept]
            yield self.step(
                "done", [], why, MIN_WEIGHT, "Mark it done", done, inputs=words
            )
