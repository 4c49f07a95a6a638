"""Every result stands in every output: a walk over all of them and over pages' tables.

A column whose path leads nowhere, a cell that an output cannot hold, a heading that no
page has: it fails here, whoever adds it. Each table is of a result that has rows.
"""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import curator.tables
from curator.bank.edits import CheckPair, Propose, Retire, Vote
from curator.evaluation.agreement import Agreement, GradedAgreement
from curator.results import Result, Rows
from curator.tables import (  # fmt: skip
    agreement,
    answers,
    checks,
    compare,
    files,
    judges,
    leaderboard,
    overview,
    passages,
)
from curator.tables.table import Table, html_of, tables_in, text_of
from curator.verbs.answers.ava_evaluation import evaluate
from curator.verbs.answers.ava_report import report, save_report
from curator.verbs.answers.ava_training import TrainingStatus, explain, show
from curator.verbs.files.imports import ImportSummary
from curator.verbs.grading.jobs import Job
from curator.verbs.grading.missing import Unreadable
from curator.verbs.grading.reparse import RatingChange, Reparsed
from curator.verbs.grading.summary import GradeSummary
from curator.verbs.leaderboard.drawn_board import DrawnBoard, DrawnStanding
from curator.verbs.leaderboard.grader_agreement import (
    GraderAgreement,
    GraderPairAgreement,
)
from curator.verbs.proposals.generate import GenerateSummary
from curator.verbs.setup import EndpointTrial
from curator.workspace import Workspace
from grading.ava.card import Card, Data, Point
from grading.ava.model import Triple
from grading.models.endpoint import EndpointCheck
from tests.samples import checked_answers
from tests.samples.ava_samples import KnownScores, question, write_linear, write_run
from tests.samples.command_line import json_of, run

HOSTILE = "a\t<b>|&\n\\x"
CURVE = tuple(Point(epoch, epoch * 3, 0.5, 0.5, 0.5, 0.5) for epoch in (1, 2))
CARD = Card("m", "a0", Data(("train.tsv",), 2, 2, 2, 1, 1, 1), curve=CURVE)
JOB = Job(1, "grade", HOSTILE, "paused", "ann", "2026-01-01T10:00", 1, 2)
TEST = (question("t1", "good fine", "bad"), question("t2", "good fine", "bad poor"))
MODEL = KnownScores(lambda triple: 0.6 if "good" in triple.candidate else 0.4)
PAIRS = GraderPairAgreement(
    *(HOSTILE, 4, Agreement(((1, 0), (2, 3)), 0.25, 6)),
    GradedAgreement((1, 0), (5, 0), ((1, 0), (0, 2)), 3),
)


@pytest.fixture(scope="module")
def workspace(
    built_demo: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workspace]:
    """The demo with marks of four judges, a release and a question retired since."""
    path = Path(shutil.copy(built_demo, tmp_path_factory.mktemp("demo") / "demo.db"))
    with Workspace.open(path, judge="ann") as one:
        one.release("v1")
        one.restrict("pacemaker")
        one.restrict("pacemaker", lift=True)
        kept = [q.question_id for q in one.bank() if q.state == "kept"]
        one.apply(Vote(kept[0], "vital"), by="ann")
        one.apply(Vote(kept[0], "okay"), by="bob")
        for judge in ("cy", "dee"):  # in another query than the others
            one.apply(Vote(kept[-1], "vital"), by=judge)
        one.apply(Retire(kept[1], reason=HOSTILE))
        query_id, pool = next(iter(one.collection().pools.items()))
        for judge in ("ann", "a<b>|&"):
            mark = {"query_id": query_id, "passage_id": pool.passage_ids[0]}
            one.record_ideals([mark | {"start": 0, "end": 9, "judge": judge}])
        one.apply(Propose(query_id, f"Why {HOSTILE}?", "{}"))
        one.open_norming(count=1)
        one.answer_norming(1, 1, "yes")
        one.reveal_norming()
        one.comment_norming(1, 1, HOSTILE)
        one.add_people("a<b>|&")
        one.assign(["a<b>|&"])
        (pair,) = one.next_checks(1).checks
        row = {"query": pair.query_id, "question": pair.item_id, "answer": "no"}
        one.mark_gold([row | {"passage": pair.passage_id}])
        edit = CheckPair(pair.query_id, pair.item_id, pair.passage_id, "no")
        one.apply(edit, by=HOSTILE)
        recorded(one, path)
        yield one


def recorded(one: Workspace, _: Path) -> Any:
    (pair,) = one.next_checks(1)
    line = {"query_id": pair.query_id, "item_id": pair.item_id, "answer": "no"}
    return one.record_checks([line | {"passage_id": pair.passage_id}])


def checked(_: Workspace, folder: Path) -> Any:
    path = checked_answers.answered_workspace(folder / "answered")
    checked_answers.scored(path)
    checked_answers.judged(path)
    with Workspace.open(path) as one:
        return one.answer_checks()


def listed(one: Workspace, folder: Path) -> list[Table]:
    found = checked(one, folder)
    return answers.answer_check_tables(found, found.differing(), 100)


def reported(_: Workspace, folder: Path) -> Any:
    runs = folder / "runs"
    runs.mkdir(exist_ok=True)
    for name, ranking in {"ada": "good fine bad", "bob": "bad good fine"}.items():
        write_run(runs / name, name, {"t1": ranking, "t2": ranking})
    return report([MODEL], TEST, runs=[runs])


def explained(_: Workspace, folder: Path) -> Any:
    write_linear(folder)
    triple = Triple("who ran?", "ann ran", HOSTILE)
    return explain(folder, triple)


def evaluated() -> Any:
    return evaluate(MODEL, [one.answered() for one in TEST], pairs=True)


def saved(_: Workspace, folder: Path) -> list[Table]:
    write_linear(folder / "model")
    write_run(folder / "run", "ada", {"t1": "good bad", "t2": "bad good"})
    found = report([folder / "model"], TEST, runs=[folder / "run"])
    save_report(folder / "model", found.models[0], found)
    kept = show(folder / "model").report
    return answers.saved_tables(kept) if kept else []


CALLS = (
    *("adjudication()", "agreement()", "assignments()"),
    "check_queue()",
    *("backup(folder / 'copy.db', force=True)", "bank()", "baselines()"),
    *("board_history()", "check_quality()", "correlate()"),
    "compare(('cover', 'P@10'), tests=True, between=systems[:2])",
    *("correlate('P@10', ties='random')", "correlations(['cover', 'P@10'])"),
    *("coverage()", "coverage().passages", "decisions()", "generations()"),
    "export('bank', folder / 'bank.jsonl')",
    *("gold()", "grade(dry_run=True)", "graders()", "handovers()", "history()"),
    *("ideals()", "if_kept(query)", "impact(since='v1')", "impact(since=1)", "jobs()"),
    *("judges()", "known_answers()", "languages()"),
    *("leaderboard('P@10')", "leave_out('bm25')", "leave_out_each()"),
    *("next_checks(3)", "next_steps()", "norming()", "norming_rounds()"),
    *("overview()", "passage(query, w.pool(query)[0].passage_id)", "people()"),
    *("pool(query)", "pool_to_depth(3)", "progress()", "pyramid()"),
    *("pyramid(test=True, samples=2)", "questions()", "readiness('cover')"),
    *("release_difference('v1')", "release_drifts()", "releases()", "releases()[0]"),
    *("repair()", "restrictions()", "rouge_agreement(sources=['answers'])"),
    *("scores('P@10')", "set_up()", "significance('P@10')", "statistics()"),
    "solo(next(iter(w.bank())).question_id)",
    *("stability('cover')", "stability(against='official')", "status()", "sweep()"),
    *("topics('bm25', 'P@10')", "undo()", "unreadable('embedding')"),
    *("validity(('cover', 'nDCG@10'), bootstrap=20)", "verify()"),
    *("what_ifs(query)", "word_agreement()"),
)
"""Verbs as they are called; ``w`` is the workspace."""
MADE: dict[str, Callable[[Workspace, Path], Any]] = {
    "AnswerCheckingReport": reported,
    "AnswerChecks": checked,
    "AvaEvaluation": lambda *_: evaluated(),
    "DrawnBoard": lambda w, _: DrawnBoard(
        *(w.settings(), 40, "Ranks 1 to 2 are settled."),
        (DrawnStanding("bm25", 1, 0.5, 0.52, 0.4, 0.6, 1, 2),),
    ),
    "ExplainedScore": explained,
    "Trust": lambda w, _: w.trust(),
    "EndpointTrial": lambda *_: EndpointTrial(
        EndpointCheck("models.test", "m", problem="host"), "given"
    ),
    "GenerateSummary": lambda *_: GenerateSummary(
        HOSTILE, 1, 2, 3, 4, dry_run=False, dollars=0.1
    ),
    "GradeSummary": lambda *_: GradeSummary(
        HOSTILE, 1, 2, 3, dry_run=False, prompts=2, dollars=0.1, answers=3
    ),
    "GraderAgreement": lambda *_: GraderAgreement("people", (PAIRS,)),
    "ImportSummary": lambda *_: ImportSummary(HOSTILE, "a bank", {"queries": 1}, ()),
    "Job": lambda *_: JOB,
    "jobs": lambda *_: Rows([JOB], "grading.job_list"),
    "Recorded": recorded,
    "Reparsed": lambda *_: Reparsed(
        *("old", "new", 3, 1), (RatingChange("digit", None, 3, 2, (HOSTILE,)),)
    ),
    "TrainingStatus": lambda *_: TrainingStatus("m", CARD, CURVE),
    "Unreadable": lambda *_: Rows([Unreadable("q", "q/a", "p", HOSTILE)], Unreadable),
}
TABLES: dict[str, Callable[[Workspace, Path], Any]] = {
    "agreement.agreement_tables": lambda w, _: agreement.agreement_tables(
        w.agreement()
    ),
    "agreement.agreement_table": lambda w, _: agreement.agreement_table(
        w.agreement().agreement, w.settings(), 1
    ),
    "agreement.binary_table": lambda w, _: agreement.binary_table(
        w.agreement().tables.binary[0]
    ),
    "agreement.graded_table": lambda w, _: agreement.graded_table(
        w.agreement().tables.graded
    ),
    "agreement.rating_tables": lambda *_: agreement.rating_tables(
        GraderAgreement(HOSTILE, (PAIRS,))
    ),
    "answers.answer_check_tables": listed,
    "answers.listed_table": lambda *w: listed(*w)[-1],
    "answers.saved_tables": saved,
    "answers.training_tables": lambda *_: answers.training_tables(
        TrainingStatus("m", CARD, CURVE)
    ),
    "checks.label_table": lambda w, _: checks.label_table(
        "pairs", w.check_quality().graders
    ),
    "compare.difference_table": lambda w, _: compare.difference_table(
        w.compare(between=w.collection().systems[:2]).between
    ),
    "compare.score_and_rank_table": lambda w, _: compare.score_and_rank_table(
        w.compare(tests=True)
    ),
    "judges.vote_table": lambda w, _: judges.vote_table(w.bank()),
    "leaderboard.leaderboard_table": lambda w, _: leaderboard.leaderboard_table(
        w.leaderboard(), w.collection().official, dict.fromkeys(w.collection().systems)
    ),
    "leaderboard.report_table": lambda w, _: leaderboard.report_table(
        [w.leaderboard(), w.leaderboard("P@10")], w.collection().official, {}
    ),
    "checks.agreement_table": lambda w, _: checks.agreement_table(
        w.norming().agreements
    ),
    "overview.activity_table": lambda w, _: overview.activity_table(
        w.overview().judges
    ),
    "overview.evidence_table": lambda w, _: overview.evidence_table(
        w.overview().graders
    ),
    "passages.passage_table": lambda w, _: passages.passage_table(
        w.pool(w.collection().queries[0].query_id, since=1),
        w.settings(),
        total=99,
        since=1,
    ),
    "passages.scored_passage_table": lambda w, _: passages.scored_passage_table(
        w.rouge_agreement(sample=[3])
    ),
    "files.frozen_bank_table": lambda w, _: files.frozen_bank_table(
        w.release_named("v1")[1], {}
    ),
    "files.frozen_board_table": lambda w, _: files.frozen_board_table(
        w.release_named("v1")[1]
    ),
    "files.frozen_question_table": lambda w, _: files.frozen_question_table(
        w.release_named("v1")[1]
    ),
}
"""What pages, the report or one option of a command show besides the results."""


def made(name: str, one: Workspace, folder: Path) -> Any:
    if name in MADE | TABLES:
        return (MADE | TABLES)[name](one, folder)
    collection = one.collection()
    query, systems = collection.queries[0].query_id, collection.systems
    names = {"w": one, "folder": folder, "query": query, "systems": systems}
    return eval(f"w.{name}", names)


def layouts(classes: list[type[Any]]) -> Iterator[tuple[str, str]]:
    """The name and the function of each class of results, below these classes."""
    for one in classes:
        yield one.__name__, one.laid_out_by
        yield from layouts(one.__subclasses__())


def test_every_result_and_table_is_walked(workspace: Workspace, tmp_path: Path) -> None:
    results = [made(name, workspace, tmp_path) for name in (*CALLS, *MADE)]
    assert {type(one).__name__ for one in results} >= dict(
        layouts(Result.__subclasses__())
    ).keys()
    walked = {*TABLES, *(one.laid_out_by for one in results), "table.tables_in"}
    for module in pkgutil.iter_modules(curator.tables.__path__):
        names = vars(importlib.import_module(f"curator.tables.{module.name}"))
        for name, function in names.items():
            if inspect.isfunction(function) and not name.startswith("_"):
                own = function.__module__ == f"curator.tables.{module.name}"
                returns = inspect.get_annotations(function).get("return")
                if own and returns in ("Table", "list[Table]"):
                    assert f"{module.name}.{name}" in walked


@pytest.mark.parametrize("name", [*CALLS, *MADE, *TABLES])
def test_a_table_stands_in_every_output(
    name: str, workspace: Workspace, tmp_path: Path
) -> None:
    found = made(name, workspace, tmp_path)
    if isinstance(found, Result | Rows):
        frame = found.frame()
        assert len(list(found)) == len(found)
        assert len(found) == len(frame)
        assert all(name and name == name.strip() for name in frame.columns)
        assert bool(found) or isinstance(found, Rows)
        assert str(found) or not len(found)
    tables = tables_in(found)
    assert tables[0].json is None or json.loads(json.dumps(tables[0].json)) is not None
    for table in tables:
        stands_in_every_output(table)


def stands_in_every_output(table: Table) -> None:
    columns, lines = len(table.headings), [*table.rows, *table.sums]
    assert all(len(row) == columns for row in table.cells)
    tsv = text_of(table, "tsv").splitlines()
    assert [line.count("\t") + 1 for line in tsv[1:]] == [columns] * len(lines)
    assert text_of(table, "latex").count(r" \\") == bool(columns) + len(lines)
    markdown = text_of(table, "markdown").splitlines()
    rows = sum(line.startswith("| ") for line in markdown)
    assert rows == 2 + len(lines) or not columns
    aligned = text_of(table, "table").splitlines()
    above = len(table.caption.splitlines()) + bool(columns)
    assert len(aligned) == above + len(lines)
    frame = table.frame()
    assert len(frame) == len(table.rows) or not columns
    assert frame.columns.is_unique
    if table.columns_in("page"):
        html = html_of(table, "c-full")
        assert html.count("<tr") == 1 + len(lines)
        assert "<b>|" not in html


COMMANDS = {
    "adjudicate": "adjudication",
    "checks quality": "check_quality",
    **{name: name for name in ("compare", "coverage", "decisions", "judges", "jobs")},
    **{name: name for name in ("overview", "questions", "scores", "trust")},
    **{name: name for name in ("stability", "status", "sweep")},
    "next": "next_steps",
    "norming list": "norming_rounds",
    "people list": "people",
    "release": "releases",
    "rouge": "rouge_agreement",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_prints_its_result(command: str, workspace: Workspace) -> None:
    name, *words = command.split()
    result = getattr(workspace, COMMANDS[command])()
    shown = run(name, workspace.path, *words)
    assert f"{result}\n" == shown.stdout + shown.stderr
    value = json.loads(json.dumps(result.to_tables()[0].json))
    assert json_of(name, workspace.path, *words) == value
