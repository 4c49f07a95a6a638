"""The slope plot's geometry: the ranks among which systems move, with names."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from curator.evaluation.impact import Impact, SystemMove
from curator.evaluation.settings import Settings
from curator.web.pages.judge.slope import HIGHEST, NAME, ROW, slope


def moved(ranks: dict[str, tuple[int, int]], *noise: str) -> Impact:
    """An impact of systems from rank to rank."""
    moves = tuple(
        SystemMove(s, 0.5, 0.5, before, after) for s, (before, after) in ranks.items()
    )
    return Impact(Settings("g"), 0, (), moves, 1, 1, within_noise=frozenset(noise))


def still(*ranks: int) -> dict[str, tuple[int, int]]:
    """Systems that stay at these ranks."""
    return {f"still{rank}": (rank, rank) for rank in ranks}


def test_the_ranks_that_move_and_their_neighbours_have_rows_with_names() -> None:
    ranks = {**still(*range(1, 20), 22, 23), "a": (20, 21), "b": (21, 20)}
    plot = slope(moved(ranks))
    assert [(x.rank, x.groups) for x in plot.after] == [
        (19, ((0, ("still19",), False),)),
        (20, ((1, ("b",), False),)),
        (21, ((-1, ("a",), False),)),
        (22, ((0, ("still22",), False),)),
    ]
    assert [x.rank for x in plot.before] == [20, 21]
    assert plot.after[1].at - plot.after[0].at == ROW
    assert (len(plot.still), plot.height) == (2, 4 * ROW)


@st.composite
def any_ranks(draw: st.DrawFn) -> dict[str, tuple[int, int]]:
    """Up to 80 systems with any ranks before and after, ties among them."""
    size = draw(st.integers(0, 80))
    rank = st.integers(1, max(size, 1))
    return {f"s{i}": (draw(rank), draw(rank)) for i in range(size)}


@given(any_ranks())
def test_it_never_grows_beyond_its_height_and_hides_no_mover(
    ranks: dict[str, tuple[int, int]],
) -> None:
    plot = slope(moved(ranks))
    assert plot.height <= HIGHEST + 0.5
    ways = {way for way in ranks.values() if way[0] != way[1]}
    assert len(plot.lines) == len(ways)
    groups = [group for label in plot.after for group in label.groups]
    named = [name for places, names, _ in groups if places for name in names]
    assert len(named) + plot.unnamed == sum(a != b for a, b in ranks.values())
    for side in (plot.before, plot.after):
        places = [label.at for label in side]
        assert all(b - a >= NAME - 0.01 for a, b in pairwise(places))
        assert all(0 <= at <= plot.height for at in places)
