"""Votes, from the command line to boards: ``judges``, ``pyramid``.

The small collection: in q1, p1 answers a, p2 answers a and b; in q2, p4 answers c.
System one has p1 (then a passage without grades) and p3, two has p2, p1 and p4. Every
text has 9 letters ("Text of p1." without its blanks), far below the allowance, so P is
1 wherever anything is matched.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.bank.edits import Keep, Propose, Retire, Reword, Vote
from curator.errors import CuratorError, EvaluationError, InputFileError
from curator.workspace import Workspace
from tests.samples.command_line import json_of, run
from tests.samples.files import as_jsonl
from tests.samples.hand_made import hand_made_workspace
from tests.samples.workspaces import graded_file, graded_passage, small_collection


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The small collection in a workspace."""
    files = small_collection(tmp_path / "files")
    target = tmp_path / "small.db"
    with Workspace.open(target, create=True, judge="ann") as workspace:
        workspace.import_(**files, min_relevance=1)
    return target


@pytest.fixture
def workspace(path: Path) -> Iterator[Workspace]:
    with Workspace.open(path, judge="ann") as opened:
        yield opened


def vote(workspace: Workspace, judge: str, **votes: str) -> None:
    """Votes of one judge by the last letter of the question's id."""
    named = {"a": "q1/a", "b": "q1/b", "c": "q2/c"}
    workspace.apply(
        [Vote(named[letter], how) for letter, how in votes.items()],  # type: ignore[arg-type]
        by=judge,
    )


def test_edit_votes_in_the_name_of_the_judge_and_undoes(path: Path) -> None:
    run("edit", path, "vote", "q1/a", "vital", "--judge", "bob")
    run("edit", path, "vote", "q1/b", "okay", "--judge", "bob")
    run("edit", path, "vote", "q1/b", "vital", "--judge", "ann")
    run("edit", path, "vote", "q1/b", "none", "--judge", "bob")

    with Workspace.open(path) as workspace:
        votes = {q.question_id: q.votes for q in workspace.bank()}
    assert votes == {
        "q1/a": (("bob", "vital"),), "q1/b": (("ann", "vital"),), "q2/c": ()
    }  # fmt: skip
    run("edit", path, "vote", "q1/a", "vital", "--judge", "bob", code=1)
    run("edit", path, "undo", "--judge", "ann")
    assert json_of("judges", path)["judges"][0]["judge"] == "bob"


def test_judges_have_their_progress_by_query(workspace: Workspace) -> None:
    vote(workspace, "ann", a="vital", b="okay")
    vote(workspace, "bob", a="vital", b="vital", c="okay")
    found = workspace.judges()

    assert (found.questions, found.voted) == (3, 3)
    ann, bob = found.judges
    assert (ann.judge, ann.vital, ann.okay, ann.voted, ann.questions) == (
        "ann", 1, 1, 2, 3
    )  # fmt: skip
    assert [(q.query_id, q.voted, q.questions) for q in ann.queries] == [
        ("q1", 2, 2), ("q2", 0, 1)
    ]  # fmt: skip
    assert bob.voted == 3
    # by hand: two questions, alike on one; each has a margin of its own: κ = 0
    assert found.agreement.value == 0
    assert [one.question.question_id for one in found.disagreements] == ["q1/b"]
    assert found.disagreements[0].vital == ("bob",)
    assert found.disagreements[0].okay == ("ann",)
    assert workspace.judges() is found  # nothing is computed twice


def test_questions_have_their_weight_and_judges_their_queries_of_few_vital_items(
    workspace: Workspace, path: Path
) -> None:
    vote(workspace, "ann", a="vital", b="okay", c="okay")
    vote(workspace, "bob", a="vital", b="vital", c="okay")
    vote(workspace, "cy", a="vital")
    found = {one["question_id"]: one for one in json_of("questions", path)}
    # By hand: three call a vital and one b; nobody calls anything of q2 vital.
    weights = {
        name: (one["vital"], one["okay"], one["weight"]) for name, one in found.items()
    }
    assert weights == {
        "q1/a": (3, 0, 1.0),
        "q1/b": (1, 1, pytest.approx(1 / 3)),
        "q2/c": (0, 2, None),
    }
    assert "weight" in run("questions", path).stdout
    few = {one.judge: (one.one_vital, one.two_vital) for one in workspace.pyramid()}
    assert few == {"ann": (1, 0), "bob": (0, 1), "cy": (1, 0)}
    workspace.apply(Retire("q1/a"))  # and b has the most votes of what is kept
    weights = {one.question.question_id: one.weight for one in workspace.questions()}
    assert weights == {"q1/a": None, "q1/b": 1.0, "q2/c": None}


def test_votes_and_verdicts_of_several_judges_come_from_a_file(
    workspace: Workspace, path: Path, tmp_path: Path
) -> None:
    vote(workspace, "ann", a="okay", b="okay")
    table = tmp_path / "votes.tsv"
    table.write_text(
        "question_id\tjudge\tvote\tanswer\tverdict\n"
        "q1/a\tann\tvital\n"
        "q1/b\tann\tokay\n"
        "q1/a\tbob\tVital\n"
        'q1/a\tbob\t\t"To" drink\tright\n'
    )
    run("judges", path, "--record", table)
    bank = workspace.bank()
    assert dict(bank.question("q1/a").votes) == {"ann": "vital", "bob": "vital"}
    (verdict,) = bank.verdicts_of("q1")
    assert (verdict.judge, verdict.answer, verdict.value) == (
        "bob",
        '"To" drink',
        "right",
    )
    # What is printed is read again, and changes nothing.
    workspace.apply(Reword("q1/a", '"Why", "how'), by="cy")
    table.write_text(run("judges", path, "--votes", "--format", "tsv").stdout)
    found = workspace.record_votes(table)
    assert (found.recorded, found.unchanged) == (0, 3)
    workspace.undo()  # what ann said last is one batch of her own
    assert dict(workspace.bank().question("q1/a").votes)["ann"] == "okay"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"question_id": "none", "vote": "vital"}, "vote 2: No question 'none'"),
        ({"question_id": "q1/b", "vote": "maybe"}, "vote 2: A vote is vital or okay"),
        ({"question_id": "q1/b"}, "vote 2: no 'vote'"),
        ({"question_id": "q1/b", "verdict": "right"}, "vote 2: no 'answer'"),
        (
            {"question_id": "q1/a", "vote": "okay"},
            "vote 2: ann gives",
        ),
    ],
)
def test_a_wrong_vote_is_named_and_none_is_saved(
    workspace: Workspace, row: dict[str, str], message: str
) -> None:
    with pytest.raises(InputFileError, match=message):
        workspace.record_votes([{"question_id": "q1/a", "vote": "vital"}, row])
    assert not any(one.votes for one in workspace.bank())


def test_a_file_without_rows_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "votes.json"
    for text, message in (
        ("question_id,judge,vote\n", "has no rows; expected"),
        ('[{"question_id": "q1/a"}]\n', "line 1: no 'vote'"),
    ):
        file.write_text(text)
        with pytest.raises(InputFileError, match=message):
            workspace.record_votes(file)


def test_the_most_even_split_comes_first_then_the_order_of_queries(
    workspace: Workspace,
) -> None:
    vote(workspace, "ann", a="vital", b="vital", c="vital")
    vote(workspace, "bob", a="vital", b="okay", c="okay")
    vote(workspace, "cy", a="okay", b="okay")
    # a 2:1, b 1:2, c 1:1
    splits = [one.question.question_id for one in workspace.judges().disagreements]
    assert splits == ["q2/c", "q1/a", "q1/b"]


def test_a_retired_question_counts_for_nobody(workspace: Workspace) -> None:
    vote(workspace, "ann", a="vital", b="okay")
    workspace.apply([Retire("q1/b")], by="ann")
    found = workspace.judges()
    assert (found.questions, found.judges[0].voted) == (2, 1)


def test_the_pyramid_leaves_out_what_nobody_calls_vital(workspace: Workspace) -> None:
    vote(workspace, "ann", a="okay", b="vital", c="okay")
    board = workspace.leaderboard(measure="weighted-cover")
    # by hand: q1 alone; b is in p2, which two has
    assert board.queries == 1
    assert board.scores() == {"one": 0, "two": 1}
    assert board.notes[0].startswith("1 query without an item that is vital: left")
    assert set(workspace.scores(measure="nugget-r").scores) == {
        ("one", "q1"), ("two", "q1")
    }  # fmt: skip

    classic = workspace.leaderboard(measure="vital-f")
    assert classic.queries == 2
    assert classic.scores() == {"one": 0, "two": 1 / 2}


def test_without_votes_one_sentence_says_where_to_vote(workspace: Workspace) -> None:
    board = workspace.leaderboard(measure="nugget-f")
    assert board.standings == ()
    assert "vote on Judge" in board.notes[0]
    with pytest.raises(EvaluationError, match="vote on Judge"):
        workspace.scores(measure="nugget-f")
    with pytest.raises(CuratorError, match="vote on Judge"):
        workspace.correlate(measure="nugget-f", against="judgments:P@1")
    assert "vote on Judge" in workspace.judges().notes[0]
    assert workspace.pyramid().judges == ()
    assert workspace.pyramid().curves == ()


def test_a_judges_board_is_the_classic_one_of_their_votes(workspace: Workspace) -> None:
    vote(workspace, "ann", a="okay", b="vital", c="okay")
    vote(workspace, "bob", a="vital", b="okay")
    found = workspace.pyramid()
    ann, bob = found.judges

    # by hand: ann's vital b is two's alone; bob's vital a both have; q2 is 0 for all
    assert ann.board.scores() == {"one": 0, "two": 1 / 2}
    assert bob.board.scores() == {"one": 1 / 2, "two": 1 / 2}
    assert ann.board == workspace.leaderboard(measure="vital-f(judge=ann)")
    # pyramid: q1 alone, one has a of a and b: P = 1, R = 1/2: 5 / 9.5
    assert found.pyramid.scores() == pytest.approx({"one": 10 / 19, "two": 1})
    assert (found.queries, found.pyramid.queries) == (2, 1)
    assert ann.tau == 1
    assert bob.tau is None  # all tie on bob's board
    assert found.mean_tau == 1
    assert ann.with_others == (("bob", None),)
    assert (bob.queries, bob.queries_with_vital, bob.zero_medians) == (1, 1, 1)
    assert (ann.queries, ann.queries_with_vital, ann.zero_medians) == (2, 1, 1)
    assert found.zero_medians == 1
    assert any("bob has no vote in 1 query" in note for note in found.notes)


def test_k_of_judges_boards_is_the_usual_one_unless_given(workspace: Workspace) -> None:
    vote(workspace, "ann", a="vital", b="okay", c="vital")
    assert workspace.pyramid().settings.k == 20
    assert workspace.pyramid(k=5).settings.k == 5
    # nDCG@10 has its depth in its name.
    of_ndcg = workspace.settings(measure="nDCG@10")
    assert workspace.pyramid(of_ndcg).settings.k == 20


def test_beta_of_the_measure_goes_through_boards_and_curves(
    workspace: Workspace,
) -> None:
    vote(workspace, "ann", a="vital", b="vital", c="vital")
    vote(workspace, "bob", a="vital", b="okay", c="vital")
    found = workspace.pyramid(measure="nugget-f(beta=5)")
    assert found.settings.measure == "nugget-f(beta=5)"
    assert found.judges[0].board.settings.measure == "vital-f(judge=ann,beta=5)"


def test_a_pyramid_of_one_judge_agrees_with_that_judge(workspace: Workspace) -> None:
    vote(workspace, "ann", a="okay", b="vital", c="vital")
    (one,) = workspace.pyramid().curves
    assert (one.judges, one.subsets, one.tau) == (1, 1, 1)
    assert any("Only one judge has voted" in n for n in workspace.pyramid().notes)


def test_what_if_equals_impact_where_a_question_takes_its_query_along(
    workspace: Workspace, tmp_path: Path
) -> None:
    rated = graded_passage("p0", "q1", {"q1/a": 0, "q1/b": 5}, text="Text of p0.")
    workspace.import_(autograder=graded_file(tmp_path / "p0.jsonl", {"q1": [rated]}))
    vote(workspace, "ann", a="vital", b="okay", c="vital")
    for measure in ("nugget-f", "weighted-cover", "vital-f", "nugget-p"):
        settings = workspace.settings(measure=measure)
        for query_id in ("q1", "q2"):
            for would in workspace.what_ifs(query_id, settings):
                impact = workspace.impact(
                    [Retire(would.question_id)], settings=settings
                )
                assert would.movers is not None
                assert would.queries_after == impact.queries_after
                moved = {m.system: m.score_after for m in would.movers}
                assert moved == pytest.approx(
                    {m.system: m.score_after for m in impact.movers}
                )
                assert would.scores_changed == impact.scores_changed


def test_if_kept_equals_impact_for_a_proposal_which_nobody_could_vote_on(
    workspace: Workspace, tmp_path: Path
) -> None:
    batch = workspace.apply([Propose("q1", "Who is it?", "{}")], by="chat:some-model")
    proposed = str(batch.changes[0].question_id)
    rated = [
        graded_passage(
            passage,
            "q1",
            {proposed: 5, **others},
            text=f"Text of {passage}.",
        )
        for passage, others in (("p0", {"q1/a": 0, "q1/b": 0}), ("p1", {}), ("p2", {}))
    ]
    workspace.import_(autograder=graded_file(tmp_path / "more.jsonl", {"q1": rated}))
    (unvoted,) = workspace.if_kept(
        "q1", workspace.settings(measure="nugget-f")
    ).proposals
    assert unvoted.movers is None  # without votes there is no board to move on

    vote(workspace, "ann", a="vital", b="okay", c="okay")
    for measure in ("weighted-cover", "nugget-p", "nugget-f", "vital-f"):
        settings = workspace.settings(measure=measure)
        (would,) = workspace.if_kept("q1", settings).proposals
        impact = workspace.impact([Keep(proposed)], settings=settings)
        assert would.missing == 0
        assert would.queries_after == impact.queries_after
        assert would.scores_changed == impact.scores_changed
        assert [m.system for m in would.movers or ()] == [
            m.system for m in impact.movers
        ]


@pytest.mark.parametrize(
    "judge", ["a,beta=5", 'b "quoted"', "two\nlines", " c ", "(d)"]
)
def test_a_judge_of_any_name_has_a_board_of_their_own(path: Path, judge: str) -> None:
    with Workspace.open(path, judge="a") as workspace:
        vote(workspace, "a", a="vital", b="okay", c="okay")
        vote(workspace, judge, a="okay", b="vital", c="vital")
        found = workspace.pyramid(measure="cover")
    boards = {one.judge: one.board for one in found.judges}
    assert set(boards) == {"a", judge}
    # In q1 both systems answer a, and two alone b; in q2 two alone answers c.
    assert boards["a"].scores() == {"one": 0.5, "two": 0.5}
    assert boards[judge].scores() == {"one": 0.0, "two": 1.0}


def test_what_a_retired_question_was_counts_its_votes(tmp_path: Path) -> None:
    with Workspace.open(hand_made_workspace(tmp_path), judge="ann") as workspace:
        kept = [q.question_id for q in workspace.bank() if q.state == "kept"]
        workspace.apply([Vote(one, "vital") for one in kept])
        settings = workspace.settings(measure="weighted-cover")
        before = {
            line.question.question_id: line.influence
            for line in workspace.questions(settings, query_id="q1")
        }
        asked = before["q1/c"]
        assert asked is not None
        assert asked.influence
        workspace.apply(Retire("q1/c"))
        after = {
            line.question.question_id: line.influence_if_kept
            for line in workspace.questions(settings, query_id="q1")
        }
    assert after["q1/c"] == pytest.approx(asked.influence, abs=1e-12)


def imported(workspace: Workspace, folder: Path) -> None:
    """Importances of a model (a and b), a person (c) and nobody (c's query)."""
    model = {"is_human": False, "llm_model": "gpt"}
    named = {"is_human": False, "assessor_id": "agent-7"}
    dee = {"is_human": True, "assessor_id": "dee", "llm_model": "gpt"}

    def line(
        query_id: str, **items: tuple[str, str, list[object]]
    ) -> dict[str, object]:
        bank = {
            text: {
                "question": text,
                "question_id": f"{query_id}/{letter}",
                "importance": importance,
                "creator": by,
            }
            for letter, (text, importance, by) in items.items()
        }
        return {"query_id": query_id, "nugget_bank": bank}

    lines = [
        line(
            "q1",
            a=("Why is it?", "vital", [model]),
            b=("How is it?", "okay", [model, dee]),
            n=("Is it?", "vital", [named]),
        ),
        line(
            "q2",
            c=("When is it?", "vital", [dee]),
            m=("Was it?", "okay", []),
        ),
    ]
    file = folder / "bank.jsonl"
    file.write_bytes(as_jsonl(lines))
    workspace.import_(bank=file)


def test_importances_of_models_and_of_nobody_are_sources_and_no_judges(
    workspace: Workspace, tmp_path: Path
) -> None:
    imported(workspace, tmp_path)
    vote(workspace, "ann", a="vital", b="vital", c="okay")
    found = workspace.judges()
    assert [one.judge for one in found.judges] == ["ann", "dee"]
    assert [(one.judge, one.vital, one.okay) for one in found.sources] == [
        ("agent-7", 1, 0), ("gpt", 1, 1), ("nuggetbank", 0, 1)
    ]  # fmt: skip
    assert found.voted == 3  # of five: n and m have imported importances alone
    # by hand: ann and dee share c alone, and differ
    assert (found.agreement.items, found.agreement.same) == (1, 0)
    assert [one.question.question_id for one in found.disagreements] == ["q2/c"]
    pairs = {(one.first, one.second): one for one in found.with_sources}
    # by hand: ann vital, vital; gpt vital, okay: 1/2 observed, 1/2 expected: κ = 0
    assert (pairs["ann", "gpt"].items, pairs["ann", "gpt"].kappa) == (2, 0)
    table = run("judges", workspace.path).stdout
    assert "importances imported with a bank, not judges' votes" in table
    assert len(json_of("judges", workspace.path)["with_sources"]) == len(pairs)


def test_a_bank_alone_makes_a_pyramid_and_no_curve(
    workspace: Workspace, tmp_path: Path
) -> None:
    imported(workspace, tmp_path)
    workspace.apply([Vote("q2/c", None)], by="dee")
    assert "No judge has voted" in workspace.judges().notes[0]
    found = workspace.pyramid()
    assert found.judges == ()
    assert [one.judge for one in found.sources] == ["agent-7", "gpt", "nuggetbank"]
    assert found.pyramid.standings
    curves = workspace.pyramid()
    assert (curves.curves, "No judge has voted" in curves.notes[0]) == ((), True)
    assert "gpt (imported)" in run("pyramid", workspace.path).stdout
    # nothing is left to weigh by
    stdout = run("pyramid", workspace.path, "--without-imported").stdout
    assert "nugget-f(without=agent-7,without=gpt,without=nuggetbank)" in stdout


def test_who_is_left_out_of_a_pyramid_has_as_if_not_voted(workspace: Workspace) -> None:
    vote(workspace, "ann", a="okay", b="vital", c="okay")
    vote(workspace, "bob", a="vital", b="okay", c="vital")
    # by hand: ann alone: b, which two has; q2 leaves the mean
    board = workspace.leaderboard(measure="weighted-cover(without=bob)")
    assert (board.queries, board.scores()) == (1, {"one": 0, "two": 1})
    both = workspace.pyramid()
    found = workspace.pyramid(without=["bob"])
    assert [one.judge for one in both.judges] == ["ann", "bob"]
    assert [one.judge for one in found.judges] == ["ann"]
    assert found.settings.measure == "nugget-f(without=bob)"
    assert found == workspace.pyramid(measure="nugget-f(without=bob)")
    assert len(workspace.pyramid(without=["bob"]).curves) == 1
    assert (
        json_of("pyramid", workspace.path, "--without", "bob")["settings"]["measure"]
        == "nugget-f(without=bob)"
    )
    assert "left out" in str(workspace.pyramid(without=["ann", "bob"]).notes)
    refused = run("pyramid", workspace.path, "--without", "eve", code=1)
    assert "'eve' has no votes here" in refused.stderr


def test_what_one_judge_more_changes_is_tested_over_queries(
    workspace: Workspace, tmp_path: Path
) -> None:
    imported(workspace, tmp_path)
    vote(workspace, "ann", a="vital", b="vital", c="okay")
    found = workspace.pyramid(test=True, samples=50, seed=3).tests
    assert [(one.judges, one.left_out) for one in found.sizes] == [(2, None)]
    assert [(one.judges, one.left_out) for one in found.left_out] == [
        (5, who) for who in ("agent-7", "ann", "dee", "gpt", "nuggetbank")
    ]
    curves = workspace.pyramid().curves
    gained = found.sizes[0].zero_medians.difference
    assert gained == pytest.approx(curves[1].zero_medians - curves[0].zero_medians)
    assert found == workspace.pyramid(test=True, samples=50, seed=3).tests
    last_only = workspace.pyramid(test=True, samples=50, seed=3, last=True)
    (last,) = last_only.tests.sizes
    assert last == found.sizes[0]
    assert any("too few for a reliable test" in note for note in found.notes)

    options = ["pyramid", workspace.path, "--samples", 50, "--seed", 3]
    tests = json_of(*options, "--test")["tests"]
    assert (tests["samples"], tests["seed"], tests["queries"]) == (50, 3, 2)
    assert tests["sizes"][0]["zero_medians"]["difference"] == gained
    assert "tests" not in json_of("pyramid", workspace.path)
    said = run(*options, "--test").stdout
    assert "95 % intervals and p of 50 bootstrap samples of 2 queries, seed 3" in said
    assert "all judges instead of all but one" in said
    refused = run("pyramid", workspace.path, "--test", "--samples", 0, code=1)
    assert "samples is 0; expected 1 to" in refused.stderr


def test_without_votes_there_is_nothing_to_test(workspace: Workspace) -> None:
    found = workspace.pyramid(test=True).tests
    assert (found.sizes, found.left_out) == ((), ())
    assert "vote on Judge" in found.notes[0]
