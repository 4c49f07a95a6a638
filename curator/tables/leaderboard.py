"""Boards, scores by query, and how alike boards are to references and judgments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from curator.evaluation.leaderboard import BoardRow
from curator.evaluation.measures import title
from curator.evaluation.measures.n_exam import STAR, STAR_MEANS
from curator.evaluation.settings import OFFICIAL
from curator.formats.text.notices import counted, counted_as_not_answered
from curator.results import PAGE, to_json
from curator.tables.forms import Cell, bounds, decimals, percent, score
from curator.tables.settings import (
    settings_words,
)
from curator.tables.table import Column, Table, columns_of, record

if TYPE_CHECKING:
    from curator.evaluation.leaderboard import Leaderboard
    from curator.verbs.checks.trust import Trust
    from curator.verbs.leaderboard.drawn_board import DrawnBoard, DrawnStanding
    from curator.verbs.leaderboard.leaderboard import ScoreTable


RankRanges = Mapping[str, tuple[int, int]]

TRUST = ("state", "sentence", "expected_tau", "low", "high", "checks", "key")
LEFT_OPEN = ("lower", "upper", "rank_low", "rank_high", "corrected")


def leaderboard_table(
    board: Leaderboard,
    official: Mapping[str, float] | None = None,
    tiers: Mapping[str, int] | None = None,
    drawn: DrawnBoard | None = None,
    ranges: RankRanges = MappingProxyType({}),
    trust: Trust | None = None,
) -> Table:
    """The board; on pages with official ranks, and a rule between tiers.

    ``drawn`` is what checks leave open of it, ``ranges`` are the ranks that tests leave
    open.
    """
    tiers, official = tiers or {}, official or {}
    left_open = {} if drawn is None else drawn.by_system()
    exam = board.gold_exam
    # Every field is a column; those that pages draw come first.
    fields = {column.name: column for column in columns_of(BoardRow)}
    if board.settings.grader == OFFICIAL:
        del fields["known_at_k"]
    if not any(row.star for row in board.standings):
        del fields["star"]
    bounds_columns = [fields.pop("lower"), fields.pop("upper")]
    for name in ("system", "rank", "score"):
        del fields[name]
    ranks, placed = rank_cells(board), _ranks_on_page(board, ranges)
    layout = [*_first_columns(board, ranks, placed), fields.pop("stderr")]
    if left_open:
        layout += _drawn_columns(left_open)
    if exam is not None:
        exam_of = Column("exam", lambda row: row.score * exam, "exam", "EXAM")
        layout.append(replace(exam_of, digits=4))
    if not board.complete and not left_open:
        layout += bounds_columns
        if has_bounds(board):
            layout.append(replace(BOUNDS, only=PAGE))
    layout += fields.values()
    if official:
        current = ranks if board.complete else placed

        def move(row: BoardRow) -> Markup:
            return _official_move(current.get(row.system), official.get(row.system))

        layout.append(Column("official", page=move, only=PAGE))
    notes = [*board.notes, *open_ranks([board])]
    notes += [f"{STAR_MEANS}."] if "star" in fields else []
    notes += drawn.notes if drawn else []
    notes += [trust.sentence] if trust else []
    sums = []
    if exam is not None and not left_open:
        sums = [BoardRow("gold articles", 0, 1.0, None, 1.0, 1.0, 1.0)]
    return Table(
        layout,
        board.standings,
        rests_on(board),
        notes,
        board_json(board, drawn, trust),
        part=lambda row: tiers.get(row.system),
        sums=sums,
    )


def report_table(
    boards: Sequence[Leaderboard],
    official: Mapping[str, float],
    tiers: Mapping[str, int],
) -> Table:
    """Rank and score under every measure, with tiers and official ranks."""
    first, *others = boards
    layout = [
        _rank_under(first),
        Column("system", lambda row: f"{row.system} {STAR * row.star}".strip()),
        _score_under(first),
    ]
    if not first.complete:
        layout.append(BOUNDS)
    if tiers:
        layout.append(Column("tier", lambda row: tiers.get(row.system)))
    for board in others:
        layout += [_score_under(board), _rank_under(board)]
    if official:
        layout.append(
            Column("official", lambda row: official_rank(official.get(row.system)))
        )
    return Table(layout, first.standings)


BOUNDS = Column("bounds", lambda row: bounds(row.lower, row.upper, row.score))


def _score_under(board: Leaderboard) -> Column:
    by_system = {row.system: row for row in board.standings}
    name = title(board.settings.measure)

    def scored(row: BoardRow) -> str:
        other = by_system.get(row.system)
        return f"{decimals(other.score)} ± {decimals(other.stderr)}" if other else ""

    return Column(name, scored, title=isolated(name))


def _rank_under(board: Leaderboard) -> Column:
    ranks, name = rank_cells(board), title(board.settings.measure)
    help_text = f"rank under {name}"
    return Column("rank", lambda row: ranks.get(row.system), help=help_text)


def board_json(
    board: Leaderboard, drawn: DrawnBoard | None = None, trust: Trust | None = None
) -> dict[str, Any]:
    """Return the board; ranks that missing grades leave open are None, with ranges."""
    exam = board.gold_exam
    systems = to_json(board.standings)
    ranges = {} if board.complete else ranks_json(board)
    left_open = {} if drawn is None else drawn.by_system()
    for line in systems:
        if exam is not None:
            line["exam"] = line["score"] * exam
        line |= ranges.get(line["system"], {})
        if left_open:
            line |= record(left_open[line["system"]], *LEFT_OPEN)
    return {
        "settings": board.settings.to_json(),
        "queries": board.queries,
        "grades": record(board, "needed", "known"),
        "overall": board.overall,
        **({} if exam is None else {"gold_exam": exam}),
        "systems": systems,
        "notes": board.notes,
        **({} if drawn is None else {"drawn": record(drawn, "checks", "sentence")}),
        **({} if trust is None else {"trust": record(trust, *TRUST)}),
    }


def _ranks_on_page(board: Leaderboard, ranges: RankRanges) -> dict[str, int | str]:
    """The ranks that tests and missing grades leave open, by system."""
    placed = rank_cells(board)
    for system, (best, worst) in (board.rank_ranges() or {}).items() if ranges else ():
        low, high = ranges[system]
        placed[system] = rank_cell(best, (min(best, low), max(worst, high)))
    return placed


def _first_columns(
    board: Leaderboard, ranks: Mapping[str, Cell], placed: Mapping[str, Cell]
) -> list[Column]:
    measure = board.settings.measure
    return [
        Column(
            *("rank", lambda row: ranks.get(row.system)),
            page=lambda row: str(placed.get(row.system, "")),
        ),
        Column("system", link="system"),
        Column(
            *("interval", lambda row: row.score),
            page=_bar_of(board),
            help="bounds of the score" if has_bounds(board) else "± standard error",
            only=PAGE,
        ),
        Column(
            *(measure, "score", ""),
            title=isolated(title(measure)),
            page=_starred_score,
        ),
    ]


def _official_move(rank: Cell, official: float | None) -> Markup:
    """The official rank, and how many places higher or lower the system is here.

    No places for a rank that is a range.
    """
    cell = Markup("<span>{}</span>").format(official_rank(official))
    places = 0.0
    if official is not None and isinstance(rank, int) and rank:
        places = official - rank
    if not places:
        return cell
    way, tone = ("higher", "up") if places > 0 else ("lower", "down")
    move = '{} <span class="c-{}" title="{:g} {} here"><i></i>{:g}</span>'
    return Markup(move).format(cell, tone, abs(places), way, abs(places))


def _bar_of(board: Leaderboard) -> Callable[[BoardRow], Markup]:
    """Return the function that draws a row's score with its error or its bounds."""
    low, high = axis(board.standings)
    bar = Markup(
        '<span class="c-mark" title="{}"><i style="left:{}%;width:{}%"></i>'
        '<b style="left:{}%"></b></span>'
    )
    share = f"known@{board.settings.k}"

    def draw(row: BoardRow) -> Markup:
        place = mark(row, low, high, bounded=has_bounds(board))
        if place is None:
            return Markup()
        words = f"± {score(row.stderr)} · {share} {percent(row.known_at_k)}"
        return bar.format(words, *place)

    return draw


def has_bounds(board: Leaderboard) -> bool:
    """Return True if grades are missing and the measure has bounds without them."""
    return not board.complete and board.rank_ranges() is not None


def _drawn_columns(drawn: Mapping[str, DrawnStanding]) -> list[Column]:
    """Return the intervals of score and rank that follow from checks."""

    def of(name: str) -> Callable[[BoardRow], Cell]:
        return lambda row: getattr(drawn[row.system], name)

    return [Column(name, of(name), title=name.replace("_", " ")) for name in LEFT_OPEN]


def isolated(name: str) -> Markup:
    """A name that does not turn the direction of the words around it."""
    return Markup('<bdi dir="auto">{}</bdi>').format(name)


def _starred_score(row: BoardRow) -> Markup:
    star = Markup('<i class="c-star">{}</i>').format(STAR) if row.star else ""
    return Markup("{}{}").format(star, score(row.score, 4))


def rank_cell(rank: int, within: tuple[int, int] | None) -> int | str:
    """Format a rank: 12, ``11–12`` for a range, ``≈ 12`` if it is uncertain."""
    if within is None:
        return f"≈ {rank}"
    best, worst = within
    return best if best == worst else f"{best}–{worst}"


def rank_cells(board: Leaderboard) -> dict[str, int | str]:
    """Each system's rank in words, as far as missing grades let it be known."""
    ranges = board.rank_ranges() or {}
    return {
        system: rank_cell(rank, ranges.get(system))
        for system, rank in board.ranks().items()
    }


def ranks_json(board: Leaderboard) -> dict[str, dict[str, object]]:
    """Rank of each system, None where it is open, its range, and the score's bounds."""
    ranges = board.rank_ranges() or {}
    return {
        row.system: {
            "rank": row.rank if within == (row.rank, row.rank) else None,
            "rank_range": within,
            **record(row, "lower", "upper"),
        }
        for row in board.standings
        for within in [ranges.get(row.system)]
    }


def open_ranks(boards: Iterable[Leaderboard]) -> list[str]:
    """A sentence where grades are missing on boards that have bounds."""
    return list(
        dict.fromkeys(
            f"{counted_as_not_answered(row.needed - row.known)}, and a rank is known "
            "only as a range."
            for row in boards
            if not row.complete and row.rank_ranges()
        )
    )


def official_rank(rank: float | None) -> str:
    """A whole rank without its fraction; a dash for none."""
    return "–" if rank is None else f"{rank:g}"


def rests_on(board: Leaderboard) -> str:
    """Describe the settings, queries and grades of a board."""
    if board.settings.grader == OFFICIAL:
        return board.settings.measure
    words = f"{settings_words(board.settings)} · {topics_words(board)}"
    if not board.standings:
        return words
    if not board.needed:
        return f"{words} · no grades needed"
    return f"{words} · {board.known:,} of {board.needed:,} grades"


def topics_words(board: Leaderboard) -> str:
    if board.settings.by == "subtopic":
        return counted(board.queries, "subtopic")
    return counted(board.queries, "query", "queries")


def score_table(table: ScoreTable) -> Table:
    """Measure, query and score by system, and the mean as query ``all``."""
    measure = table.settings.measure
    by_system = defaultdict(list)
    rows: list[list[Cell]] = []
    means: list[list[Cell]] = []
    records = []
    ends = ["lower", "upper"] if table.missing else []
    for (system, topic), its in table.scores.items():
        by_system[system].append(its)
        bounds = table.bounds[system, topic] if ends else ()
        rows.append([system, measure, topic, its, *bounds])
        line = {"system": system, "topic": topic, "score": its}
        records.append(line | dict(zip(ends, bounds, strict=True)))
    for system, values in by_system.items():
        mean = sum(values) / len(values)
        means.append([system, measure, "all", mean, *(None for _ in ends)])
    value = {"settings": table.settings.to_json(), "scores": records}
    headings = ["system", "measure", "topic", "score", *ends]
    notes = [f"{counted_as_not_answered(table.missing)}."] if table.missing else []
    words = settings_words(table.settings)
    return Table.of(headings, rows, words, notes, value, sums=means)


def error_bar(row: BoardRow) -> tuple[float, float]:
    error = row.stderr or 0.0
    return row.score - error, row.score + error


def axis(standings: Sequence[BoardRow]) -> tuple[float, float]:
    """Return the lowest and highest end of the error bars, without far outliers."""
    lows, highs = [], []
    for row in standings:
        low, high = error_bar(row)
        if row.lower is not None and row.upper is not None:
            low, high = min(low, row.lower), max(high, row.upper)
        lows.append(low)
        highs.append(high)
    if not lows:
        return 0.0, 1.0
    quarter = len(lows) // 4
    least, most = sorted(lows)[quarter], sorted(highs)[-1 - quarter]
    fence = 1.5 * (most - least)
    return (
        min(low for low in lows if low >= least - fence),
        max(high for high in highs if high <= most + fence),
    )


def mark(
    row: BoardRow, low: float, high: float, *, bounded: bool
) -> tuple[float, float, float] | None:
    """Return the left end and width of a system's bar, and its dot, in percent.

    None where the axis or the bounds are unknown.
    """
    lower, upper = (row.lower, row.upper) if bounded else error_bar(row)
    if high <= low or lower is None or upper is None:
        return None
    start, end, dot = (
        round(100 * min(max((value - low) / (high - low), 0.0), 1.0), 1)
        for value in (lower, upper, row.score)
    )
    return start, max(end - start, 1.0), dot
