"""Every table stands in every output: a walk over all functions that make one.

A column whose path leads nowhere, a cell that an output cannot hold, a heading that no
page has: it fails here, whoever adds it. Each table is of a result that has rows.
"""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import curator.tables
from curator.bank.edits import CheckPair, Propose, Retire, Vote
from curator.evaluation.agreement import Agreement, GradedAgreement
from curator.results import Rows
from curator.tables import (  # fmt: skip
    adjudication,
    agreement,
    answers,
    checks,
    compare,
    curate,
    files,
    grading,
    history,
    judges,
    leaderboard,
    norming,
    overview,
    passages,
    proposals,
    releases,
    setup,
    stability,
    validity,
)
from curator.tables.endpoint import trial_table
from curator.tables.table import Table, html_of, tables_in, text_of
from curator.verbs.answers.ava_evaluation import evaluate
from curator.verbs.answers.ava_report import report, save_report
from curator.verbs.answers.ava_training import TrainingStatus, explain, show
from curator.verbs.grading.jobs import Job
from curator.verbs.grading.missing import Unreadable
from curator.verbs.grading.reparse import RatingChange, Reparsed
from curator.verbs.grading.summary import GradeSummary
from curator.verbs.grading.try_endpoint import EndpointTrial
from curator.verbs.leaderboard.drawn_board import DrawnBoard, DrawnStanding
from curator.verbs.leaderboard.grader_agreement import (
    GraderAgreement,
    GraderPairAgreement,
)
from curator.verbs.proposals.generate import GenerateSummary
from curator.workspace import Workspace
from grading.ava.card import Card, Data, Point
from grading.ava.model import Triple
from grading.models.endpoint import EndpointCheck
from tests.samples import checked_answers
from tests.samples.ava_samples import KnownScores, question, write_linear, write_run

HOSTILE = "a\t<b>|&\n\\x"
CURVE = tuple(Point(epoch, epoch * 3, 0.5, 0.5, 0.5, 0.5) for epoch in (1, 2))
CARD = Card("m", "a0", Data(("train.tsv",), 2, 2, 2, 1, 1, 1), curve=CURVE)
JOB = Job(1, "grade", HOSTILE, "paused", "ann", "2026-01-01T10:00", 1, 2)
TEST = (question("t1", "good fine", "bad"), question("t2", "good fine", "bad poor"))
MODEL = KnownScores(lambda triple: 0.6 if "good" in triple.candidate else 0.4)


@pytest.fixture(scope="module")
def workspace(
    built_demo: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workspace]:
    """The demo with two judges' votes, a release and a question retired since."""
    path = Path(shutil.copy(built_demo, tmp_path_factory.mktemp("demo") / "demo.db"))
    with Workspace.open(path, judge="ann") as one:
        one.release("v1")
        one.restrict("pacemaker")
        one.restrict("pacemaker", lift=True)
        first, second, *_ = [q.question_id for q in one.bank() if q.state == "kept"]
        one.apply(Vote(first, "vital"), by="ann")
        one.apply(Vote(first, "okay"), by="bob")
        one.apply(Retire(second, reason=HOSTILE))
        query_id, pool = next(iter(one.collection().pools.items()))
        for judge in ("ann", "a<b>|&"):
            mark = {"query_id": query_id, "passage_id": pool.passage_ids[0]}
            one.record_ideals([mark | {"start": 0, "end": 9, "judge": judge}])
        one.open_norming(count=1)
        one.answer_norming(1, 1, "yes")
        one.reveal_norming()
        one.comment_norming(1, 1, HOSTILE)
        one.add_people("a<b>|&")
        one.assign(["a<b>|&"])
        yield one


def board(one: Workspace, _: Path) -> Table:
    found = one.leaderboard(measure="P@10")
    tiers = {standing.system: 1 for standing in found.standings}
    return leaderboard.leaderboard_table(found, one.collection().official, tiers)


def against_judgments(one: Workspace, _: Path) -> Table:
    return agreement.agreement_table(one.agreement(), one.settings(), 1)


def held_against_another(*_: object) -> Table:
    pairs = GraderPairAgreement(HOSTILE, 4, Agreement(((1, 0), (2, 3)), 0.25, 6))
    return agreement.grader_agreement_table(GraderAgreement("people", (pairs,)))


def ratings_by_ratings(*_: object) -> Table:
    met = GradedAgreement((1, 0), (5, 0), ((1, 0), (0, 2)), 3)
    pairs = GraderPairAgreement("a", 4, Agreement(((1, 0), (2, 3)), 0.25, 6), met)
    (table,) = agreement.rating_tables(GraderAgreement(HOSTILE, (pairs,)))
    return table


def graded_table(one: Workspace, _: Path) -> Table:
    return agreement.graded_table(one.agreement_tables().tables.graded)


def binary_table(one: Workspace, _: Path) -> Table:
    return agreement.binary_table(one.agreement_tables().tables.binary[0])


def compared(one: Workspace, _: Path) -> list[Table]:
    first, second, *_ = one.collection().systems
    found = one.compare(measures=("cover", "P@10"), tests=True, between=(first, second))
    return compare.comparison_tables(found)


def differing(one: Workspace, _: Path) -> Table:
    first, second, *_ = one.collection().systems
    between = one.compare(between=(first, second)).between
    assert between is not None
    return compare.difference_table(between)


def query_of(one: Workspace) -> str:
    return one.collection().queries[0].query_id


def proposed(one: Workspace, _: Path) -> Table:
    one.apply(Propose(query_of(one), f"Why {HOSTILE}?", "{}"))
    return one.if_kept(query_of(one))


def pooled(one: Workspace, _: Path) -> Table:
    settings = one.settings()
    pool = one.pool(one.collection().queries[0].query_id, settings, since=1)
    return passages.passage_table(pool, settings, total=len(pool), since=1)


def ideals(one: Workspace, _: Path) -> Table:
    query_id = one.collection().queries[0].query_id
    passage = next(iter(one.pool(query_id, one.settings()))).passage_id
    one.mark_ideals(query_id, passage, [(0, 5)])
    return passages.ideal_table(one.ideals(query_id), query_id)


def difference(one: Workspace, _: Path) -> list[Table]:
    return releases.difference_tables(one.release_difference("v1"), "v1", None)


def bootstrapped(one: Workspace, _: Path) -> list[Table]:
    *_, last = [q.question_id for q in one.bank() if q.state == "kept"]
    for judge in ("cy", "dee"):  # in another query than the others
        one.apply(Vote(last, "vital"), by=judge)
    return judges.pyramid_test_tables(one.pyramid_tests(samples=2))


def since(one: Workspace, _: Path) -> Table:
    found = one.overview().since
    assert found is not None
    return Table.of_rows([found])


def graded(_: Workspace, __: Path) -> Table:
    summary = GradeSummary(
        HOSTILE, 1, 2, 3, 4, dry_run=False, prompts=2, dollars=0.1, answers=3
    )
    return grading.graded_table(summary)


def reparsed(_: Workspace, __: Path) -> Table:
    changes = (RatingChange("digit", None, 3, 2, (HOSTILE,)),)
    return Reparsed("old", "new", 3, 1, changes)


def recorded(one: Workspace, _: Path) -> Table:
    (pair,) = one.next_checks(1)
    line = {"query_id": pair.query_id, "item_id": pair.item_id, "answer": "no"}
    said = one.record_checks([line | {"passage_id": pair.passage_id}])
    return checks.recorded_table(said)


def golden(one: Workspace, _: Path) -> Table:
    (pair,) = one.next_checks(1).checks
    row = {"query": pair.query_id, "question": pair.item_id, "answer": "no"}
    one.mark_gold([row | {"passage": pair.passage_id}])
    edit = CheckPair(pair.query_id, pair.item_id, pair.passage_id, "no")
    one.apply(edit, by=HOSTILE)
    return checks.gold_table(one.gold())


def of_labels(one: Workspace, folder: Path) -> Table:
    recorded(one, folder)
    return checks.label_table("pairs", one.check_quality().graders)


def measured(one: Workspace, folder: Path) -> list[Table]:
    recorded(one, folder)
    return checks.quality_tables(one.check_quality())


def generated(_: Workspace, __: Path) -> Table:
    summary = GenerateSummary(HOSTILE, 1, 2, 3, 4, dry_run=False, dollars=0.1)
    return proposals.generated_table(summary)


def checked(_: Workspace, folder: Path) -> list[Table]:
    path = checked_answers.answered_workspace(folder / "answered")
    checked_answers.scored(path)
    checked_answers.judged(path)
    with Workspace.open(path) as one:
        found = one.answer_checks()
    return answers.answer_check_tables(found, *found.list_answers(found.differing()))


def listed_answers(_: Workspace, folder: Path) -> Table:
    with Workspace.open(checked_answers.answered_workspace(folder / "a")) as one:
        found = one.answer_checks()
    return answers.listed_table(found, *found.list_answers(found.unjudged(())))


def reported(_: Workspace, folder: Path) -> list[Table]:
    for name, ranking in {"ada": "good fine bad", "bob": "bad good fine"}.items():
        write_run(folder / name, name, {"t1": ranking, "t2": ranking})
    return answers.report_tables(report([MODEL], TEST, runs=[folder]))


def explained(_: Workspace, folder: Path) -> Table:
    write_linear(folder)
    triple = Triple("who ran?", "ann ran", HOSTILE)
    return answers.explained_table(explain(folder, triple))


def evaluated(_: Workspace, __: Path) -> Any:
    return evaluate(MODEL, [one.answered() for one in TEST], pairs=True)


def saved(_: Workspace, folder: Path) -> list[Table]:
    write_linear(folder / "model")
    write_run(folder / "run", "ada", {"t1": "good bad", "t2": "bad good"})
    found = report([folder / "model"], TEST, runs=[folder / "run"])
    save_report(folder / "model", found.models[0], found)
    kept = show(folder / "model").report
    return answers.saved_tables(kept) if kept else []


Make = Callable[[Workspace, Path], "Table | list[Table]"]
TABLES: dict[str, Make] = {
    "agreement.agreement_table": against_judgments,
    "agreement.agreement_tables": lambda w, _: agreement.agreement_tables(
        w.agreement_tables()
    ),
    "agreement.binary_table": binary_table,
    "agreement.graded_table": graded_table,
    "agreement.grader_agreement_table": held_against_another,
    "agreement.rating_tables": ratings_by_ratings,
    "answers.answer_check_tables": checked,
    "answers.card_tables": lambda *_: answers.card_tables(
        TrainingStatus("m", CARD, CURVE)
    ),
    "answers.check_tables": checked,
    "answers.evaluation_table": lambda *w: answers.evaluation_table(evaluated(*w)),
    "answers.explained_table": explained,
    "answers.pair_table": lambda *w: answers.pair_table(evaluated(*w)),
    "answers.listed_table": listed_answers,
    "answers.report_tables": reported,
    "answers.saved_tables": saved,
    "answers.training_tables": lambda *_: answers.training_tables(
        TrainingStatus("m", CARD, CURVE)
    ),
    "checks.gold_table": golden,
    "checks.label_table": of_labels,
    "checks.next_table": lambda w, _: checks.next_table(w.next_checks(3)),
    "checks.quality_tables": measured,
    "checks.recorded_table": recorded,
    "compare.comparison_tables": compared,
    "compare.difference_table": differing,
    "compare.score_and_rank_table": lambda w, _: compare.score_and_rank_table(
        w.compare(tests=True)
    ),
    "compare.significance_table": lambda w, _: compare.significance_table(
        w.significance()
    ),
    "compare.topic_table": lambda w, _: compare.topic_table(
        w.topics(w.collection().systems[0], w.settings())
    ),
    "curate.bank_table": lambda w, _: w.bank(),
    "curate.batch_table": lambda w, _: curate.batch_table(
        w.apply(Retire([*w.bank()][-1].question_id))
    ),
    "history.history_table": lambda w, _: history.history_table(w.history()),
    "history.board_history_table": lambda w, _: history.board_history_table(
        w.board_history()
    ),
    "curate.impact_table": lambda w, _: curate.impact_table(w.impact(since=1)),
    "curate.left_out_table": lambda w, _: curate.left_out_table(
        w.leave_out(w.collection().systems[0], w.settings())
    ),
    "curate.own_question_table": lambda w, _: curate.own_question_table(
        [w.leave_out(w.collection().systems[0], w.settings())]
    ),
    "curate.proposed_table": proposed,
    "curate.question_table": lambda w, _: curate.question_table(w.questions()),
    "grading.graded_table": graded,
    "grading.job_list": lambda *_: grading.job_list([JOB]),
    "grading.job_table": lambda *_: JOB,
    "grading.reparse_table": reparsed,
    "grading.unreadable_table": lambda *_: Rows(
        [Unreadable("q", "q/a", "p", HOSTILE)], Unreadable
    ),
    "adjudication.adjudication_tables": lambda w, _: adjudication.adjudication_tables(
        w.adjudication()
    ),
    "norming.norming_tables": lambda w, _: norming.norming_tables(w.norming()),
    "norming.rounds_table": lambda w, _: norming.rounds_table(w.norming_rounds()),
    "norming.agreement_table": lambda w, _: norming.agreement_table(
        w.norming().agreements
    ),
    "judges.judge_tables": lambda w, _: judges.judge_tables(w.judges()),
    "judges.curve_table": lambda w, _: judges.curve_table(w.pyramid_curves()),
    "judges.judge_board_table": lambda w, _: judges.judge_board_table(w.judge_boards()),
    "judges.pyramid_tables": lambda w, _: judges.pyramid_tables(
        w.judge_boards(w.settings()), w.pyramid_curves(w.settings())
    ),
    "judges.pyramid_test_tables": bootstrapped,
    "judges.vote_table": lambda w, _: judges.vote_table(w.bank()),
    "leaderboard.coefficient_table": lambda w, _: leaderboard.coefficient_table(
        w.correlate()
    ),
    "leaderboard.correlation_table": lambda w, _: leaderboard.correlation_table(
        w.correlations(("cover", "P@10"))
    ),
    "leaderboard.drawn_table": lambda w, _: DrawnBoard(
        w.settings(),
        40,
        "Ranks 1 to 2 are settled.",
        (DrawnStanding("bm25", 1, 0.5, 0.52, 0.4, 0.6, 1, 2),),
    ),
    "leaderboard.leaderboard_table": board,
    "leaderboard.score_table": lambda w, _: leaderboard.score_table(w.scores()),
    "stability.stability_tables": lambda w, _: stability.stability_tables(
        w.stability("cover")
    ),
    "validity.validity_table": lambda w, _: validity.validity_table(
        w.validity(("cover", "nDCG@10"), bootstrap=20)
    ),
    "leaderboard.sweep_table": lambda w, _: leaderboard.sweep_table(w.sweep()),
    "next.next_table": lambda w, _: w.next_steps(),
    "overview.overview_tables": lambda w, _: overview.overview_tables(w.overview()),
    "overview.activity_table": lambda w, _: overview.activity_table(
        w.overview().judges
    ),
    "overview.evidence_table": lambda w, _: overview.evidence_table(
        w.overview().graders
    ),
    "overview.release_changes_table": since,
    "passages.coverage_table": lambda w, _: passages.coverage_table(w.coverage()),
    "passages.covered_table": lambda w, _: w.coverage().passages,
    "passages.ideal_table": ideals,
    "passages.depth_table": lambda w, _: w.pool_to_depth(3),
    "passages.passage_table": pooled,
    "passages.word_agreement_table": lambda w, _: w.word_agreement(),
    "passages.rouge_agreement_tables": lambda w, _: passages.rouge_agreement_tables(
        w.rouge_agreement(sources=["answers"])
    ),
    "passages.scored_passage_table": lambda w, _: passages.scored_passage_table(
        w.rouge_agreement(sample=[3])
    ),
    "passages.pool_table": lambda w, _: passages.pool_table(w.pool(query_of(w))),
    "passages.rated_table": lambda w, _: w.passage(
        query_of(w), w.pool(query_of(w))[0].passage_id
    ),
    "proposals.decision_table": lambda w, _: w.decisions(),
    "proposals.generated_table": generated,
    "releases.difference_tables": difference,
    "releases.drift_table": lambda w, _: w.release_drifts(),
    "releases.frozen_bank_table": lambda w, _: releases.frozen_bank_table(
        w.release_named("v1")[1], {}
    ),
    "releases.frozen_board_table": lambda w, _: releases.frozen_board_table(
        w.release_named("v1")[1]
    ),
    "releases.frozen_question_table": lambda w, _: releases.frozen_question_table(
        w.release_named("v1")[1]
    ),
    "releases.frozen_table": lambda w, _: w.releases()[0],
    "releases.release_table": lambda w, _: w.releases(),
    "setup.grader_table": lambda w, _: w.graders(),
    "setup.restriction_table": lambda w, _: w.restrictions(),
    "setup.setup_table": lambda w, _: setup.setup_table(w.set_up()),
    "setup.statistics_table": lambda w, _: setup.statistics_table(w.statistics()),
    "setup.status_table": lambda w, _: setup.status_table(w.status()),
    "team.assignment_table": lambda w, _: w.assignments(),
    "team.handover_table": lambda w, _: w.handovers(),
    "team.progress_table": lambda w, _: w.progress(),
    "team.people_table": lambda w, _: w.people(),
    "table.of_fields": lambda w, _: w.what_ifs(query_of(w)),
    "files.backup_table": lambda w, folder: w.backup(folder / "copy.db", force=True),
    "endpoint.trial_table": lambda *_: trial_table(
        EndpointTrial(EndpointCheck("models.test", "m", problem="host"), "given")
    ),
    "setup.language_table": lambda w, _: setup.language_table(w.languages()),
    "files.repair_table": lambda w, _: files.repair_table(w.repair()),
    "files.verification_table": lambda w, _: files.verification_table(w.verify()),
}


def makers() -> Iterator[str]:
    """Every public function of the tables' modules that returns one or several."""
    for module in pkgutil.iter_modules(curator.tables.__path__):
        names = vars(importlib.import_module(f"curator.tables.{module.name}"))
        for name, function in names.items():
            if inspect.isfunction(function) and not name.startswith("_"):
                own = function.__module__ == f"curator.tables.{module.name}"
                returns = inspect.get_annotations(function).get("return")
                if own and returns in ("Table", "list[Table]"):
                    yield f"{module.name}.{name}"


def test_tables_know_the_verbs_results_by_their_types_alone() -> None:
    names = [one.name for one in pkgutil.iter_modules(curator.tables.__path__)]
    code = (
        f"import sys, {', '.join(f'curator.tables.{name}' for name in names)}\n"
        "sys.exit(any(name.startswith('curator.verbs') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_table_is_walked() -> None:
    assert set(makers()) <= {*TABLES, "table.tables_in"}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_stands_in_every_output(
    name: str, workspace: Workspace, tmp_path: Path
) -> None:
    made = TABLES[name](workspace, tmp_path)
    tables = tables_in(made)
    value = tables[0].json
    if value is not None:
        assert json.loads(json.dumps(value)) is not None
    for table in tables:
        columns, lines = len(table.headings), [*table.rows, *table.sums]
        assert table.rows or not columns or name == "files.verification_table"
        assert all(len(row) == columns for row in table.cells)
        tsv = text_of(table, "tsv").splitlines()
        assert [line.count("\t") + 1 for line in tsv[1:]] == [columns] * len(lines)
        latex = text_of(table, "latex")
        assert latex.count(r" \\") == 1 + len(lines)
        markdown = [
            line
            for line in text_of(table, "markdown").splitlines()
            if line.startswith("| ")
        ]
        assert len(markdown) == 2 + len(lines) if columns else True
        aligned = text_of(table, "table").splitlines()
        assert len(aligned) == len(table.caption.splitlines()) + bool(columns) + len(
            lines
        )
        frame = table.frame()
        assert len(frame) == len(table.rows) if columns else True
        assert frame.columns.is_unique
        if table.columns_in("page"):
            html = html_of(table, "c-full")
            assert html.count("<tr") == 1 + len(lines)
            assert "<b>|" not in html
