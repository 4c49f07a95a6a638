"""``grade``: ask a grader for what is missing, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

from curator.bank.questions import active, proposed
from curator.engine.gradebook import GraderRecord
from curator.engine.opened import OpenWorkspace
from curator.engine.state import State
from curator.verbs.answers.ava_grader import count_answers, score_answers
from curator.verbs.grading import jobs, run_embedding
from curator.verbs.grading.jobs import Job
from curator.verbs.grading.missing import (
    can_be_asked,
    missing_in,
    prompts_missing,
    targets_here,
)
from curator.verbs.grading.resolve_grader import Chosen, chosen, name_to_be, registered
from curator.verbs.grading.run_grader import Asker, Tally
from curator.verbs.grading.summary import GradeSummary, Order, Progress
from curator.verbs.history.history import bank_at
from grading.ava.grader import AvaGrader
from grading.costs import Prices, cost, estimate
from grading.errors import PromptTooLongError
from grading.graders.embedding import Encoder
from grading.graders.text import TextGrader
from grading.prompts.prompt import Prompt
from grading.registry import is_local


def grade(
    workspace: OpenWorkspace,
    grader: str = "embedding",
    *,
    query_id: str | None = None,
    since: int | None = None,
    dry_run: bool = False,
    again: bool = False,
    prices: Prices | None = None,
    prompt: Prompt | None = None,
    encoder: Encoder | None = None,
    tally: Tally | None = None,
    progress: Progress | None = None,
) -> GradeSummary:
    """Ask a grader for every grade that is missing; what is known is not asked.

    With ``since``, also for what the bank asked right after that event, so that
    ``impact(since=…)`` compares whole boards. ``again`` asks for unreadable responses
    once more, ``prices`` says what tokens cost, ``prompt`` is one of your own.
    ``encoder`` is where the texts are encoded if not in this process; ``tally`` counts
    what is asked while it is asked. Raises GradingError where the model is missing.
    """
    past = None
    if since is not None:
        with workspace.snapshot() as state:
            past = bank_at(state, since)
    order = Order(query_id, past, dry_run, again, prices)
    return grade_order(
        workspace,
        grader,
        order,
        prompt=prompt,
        encoder=encoder,
        tally=tally,
        progress=progress,
    )


def grade_order(
    workspace: OpenWorkspace,
    name: str,
    order: Order,
    *,
    prompt: Prompt | None = None,
    encoder: Encoder | None = None,
    tally: Tally | None = None,
    progress: Progress | None = None,
) -> GradeSummary:
    """Grade every kept question on its query's pool where a grade is missing.

    With ``order.since``, the questions as an earlier bank had them are graded too by a
    grader of vectors, so that its board can be compared with its own earlier self.
    ``order.again`` asks for unreadable responses once more. ``tally`` counts what a
    model is asked while it is asked. Grades are kept batch by batch; what ``progress``
    raises ends the run with all of them kept, and the next run asks for the rest.
    Raises NotGradableError for an imported grader, GradingError where the model is
    missing.
    """
    state = workspace.state()
    meant = chosen(state, name, prompt=prompt)
    tally = Tally() if tally is None else tally
    found = _graded(workspace, meant, order, encoder, tally, progress or _nobody)
    if order.dry_run:
        return replace(found, grader=name_to_be(state, meant.record))
    return found


def _graded(
    workspace: OpenWorkspace,
    meant: Chosen,
    order: Order,
    encoder: Encoder | None,
    tally: Tally,
    report: Progress,
) -> GradeSummary:
    """Grade by whatever kind of grader this is."""
    if meant.grader is None:
        return _grade_both(workspace, meant, order, encoder, tally, report)
    if isinstance(meant.grader, TextGrader):
        return _ask(workspace, meant.record, meant.grader, order, tally, report)
    if isinstance(meant.grader, AvaGrader):
        return _check(workspace, meant.record, meant.grader, order, tally, report)
    return _encode(workspace.state(), meant.record, order, encoder, report)


def _grade_both(
    workspace: OpenWorkspace,
    meant: Chosen,
    order: Order,
    encoder: Encoder | None,
    tally: Tally,
    report: Progress,
) -> GradeSummary:
    """Grade with the two it combines, as far as they lack grades."""
    record = (
        meant.record
        if order.dry_run
        else registered(workspace.connection, meant.record)
    )
    state = workspace.state()
    lacking = {
        part.name: lacks
        for part in record.parts
        if (lacks := _grades_missing(state, part, order))
    }
    kept, left = 0, sum(lacking.values())
    report(0, left)
    summaries = []
    for name, lacks in lacking.items():
        left -= lacks

        def report_all(done: int, of: int, kept: int = kept, left: int = left) -> None:
            report(kept + done, kept + of + left)

        one = grade_order(
            workspace,
            name,
            order,
            encoder=encoder,
            tally=tally,
            progress=report_all,
        )
        summaries.append(one)
        kept += one.asked
    return _together(record.name, summaries, dry_run=order.dry_run)


def _check(
    workspace: OpenWorkspace,
    record: GraderRecord,
    grader: AvaGrader,
    order: Order,
    tally: Tally,
    report: Progress,
) -> GradeSummary:
    """Have the source answer what it can, then check its answers.

    Where a question is too long for the source, that is raised when all else is done.
    """
    (source,) = record.parts
    state = workspace.state()
    before = count_answers(state, record, order.query_id)
    lacks = _grades_missing(state, source, order) if source.can_grade else 0
    own = before.grades + (before.without_answer if lacks else 0)
    without_text, without_key = _left_out(state, record, order)
    found = GradeSummary(record.name, 0, 0, 0, without_text, order.dry_run)
    too_long: PromptTooLongError | None = None
    if lacks:
        try:
            found = grade_order(
                workspace,
                source.name,
                order,
                tally=tally,
                progress=lambda done, of: report(done, of + own),
            )
        except PromptTooLongError as error:
            too_long = error
    found = replace(
        found, grader=record.name, without_text=without_text, without_key=without_key
    )
    if order.dry_run:
        return replace(
            found,
            queries=max(found.queries, before.queries),
            asked=found.asked + own,
            answers=before.answers,
            without_answer=before.without_answer - (own - before.grades),
        )
    if not (own or lacks):
        return replace(found, without_answer=before.without_answer)
    kept, record = found.asked, registered(workspace.connection, record)
    done = score_answers(
        workspace,
        record,
        grader,
        order.query_id,
        lambda more, of: report(kept + more, kept + of),
    )
    if too_long is not None:
        raise too_long
    return replace(
        found,
        grader=record.name,
        queries=max(found.queries, done.queries),
        asked=found.asked + done.grades,
        answers=done.answers,
        # A response that the source was asked for in vain is one of both graders.
        unreadable=max(found.unreadable, done.unreadable),
        without_answer=done.without_answer,
    )


def _left_out(state: State, record: GraderRecord, order: Order) -> tuple[int, int]:
    """How many questions cannot be graded for want of a text, and of an answer key."""
    left_out = [
        target
        for one in state.query_ids(order.query_id)
        for target in targets_here(state, record, one)
        if not can_be_asked(record, target)
    ]
    without_text = sum(target.item.text is None for target in left_out)
    return without_text, len(left_out) - without_text


def _grades_missing(state: State, record: GraderRecord, order: Order) -> int:
    """How many grades this grader lacks that it could give; opens no model."""
    queries = state.query_ids(order.query_id)
    if record.spec.computed:
        work = _work(state, record, order)
        unknown = run_embedding.unknown_pairs(state, record, work)
        return sum(int(pairs.sum()) for pairs in unknown.values())
    found = (missing_in(state, record, one, again=order.again) for one in queries)
    return sum(one.grades for one in found if one is not None)


def _together(
    name: str, parts: Sequence[GradeSummary], *, dry_run: bool
) -> GradeSummary:
    """What two graders found and did, as one summary."""
    priced = [one.dollars for one in parts if one.dollars is not None]
    return GradeSummary(
        grader=name,
        queries=max((one.queries for one in parts), default=0),
        asked=sum(one.asked for one in parts),
        texts=sum(one.texts for one in parts),
        without_text=max((one.without_text for one in parts), default=0),
        dry_run=dry_run,
        prompts=sum(one.prompts for one in parts),
        cut=sum(one.cut for one in parts),
        unreadable=sum(one.unreadable for one in parts),
        tokens_in=sum(one.tokens_in for one in parts),
        tokens_out=sum(one.tokens_out for one in parts),
        dollars=sum(priced) if priced else None,
    )


def _ask(
    workspace: OpenWorkspace,
    record: GraderRecord,
    grader: TextGrader,
    order: Order,
    tally: Tally,
    report: Progress,
) -> GradeSummary:
    state = workspace.state()
    queries = state.query_ids(order.query_id)
    missing = [
        found
        for one in queries
        if (found := missing_in(state, record, one, again=order.again)) is not None
    ]
    without_text, without_key = _left_out(state, record, order)
    summary = GradeSummary(
        grader=record.name,
        queries=len(missing),
        asked=sum(one.grades for one in missing),
        texts=0,
        without_text=without_text,
        without_key=without_key,
        dry_run=order.dry_run,
    )
    if order.dry_run:
        expected = estimate(
            (
                one.text
                for one in prompts_missing(
                    workspace.connection, record, grader, missing
                )
            ),
            answer_tokens=grader.expected_answer_tokens,
            prices=order.prices,
        )
        return replace(summary, **asdict(expected))
    before = replace(tally)
    if missing:
        _ = grader.model  # a model that cannot be had leaves no grader behind
        Asker(
            workspace,
            registered(workspace.connection, record),
            grader,
            query_id=order.query_id,
            again=order.again,
            tally=tally,
        ).run(report)
    asked = tally.since(before)
    spent = None
    if order.prices is not None:
        spent = cost(asked.tokens_in, asked.tokens_out, order.prices)
    return replace(summary, **asdict(asked), dollars=spent)


def _encode(
    state: State,
    record: GraderRecord,
    order: Order,
    encoder: Encoder | None,
    report: Progress,
) -> GradeSummary:
    work = _work(state, record, order)
    asked = (
        question
        for one in state.query_ids(order.query_id)
        for question in active(state.bank.of_query(one), "question")
    )
    unknown = run_embedding.unknown_pairs(state, record, work)
    summary = GradeSummary(
        grader=record.name,
        queries=len(work),
        asked=sum(int(pairs.sum()) for pairs in unknown.values()),
        texts=len(run_embedding.texts_to_read(state.connection, record, work)),
        without_text=sum(question.text is None for question in asked),
        dry_run=order.dry_run,
    )
    if order.dry_run or not work:
        return summary
    report(0, summary.asked)
    run_embedding.encode_missing(
        state.connection,
        record,
        work,
        unknown,
        encoder=encoder,
        report=lambda kept: report(kept, summary.asked),
    )
    return summary


def _work(state: State, record: GraderRecord, order: Order) -> run_embedding.Work:
    """The questions that a grader of vectors has not graded whole, by query."""
    work = {}
    for one in state.query_ids(order.query_id):
        pool = state.collection.pools[one]
        of_query = state.bank.of_query(one)
        # What is proposed too: it costs next to nothing, and shows beforehand what
        # keeping it would do.
        questions = active(of_query, "question") + proposed(of_query, "question")
        if order.since is not None:
            earlier = active(order.since.of_query(one), "question")
            questions += tuple(q for q in earlier if q not in questions)
        missing = state.gradebook.missing_items(record, pool, questions)
        if missing and pool.size:
            work[one] = tuple(missing)
    return work


def start_job(
    workspace: OpenWorkspace,
    name: str = "embedding",
    *,
    query_id: str | None = None,
    again: bool = False,
    prompt: Prompt | None = None,
) -> Job:
    """Grade what is missing in a process of its own, which outlives this one.

    Raises JobError where a job of this grader is not done, else as ``grade``.
    """
    state = workspace.state()
    meant = chosen(state, name, prompt=prompt)
    new = [one.name for one in meant.record.parts if not one.grader_id]
    for one in (meant, *(chosen(state, part) for part in new)):
        if isinstance(one.grader, TextGrader) and not is_local(one.record.spec.engine):
            _ = one.grader.model  # cheap, and a missing key is better known now
    # From now on the workspace can say by itself what the job's process has to open.
    record = registered(workspace.connection, meant.record)
    # A model that has been moved is opened from where it is named to be now.
    opened_by = name if prompt is None and meant.grader is not None else record.name
    asked = Order(query_id=query_id, dry_run=True, again=again)
    total = grade_order(workspace, opened_by, asked).asked
    spec = {"grader": record.name}
    if opened_by != record.name:
        spec["opened_by"] = opened_by
    if query_id is not None:
        spec["query"] = query_id
    if again:
        spec["again"] = "yes"
    return jobs.start(workspace, "grade", spec, total=total)


def _nobody(done: int, total: int) -> None:
    """Nobody is watching."""
