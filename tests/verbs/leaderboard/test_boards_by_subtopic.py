"""Runs and qrels of ``query/subtopic``: ranks and judgments of a query's subtopics."""

from __future__ import annotations

import gzip
import json
import random
from collections import defaultdict
from math import log2
from pathlib import Path

import ir_measures
import pytest
from sklearn.metrics import cohen_kappa_score

from curator.workspace import Workspace
from tests.samples.workspaces import (
    RATED,
    graded_file,
    graded_passage,
    run_file,
    write_lines,
)

ITEMS = {"a": "s", "b": "s", "c": "t"}
RATINGS = {
    "p1": {"q/a": 5, "q/b": 0, "q/c": 5},
    "p2": {"q/a": 0, "q/b": 4, "q/c": 0},
    "p3": {"q/a": 0, "q/b": 0, "q/c": 4},
}


def files(folder: Path) -> dict[str, Path]:
    """Query q with subtopics s (questions a and b) and t (c), and u without any."""
    folder.mkdir(exist_ok=True)
    bank = [
        {
            "query_id": "q",
            "query_text": "What?",
            "qid": f"q/{one}",
            "question": f"Why {one}?",
            "facet_id": subtopic,
        }
        for one, subtopic in ITEMS.items()
    ]
    subtopics = [{"subtopic_id": one} for one in "stu"]
    queries = [{"query_id": "q", "text": "What?", "subtopics": subtopics}]
    graded = [graded_passage(p, "q", given) for p, given in RATINGS.items()]
    qrels = folder / "car.qrels"
    qrels.write_text("q/s 0 p1 1\nq/s 0 p2 0\nq/t 0 p1 0\nq/t 0 p3 2\n")
    runs = folder / "runs"
    runs.mkdir(exist_ok=True)
    run_file(runs / "one.run", {"q/s": ["p1", "p2"], "q/t": ["p3"]}, "one")
    run_file(runs / "two.run", {"q/s": ["p3"]}, "two")
    return {
        "bank": write_lines(folder / "bank.jsonl", bank),
        "queries": write_lines(folder / "queries.jsonl", queries),
        "autograder": graded_file(folder / "graded.jsonl", {"q": graded}),
        "runs": runs,
        "judgments": qrels,
    }


@pytest.fixture
def workspace(tmp_path: Path):
    with Workspace.open(tmp_path / "car.db", create=True) as made:
        made.import_(**files(tmp_path / "files"), min_relevance=1)
        yield made


def test_a_query_merges_its_subtopics(workspace: Workspace) -> None:
    pool = workspace.collection().pools["q"]
    # One's p1 and p3 are first for s and t with one score, so by id; then p2.
    assert pool.top.tolist() == [[0, 2, 1], [2, -1, -1]]
    assert pool.judgments.tolist() == [1, 0, 2]


def test_equal_ranks_are_merged_by_score_and_id(tmp_path: Path) -> None:
    given = files(tmp_path / "files")
    lines = ["q/s Q0 p3 1 5 one", "q/s Q0 p4 2 3 one", "q/s Q0 p2 3 1 one"]
    lines += ["q/t Q0 p1 1 5 one", "q/t Q0 p5 2 4 one", "q/t Q0 p2 3 2 one"]
    run_path = tmp_path / "one.run"
    run_path.write_text("".join(f"{line}\n" for line in lines))
    texts = [{"id": f"p{n}", "text": f"Text {n}."} for n in range(1, 6)]
    for n, order in enumerate((texts, texts[::-1])):
        passages = write_lines(tmp_path / f"passages-{n}.jsonl", order)
        with Workspace.open(tmp_path / f"{n}.db", create=True) as made:
            made.import_(queries=given["queries"])
            made.import_(runs=run_path)  # whose pool has the passages' order
            made.import_(passages=passages)
            pool = made.collection().pools["q"]
            ranked = [pool.passage_ids[at] for at in pool.top[0]]
        # Rank 1: p1 and p3 by id; rank 2: p5's 4 before p4's 3; rank 3: p2.
        assert ranked == ["p1", "p3", "p5", "p4", "p2"]


def test_cover_by_subtopic_is_the_mean_over_pairs(workspace: Workspace) -> None:
    board = workspace.leaderboard("cover", by="subtopic")
    # One: p1 and p2 answer a and b of s, p3 answers c of t: (2/2 + 1/1)/2. Two: p3
    # answers neither a nor b, and nothing is ranked for t: (0/2 + 0/1)/2.
    assert board.scores() == {"one": 1.0, "two": 0.0}
    # By query: p1, p3 and p2 answer all three; p3 answers c alone.
    assert workspace.leaderboard("cover").scores() == {"one": 1.0, "two": 1 / 3}
    # With one passage: p1 answers a of s, p3 c of t: (1/2 + 1)/2.
    assert workspace.leaderboard("cover", k=1, by="subtopic").scores()["one"] == 0.75


def test_alpha_ndcg_by_subtopic(workspace: Workspace) -> None:
    board = workspace.leaderboard("alpha_nDCG@2", by="subtopic")
    # By hand: in s p1 and p2 answer a question each, as the best order does; in t p3
    # answers c, and the best order answers it twice: 1 / (1 + .5 / log2(3)).
    assert board.scores() == {
        "one": pytest.approx((1 + 1 / (1 + 0.5 / log2(3))) / 2),
        "two": 0.0,
    }


def test_official_boards_are_over_the_topics_of_the_qrels(workspace: Workspace) -> None:
    # P@1 of one: p1 relevant for s, p3 for t. Of two: p3 is not judged for s.
    board = workspace.leaderboard(measure="judgments:P@1")
    assert board.scores() == {"one": 1.0, "two": 0.0}
    assert board.queries == 2
    # By query p3 has its judgment for t.
    merged = workspace.leaderboard(measure="judgments:P@1", by="query")
    assert merged.scores() == {"one": 1.0, "two": 1.0}


def test_dictionaries_have_subtopics(workspace: Workspace) -> None:
    qrels, runs = workspace.judgments(), workspace.runs()
    assert qrels == {"q/s": {"p1": 1, "p2": 0}, "q/t": {"p1": 0, "p3": 2}}
    assert runs["two"] == {"q": {"p3": -1}, "q/s": {"p3": -1}}
    asked = ir_measures.nDCG @ 2
    board = workspace.leaderboard(measure="judgments:nDCG@2").scores()
    for system, run_of in runs.items():
        theirs = ir_measures.calc_aggregate([asked], qrels, run_of)[asked]
        assert board[system] == pytest.approx(theirs, abs=1e-12)


def test_agreement_by_subtopic(workspace: Workspace) -> None:
    # s: p1 labelled 5 and judged 1, p2 4 and 0. t: p1 5 and 0, p3 4 and 2.
    assert workspace.agreement(by="subtopic").agreement.table == ((0, 0), (2, 2))
    # By query each passage once: p1 5 and 1, p2 4 and 0, p3 4 and 2.
    assert workspace.agreement().agreement.table == ((0, 0), (1, 2))
    tables = workspace.agreement(by="subtopic")
    assert tables.tables.graded.counts[0] == (0, 1, 1)  # labels 5: judged 2, 1, 0


def test_blind_judges_see_no_judgments(workspace: Workspace) -> None:
    workspace.set_up(blind=True)
    with Workspace.open(workspace.path, judge="ann", as_judge=True) as judge:
        pool = judge.collection().pools["q"]
        for one in (pool, *pool.subtopics.values()):
            assert (one.judgments < -1000).all()
        ours = workspace.leaderboard(by="subtopic")
        theirs = judge.leaderboard(by="subtopic")
        assert sorted(theirs.scores().values()) == sorted(ours.scores().values())
        assert not {"one", "two"} & theirs.scores().keys()


@pytest.mark.long
@pytest.mark.real_data
def test_car_y3_by_subtopic_is_as_ir_measures_and_plain_counting_have_it(
    shared_data: Path, tmp_path: Path
) -> None:
    """The bank's own ids; runs, judgments and ratings are drawn here."""
    bank = shared_data / "banks" / "car-y3-genq.jsonl.gz"
    asked: dict[tuple[str, str], set[str]] = defaultdict(set)
    with gzip.open(bank, "rt") as lines:
        for line in map(json.loads, lines):
            asked[line["query_id"], line["facet_id"]].add(line["qid"])
    assert len(asked) == 726
    drawn = random.Random(7)
    queries = sorted({q for q, _ in asked})[:12]
    asked = {pair: ids for pair, ids in asked.items() if pair[0] in queries}
    passages = {q: [f"{q}-p{n}" for n in range(15)] for q in queries}
    rated = {
        q: {
            p: {
                i: drawn.choice([0, 0, 0, 1, 3, 4, 5])
                for pair, ids in asked.items()
                if pair[0] == q
                for i in sorted(ids)
            }
            for p in passages[q]
        }
        for q in queries
    }
    ranked = {
        system: {
            pair: drawn.sample(passages[pair[0]], 6)
            for pair in asked
            if drawn.random() < 0.9  # a system may skip a subtopic
        }
        for system in ("one", "two", "three", "four")
    }
    judged = {
        (pair, p): drawn.choice([-1, 0, 1, 2, 3])
        for pair in asked
        for p in drawn.sample(passages[pair[0]], 7)
    }
    runs = tmp_path / "runs"
    runs.mkdir()
    for system, by_pair in ranked.items():
        of_topics = {"/".join(pair): ids for pair, ids in by_pair.items()}
        run_file(runs / f"{system}.run", of_topics, system)
    qrels = tmp_path / "car.qrels"
    qrels.write_text(
        "".join(f"{'/'.join(pair)} 0 {p} {g}\n" for (pair, p), g in judged.items())
    )
    graded = graded_file(
        tmp_path / "graded.jsonl",
        {q: [graded_passage(p, q, given) for p, given in rated[q].items()]
         for q in queries},
    )  # fmt: skip
    with Workspace.open(tmp_path / "car.db", create=True) as workspace:
        workspace.import_(
            bank=bank, autograder=graded, runs=runs, judgments=qrels, min_relevance=1
        )
        assert len(workspace.collection().queries) == 132
        read = list(ir_measures.read_trec_qrels(str(qrels)))
        for measure in ("P(rel=1)@5", "nDCG@5", "AP(rel=2)", "RR(rel=1)"):
            board = workspace.leaderboard(measure=f"judgments:{measure}")
            assert board.queries == len(asked)
            for system in ranked:
                theirs = ir_measures.calc_aggregate(
                    [ir_measures.parse_measure(measure)],
                    read,
                    ir_measures.read_trec_run(str(runs / f"{system}.run")),
                )
                (expected,) = theirs.values()
                assert board.scores()[system] == pytest.approx(expected, abs=1e-12)
        board = workspace.leaderboard("cover", grader=RATED, by="subtopic", k=3)
        for system, by_pair in ranked.items():
            shares = [
                sum(any(rated[q][p][i] >= 4 for p in by_pair.get((q, s), [])[:3])
                    for i in ids) / len(ids)
                for (q, s), ids in asked.items()
            ]  # fmt: skip
            # The other queries' subtopics were ranked by nobody: 0 of each.
            assert board.scores()[system] == pytest.approx(sum(shares) / 726, abs=1e-12)
        # The labels written for subtopics, read by ir_measures on the same runs.
        written = tmp_path / "labels.qrels"
        workspace.export(
            "qrels", written, grader=RATED, by_subtopic=True, allow_partial=True
        )
        ours = workspace.leaderboard(grader=RATED, measure="nDCG@5", by="subtopic")
        for system in ranked:
            theirs = ir_measures.calc_aggregate(
                [ir_measures.nDCG @ 5],
                ir_measures.read_trec_qrels(str(written)),
                ir_measures.read_trec_run(str(runs / f"{system}.run")),
            )
            expected = theirs[ir_measures.nDCG @ 5] * len(asked) / 726
            assert ours.scores()[system] == pytest.approx(expected, abs=1e-12)
        labels = [max(rated[q][p][i] for i in asked[q, s]) >= 4 for (q, s), p in judged]
        relevant = [grade >= 1 for grade in judged.values()]
        found = workspace.agreement(grader=RATED, by="subtopic").agreement
        assert found.kappa == pytest.approx(cohen_kappa_score(labels, relevant))
        assert found.judged == len(judged)
