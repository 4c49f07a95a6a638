"""How well checks mend a board: an assessor who knows the truth is played.

    python -m benchmarks.checks FOLDER [--seeds 20] [--processes 1] [--only NAME …]
                                [--intervals]

takes the collections of ``benchmarks.validity`` and answers what is drawn as people
did: pairs of REALSumm as the majority of its three annotators, passages of TREC DL 2019
as its judgments. Batches are of 20 up to 200 checks, then up to the next number asked
for. Prints Kendall's tau with the official ranks against the number of checks, for the
draw of ``next_checks`` and for one at random, and how long a refit takes. Last a strong
judge of passages, made of the judgments and noise, which checks must not harm. With
``--intervals``, which takes minutes a play, also the share of systems whose interval
of 95 % and range of ranks under the grader that learned hold what people's own board
says.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.validity import collections
from curator import Workspace
from curator.evaluation.correlation import kendall_tau_b
from curator.evaluation.grades import GradedQuery, graded_labels
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.measures import measure_for
from curator.evaluation.settings import HIGHEST_LABEL, Settings
from curator.snapshot.snapshot import Snapshot

FLAN: Final = "flan"  # a name may be cut short
PEOPLE: Final = "human-majority/HumanNuggetCheck"
JUDGE: Final = "simulated-judge"
STRONG: Final = (0.93, 0.946)  # between which the simulated judge's tau is

BATCH, SMALL_UNTIL = 20, 200

Pair = tuple[str, str | None, str]
Answers = Mapping[Pair, str]
"""What people say, by query, question and passage."""


@dataclass(frozen=True)
class Board:
    """A measure, and the rule that makes labels where it needs some."""

    measure: str
    label: str | None = None

    @property
    def settings(self) -> dict[str, str]:
        """As ``Workspace.settings`` takes them."""
        more = {"label": self.label} if self.label else {}
        return {"measure": self.measure, **more}


@dataclass(frozen=True)
class Game:
    """What is checked, with which graders beside it, and when the boards are read."""

    name: str
    collection: str
    of: str
    parts: tuple[str, ...]
    boards: tuple[Board, ...]
    stops: tuple[int, ...]

    @property
    def grader(self) -> str:
        """The one that learns."""
        return "checked:" + "+".join(self.parts)


_PAIRS = (Board("cover"), Board("nDCG@10", "mean"))
_PASSAGES = (Board("nDCG@10", "mean"), Board("P(rel=2)@10", "mean"))
_PAIR_STOPS = (20, 50, 150, 500, 1320)
_A_QUERY = (43, 86, 215, 430, 860)  # 1, 2, 5, 10, 20 a query
_TO_MANY = (20, *_A_QUERY, 2000, 4000)
_COMPUTED = ("lexical", "embedding")
GAMES = (
    Game("realsumm", "realsumm", "pairs", _COMPUTED, _PAIRS, _PAIR_STOPS),
    Game("realsumm-instant", "realsumm", "pairs", ("instant",), _PAIRS, _PAIR_STOPS),
    Game("dl19", "dl19", "passages", (FLAN, "embedding"), _PASSAGES, _A_QUERY),
    Game("judge", "dl19", "passages", (JUDGE,), _PASSAGES, _TO_MANY),
    Game("judge-instant", "dl19", "passages", (JUDGE, "instant"), _PASSAGES, _TO_MANY),
)  # fmt: skip


@dataclass(frozen=True)
class Read:
    """One tau, or share, in one play: ``at`` so many checks, by board and estimator."""

    choice: str
    board: Board
    estimator: str
    at: int
    tau: float


@dataclass(frozen=True)
class Played:
    """What one seed gave."""

    reads: tuple[Read, ...]
    refits: tuple[float, ...]  # milliseconds


def play(
    game: Game,
    path: Path,
    truth: Answers,
    choice: str,
    seed: int,
    people: Mapping[Board, Leaderboard] | None = None,
) -> Played:
    """One assessor's work on a copy of this workspace.

    With the boards of what ``people`` say, intervals are held against these.
    """
    reads, refits = list[Read](), list[float]()
    said: dict[Pair, str] = {}
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.db"
        shutil.copy(path, copy)
        with Workspace.open(copy, judge="assessor") as workspace:
            for stop in (0, *game.stops):
                while len(said) < stop:
                    left = stop - len(said)
                    count = min(left, BATCH) if len(said) < SMALL_UNTIL else left
                    if choice == "random":
                        drawn = list(_at_random(list(truth), said, count, rng))
                    else:
                        number = seed * 10_000 + len(said)
                        drawn = list(_chosen(workspace, game, count, number))
                    workspace.record_checks(
                        [_line(pair, truth[pair], p) for pair, p in drawn]
                    )
                    said |= {pair: truth[pair] for pair, _ in drawn}
                refits.append(_refit(workspace, game))
                for board in game.boards:
                    found = _taus(workspace, game, board, said)
                    if people:
                        found |= _held(workspace, game, board, people[board])
                    reads += [
                        Read(choice, board, one, stop, tau)
                        for one, tau in found.items()
                    ]
    return Played(tuple(reads), tuple(refits))


def _chosen(
    workspace: Workspace, game: Game, count: int, seed: int
) -> Iterator[tuple[Pair, float]]:
    found = workspace.next_checks(count, graders=game.parts, of=game.of, seed=seed)
    for one in found:
        yield (one.query_id, one.item_id, one.passage_id), one.probability


def _at_random(
    pairs: Sequence[Pair],
    said: Mapping[Pair, str],
    count: int,
    rng: np.random.Generator,
) -> Iterator[tuple[Pair, float]]:
    left = [one for one in pairs if one not in said]
    count = min(count, len(left))
    for at in rng.choice(len(left), count, replace=False).tolist():
        yield left[at], count / len(left)


def _line(pair: Pair, answer: str, probability: float) -> dict[str, Any]:
    query_id, item_id, passage_id = pair
    return {
        **{"query_id": query_id, "item_id": item_id, "passage_id": passage_id},
        "answer": answer if item_id else int(answer),
        "probability": probability,
    }


def _refit(workspace: Workspace, game: Game) -> float:
    """Milliseconds to learn again from the checks there are."""
    with workspace.snapshot() as snapshot:
        record = snapshot.grader(workspace.settings(grader=game.grader).grader)
        learned = snapshot.gradebook.learned
        assert learned is not None
        for query_id in snapshot.query_ids():
            learned.units(record, query_id)
        began = time.perf_counter()
        learned.model(record)
        return 1000 * (time.perf_counter() - began)


def _taus(
    workspace: Workspace, game: Game, board: Board, said: Mapping[Pair, str]
) -> dict[str, float]:
    """By estimator. Inputs alone do not change, so they are read once."""
    found = {}
    if not said:
        for part in game.parts:
            found[f"{part} alone"] = _tau(workspace, part, board)
    found["learned"] = _tau(workspace, game.grader, board)
    with workspace.snapshot() as snapshot:
        settings = workspace.settings(grader=game.parts[0], **board.settings)
        found[f"{game.parts[0]} overwritten"] = _overwritten(snapshot, settings, said)
    return found


def _held(
    workspace: Workspace, game: Game, board: Board, people: Leaderboard
) -> dict[str, float]:
    """The shares of systems whose interval, and range of ranks, hold what people say.

    Nothing where there are no intervals yet.
    """
    settings = workspace.settings(grader=game.grader, **board.settings)
    drawn = workspace.drawn_board(settings)
    if drawn is None or not drawn.standings:
        return {}
    truth = {one.system: one for one in people}
    scores = [one.lower <= truth[one.system].score <= one.upper for one in drawn]
    ranks = [one.rank_low <= truth[one.system].rank <= one.rank_high for one in drawn]
    return {
        "share of intervals that hold": float(np.mean(scores)),
        "share of ranges of ranks that hold": float(np.mean(ranks)),
    }


def people_boards(game: Game, path: Path, truth: Answers) -> dict[Board, Leaderboard]:
    """The boards of what people say of everything."""
    with tempfile.TemporaryDirectory() as folder:
        copy, qrels = Path(folder) / "people.db", Path(folder) / "people.qrels"
        shutil.copy(path, copy)
        with Workspace.open(copy) as workspace:
            grader = PEOPLE
            if game.of == "passages":
                grader = "said-by-people"
                qrels.write_text(
                    "".join(
                        f"{q} 0 {p} {grade}\n" for (q, _, p), grade in truth.items()
                    )
                )
                workspace.import_(labels={grader: qrels})
            return {
                board: workspace.leaderboard(
                    workspace.settings(grader=grader, **board.settings)
                )
                for board in game.boards
            }


def _tau(workspace: Workspace, grader: str, board: Board) -> float:
    settings = workspace.settings(grader=grader, **board.settings)
    found = workspace.correlate(settings).kendall
    return float("nan") if found is None else found


def _overwritten(
    snapshot: Snapshot, settings: Settings, said: Mapping[Pair, str]
) -> float:
    """With what people say written over the grader's own labels, as they are."""
    rows = {}
    for query_id, graded in snapshot.matrices(
        settings.grader, snapshot.bank, snapshot.query_ids()
    ).items():
        own = {(q, p): one for (query, q, p), one in said.items() if query == query_id}
        graded = _written_over(graded, own, settings)
        rows[query_id] = measure_for(settings, graded.reading).row(graded).score
    scores = np.mean(list(rows.values()), axis=0)
    return _with_official(snapshot, scores)


def _written_over(
    graded: GradedQuery, said: Mapping[tuple[str | None, str], str], settings: Settings
) -> GradedQuery:
    if not said:
        return graded
    place = {passage_id: at for at, passage_id in enumerate(graded.pool.passage_ids)}
    if any(item is None for item, _ in said):
        scale = HIGHEST_LABEL["rated"]
        labels = graded_labels(graded, settings.rule).astype(np.float64)[None]
        for (_, passage_id), answer in said.items():
            labels[0, place[passage_id]] = int(answer)
        return GradedQuery(
            graded.pool,
            ("",),
            np.floor(labels).astype(np.int8),
            "direct",
            counted=graded.counted,
            probabilities=(labels / scale).astype(np.float32),
        )
    row = {item_id: at for at, item_id in enumerate(graded.item_ids)}
    ratings, shares = graded.ratings.copy(), graded.probabilities
    shares = None if shares is None else shares.copy()
    for (item_id, passage_id), answer in said.items():
        at = row[str(item_id)], place[passage_id]
        ratings[at] = 5 if answer == "yes" else 0
        if shares is not None:
            shares[at] = float(answer == "yes")
    return replace(graded, ratings=ratings, probabilities=shares)


def _with_official(snapshot: Snapshot, scores: NDArray[np.float64]) -> float:
    ranks, systems = snapshot.collection.official, snapshot.collection.systems
    ranked = [at for at, one in enumerate(systems) if one in ranks]
    found = kendall_tau_b(
        [float(scores[at]) for at in ranked],
        [-float(ranks[systems[at]]) for at in ranked],
    )
    return float("nan") if found is None else found


def answers(path: Path, of: str) -> dict[Pair, str]:
    """What people said of all pairs or passages of this workspace."""
    found: dict[Pair, str] = {}
    with Workspace.open(path) as workspace, workspace.snapshot() as snapshot:
        for query_id, pool in snapshot.collection.pools.items():
            if of == "passages":
                grades = np.maximum(pool.judgments, 0).tolist()
                found |= {
                    (query_id, None, one): str(grade)
                    for one, grade in zip(pool.passage_ids, grades, strict=True)
                }
                continue
            graded = snapshot.matrix(PEOPLE, query_id, snapshot.bank)
            for item_id, row in zip(graded.item_ids, graded.ratings, strict=True):
                found |= {
                    (query_id, item_id, one): "yes" if rating == 5 else "no"
                    for one, rating in zip(pool.passage_ids, row.tolist(), strict=True)
                }
    return found


def with_judge(path: Path, folder: Path, seed: int) -> Path:
    """A copy with a strong judge of passages: first of its seeds whose tau is so high.

    Its grade is the official one, moved by chance by query and by passage, and by how
    near the passage is to the questions, as the judges of a kind lean; rounded.
    """
    copy = folder / f"judge-{seed}.db"
    truth = answers(path, "passages")
    with Workspace.open(path) as workspace, workspace.snapshot() as snapshot:
        near = {
            query_id: np.asarray(graded.gains).mean(axis=0)
            for query_id, graded in snapshot.matrices(
                "embedding", snapshot.bank, snapshot.query_ids()
            ).items()
        }
        every = np.concatenate(list(near.values()))
        pools = dict(snapshot.collection.pools)
    for number in range(seed * 1000, seed * 1000 + 1000):
        rng = np.random.default_rng(number)
        qrels = folder / f"judge-{seed}.qrels"
        with qrels.open("w") as stream:
            for query_id, pool in pools.items():
                moved = rng.normal(0, 0.3)
                lean = 0.35 * (near[query_id] - every.mean()) / every.std()
                noise = rng.normal(0, 0.65, pool.size)
                for at, one in enumerate(pool.passage_ids):
                    grade = int(truth[query_id, None, one]) + moved + lean[at]
                    grade = int(np.clip(np.round(grade + noise[at]), 0, 3))
                    stream.write(f"{query_id} 0 {one} {grade}\n")
        shutil.copy(path, copy)
        with Workspace.open(copy) as workspace:
            workspace.import_(labels={JUDGE: qrels})
            if STRONG[0] <= _tau(workspace, JUDGE, Board("nDCG@10")) <= STRONG[1]:
                return copy
    raise SystemExit("No judge of a thousand was as strong as that.")


def one_seed(game: Game, path: Path, intervals: bool, seed: int) -> Played:
    """Both choices with this seed."""
    with tempfile.TemporaryDirectory() as folder:
        if JUDGE in game.parts:
            path = with_judge(path, Path(folder), seed)
        truth = answers(path, game.of)
        people = people_boards(game, path, truth) if intervals else None
        both = [play(game, path, truth, "ours", seed, people)]
        both.append(play(game, path, truth, "random", seed))
    return Played(
        tuple(read for one in both for read in one.reads),
        tuple(one for played in both for one in played.refits),
    )


def table(game: Game, played: Sequence[Played]) -> Iterator[str]:
    """Means and ranges over the seeds, as Markdown."""
    reads = [read for one in played for read in one.reads]
    heads = ["board", "choice", "estimator", *map(str, (0, *game.stops))]
    yield f"\n## {game.name}: {len(played)} seeds\n"
    yield "| " + " | ".join(heads) + " |"
    yield "|---" * len(heads) + "|"
    by: dict[tuple[str, str, str], dict[int, list[float]]] = {}
    for read in reads:
        key = read.board.measure, read.choice, read.estimator
        by.setdefault(key, {}).setdefault(read.at, []).append(read.tau)
    for (measure, choice, estimator), taus in by.items():
        alone = estimator.endswith(" alone")
        if alone and choice != "ours":
            continue
        cells = [_cell(taus[at]) if at in taus else "" for at in (0, *game.stops)]
        yield f"| {measure} | {'' if alone else choice} | {estimator} | " + (
            " | ".join(cells) + " |"
        )
    refits = [ms for one in played for ms in one.refits]
    yield f"\nA refit took {statistics.median(refits):.0f} ms (median)."


def _cell(taus: Sequence[float]) -> str:
    mean, low, high = np.mean(taus), min(taus), max(taus)
    return f"{mean:.3f}" if low == high else f"{mean:.3f} ({low:.2f}–{high:.2f})"


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--intervals", action="store_true")
    parser.add_argument("--only", nargs="*", choices=[one.name for one in GAMES])
    asked = parser.parse_args()
    paths = collections(asked.folder)
    for game in GAMES:
        if asked.only and game.name not in asked.only:
            continue
        path = paths[game.collection]
        run: Callable[[int], Played] = partial(one_seed, game, path, asked.intervals)
        if asked.processes == 1:
            played = list(map(run, range(asked.seeds)))
        else:
            with get_context("spawn").Pool(asked.processes) as pool:
                played = pool.map(run, range(asked.seeds), chunksize=1)
        print("\n".join(table(game, played)), flush=True)


if __name__ == "__main__":
    main()
