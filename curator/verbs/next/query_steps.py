"""One query's next steps, of every kind: docs/next.md says what each rests on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from curator.bank.edits import Done, Edit, Keep, Retire
from curator.bank.edits.adjudicate import (
    decided_answers,
    decided_pairs,
    decided_vote,
)
from curator.bank.marks import StepKind
from curator.bank.near_duplicates import near_duplicates
from curator.bank.question_words import asks_for, is_compound
from curator.bank.questions import Question
from curator.bank.wording import isolated, shortened
from curator.collection.pools import GAP, UNJUDGED
from curator.engine.state import State
from curator.evaluation.grades import GradedQuery
from curator.evaluation.influence import IfKept, Influence
from curator.evaluation.next_steps import WORTH_WHILE, passage_stake, weight
from curator.evaluation.settings import Settings
from curator.formats.text.notices import counted
from curator.verbs.checks.next_checks import mixed, population
from curator.verbs.curate.impact import if_kept
from curator.verbs.curate.near_duplicates import near
from curator.verbs.curate.question_rows import question_lines
from curator.verbs.judges.agreement import vote_sources
from curator.verbs.next.next_steps import NextStep, fingerprint

MOST_PASSAGES = 5  # of a query; the others come once these are covered or dismissed
COVERED = 0.5  # of the kept questions: what answers more of them is covered
SHARED = 0.1  # of the systems retrieve what is asked about though a question covers it
MOSTLY = 0.5  # of the judged passages that answer a question


class QuerySteps:
    """One query as its viewer sees it, and what could be done in it."""

    def __init__(self, state: State, settings: Settings | None, query_id: str) -> None:
        self.state, self.settings, self.query_id = state, settings, query_id
        self.pool = state.collection.pools[query_id]
        lines = question_lines(state, settings, query_id=query_id)
        self.questions = {one.question.question_id: one.question for one in lines}
        self.place = {one: place for place, one in enumerate(self.questions)}
        self.kept = [one for one in self.questions.values() if one.state == "kept"]
        self.reach: dict[str, Influence] = {
            one.question.question_id: one.influence for one in lines if one.influence
        }

    def all(self) -> Iterator[NextStep]:
        """Every step, in no order but that to be done is the last."""
        duplicates = set()
        for step in self.near_duplicates():
            duplicates.add(step.question_ids[0])
            yield step
        for one in self.kept:
            # Whoever follows the first has no use for the others.
            if one.question_id not in duplicates:
                yield from self.of_words(one) or self.of_grades(one)
        to_write = [*self.uncovered_passages(), *self.empty_subtopics()]
        yield from to_write or self.empty_query()
        yield from self.flagged()
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
        rests_on: object = None,
        **about: Any,
    ) -> NextStep:
        """A step on these questions, of which the first is the one to change."""
        of = tuple(questions)
        words = sorted((one.question_id, one.text, one.state) for one in of)
        return NextStep(
            kind,
            self.query_id,
            tuple(one.question_id for one in of),
            why,
            weight(kind, stake),
            remedy,
            edits,
            fingerprint(kind, words, rests_on),
            **about,
        )

    def influence(self, question: Question) -> float | None:
        """The question's influence, None where nobody knows it."""
        reach = self.reach.get(question.question_id)
        return reach.influence if reach else None

    @cached_property
    def graded(self) -> GradedQuery | None:
        """The query's grades on its kept questions; None under a grader of passages."""
        if self.settings is None or not self.settings.grader:
            return None
        found = self.state.matrix(self.settings.grader, self.query_id, self.state.bank)
        return None if found.reading == "direct" else found

    @cached_property
    def alike(self) -> dict[str, str]:
        """By question id, a question that says almost the same, by meaning or words."""
        meant = near(self.state, self.query_id)
        said = near_duplicates(self.state.bank.of_query(self.query_id))
        return {one: found.question_id for one, found in meant.items()} | said

    def near_duplicates(self) -> Iterator[NextStep]:
        """Kept questions that say almost the same: the one that does less is to go."""
        pairs = {
            tuple(sorted(pair, key=self.place.__getitem__))
            for pair in self.alike.items()
            if {self.questions[one].state for one in pair} == {"kept"}
        }
        for pair in sorted(pairs, key=lambda two: [self.place[one] for one in two]):
            less, more = sorted((self.questions[q] for q in pair), key=self._does)
            if self._does(more)[0] > self._does(less)[0]:
                does_more = "moves scores more"
            elif self._does(more)[1] > self._does(less)[1]:
                does_more = "more passages answer"
            else:
                does_more = "was there first"
            yield self.step(
                "near-duplicate",
                (less, more),
                f"Asks almost the same as “{isolated(more.title)}”, which {does_more}.",
                self.influence(less),
                "Retire it",
                Retire(less.question_id, "duplicate", less.revision),
            )

    def _does(self, question: Question) -> tuple[float, int, int]:
        """What sorts questions by what they do, the earliest last among equals."""
        reach = self.reach.get(question.question_id)
        place = self.place[question.question_id]
        return self.influence(question) or 0.0, reach.passages if reach else 0, -place

    def of_words(self, question: Question) -> list[NextStep]:
        """What the words of a kept question say of it."""
        stake = self.influence(question)
        if what := asks_for(question):
            retire = Retire(question.question_id, "unanswerable", question.revision)
            why = f"Asks for {what}, which no text can answer."
            return [
                self.step("unanswerable", [question], why, stake, "Retire it", retire)
            ]
        if is_compound(question):
            why = "Asks two things at once; a passage may answer one of them."
            split = "Split it"
            return [
                self.step("compound", [question], why, stake, split, place="question")
            ]
        return []

    def of_grades(self, question: Question) -> list[NextStep]:
        """What its grades say of a kept question: the first of these, or nothing."""
        reach = self.reach.get(question.question_id)
        if reach is None or reach.known < reach.needed:
            return []
        systems = int((self.pool.top != GAP).any(axis=1).sum())
        share = reach.nonrelevant_share
        kind: StepKind
        stake = self.influence(question)
        if not reach.passages:
            why = f"Answered by 0 of {counted(reach.needed, 'passage')}."
            kind, reason = "no-answer", "unanswerable"
        elif share is not None and share > MOSTLY:
            part = "All" if share == 1 else f"{100 * share:.0f}\N{NO-BREAK SPACE}%"
            why = f"{part} of the judged passages that answer it are not relevant."
            kind, reason = "only-non-relevant", "off topic"
            stake = (stake or 0.0) * (2 * share - 1)
        elif systems > 1 and reach.systems == systems:
            why = f"Each of the {systems} systems answers it, so it tells none apart."
            kind, reason = "every-system", "too easy"
        else:
            return []
        retire = Retire(question.question_id, reason, question.revision)
        return [self.step(kind, [question], why, stake, "Retire it", retire)]

    def uncovered_passages(self) -> Iterator[NextStep]:
        """Passages that are likely relevant and that few of the questions cover."""
        graded = self.graded
        if graded is None or self.settings is None or graded.known < graded.needed:
            return
        pool, state = self.pool, self.state
        depth = state.measure(self.settings).depth
        top, votes = pool.top_k(depth), pool.rank_votes(depth)
        questions, systems = len(graded.item_ids), len(pool.top)
        answers = graded.correct(state.threshold(self.settings)).sum(axis=0)
        covered = answers / max(questions, 1)
        judged, from_ = pool.judgments, state.collection.min_relevance
        known = (judged != UNJUDGED) & (from_ is not None)
        likely = np.where(known, judged >= (from_ or 0), votes > 0)
        # One in the words of a passage that one system alone has favours that system.
        spread = np.bincount(top[top != GAP], minlength=pool.size)
        shared = (spread >= 2) & (spread >= SHARED * systems)
        likely &= (answers == 0) | (shared & (covered <= COVERED))
        likely[list(pool.aside)] = False
        highest = max(state.collection.highest_judgment, 1)
        moves = [one.influence for one in self.reach.values()]
        moved = [one for one in moves if one is not None]
        # All of a query's scores hang on its first questions.
        influence = sum(moved) / len(moved) if moved else 1.0
        found = []
        for at in np.flatnonzero(likely).tolist():
            stake = passage_stake(
                int(judged[at]) / highest if known[at] else None,
                float(votes[at]) / max(systems, 1),
                float(covered[at]),
                influence,
            )
            found.append((-stake, at))
        left = {one.key: one.state for one in state.bank.dismissals_of(self.query_id)}
        offered = 0
        for stake, at in sorted(found):
            passage_id = pool.passage_ids[at]
            dismissed = left.get(f"uncovered-passage {passage_id}")
            if offered == MOST_PASSAGES and dismissed is None:
                continue
            relevant = "A relevant passage" if known[at] else "A retrieved passage"
            by = "no question covers"
            if answers[at]:
                cover = "covers" if answers[at] == 1 else "cover"
                by = f"{answers[at]} of {counted(questions, 'question')} {cover}"
            step = self.step(
                "uncovered-passage",
                [],
                f"{relevant} that {by}: {shortened(passage_id, 40)}.",
                -stake,
                "Write from it",
                passage_id=passage_id,
                place="draft",
            )
            # One that is dismissed gives its place to the next.
            if step.state == dismissed:
                yield step
            elif offered < MOST_PASSAGES:
                offered += 1
                yield step

    def empty_query(self) -> Iterator[NextStep]:
        """The query, where no question of it is kept or waits."""
        if all(one.state == "retired" for one in self.questions.values()):
            why = "No question asks about this query yet."
            yield self.step("empty-query", [], why, 1.0, "Write one", place="draft")

    def empty_subtopics(self) -> Iterator[NextStep]:
        """Subtopics of which no kept question is, where any question is of one."""
        asked = {one.subtopic_id for one in self.kept}
        used = {one.subtopic_id for one in self.questions.values()} - {None}
        for subtopic in self.state.queries[self.query_id].subtopics:
            name = subtopic.text or subtopic.subtopic_id
            if subtopic.subtopic_id in asked or (self.questions and not used):
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
        """Notes that somebody flagged, on questions that stand or wait."""
        for note in self.state.bank.notes_of(self.query_id):
            question = self.questions.get(note.question_id)
            if note.flagged and question and question.state != "retired":
                yield self.step(
                    "flagged",
                    [question],
                    f"{note.judge} flagged it: {shortened(note.text, 80)}",
                    self.influence(question),
                    "Look at it",
                    rests_on=(note.judge, note.text),
                    place="question",
                )

    def disagreements(self) -> Iterator[NextStep]:
        """Kept questions on which people's votes, checks or verdicts differ."""
        sources = vote_sources(self.state)
        seen = self.state.seen.bank
        said: defaultdict[tuple[str | None, str, str], set[str]] = defaultdict(set)
        checks, verdicts = (
            seen.checks_of(self.query_id),
            seen.verdicts_of(self.query_id),
        )
        decisions = self.state.decisions(seen).get(self.query_id, ())
        about = decisions, seen.of_query(self.query_id)
        pairs = decided_pairs(checks, *about)
        for check in checks:
            pair = check.item, check.passage_id
            if check.answer in ("yes", "no") and pair not in pairs:
                said[check.item, "checks", check.passage_id].add(check.answer)
        answers = decided_answers(verdicts, *about)
        for verdict in verdicts:
            if (verdict.question, verdict.answer) not in answers:
                said[verdict.question, "answers", verdict.answer].add(verdict.value)
        split: defaultdict[tuple[str | None, str], int] = defaultdict(int)
        for (words, where, _), sides in said.items():
            split[words, where] += len(sides) > 1
        for question in self.kept:
            votes = {vote for judge, vote in question.votes if judge not in sources}
            differ = len(votes) > 1 and not decided_vote(question, decisions)
            found = {
                "judges": int(differ),
                "checks": split[question.text, "checks"],
                "answers": split[question.text, "answers"],
            }
            for where, number in found.items():
                if not number:
                    continue
                why = {
                    "judges": "Judges differ on whether it is vital.",
                    "checks": "People differ on whether "
                    f"{counted(number, 'passage')} answer{'s' * (number == 1)} it.",
                    "answers": "People differ on whether "
                    f"{counted(number, 'answer')} to it "
                    f"{'is' if number == 1 else 'are'} right.",
                }[where]
                yield self.step(
                    "disagreement",
                    [question],
                    why,
                    self.influence(question),
                    "Settle it",
                    rests_on=(where, number),
                    place=where,
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
        for one in waiting:
            would, other = known.get(one.question_id), self.alike.get(one.question_id)
            remedy, reason = "Drop it", None
            if other is not None:
                reason = "duplicate"
                title = isolated(self.questions[other].title)
                why = f"Asks almost the same as “{title}”."
            elif would and not would.passages:
                why = "No passage answers this proposal."
            else:
                remedy, why = "Keep it", "A proposal to decide."
                if would:
                    number = counted(would.passages, "passage")
                    answer = "answers" if would.passages == 1 else "answer"
                    why = f"A proposal to decide: {number} {answer} it."
            edit: Edit = Retire(one.question_id, reason, one.revision)
            if remedy == "Keep it":
                edit = Keep(one.question_id, one.revision)
            stake = would.influence if would else None
            yield self.step("proposal", [one], why, stake, remedy, edit)

    def check(self) -> Iterator[NextStep]:
        """The pair on which the board hangs most, once people check pairs here."""
        state, settings = self.state, self.settings
        if not (settings and self.graded and any(state.bank.checks.values())):
            return
        (found,) = population(state, settings.grader, "pairs", self.query_id)
        if not len(found.item):
            return
        grader = state.grader(settings.grader)
        weights, toward = mixed(state, [found], [grader], "pairs")
        at = int(weights.argmax())
        if not toward[at]:
            return
        question = found.items[found.item[at]]
        yield self.step(
            "check",
            [question],
            "Whether this passage answers it is open, and much hangs on it.",
            self.influence(question),
            "Check it",
            passage_id=self.pool.passage_ids[found.passage[at]],
            place="checks",
        )

    def done(self) -> Iterator[NextStep]:
        """That nothing else would change much, where what a change does is known."""
        graded = self.graded
        if graded is None or graded.known < graded.needed:
            return
        compared = (self.pool.top != GAP).any(axis=1).sum() > 1
        if compared and any(self.influence(one) is not None for one in self.kept):
            why, done = "Nothing else here would change much.", Done(self.query_id)
            words = [(one.question_id, one.text) for one in self.kept]
            yield self.step(
                *("done", [], why, WORTH_WHILE, "Mark it done", done), rests_on=words
            )
