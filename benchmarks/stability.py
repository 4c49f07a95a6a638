"""Do the figures of docs/validity.md hold? Banks are played that really grow.

    python -m benchmarks.stability FOLDER [--plays 40] [--only NAME …]

takes the collections of ``benchmarks.validity``. In each play a part of every query's
questions is drawn by lot and is "the bank"; what is said of it is held against what the
questions that were held out really do:

- half of them: the τ that is expected with another bank of this size, and its interval,
  against the τ with the other half's board; of the collection and of single queries;
- three in ten of them: the τ expected of two banks of five in ten, against two halves;
- all but one, two, or half: how probable a change of the top ten is if so many come,
  here and in every query, against how often it changes when they do.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.validity import collections
from curator import Workspace
from curator.evaluation.grades import GradedQuery
from curator.evaluation.measures import Measure
from curator.evaluation.stability import (
    ADDED,
    Board,
    Expected,
    change_by_additions,
    draw_from_urn,
    drawn_rows,
    taus,
    top_ten_change,
)

FLAN, PEOPLE = "google", "human-majority"
PLAYED: Mapping[str, Sequence[dict[str, Any]]] = {
    "dl19": (
        {"grader": "instant", "measure": "nDCG@10", "label": "mean"},
        {"grader": "instant", "measure": "cover"},
        {"grader": FLAN, "measure": "nDCG@10", "label": "mean"},
        {"grader": FLAN, "measure": "nDCG@10", "label": "max"},
        {"grader": FLAN, "measure": "nDCG@10", "label": "top3"},
        {"grader": FLAN, "measure": "P@20", "label": "max"},
        {"grader": FLAN, "measure": "P@20", "label": "answered"},
        {"grader": FLAN, "measure": "cover"},
    ),
    "realsumm": (
        {"grader": PEOPLE, "measure": "cover"},
        {"grader": PEOPLE, "measure": "nDCG@10", "label": "mean"},
        {"grader": "instant", "measure": "nDCG@10", "label": "mean"},
    ),
}
FEWEST = 8  # questions of a query that is played: a half of it has four
SINGLE = 5  # plays in which single queries are looked at, too
HERE = 4  # plays of questions added in one query

Items = NDArray[np.intp]


def drawn_bank(
    played: Sequence[GradedQuery], measure: Measure, parts: Sequence[Items]
) -> Board:
    """The board of these items of each query, with its draws."""
    rows = [
        drawn_rows(one.select_items(part), measure)
        for one, part in zip(played, parts, strict=True)
    ]
    return Board(np.mean([one.row for one in rows], axis=0), rows, len(rows))


def score(
    played: Sequence[GradedQuery], measure: Measure, parts: Sequence[Items]
) -> NDArray[np.float64]:
    """(queries, systems): the scores of these items of each query."""
    found = [
        measure.row(one.select_items(part)).score
        for one, part in zip(played, parts, strict=True)
    ]
    return np.stack(found)


def tau(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Kendall's tau_b of two boards."""
    return float(taus(one, other[None])[0])


def held(said: Expected, real: float) -> bool:
    """Whether the interval has what came."""
    return said.low - 1e-9 <= real <= said.high + 1e-9


def of_another_bank(
    played: Sequence[GradedQuery],
    measure: Measure,
    plays: int,
    lot: np.random.Generator,
) -> str:
    """Half of the questions are the bank, the other half another one."""
    boards, single, thirds = [], [], []
    for play in range(plays):
        orders = [lot.permutation(len(one.item_ids)) for one in played]
        bank = [one[: len(one) // 2] for one in orders]
        other = [one[len(one) // 2 : 2 * (len(one) // 2)] for one in orders]
        board, rows = drawn_bank(played, measure, bank), score(played, measure, other)
        said, real = board.expected, tau(board.score, rows.mean(axis=0))
        boards.append((said.tau, real, held(said, real), said.high - said.low))
        third = [one[: 3 * len(one) // 10 + 1] for one in bank]
        grown = drawn_bank(played, measure, third).grown((1, 2))
        thirds.append((grown[1].expected.tau, real, held(grown[1].expected, real)))
        if play < SINGLE:
            for own, row in zip(board.queries, rows, strict=True):
                said, real = own.board.expected, tau(own.row, row)
                single.append((said.tau, real, held(said, real)))
    return "  ".join(
        " ".join(f"{one:.3f}" for one in np.mean(found, axis=0))
        for found in (boards, single, thirds)
    )


def of_more(
    played: Sequence[GradedQuery],
    measure: Measure,
    more: int | None,
    plays: int,
    lot: np.random.Generator,
) -> str:
    """So many questions are held out (None: half of them), and come."""
    whole = np.stack([measure.row(one).score for one in played])
    total, queries = whole.sum(axis=0), len(played)
    here, everywhere = [], []
    for play in range(plays):
        boards, left = [], []
        for at, one in enumerate(played):
            items = len(one.item_ids)
            out = items // 2 if more is None else more
            bank = one.select_items(lot.permutation(items)[out:])
            row = measure.row(bank).score
            moved = row - measure.without_each(bank)
            boards.append(row)
            left.append((moved, out))
            if play < HERE:
                before = (total - whole[at] + row) / queries
                board = Board(before, [], queries)
                said = board.change_of(moved, out, play)
                real = top_ten_change(before, total[None] / queries, out)
                here.append((said.order, real.order, said.members, real.members))
        before = np.mean(boards, axis=0)
        draws = np.zeros((ADDED, len(before)))
        for moved, out in left:
            draws += change_by_additions(
                moved, draw_from_urn(lot, len(moved), out), out
            )
        said = top_ten_change(before, before + draws / queries, more or 0)
        real = top_ten_change(before, total[None] / queries, more or 0)
        everywhere.append((said.order, real.order, said.members, real.members))
    return "  ".join(
        " ".join(f"{one:.3f}" for one in np.mean(found, axis=0))
        for found in (here, everywhere)
    )


def main() -> None:
    """Print a line for each board and check."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stability")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--plays", type=int, default=40)
    parser.add_argument("--only", nargs="*", default=[*PLAYED])
    given = parser.parse_args()
    found = collections(given.folder)
    print("another bank: collection (said, came, held, width)  single queries (said,")
    print("came, held)  five in ten from three (said, came, held)")
    print(
        "more: here (order said, came, members said, came)  in every query (the same)"
    )
    for name in given.only:
        with Workspace.open(found[name]) as workspace, workspace.snapshot() as snapshot:
            for options in PLAYED[name]:
                settings = workspace.settings(**options)
                measure = snapshot.measure(settings)
                graded = snapshot.matrices(
                    settings.grader, snapshot.bank, snapshot.query_ids()
                ).values()
                played = [one for one in graded if len(one.item_ids) >= FEWEST]
                lot = np.random.default_rng(0)
                print(name, *options.values(), f"{len(played)} queries", flush=True)
                said = of_another_bank(played, measure, given.plays, lot)
                print(f"  another bank  {said}", flush=True)
                for more in (1, 2, None):
                    said = of_more(played, measure, more, given.plays, lot)
                    print(f"  {more or 'half'} more  {said}", flush=True)


if __name__ == "__main__":
    main()
