"""TREC DL 2019 through the whole program, against numbers made here another way.

``Published`` reads the file with dicts, sets and fractions and shares no code with
curator. Fractions must come out exactly equal, everything else to 1e-12.
"""

from __future__ import annotations

import gzip
import json
import shutil
from collections import defaultdict
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path

import ir_measures
import pytest
from scipy import stats

from curator import Workspace
from curator.bank.edits import Retire
from curator.evaluation.leaderboard import Leaderboard

pytestmark = pytest.mark.real_data


class Published:
    """The file as published, and what follows from it by definition."""

    def __init__(self, folder: Path) -> None:
        # query -> passage -> question -> rating
        self.ratings: dict[str, dict[str, dict[str, int]]] = {}
        places: dict[str, dict[str, dict[int, str]]] = defaultdict(dict)
        with gzip.open(folder / "graded.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                query_id, paragraphs = json.loads(line)
                self.ratings[query_id] = {}
                for paragraph in paragraphs:
                    passage_id = paragraph["paragraph_id"]
                    (grades,) = paragraph["exam_grades"]
                    self.ratings[query_id][passage_id] = {
                        rating["question_id"]: rating["self_rating"]
                        for rating in grades["self_ratings"]
                    }
                    for entry in paragraph["paragraph_data"]["rankings"]:
                        lists = places[entry["method"]].setdefault(query_id, {})
                        assert entry["rank"] not in lists
                        lists[entry["rank"]] = passage_id
        from_0 = {s for s in places if any(0 in ranks for ranks in places[s].values())}
        # system -> query -> 1-based rank -> passage
        self.ranks = {
            system: {
                query_id: {rank + (system in from_0): p for rank, p in ranks.items()}
                for query_id, ranks in by_query.items()
            }
            for system, by_query in places.items()
        }
        self.questions = {
            query_id: list(dict.fromkeys(q for rated in pool.values() for q in rated))
            for query_id, pool in self.ratings.items()
        }
        with (folder / "official_leaderboard.json").open(encoding="utf-8") as stream:
            self.official: dict[str, int] = json.load(stream)

    def labels(self) -> dict[str, dict[str, int]]:
        """Query to passage to its best rating."""
        return {
            query_id: {p: max(rated.values()) for p, rated in pool.items()}
            for query_id, pool in self.ratings.items()
        }

    def cover(self, system: str, query_id: str, t: int, k: int) -> Fraction:
        """Share of the questions with a passage rated t or more in the top k."""
        answered = {
            question_id
            for rank, passage_id in self.ranks[system][query_id].items()
            if rank <= k
            for question_id, rating in self.ratings[query_id][passage_id].items()
            if rating >= t
        }
        return Fraction(len(answered), len(self.questions[query_id]))

    def precision(self, system: str, query_id: str, t: int, k: int) -> Fraction:
        """Share of the first k ranks with a passage labelled t or more."""
        ratings = self.ratings[query_id]
        relevant = sum(
            max(ratings[passage_id].values()) >= t
            for rank, passage_id in self.ranks[system][query_id].items()
            if rank <= k
        )
        return Fraction(relevant, k)

    def board(
        self, measure: Callable[..., Fraction], t: int, k: int
    ) -> dict[str, list[Fraction]]:
        """System to its scores by query."""
        return {
            system: [measure(system, query_id, t, k) for query_id in self.ratings]
            for system in self.ranks
        }


def means(board: Mapping[str, list[Fraction]]) -> dict[str, Fraction]:
    """System to mean score."""
    return {s: sum(scores, Fraction(0)) / len(scores) for s, scores in board.items()}


def places_of(scores: Mapping[str, Fraction]) -> dict[str, int]:
    """1, 2, 2, 4: one more than the number of systems that are strictly better."""
    return {
        system: 1 + sum(other > score for other in scores.values())
        for system, score in scores.items()
    }


@pytest.fixture(scope="module")
def published(shared_data):
    return Published(shared_data / "dl19")


@pytest.fixture(scope="module")
def workspace(built_dl19, tmp_path_factory):
    path = shutil.copy(built_dl19, tmp_path_factory.mktemp("dl19"))
    with Workspace.open(path, judge="ann") as opened:
        yield opened


# Boards


def assert_board(shown: Leaderboard, board: Mapping[str, list[Fraction]]) -> None:
    """Scores and ranks exactly, standard errors to 1e-12, no bounds open."""
    scores = means(board)
    assert shown.scores() == {system: float(score) for system, score in scores.items()}
    assert shown.ranks() == places_of(scores)
    for standing in shown.standings:
        row = board[standing.system]
        scipy_sem = stats.sem([float(score) for score in row])
        assert standing.stderr == pytest.approx(scipy_sem, abs=1e-12)
        assert standing.lower == standing.score == standing.upper
    order = [(standing.rank, standing.system) for standing in shown.standings]
    assert order == sorted(order)
    assert shown.queries == len(next(iter(board.values())))


@pytest.mark.parametrize(("min_rating", "k"), [(1, 10), (3, 10), (4, 20), (5, 20)])
def test_boards_are_exact_at_every_threshold(workspace, published, min_rating, k):
    at = {"min_rating": min_rating, "k": k}
    for name, scores in (("cover", published.cover), (f"P@{k}", published.precision)):
        shown = workspace.leaderboard(measure=name, **at)
        assert_board(shown, published.board(scores, min_rating, k))


def run_of(published: Published, system: str) -> dict[str, dict[str, float]]:
    """One system as ir_measures takes it: score = −rank, gaps filled with nonsense."""
    return {
        query_id: {
            ranks.get(rank, f"nothing-{rank}"): -float(rank)
            for rank in range(1, max(ranks) + 1)
        }
        for query_id, ranks in published.ranks[system].items()
    }


@pytest.mark.parametrize("min_rating", [1, 4])
def test_measures_on_labels_are_those_of_ir_measures(workspace, published, min_rating):
    names = ["P@10", "P@20", "nDCG@10", "nDCG@20", "RR", "Success@5", "AP", "R@20"]
    references = {
        name: ir_measures.parse_measure(
            name if "nDCG" in name else name.replace("@", f"(rel={min_rating})@")
        )
        for name in names
    }
    for name in ("RR", "AP"):
        references[name] = ir_measures.parse_measure(f"{name}(rel={min_rating})")
    tables = {
        name: workspace.scores(measure=name, min_rating=min_rating).scores
        for name in names
    }
    qrels = published.labels()
    for system in published.ranks:
        run = run_of(published, system)
        found = {
            (metric.measure, metric.query_id): metric.value
            for metric in ir_measures.iter_calc(references.values(), qrels, run)
        }
        for name, measure in references.items():
            for query_id in published.ratings:
                theirs = found[measure, query_id]
                assert abs(tables[name][system, query_id] - theirs) <= 1e-12


def test_what_answers_which_question_gives_ir_measures_our_scores(
    workspace, published, tmp_path
):
    names = ["alpha_nDCG@20", "alpha_nDCG@5", "ERR_IA@20", "NRBP", "StRecall@10"]
    target = tmp_path / "dl19.qrels"
    workspace.export("question_qrels", target)
    qrels = [*ir_measures.read_trec_qrels(str(target))]
    assert len(qrels) == 92_600
    measures = {ir_measures.parse_measure(name): name for name in names}
    tables = {name: workspace.scores(measure=name).scores for name in names}
    evaluator = ir_measures.evaluator([*measures], qrels)
    for system in published.ranks:
        for metric in evaluator.iter_calc(run_of(published, system)):
            ours = tables[measures[metric.measure]][system, metric.query_id]
            assert abs(ours - metric.value) <= 1e-9


# Labels and agreement


def test_table_6_is_printed_where_a_passage_answers_two_questions(workspace):
    # Farzi & Dietz 2024, Table 6: its counts and its kappas
    lenient, strict = workspace.agreement(min_answered=2).tables.binary
    assert lenient.agreement.table == ((4950, 874), (1809, 1627))
    assert strict.agreement.table == ((5403, 1062), (1356, 1439))
    assert round(lenient.agreement.kappa, 2) == 0.34
    assert round(strict.agreement.kappa, 2) == 0.36


@pytest.mark.parametrize(
    ("label", "retired"), [("mean", 3), pytest.param("top3", 0, marks=pytest.mark.long)]
)
def test_qrels_of_fractional_labels_give_the_releases_board(
    workspace, tmp_path, label, retired
):
    """Of queries with 7 to 10 questions if ``retired`` is 3."""
    retire = [
        Retire(question.question_id)
        for place, query_id in enumerate(workspace.current_snapshot().query_ids())
        for question in workspace.bank().questions_of(query_id)[: place % (retired + 1)]
    ]
    if retire:
        workspace.apply(retire)
    runs = dict([*workspace.runs().items()][::4])
    named = "nDCG@10", "P(rel=4)@20"  # means have no other threshold
    for measure in named if label == "mean" else ("nDCG@10", "P@20"):
        name = f"{measure} by {label}, {retired} retired"
        workspace.release(name, measure=measure, label=label)
        file = workspace.export("qrels", tmp_path / "levels.qrels", release=name)
        qrels = list(ir_measures.read_trec_qrels(str(file.target)))
        there = ir_measures.parse_measure(measure)
        if "rel" in there.SUPPORTED_PARAMS:
            levels = json.loads(file.sidecar.read_text())["levels"]
            there = there(rel=levels["relevant_from"])
        found = {
            system: ir_measures.calc_aggregate([there], qrels, run)[there]
            for system, run in runs.items()
        }
        board = workspace.release_named(name)[1].board
        here = {one.system: one.score for one in board if one.system in runs}
        assert here == pytest.approx(found, abs=1e-12)
        scores = [(here[name], round(found[name], 12)) for name in found]
        ranked = sorted(scores, reverse=True)
        assert [round(ours, 12) for ours, _ in ranked] == [
            theirs for _, theirs in ranked
        ]
    if retire:
        workspace.undo()


# Correlation


@pytest.mark.parametrize(
    # rho and tau rounded, as measured on these ratings before this program was
    ("measure", "rho", "tau"),
    [("P@20", 0.914, 0.763), ("cover", 0.717, 0.516)],
)
def test_correlations_with_the_official_board_are_scipys(
    workspace, published, measure, rho, tau
):
    compute = published.cover if measure == "cover" else published.precision
    scores = means(published.board(compute, 4, 20))
    common = sorted(scores.keys() & published.official.keys())
    # Equal fractions give equal floats, so scipy sees the same ties.
    ours = [float(scores[system]) for system in common]
    theirs = [-published.official[system] for system in common]
    found = workspace.correlate(measure=measure, min_rating=4)
    assert found.systems == len(common) == 36
    assert set(found.without_reference) == set(published.ranks) - set(common)
    assert found.spearman == pytest.approx(
        stats.spearmanr(ours, theirs).statistic, abs=1e-12
    )
    assert found.kendall == pytest.approx(
        stats.kendalltau(ours, theirs).statistic, abs=1e-12
    )
    assert (round(found.spearman, 3), round(found.kendall, 3)) == (rho, tau)


@pytest.mark.parametrize(
    # Kendall's tau with the official board, measured apart from this program
    ("measure", "label", "tau"),
    [
        ("alpha_nDCG@20", "max", 0.775),
        ("graded-alpha-nDCG@20", "max", 0.844),
        ("nDCG@10", "max", 0.835),
        ("nDCG@10", "mean", 0.902),
    ],
)
def test_measures_correlate_with_the_official_board(workspace, measure, label, tau):
    found = workspace.correlate(measure=measure, label=label)
    assert round(found.kendall, 3) == tau
