"""Every measure there is, through all that shows one.

A measure says everything about itself in its own module. Each is taken from there to
boards, commands, pages, reports, help and documentation; one that forgets to say
something fails here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.bank.edits import Vote
from curator.cli.program import FORMATS
from curator.errors import UnknownNameError
from curator.evaluation.measures import (
    MEASURES,
    Measure,
    meaning,
    measure_for,
    measure_type,
    title,
    uses_k,
)
from curator.evaluation.settings import Settings
from curator.workspace import Workspace
from tests.samples.command_line import run
from tests.samples.workspaces import (
    graded_file,
    graded_passage,
    small_workspace,
    write_lines,
)
from tests.snapshot.test_gold_articles import gold_file, gold_grades

MEASURES_PAGE = Path(__file__).parents[2] / "docs" / "measures.md"
EACH = pytest.mark.parametrize("measure", MEASURES, ids=lambda one: one.__name__)


def names_of(measure: type[Measure]) -> tuple[str, ...]:
    """Names to ask for the measure by: those offered, else its first with a cut-off."""
    return measure.offered or (f"{measure.names[0].family}@5",)


EACH_NAME = pytest.mark.parametrize(
    ("measure", "name"), [(one, name) for one in MEASURES for name in names_of(one)]
)


@pytest.fixture(scope="module")
def partly(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Gold articles, votes, ideal answers, citations; p0 of q1 is not graded."""
    folder = tmp_path_factory.mktemp("partly")
    with small_workspace(folder) as workspace:
        workspace.import_(gold=gold_file(folder))
        workspace.import_(autograder=gold_grades(folder))
        votes = {"q1/a": "vital", "q1/b": "okay", "q2/c": "vital"}
        workspace.apply([Vote(*vote) for vote in votes.items()])
        workspace.mark_ideals("q1", "p1")
        report = {
            "metadata": {"run_id": "one", "topic_id": "q3"},
            "responses": [{"text": "A report of q3.", "citations": ["p1"]}],
        }
        reports = write_lines(folder / "reports.jsonl", [report])
        workspace.import_(reports=reports, add_queries=True)
        yield workspace


@pytest.fixture(scope="module")
def full(partly: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with every grade."""
    folder = tmp_path_factory.mktemp("full")
    path = folder / "full.db"
    partly.connection.execute("VACUUM INTO ?", (str(path),))
    rest = {"q1": [graded_passage("p0", "q1", {"q1/a": 0, "q1/b": 3})]}
    with Workspace.open(path, judge="ann") as workspace:
        workspace.import_(autograder=graded_file(folder / "rest.jsonl", rest))
        assert workspace.leaderboard().complete
    return path


@EACH_NAME
def test_a_name_parses_into_a_measure_that_bears_it(measure, name) -> None:
    found = measure_for(Settings("g", name), "rated")
    assert type(found) is measure is measure_type(name)
    assert found == measure_for(Settings("g", found.name), "rated")
    assert hash(found) == hash(measure_for(Settings("g", name), "rated"))
    assert uses_k(name) == (measure.cut_off == "settings")
    if uses_k(name):
        assert measure_for(Settings("g", name, k=7), "rated").depth == 7


@EACH_NAME
def test_its_scores_lie_where_it_says_and_every_verb_has_them(
    full, measure, name
) -> None:
    with Workspace.open(full) as workspace:
        board = workspace.leaderboard(measure=name)
        scores = workspace.scores(measure=name)
        pair = workspace.correlate(measure=name)
        queries = workspace.topics("two", measure=name).topics
        boards = workspace.compare(measures=["cover", name]).boards
        assert {one.system for one in board.standings} == {"one", "two"}
        for one in board.standings:
            assert 0 <= one.score <= (measure.highest or one.score)
            assert one.lower == one.score == one.upper
            assert one.star in (False, measure.starred)
        assert set(scores.scores) == {
            (one.system, topic.query_id) for one in board.standings for topic in queries
        }
        assert pair.systems == 2
        assert board in boards


@EACH_NAME
def test_missing_grades_bound_it_or_make_it_provisional(partly, measure, name) -> None:
    board = partly.leaderboard(measure=name)
    provisional = [note for note in board.notes if "is provisional" in note]
    for one in board.standings:
        if measure.bounded:
            assert None not in (one.lower, one.upper)
            assert one.lower <= one.score <= one.upper
        else:
            assert one.lower is one.upper is None
    assert bool(provisional) == (not measure.bounded)
    assert (board.rank_ranges() is not None) == measure.bounded


@EACH_NAME
def test_what_an_edit_does_is_said_where_it_says_so(full, measure, name) -> None:
    with Workspace.open(full) as workspace:
        settings = workspace.settings(measure=name)
        lines = workspace.questions(settings, query_id="q1")
        what_ifs = workspace.what_ifs("q1", settings)
        assert all(line.influence is not None for line in lines)
        moves = [line.influence.influence is not None for line in lines]
        assert any(moves) == (measure.based_on != "texts")
        assert {one.question_id for one in what_ifs} == {"q1/a", "q1/b"}
        said = [one.movers is not None for one in what_ifs]
        assert said == 2 * [measure_for(settings, "rated").previewed]


@EACH_NAME
def test_a_page_offers_it_where_there_is_what_it_needs(
    partly, tmp_path, measure, name
) -> None:
    assert (name in partly.measures()) == bool(measure.offered)
    assert set(measure.compared) <= set(measure.offered)
    with small_workspace(tmp_path) as plain:
        offered = bool(measure.offered) and measure.needs == "grades"
        assert (name in plain.measures()) == offered


@EACH
def test_every_format_prints_its_board(full, measure) -> None:
    name = names_of(measure)[0]
    for form in FORMATS:
        for command in ("leaderboard", "scores"):
            result = run(command, full, "-m", name, "--format", form)
            assert "two" in result.stdout
            if form == "json":
                assert json.loads(result.stdout)["settings"]["measure"] == name
            elif command == "leaderboard":
                heading = result.stdout.replace("\\", "")
                assert name in heading


@EACH
def test_it_says_in_a_sentence_what_it_is(measure) -> None:
    assert title(names_of(measure)[0])
    for one in measure.names:
        assert meaning(one.family) == one.means
        assert one.means.format(first="the first passage") != ""


@pytest.mark.parametrize("name", ["nDCG@10", "rouge-1-r"])
def test_a_report_has_its_sentence_and_what_it_cites(full, tmp_path, name) -> None:
    target = tmp_path / "report.html"
    run("export", full, "--report", target, "-m", name)
    page = target.read_text()
    # ``{first}`` is put in words there
    assert all(part in page for part in meaning(name).split("{first}"))
    assert measure_type(name).cited.split(".")[-1] in page


@EACH
def test_errors_and_documentation_list_it(measure) -> None:
    with pytest.raises(UnknownNameError) as error:
        measure_for(Settings("g", "no such measure"), "rated")
    assert measure.listed in str(error.value)
    if measure.based_on != "labels":
        assert all(name in str(error.value) for name in measure.offered[:1])
    page = MEASURES_PAGE.read_text()
    assert measure.__doc__
    assert f"| {measure.source} |" in page, "docs/measures.md lacks its source"
