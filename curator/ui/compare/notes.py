"""What the boards compared do not rest on: one sentence for every reason.

Files and the command line have a sentence for each board and each pair of boards,
which on a page of seven measures would be a wall.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from curator.evaluation.comparison import MeasurePair
from curator.evaluation.leaderboard import Leaderboard
from curator.ui.shared import words
from curator.verbs.compare.comparison import Comparison


def compared_notes(found: Comparison) -> tuple[str, ...]:
    """Sentences about the boards, then about their correlations."""
    said = [*board_notes(found.boards), *undefined_notes(found.pairs, found.boards)]
    apart = apart_note(found.pairs, found.boards)
    return tuple(dict.fromkeys([*said, apart] if apart else said))


def board_notes(boards: Iterable[Leaderboard]) -> list[str]:
    """What boards say of themselves; what several say alike is said of all at once."""
    alike: dict[str, list[str]] = {}
    for board in boards:
        own = f"{board.settings.measure} "
        for note in board.notes:
            subject = [board.settings.measure] if note.startswith(own) else []
            alike.setdefault(note.removeprefix(own), []).extend(subject)
    return [_of_all(names, rest) for rest, names in alike.items()]


def _of_all(names: Sequence[str], rest: str) -> str:
    if not names:
        return rest
    return f"{'Each of ' if len(names) > 1 else ''}{listed(names)} {rest}"


def undefined_notes(
    pairs: Sequence[MeasurePair], boards: Sequence[Leaderboard]
) -> list[str]:
    """Why coefficients or intervals are missing, with all pairs that lack them so."""
    names = [board.settings.measure for board in boards]
    alike: dict[str, list[tuple[int, int]]] = {}
    for one in pairs:
        both = f"{names[one.first]} and {names[one.second]}: "
        if one.why:
            about = [(one.first, one.second)] if one.why.startswith(both) else []
            alike.setdefault(one.why.removeprefix(both), []).extend(about)
    return [
        f"{pairs_named(about, names)}: {why}" if about else why
        for why, about in alike.items()
    ]


def pairs_named(pairs: Sequence[tuple[int, int]], names: Sequence[str]) -> str:
    """``every pair with RR``, where all of a measure's pairs are among them."""
    every = [
        i
        for i in range(len(names))
        if sum(i in pair for pair in pairs) == len(names) - 1 > 1
    ]
    rest = [f"{names[i]} and {names[j]}" for i, j in pairs if not {i, j} & {*every}]
    whole = [f"every pair with {listed([names[i] for i in every], 'or')}"]
    said = "; ".join([*(whole if every else []), *rest])
    return said[:1].upper() + said[1:] if every else said


def apart_note(
    pairs: Sequence[MeasurePair], boards: Sequence[Leaderboard]
) -> str | None:
    """On how many queries measures rest, where some pair is correlated over fewer."""
    if not any(one.apart for one in pairs):
        return None
    resting: dict[int, list[str]] = {}
    for board in sorted(boards, key=lambda one: one.queries):
        resting.setdefault(board.queries, []).append(board.settings.measure)
    said = [
        f"{listed(names)} {'rest' if len(names) > 1 else 'rests'} on "
        f"{words.count(queries, 'query', 'queries')}"
        for queries, names in resting.items()
    ]
    if len(said) > 1 and len(names := [*resting.values()][-1]) > 1:
        said[-1] = f"the other {len(names)} on {[*resting][-1]:,}"
    rests = "; ".join(said)
    return f"Two measures are correlated over the queries that both score: {rests}."


def listed(names: Sequence[str], last: str = "and") -> str:
    """``a, b and c``."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"
