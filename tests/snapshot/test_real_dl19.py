"""TREC DL 2019 through the whole program, against numbers made here another way.

``Published`` reads the file with dicts, sets and fractions and shares no code with
curator. Fractions must come out exactly equal, everything else to 1e-12.
"""

from __future__ import annotations

import gzip
import json
import operator
import random
import shutil
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from functools import cache
from math import log2, sqrt
from pathlib import Path

import ir_measures
import pytest
from scipy import stats

from curator import Workspace
from curator.bank.edits import Retire
from curator.evaluation.impact import Impact
from curator.evaluation.leaderboard import Leaderboard

pytestmark = pytest.mark.real_data

NOTHING: frozenset[str] = frozenset()


class Published:
    """The file as published, and what follows from it by definition."""

    def __init__(self, folder: Path) -> None:
        self.known_rows: dict[object, list[Fraction]] = {}
        # query -> passage -> question -> rating; query -> passage -> judgment
        self.ratings: dict[str, dict[str, dict[str, int]]] = {}
        self.judgments: dict[str, dict[str, int]] = {}
        places: dict[str, dict[str, dict[int, str]]] = defaultdict(dict)
        with gzip.open(folder / "graded.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                query_id, paragraphs = json.loads(line)
                self.ratings[query_id] = {}
                self.judgments[query_id] = {}
                for paragraph in paragraphs:
                    passage_id = paragraph["paragraph_id"]
                    (grades,) = paragraph["exam_grades"]
                    self.ratings[query_id][passage_id] = {
                        one["question_id"]: one["self_rating"]
                        for one in grades["self_ratings"]
                    }
                    (judged,) = paragraph["paragraph_data"]["judgments"]
                    self.judgments[query_id][passage_id] = judged["relevance"]
                    for entry in paragraph["paragraph_data"]["rankings"]:
                        lists = places[entry["method"]].setdefault(query_id, {})
                        assert entry["rank"] not in lists
                        lists[entry["rank"]] = passage_id
        from_0 = {s for s in places if any(0 in ranks for ranks in places[s].values())}
        self.from_0 = from_0
        self._labels = cache(self._labelled)
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

    def counting(self, retired: Collection[str]) -> list[str]:
        """The queries with an active question."""
        return [q for q, ids in self.questions.items() if set(ids) - set(retired)]

    def labels(self, query_id: str, retired: Collection[str]) -> dict[str, int]:
        """Passage to label; nothing for a query that has left the measure."""
        here = frozenset(retired) & frozenset(self.questions[query_id])
        return self._labels(query_id, here)

    def _labelled(self, query_id: str, retired: frozenset[str]) -> dict[str, int]:
        active = set(self.questions[query_id]) - set(retired)
        if not active:
            return {}
        return {
            passage_id: max(rating for q, rating in rated.items() if q in active)
            for passage_id, rated in self.ratings[query_id].items()
        }

    def cover(
        self, system: str, query_id: str, retired: Collection[str], t: int, k: int
    ) -> Fraction:
        """Share of the active questions with a passage rated t or more in the top k."""
        active = set(self.questions[query_id]) - set(retired)
        answered = {
            question_id
            for rank, passage_id in self.ranks[system][query_id].items()
            if rank <= k
            for question_id, rating in self.ratings[query_id][passage_id].items()
            if rating >= t
        }
        return Fraction(len(answered & active), len(active))

    def precision(
        self, system: str, query_id: str, retired: Collection[str], t: int, k: int
    ) -> Fraction:
        """Share of the first k ranks with a passage labelled t or more."""
        active = set(self.questions[query_id]) - set(retired)
        relevant = 0
        for rank, passage_id in self.ranks[system][query_id].items():
            rated = self.ratings[query_id][passage_id]
            relevant += rank <= k and any(rated[q] >= t for q in active)
        return Fraction(relevant, k)

    def board(
        self,
        measure: Callable[..., Fraction],
        t: int,
        k: int,
        retired: Collection[str] = NOTHING,
    ) -> dict[str, list[Fraction]]:
        """System to its scores over the queries that count."""
        rows = []
        for query_id in self.counting(retired):
            here = frozenset(retired) & set(self.questions[query_id])
            key = (measure.__name__, query_id, here, t, k)
            if key not in self.known_rows:
                self.known_rows[key] = [
                    measure(system, query_id, here, t, k) for system in self.ranks
                ]
            rows.append(self.known_rows[key])
        by_system = zip(*rows, strict=True)
        return {s: list(row) for s, row in zip(self.ranks, by_system, strict=True)}


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
        by_hand = statistics.stdev(row) / sqrt(len(row))
        assert standing.stderr == pytest.approx(by_hand, abs=1e-12)
        scipy_sem = stats.sem([float(score) for score in row])
        assert standing.stderr == pytest.approx(scipy_sem, abs=1e-12)
        assert standing.lower == standing.score == standing.upper
    order = [(standing.rank, standing.system) for standing in shown.standings]
    assert order == sorted(order)
    assert shown.queries == len(next(iter(board.values())))


@pytest.mark.parametrize("k", [10, 20])
@pytest.mark.parametrize("min_rating", range(6))
def test_cover_is_exact_at_every_threshold(workspace, published, min_rating, k):
    shown = workspace.leaderboard(measure="cover", min_rating=min_rating, k=k)
    assert_board(shown, published.board(published.cover, min_rating, k))


@pytest.mark.parametrize("k", [10, 20])
@pytest.mark.parametrize("min_rating", [1, 3, 4, 5])
def test_precision_is_exact_at_every_threshold(workspace, published, min_rating, k):
    shown = workspace.leaderboard(measure=f"P@{k}", min_rating=min_rating)
    assert_board(shown, published.board(published.precision, min_rating, k))


def test_cover_of_the_pool_is_over_what_any_of_its_passages_answers(
    workspace, published
):
    answerable = {
        query_id: {
            question_id
            for ratings in passages.values()
            for question_id, rating in ratings.items()
            if rating >= 4
        }
        for query_id, passages in published.ratings.items()
    }
    for system, score in workspace.leaderboard("pool-cover").scores().items():
        shares = [
            published.cover(system, query_id, NOTHING, 4, 20)
            * Fraction(len(published.questions[query_id]), len(found))
            if found and query_id in published.ranks[system]
            else 0
            for query_id, found in answerable.items()
        ]
        assert score == float(Fraction(sum(shares), len(shares)))


def novelty_by_loops(
    published: Published, query_id: str, *, graded: bool
) -> dict[str, float]:
    """alpha-nDCG@20 of every system in a query; gains are rating / 5 or 0 and 1."""
    gains = {
        passage_id: [
            rated[q] / 5 if graded else float(rated[q] >= 4)
            for q in published.questions[query_id]
        ]
        for passage_id, rated in published.ratings[query_id].items()
    }

    def of_order(order: Mapping[int, str]) -> float:
        left = [1.0] * len(published.questions[query_id])
        got = 0.0
        for rank in sorted(order):
            gain = gains[order[rank]]
            got += sum(map(operator.mul, gain, left)) / log2(rank + 1)
            left = [n * (1 - g / 2) for g, n in zip(gain, left, strict=True)]
        return got

    ideal: dict[int, str] = {}
    left = [1.0] * len(published.questions[query_id])
    for rank in range(1, 21):
        worth = {
            p: round(sum(map(operator.mul, gains[p], left)), 12)
            for p in gains.keys() - ideal.values()
        }
        ideal[rank] = max(worth, key=lambda p: (worth[p], p))
        gain = gains[ideal[rank]]
        left = [n * (1 - g / 2) for g, n in zip(gain, left, strict=True)]
    return {
        system: of_order({r: p for r, p in lists[query_id].items() if r <= 20})
        / (of_order(ideal) or 1)
        for system, lists in published.ranks.items()
    }


@pytest.mark.parametrize(
    # Kendall's tau with the official board, measured apart from this program
    ("name", "tau"),
    [("alpha_nDCG@20", 0.775), ("graded-alpha-nDCG@20", 0.844)],
)
def test_alpha_ndcg_is_that_of_plain_loops(workspace, published, name, tau):
    scores = workspace.scores(measure=name).scores
    for query_id in published.ratings:
        loops = novelty_by_loops(published, query_id, graded="graded" in name)
        for system, score in loops.items():
            assert abs(scores[system, query_id] - score) <= 1e-9
    assert round(workspace.correlate(measure=name).kendall, 3) == tau


def test_systems_that_tie_share_a_place_and_the_next_place_is_skipped(workspace):
    shown = workspace.leaderboard(measure="cover", min_rating=5, k=20)
    ranks = [standing.rank for standing in shown.standings]
    shared = [rank for rank in set(ranks) if ranks.count(rank) > 1]
    assert shared  # read off the data: some systems answer equally many questions
    for rank in shared:
        assert rank + 1 not in ranks


def test_a_threshold_in_the_measures_name_wins(workspace, published):
    shown = workspace.leaderboard(measure="P(rel=2)@20", min_rating=5)
    assert_board(shown, published.board(published.precision, 2, 20))


def test_known_at_k_counts_the_ranks_with_a_text(workspace, published):
    for k in (10, 20):
        shown = workspace.leaderboard(measure=f"P@{k}")
        assert {s.system: s.known_at_k for s in shown.standings} == {
            system: sum(rank <= k for ranks in by_query.values() for rank in ranks)
            / (43 * k)
            for system, by_query in published.ranks.items()
        }


def run_and_qrels(published: Published, system: str):
    """One system as ir_measures takes it: score = −rank, gaps filled with nonsense."""
    run = {
        query_id: {
            ranks.get(rank, f"nothing-{rank}"): -float(rank)
            for rank in range(1, max(ranks) + 1)
        }
        for query_id, ranks in published.ranks[system].items()
    }
    return run, {q: published.labels(q, NOTHING) for q in published.ratings}


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
    for system in published.ranks:
        run, qrels = run_and_qrels(published, system)
        found = {
            (metric.measure, metric.query_id): metric.value
            for metric in ir_measures.iter_calc(references.values(), qrels, run)
        }
        for name, measure in references.items():
            for query_id in published.ratings:
                theirs = found[measure, query_id]
                assert abs(tables[name][system, query_id] - theirs) <= 1e-12


@pytest.mark.parametrize("min_rating", [1, 4, 5])
def test_ndcg_takes_the_labels_as_gains_whatever_the_threshold(
    workspace, published, min_rating
):
    shown = workspace.leaderboard(measure="nDCG@10", min_rating=min_rating)
    for standing in shown.standings:
        run, qrels = run_and_qrels(published, standing.system)
        theirs = ir_measures.calc_aggregate([ir_measures.nDCG @ 10], qrels, run)
        assert standing.score == pytest.approx(theirs[ir_measures.nDCG @ 10], abs=1e-12)


@pytest.mark.parametrize(("label", "kendall"), [("max", 0.835), ("mean", 0.902)])
def test_a_mean_rating_ranks_systems_as_people_did_more_than_the_best(
    workspace, published, label, kendall
):
    gains = {
        query_id: {
            passage_id: max(rated.values())
            if label == "max"
            else Fraction(sum(rated.values()), len(rated))
            for passage_id, rated in pool.items()
        }
        for query_id, pool in published.ratings.items()
    }
    ideal = {q: sorted(own.values(), reverse=True)[:10] for q, own in gains.items()}
    expected = {
        system: sum(
            sum(
                own[by_query[q][rank]] / log2(rank + 1)
                for rank in by_query[q]
                if rank <= 10
            )
            / sum(gain / log2(rank + 2) for rank, gain in enumerate(ideal[q]))
            for q, own in gains.items()
        )
        / len(gains)
        for system, by_query in published.ranks.items()
    }
    found = workspace.leaderboard(measure="nDCG@10", label=label).scores()
    assert found == pytest.approx(expected, abs=1e-12)
    ranked = [*published.official]
    places = [-published.official[one] for one in ranked]
    tau = stats.kendalltau([expected[one] for one in ranked], places).statistic
    assert round(tau, 3) == kendall
    correlation = workspace.correlate(measure="nDCG@10", label=label)
    assert correlation.kendall == pytest.approx(tau, abs=1e-12)


@pytest.mark.parametrize("label", ["mean", "top3", "answered"])
def test_precision_is_exact_under_every_label_rule(workspace, published, label):
    def precision(system, query_id, retired, t, k):
        relevant = 0
        for rank, passage_id in published.ranks[system][query_id].items():
            rated = sorted(published.ratings[query_id][passage_id].values())
            if label == "answered":
                enough = sum(one >= t for one in rated) >= 1
            else:
                best = rated[-3:] if label == "top3" else rated
                enough = Fraction(sum(best), len(best)) >= t
            relevant += rank <= k and enough
        return Fraction(relevant, k)

    precision.__name__ = f"precision by {label}"
    for t in (1, 3, 4):
        # Means are cut only by a threshold in the measure's own name.
        measure = f"P(rel={t})@20" if label == "mean" else "P@20"
        shown = workspace.leaderboard(measure=measure, min_rating=t, label=label)
        assert_board(shown, published.board(precision, t, 20))


@pytest.mark.parametrize("min_rating", [pytest.param(1, marks=pytest.mark.long), 4])
def test_what_answers_which_question_gives_ir_measures_our_scores(
    workspace, published, tmp_path, min_rating
):
    names = ["alpha_nDCG@20", "alpha_nDCG@5", "ERR_IA@20", "NRBP", "StRecall@10"]
    target = tmp_path / "dl19.qrels"
    workspace.export("question_qrels", target, min_rating=min_rating)
    qrels = [*ir_measures.read_trec_qrels(str(target))]
    assert len(qrels) == 92_600
    measures = {ir_measures.parse_measure(name): name for name in names}
    tables = {
        name: workspace.scores(measure=name, min_rating=min_rating).scores
        for name in names
    }
    evaluator = ir_measures.evaluator([*measures], qrels)
    for system in published.ranks:
        run, _ = run_and_qrels(published, system)
        for metric in evaluator.iter_calc(run):
            ours = tables[measures[metric.measure]][system, metric.query_id]
            assert abs(ours - metric.value) <= 1e-9


# Runs


def test_six_systems_that_rank_from_0_are_shifted_and_gaps_keep_their_place(
    workspace, published
):
    assert len(published.from_0) == 6
    collection = workspace.collection()
    for index, system in enumerate(collection.systems):
        for query_id, pool in collection.pools.items():
            slots = pool.top[index].tolist()
            assert {
                rank: pool.passage_ids[slot]
                for rank, slot in enumerate(slots, start=1)
                if slot >= 0
            } == published.ranks[system][query_id]


# Labels and agreement


def test_every_label_is_the_best_rating_of_the_passage(workspace, published, tmp_path):
    workspace.export("qrels", tmp_path / "dl19.qrels")
    qrels = ir_measures.read_trec_qrels(str(tmp_path / "dl19.qrels"))
    exported = {(q.query_id, q.doc_id): q.relevance for q in qrels}
    assert len(exported) == 9_260
    assert exported == {
        (query_id, passage_id): label
        for query_id in published.ratings
        for passage_id, label in published.labels(query_id, NOTHING).items()
    }


def test_table_6_is_printed_where_a_passage_answers_two_questions(workspace):
    # Farzi & Dietz 2024, Table 6: its counts and its kappas
    lenient, strict = workspace.agreement(min_answered=2).tables.binary
    assert lenient.agreement.table == ((4950, 874), (1809, 1627))
    assert strict.agreement.table == ((5403, 1062), (1356, 1439))
    assert round(lenient.agreement.kappa, 2) == 0.34
    assert round(strict.agreement.kappa, 2) == 0.36


@pytest.mark.parametrize("min_rating", [1, 4])
def test_passages_answer_as_many_questions_as_the_file_says(
    workspace, published, min_rating
):
    counts = {
        (query_id, passage_id): sum(r >= min_rating for r in ratings.values())
        for query_id, pool in published.ratings.items()
        for passage_id, ratings in pool.items()
    }
    judged = Counter(
        (count, published.judgments[query_id][passage_id] >= 2)
        for (query_id, passage_id), count in counts.items()
    )
    found = workspace.coverage(min_rating=min_rating)
    assert counts == {
        (one.query_id, one.passage_id): one.answered for one in found.passages
    }
    for at, line in enumerate(found):
        split = (judged[at, True], judged[at, False])
        assert (line.answered, line.relevant, line.not_relevant) == (at, *split)
    # so Farzi & Dietz 2024's Table 6 is the lines from two questions on
    both = [sum(one.relevant for one in found.counts[2:])]
    both.append(sum(one.not_relevant for one in found.counts[2:]))
    assert both == {1: [1627, 1809], 4: [1439, 1356]}[min_rating]
    of_query = workspace.coverage("156493", min_rating=min_rating)
    settings = workspace.settings(min_rating=min_rating)
    assert [one.answered for one in of_query.passages] == [
        len(one.answers) for one in workspace.pool("156493", settings)
    ]


def test_a_releases_qrels_give_its_board_in_another_program(
    workspace, published, tmp_path
):
    workspace.release("v1", measure="P@20")
    workspace.export("qrels", tmp_path / "now.qrels", measure="P@20")
    workspace.export("qrels", tmp_path / "v1.qrels", release="v1")
    assert (tmp_path / "v1.qrels").read_bytes() == (tmp_path / "now.qrels").read_bytes()
    workspace.export("qrels", tmp_path / "binary.qrels", release="v1", binary=True)
    qrels = list(ir_measures.read_trec_qrels(str(tmp_path / "binary.qrels")))
    measure = ir_measures.P @ 20
    found = {}
    for system, ranks in published.ranks.items():
        # A place whose passage is not in the file stays a place.
        run = [
            ir_measures.ScoredDoc(query_id, places.get(rank, f"gap {rank}"), -rank)
            for query_id, places in ranks.items()
            for rank in range(1, 21)
        ]
        found[system] = ir_measures.calc_aggregate([measure], qrels, run)[measure]
    _, frozen = workspace.release_named("v1")
    assert len(frozen.board) == 37
    assert {one.system: one.score for one in frozen.board} == pytest.approx(
        found, abs=1e-12
    )


@pytest.mark.parametrize("label", ["mean", "top3"])
@pytest.mark.parametrize("retired", [0, 3])
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
    runs = workspace.runs()
    named = "nDCG@10", "P(rel=4)@20", "AP(rel=4)"  # means have no other threshold
    for measure in named if label == "mean" else ("nDCG@10", "P@20", "AP"):
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
        here = {standing.system: standing.score for standing in board}
        assert here == pytest.approx(found, abs=1e-12)
        scores = [(here[name], round(found[name], 12)) for name in found]
        ranked = sorted(scores, reverse=True)
        assert [round(ours, 12) for ours, _ in ranked] == [
            theirs for _, theirs in ranked
        ]
    if retire:
        workspace.undo()


@pytest.mark.parametrize("min_rating", [1, 4])
def test_agreement_is_the_confusion_of_labels_and_judgments(
    workspace, published, min_rating
):
    counts = {(label, judged): 0 for label in (0, 1) for judged in (0, 1)}
    for query_id, judged in published.judgments.items():
        for passage_id, label in published.labels(query_id, NOTHING).items():
            counts[int(label >= min_rating), int(judged[passage_id] >= 2)] += 1
    agreement = workspace.agreement(min_rating=min_rating).agreement
    assert agreement.table == (
        (counts[0, 0], counts[0, 1]),
        (counts[1, 0], counts[1, 1]),
    )
    assert (agreement.judged, agreement.unlabelled) == (9_260, 0)
    n = sum(counts.values())
    observed = Fraction(counts[0, 0] + counts[1, 1], n)
    chance = sum(
        Fraction((counts[c, 0] + counts[c, 1]) * (counts[0, c] + counts[1, c]), n * n)
        for c in (0, 1)
    )
    kappa = (observed - chance) / (1 - chance)
    assert agreement.kappa == pytest.approx(float(kappa), abs=1e-12)


# Correlation


@pytest.mark.parametrize(
    ("measure", "min_rating", "rho", "tau"),
    [
        # rho and tau rounded, as measured on these ratings before this program was
        ("P@20", 4, 0.914, 0.763),
        ("cover", 4, 0.717, 0.516),
        ("P@10", 1, None, None),
        ("cover", 5, None, None),
    ],
)
def test_correlations_with_the_official_board_are_scipys(
    workspace, published, measure, min_rating, rho, tau
):
    k = int(measure[2:]) if measure.startswith("P") else 20
    compute = published.precision if measure.startswith("P") else published.cover
    scores = means(published.board(compute, min_rating, k))
    common = sorted(scores.keys() & published.official.keys())
    # Equal fractions give equal floats, so scipy sees the same ties.
    ours = [float(scores[system]) for system in common]
    theirs = [-published.official[system] for system in common]
    found = workspace.correlate(measure=measure, min_rating=min_rating)
    assert found.systems == len(common) == 36
    assert set(found.without_reference) == set(published.ranks) - set(common)
    assert found.spearman == pytest.approx(
        stats.spearmanr(ours, theirs).statistic, abs=1e-12
    )
    assert found.kendall == pytest.approx(
        stats.kendalltau(ours, theirs).statistic, abs=1e-12
    )
    if rho is not None:
        assert (round(found.spearman, 3), round(found.kendall, 3)) == (rho, tau)


# Impact

RETIRED_ALONE = 20


def chosen_questions(published: Published, number: int) -> list[str]:
    every = [q for ids in published.questions.values() for q in ids]
    return random.Random(2019).sample(every, number)


def assert_impact(
    impact: Impact,
    published: Published,
    compute: Callable[..., Fraction],
    retired: Collection[str],
) -> None:
    """Labels, scores and ranks before and after these retirements, all exact."""
    expected = []
    for query_id, pool in published.ratings.items():
        old = published.labels(query_id, NOTHING)
        new = published.labels(query_id, retired)
        expected += [
            (query_id, passage_id, old[passage_id], new.get(passage_id))
            for passage_id in pool
            if old[passage_id] != new.get(passage_id)
        ]
    found = [(x.query_id, x.passage_id, x.before, x.after) for x in impact.labels]
    assert sorted(found) == sorted(expected)
    before = means(published.board(compute, 4, 20))
    after = means(published.board(compute, 4, 20, retired))
    assert {m.system: (m.score_before, m.score_after) for m in impact.moves} == {
        system: (float(before[system]), float(after[system])) for system in before
    }
    places_before, places_after = places_of(before), places_of(after)
    assert {m.system: (m.rank_before, m.rank_after) for m in impact.moves} == {
        system: (places_before[system], places_after[system]) for system in before
    }
    assert impact.missing == 0
    assert impact.queries_before == 43
    assert impact.queries_after == len(published.counting(retired))


@pytest.mark.parametrize("measure", ["cover", "P@20"])
def test_retiring_one_question_moves_what_recomputing_moves(
    workspace, published, measure
):
    compute = published.cover if measure == "cover" else published.precision
    moved = 0
    for question_id in chosen_questions(published, RETIRED_ALONE):
        impact = workspace.impact([Retire(question_id)], measure=measure, min_rating=4)
        assert_impact(impact, published, compute, {question_id})
        moved += bool(impact.movers)
    assert moved  # else the test would say nothing of ranks


@pytest.mark.parametrize("measure", ["cover", "P@20"])
def test_a_query_whose_questions_are_all_retired_leaves_the_measure(
    workspace, published, measure
):
    compute = published.cover if measure == "cover" else published.precision
    query_id, question_ids = next(iter(published.questions.items()))
    edits = [Retire(question_id) for question_id in question_ids]
    impact = workspace.impact(edits, measure=measure, min_rating=4)
    assert_impact(impact, published, compute, question_ids)
    assert impact.queries_after == 42
    assert {label.after for label in impact.labels} == {None}
    assert {label.query_id for label in impact.labels} == {query_id}
    assert len(impact.labels) == len(published.ratings[query_id])


@pytest.mark.parametrize("measure", ["cover", "P@20", "nDCG@10", "RR"])
def test_a_preview_is_what_applying_and_comparing_shows(workspace, published, measure):
    retired = chosen_questions(published, 5)
    edits = [Retire(question_id) for question_id in retired]
    board_before = workspace.leaderboard(measure=measure)
    scores_before = workspace.scores(measure=measure).scores
    start = workspace.baselines().latest
    preview = workspace.impact(edits, measure=measure)
    assert workspace.leaderboard(measure=measure) == board_before  # nothing changed
    workspace.apply(edits)
    try:
        assert workspace.impact(since=start, measure=measure) == preview
        after = workspace.leaderboard(measure=measure)
        assert after.scores() == {m.system: m.score_after for m in preview.moves}
        assert after.ranks() == {m.system: m.rank_after for m in preview.moves}
        edited = {question_id.partition("/")[0] for question_id in retired}
        for (system, query_id), score in workspace.scores(
            measure=measure
        ).scores.items():
            if query_id not in edited:
                assert score == scores_before[system, query_id]
    finally:
        workspace.undo()
    back = workspace.impact(since=start, measure=measure)
    assert (back.labels, back.movers) == ((), ())
    assert all(move.change == 0 for move in back.moves)
    assert workspace.leaderboard(measure=measure) == board_before


def test_reach_and_influence_are_those_of_boards_without_the_question(
    workspace, published
):
    query_id = chosen_questions(published, 1)[0].partition("/")[0]
    lines = workspace.questions(query_id=query_id, measure="cover", min_rating=4)
    assert len(lines) == 10
    for line in lines:
        question_id = line.question.question_id
        pool = published.ratings[query_id]
        answering = {p for p, rated in pool.items() if rated[question_id] >= 4}
        differences = [
            abs(
                published.cover(system, query_id, {question_id}, 4, 20)
                - published.cover(system, query_id, NOTHING, 4, 20)
            )
            for system in published.ranks
        ]
        found = line.influence
        assert found.influence == pytest.approx(
            float(sum(differences) / len(differences)), abs=1e-12
        )
        assert found.passages == len(answering)
        assert found.systems == sum(
            any(p in answering for rank, p in by_query[query_id].items() if rank <= 20)
            for by_query in published.ranks.values()
        )
        nonrelevant = {p for p in answering if published.judgments[query_id][p] < 2}
        assert found.nonrelevant_share == (
            len(nonrelevant) / len(answering) if answering else None
        )
        assert (found.known, found.needed) == (len(pool), len(pool))
