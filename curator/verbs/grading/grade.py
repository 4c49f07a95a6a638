"""``grade``: ask a grader for missing grades."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

from curator.bank.questions import Bank, active, proposed
from curator.errors import RestrictedError
from curator.snapshot.gradebook import GraderRecord, plain_name
from curator.snapshot.languages import can_read, languages
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.snapshot import Snapshot
from curator.store.grades import write_budget
from curator.store.responses import responder_with_key
from curator.verbs.answers.ava_grader import count_answers, score_answers
from curator.verbs.grading import jobs
from curator.verbs.grading.jobs import Job
from curator.verbs.grading.missing import (
    EVERYTHING,
    GradeSelection,
    Missing,
    gradable_members,
    higher_limit,
    is_gradable,
    missing_in_query,
    missing_prompts,
    query_targets,
    unreadable,
)
from curator.verbs.grading.resolve_grader import (
    full_name,
    register_grader,
    resolve_grader,
    usual_grader,
)
from curator.verbs.grading.run_computed import (
    Unknown,
    Work,
    compute_missing,
    unknown_pairs,
)
from curator.verbs.grading.run_grader import PromptRun
from curator.verbs.grading.summary import Announce, GradeSummary, Progress, RunCounts
from curator.verbs.history import bank_at
from grading.ava.grader import AvaGrader
from grading.costs import Prices, estimate
from grading.errors import EngineError, PromptTooLongError, UnknownGraderError
from grading.graders.computed import ComputedGrader, Encoder
from grading.graders.text import NO_LIMIT, TextGrader
from grading.models.endpoint import shown_host
from grading.prompts.prompt import Prompt
from grading.registry import is_local, keeps_texts_local
from grading.responders import MEAN

if TYPE_CHECKING:
    from grading.ray_engine import RayEngine

EngineName = Literal["local", "ray"]


def grade(
    workspace: OpenWorkspace,
    grader: str | None = None,
    *,
    query_id: str | Sequence[str] | None = None,
    since: int | None = None,
    dry_run: bool = False,
    again: bool = False,
    depth: int | None = None,
    sample: int | None = None,
    seed: int | None = None,
    without_judged: bool = False,
    same_budget: bool = False,
    max_tokens: int | None = None,
    prices: Prices | None = None,
    prompt: Prompt | None = None,
    encoder: Encoder | None = None,
    tally: RunCounts | None = None,
    progress: Progress | None = None,
    announce: Announce | None = None,
    engine: EngineName = "local",
    address: str | None = None,
    workers: int | None = None,
) -> GradeSummary:
    """Ask a grader for every missing grade.

    The default grader is ``instant``, or the ``embedding`` that has graded here before.
    With ``since``, the questions as of that event are graded too, so that
    ``impact(since=…)`` compares complete boards. ``again`` repeats responses that were
    cut off with four times the tokens. ``encoder`` encodes texts in another process;
    ``tally`` counts prompts and responses. ``depth`` and ``sample`` are a budget
    (``curator.collection.budgets``): grades outside it stay unknown, and boards report
    them. Chat models are asked at the endpoint of the workspace's settings, else at the
    environment's; ``announce`` gets its host before anything is sent.

    Grades are stored batch by batch; an error in ``progress`` ends the run with all of
    them stored, and the next run asks for the rest. A model is opened only if a
    response is missing. Raises NotGradableError for an imported grader, BudgetError for
    an invalid budget, GradingError where the model cannot be asked, EngineError where
    Ray cannot be used; grades that follow from stored responses are written even then.

    Args:
        query_id (ID): Only this query; repeat for several.
        dry_run: Print what is missing and stop.
        again: Ask again where a response was unreadable.
        depth (K): Only passages in any top K, and judged ones.
        sample (N): Only N random passages per query, within --depth.
        seed (N): Random seed of --sample. [0]
        without_judged: Leave out judged passages below the top K.
        same_budget: Use --depth and --sample of the last grading.
        max_tokens (N): Most tokens of an answer; implies --again.
        engine: Run models here or on Ray workers.
        address (HOST:PORT): Ray cluster. [RAY_ADDRESS, else one here]
        workers (N): Most workers. [one per GPU, or per 8 CPUs]
    """
    selection = GradeSelection.from_options(
        query_id, again, depth, sample, seed, same_budget, without_judged, max_tokens
    )
    past = None
    if since is not None:
        with workspace.snapshot() as snapshot:
            past = bank_at(snapshot, since)
    name = grader or usual_grader(workspace.current_snapshot().full)
    with open_engine(engine, address, workers) as opened_engine:
        run = GradingRun(
            workspace,
            selection,
            past,
            dry_run,
            prices,
            encoder,
            tally or RunCounts(),
            opened_engine,
            announce,
        )
        return run.grade(name, progress or (lambda done, total: None), prompt=prompt)


def open_engine(
    engine: EngineName, address: str | None, workers: int | None
) -> AbstractContextManager[RayEngine | None]:
    """Open the engine; None for models in this process. Raises EngineError."""
    if engine == "ray":
        from grading.ray_engine import RayEngine  # slow to import

        return RayEngine(address or "", workers)
    if address or workers:
        raise EngineError("--address and --workers are options of --engine ray")
    return nullcontext()


@dataclass(frozen=True)
class GradingRun:
    """The scope and options of a grading; graders that depend on others share it.

    With ``since``, embedding graders also grade the questions of an earlier bank, so
    that boards of both times can be compared.
    """

    workspace: OpenWorkspace
    selection: GradeSelection = EVERYTHING
    since: Bank | None = None
    dry_run: bool = False
    prices: Prices | None = None
    encoder: Encoder | None = None
    tally: RunCounts = field(default_factory=RunCounts)
    engine: RayEngine | None = None
    announce: Announce | None = None

    @property
    def _snapshot(self) -> Snapshot:
        return self.workspace.current_snapshot().full

    @property
    def _query_ids(self) -> tuple[str, ...]:
        return self._snapshot.query_ids(self.selection.query_id)

    def grade(
        self, name: str, progress: Progress, *, prompt: Prompt | None = None
    ) -> GradeSummary:
        """Grade every kept question on its query's pool where a grade is missing."""
        record, grader = resolve_grader(
            self._snapshot, name, prompt=prompt, dry_run=self.dry_run
        )
        if self.selection.max_tokens is not None and isinstance(grader, ComputedGrader):
            raise UnknownGraderError(f"{name} {NO_LIMIT}")
        if record.grader_id:
            self._store_budget(record)
        run, restricted = self, self._snapshot.collection.restricted
        if restricted and not self._keeps_texts_local(grader):
            if named := restricted.intersection(self.selection.query_ids):
                raise RestrictedError(
                    f"Query '{min(named)}' is restricted, and {name} would send its "
                    "texts to another machine. Use a local model, or an endpoint on "
                    "this machine."
                )
            selection = replace(self.selection, includes_restricted=False)
            run = replace(self, selection=selection)
        match grader:
            case None:
                summary = run._grade_combined(name, record, progress)
            case TextGrader():
                summary = run._ask_model(record, grader, progress)
            case AvaGrader():
                summary = run._check_answers(record, grader, progress)
            case _:
                summary = run._compute(record, progress)
        if not run.selection.includes_restricted:
            summary = replace(summary, restricted=len(restricted))
        if self.selection.budget is not None or self.selection.same_budget:
            summary = replace(summary, left_out=self._left_out(record))
        snapshot = self._snapshot
        return replace(
            summary,
            grader=full_name(snapshot, record) if self.dry_run else summary.grader,
            languages="" if can_read(snapshot, record) else languages(snapshot).note,
        )

    def _keeps_texts_local(self, grader: object) -> bool:
        if self.engine is not None and self.engine.address:
            return False
        return not isinstance(grader, TextGrader) or keeps_texts_local(
            grader.spec.engine, grader.endpoint
        )

    def _register(self, record: GraderRecord) -> GraderRecord:
        """Store the grader and its budget, and return its stored record."""
        stored = register_grader(self.workspace.connection, record)
        self._store_budget(stored)
        return stored

    def _store_budget(self, record: GraderRecord) -> None:
        if not (self.dry_run or self.selection.same_budget or record.derived):
            queries, budget = self._query_ids, self.selection.budget
            write_budget(self.workspace.connection, record.grader_id, queries, budget)

    def _left_out(self, record: GraderRecord) -> int:
        unlimited = replace(self.selection, budget=None, same_budget=False)
        everything = replace(self, selection=unlimited, dry_run=True)
        return sum(
            everything._grades_missing(member) - self._grades_missing(member)
            for member in gradable_members(record)
        )

    def _grade_parts(
        self, record: GraderRecord, progress: Progress, following: int = 0
    ) -> list[GradeSummary]:
        """Grade the parts that lack grades; ``following`` grades come after them."""
        missing = {
            part.name: number
            for part in record.parts
            if part.can_grade and (number := self._grades_missing(part))
        }
        before, remaining = 0, sum(missing.values()) + following
        summaries = []
        for name, number in missing.items():
            remaining -= number
            summary = self.grade(name, shifted(progress, before, remaining))
            summaries.append(summary)
            before += summary.asked
        return summaries

    def _grade_combined(
        self, name: str, record: GraderRecord, progress: Progress
    ) -> GradeSummary:
        """Grade with the two graders it combines, then store the combined one.

        A new mean is created afterwards, as its scales depend on all grades of both.
        """
        is_new_mean = record.spec.reading.parser == MEAN and not record.grader_id
        if not (self.dry_run or is_new_mean):
            record = self._register(record)
        parts = self._grade_parts(record, progress)
        if is_new_mean and not self.dry_run:
            record, _ = resolve_grader(self._snapshot, name)
            record = self._register(record)
        return GradeSummary.from_parts(record.name, parts, dry_run=self.dry_run)

    def _check_answers(
        self, record: GraderRecord, grader: AvaGrader, progress: Progress
    ) -> GradeSummary:
        """Ask the source for missing answers, then score its answers.

        An error about a question too long for the source is raised at the end.
        """
        (source,) = record.parts
        before = count_answers(self._snapshot, record, self.selection)
        is_missing = source.can_grade and self._grades_missing(source) > 0
        own_grades = before.grades + (before.without_answer if is_missing else 0)
        parts: list[GradeSummary] = []
        too_long: PromptTooLongError | None = None
        try:
            parts = self._grade_parts(record, progress, own_grades)
        except PromptTooLongError as error:
            too_long = error
        counts = self._summary(record)
        summary = replace(
            GradeSummary.from_parts(record.name, parts, dry_run=self.dry_run),
            without_text=counts.without_text,
            without_key=counts.without_key,
        )
        if self.dry_run:
            return replace(
                summary,
                queries=max(summary.queries, before.queries),
                asked=summary.asked + own_grades,
                answers=before.answers,
                without_answer=before.without_answer - (own_grades - before.grades),
            )
        if not (own_grades or is_missing):
            return replace(summary, without_answer=before.without_answer)
        if self.engine:
            grader = self.engine.with_scoring_workers(grader)
        record = self._register(record)
        scored = score_answers(
            self.workspace,
            record,
            grader,
            self.selection,
            shifted(progress, summary.asked, 0),
            width=self.engine.worker_count if self.engine else 1,
        )
        if too_long is not None:
            raise too_long
        return replace(
            summary,
            grader=record.name,
            queries=max(summary.queries, scored.queries),
            asked=summary.asked + scored.grades,
            answers=scored.answers,
            # A failed new response of the source counts in both graders.
            unreadable=max(summary.unreadable, scored.unreadable),
            without_answer=scored.without_answer,
        )

    def _ask_model(
        self, record: GraderRecord, grader: TextGrader, progress: Progress
    ) -> GradeSummary:
        missing = self._missing(record)
        summary = replace(
            self._summary(record),
            queries=len(missing),
            asked=sum(query_missing.grades for query_missing in missing),
            missing_model=grader.missing if missing else "",
        )
        connection = self.workspace.connection
        prompts = missing_prompts(connection, record, grader, missing)
        if not is_local(grader.spec.engine) and (first := next(prompts, None)):
            prompts = chain([first], prompts)
            summary = replace(summary, host=shown_host(grader.endpoint))
            if self.announce and summary.host and not self.dry_run:
                self.announce(summary.host)
        if self.dry_run:
            expected = estimate(
                (prompt_parts.text for prompt_parts in prompts),
                answer_tokens=grader.expected_answer_tokens,
                prices=self.prices,
            )
            return replace(summary, **asdict(expected))
        before, limit = replace(self.tally), None
        if missing:
            limit = self._answer_limit(record)
            if self.engine:
                grader = self.engine.with_workers(grader, limit)
            elif limit is not None:
                grader = grader.with_answer_limit(limit)
            # Stored responses may cover everything, and then no model is needed.
            if responder_with_key(connection, record.spec.responder.key) is None:
                _ = grader.model  # fails before the grader is stored
            PromptRun(
                self.workspace,
                self._register(record),
                grader,
                selection=self.selection,
                tally=self.tally,
                width=self.engine.worker_count if self.engine else 1,
            ).run(progress)
        counts = self.tally.since(before)
        return replace(
            summary,
            **counts.reported,
            dollars=counts.cost(self.prices),
            max_tokens=limit or record.spec.responder.answer_limit,
        )

    def _answer_limit(self, record: GraderRecord) -> int | None:
        """Token limit of an answer; None for the grader's default.

        Responses that were cut off get a higher limit.
        """
        selection = self.selection
        if selection.max_tokens is None and selection.again and record.grader_id:
            query_id = selection.query_id
            return higher_limit(
                unreadable(self._snapshot, record.name, query_id=query_id)
            )
        return selection.max_tokens

    def _compute(self, record: GraderRecord, progress: Progress) -> GradeSummary:
        snapshot, kind = self._snapshot, record.spec.reading.item_kind
        work, unknown = self._work(record)
        kept = (
            question
            for id_ in self._query_ids
            for question in active(snapshot.bank.questions_of(id_), kind)
        )
        summary = GradeSummary(
            full_name(snapshot, record),
            queries=len(work),
            asked=sum(int(pairs.sum()) for pairs in unknown.values()),
            without_text=sum(question.text is None for question in kept),
            nuggets=len(active(snapshot.bank, "nugget")) if kind == "question" else 0,
            dry_run=self.dry_run,
        )
        if work and not self.dry_run:
            record, encoder = self._register(record), self.encoder
            if self.engine:
                model = plain_name(record.name).partition(":")[2]
                encoder = self.engine.encoder(record.spec, model or None)
            connection = snapshot.connection
            compute_missing(connection, record, work, unknown, encoder, progress)
        return summary

    def _summary(self, record: GraderRecord) -> GradeSummary:
        """Build a summary with the counts of questions that cannot be graded."""
        snapshot = self._snapshot
        left_out = [
            target
            for id_ in self._query_ids
            for target in query_targets(snapshot, record, id_)
            if not is_gradable(record, target)
        ]
        without_text = sum(target.item.text is None for target in left_out)
        return GradeSummary(
            record.name,
            without_text=without_text,
            without_key=len(left_out) - without_text,
            dry_run=self.dry_run,
        )

    def _missing(self, record: GraderRecord) -> list[Missing]:
        scope = self._snapshot, record
        by_query = (
            missing_in_query(*scope, id_, self.selection) for id_ in self._query_ids
        )
        return [missing for missing in by_query if missing is not None]

    def _grades_missing(self, record: GraderRecord) -> int:
        """Count the missing grades that this grader can give; opens no model."""
        if not record.spec.computed:
            return sum(missing.grades for missing in self._missing(record))
        _, unknown = self._work(record)
        return sum(int(pairs.sum()) for pairs in unknown.values())

    def _work(self, record: GraderRecord) -> tuple[Work, Unknown]:
        """Questions that a computed grader lacks grades of, and the pairs, by query."""
        snapshot, work = self._snapshot, {}
        kind = record.spec.reading.item_kind
        for id_ in self._query_ids:
            bank_questions = snapshot.bank.questions_of(id_)
            # Proposals are cheap to grade, and previews of keeping them need grades.
            questions = active(bank_questions, kind) + proposed(bank_questions, kind)
            if self.since is not None:
                earlier = active(self.since.questions_of(id_), kind)
                questions += tuple(q for q in earlier if q not in questions)
            selected = self.selection.selected_passages(snapshot, record, id_)
            missing = snapshot.gradebook.missing_items(
                record, snapshot.collection.pools[id_], questions, selected
            )
            if missing:
                work[id_] = tuple(missing)
        return work, unknown_pairs(snapshot, record, work, self.selection)


def shifted(progress: Progress, before: int, after: int) -> Progress:
    """Return the progress of a part, with grades before and after it."""
    return lambda done, total: progress(before + done, before + total + after)


def start_job(
    workspace: OpenWorkspace,
    name: str | None = None,
    *,
    prompt: Prompt | None = None,
    announce: Announce | None = None,
    engine: EngineName = "local",
    address: str | None = None,
    workers: int | None = None,
    **options: Any,
) -> Job:
    """Start a job that grades what is missing in a process that outlives this one.

    ``options`` are those of ``grade`` that select grades. A resumed job uses the same
    ones, and the same engine. Raises JobError where this grader has an unfinished job,
    else as ``grade``.
    """
    open_engine(engine, address, workers)  # fails early on invalid options
    selection = GradeSelection.from_options(**options)
    snapshot = workspace.current_snapshot().full
    name = name or usual_grader(snapshot)
    record, grader = resolve_grader(snapshot, name, prompt=prompt)
    counting = GradingRun(workspace, selection, dry_run=True)
    counted = counting.grade(name, lambda done, total: None, prompt=prompt)
    if counted.host and announce is not None:
        announce(counted.host)
    new = [part.name for part in record.parts if not part.grader_id]
    for opened in (grader, *(resolve_grader(snapshot, part)[1] for part in new)):
        if not (isinstance(opened, TextGrader) and counted.prompts):
            continue
        if engine == "local" and not is_local(opened.spec.engine):
            _ = opened.model  # cheap, and fails early on a missing key
    # The job's process opens the grader by its record, so it is stored now.
    record = register_grader(workspace.connection, record)
    if engine != "local":
        options |= {"engine": engine, "address": address, "workers": workers}
    options = {key: value for key, value in options.items() if value}
    spec = {
        "grader": record.name,
        # A moved model is opened at its new place, by the name given.
        "opened_by": name if prompt is None and grader is not None else record.name,
        "options": json.dumps(options),
    }
    return jobs.start(workspace, "grade", spec, total=counted.asked)
