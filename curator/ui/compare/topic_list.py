"""The System page in HTML: every system at the left, one system's topics."""

from __future__ import annotations

from collections.abc import Iterable

from curator.evaluation.leaderboard import Standing
from curator.ui.compare.topic_rows import TopicRow
from curator.ui.shared import html


def system_list_html(standings: Iterable[Standing], opened: str | None) -> str:
    """Every system in order of the board; the one opened is marked."""
    rows = "".join(
        html.pick(
            "system",
            one.system,
            current=one.system == opened,
            css="s-system",
            inner=f"<i>{one.rank}</i><span>{html.text(one.system)}</span>",
        )
        for one in standings
    )
    return f'<nav class="s-systems" aria-label="Systems">{rows}</nav>'


def topics_html(rows: Iterable[TopicRow], measure: str, high: str) -> str:
    """A row per query: from the lowest score to the highest, the median, the mark."""
    body = "".join(map(topic_html, rows))
    axis = f'<span class="s-axis"><span>0</span><span>{high}</span></span>'
    return (
        '<table class="s-topics"><caption><b>Queries</b> the furthest below the median '
        "first; the bar is from the lowest to the highest system, its tick the median, "
        "the dot this system</caption><thead><tr>"
        f'<th scope="col">Query</th><th scope="col">{axis}</th>'
        f'<th scope="col">{html.text(measure)}</th><th scope="col">Rank</th>'
        '<th scope="col">To median</th><th scope="col">Ranking</th></tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


def topic_html(row: TopicRow) -> str:
    """One query; its name opens it in Curate, the last cell what was retrieved."""
    width = max(row.high - row.low, 0.5)
    tone = row.change.tone
    return (
        f'<tr><th scope="row">{html.opened("curate", row.query_id, row.name)}</th>'
        f'<td><span class="s-bar" role="img" aria-label="{html.text(row.title)}" '
        f'title="{html.text(row.title)}">'
        f'<i style="left:{row.low}%;width:{width:.1f}%"></i>'
        f'<u style="left:{row.middle}%"></u>'
        f'<b class="c-{tone}" style="left:{row.at}%"></b></span></td>'
        f"<td>{row.score}</td><td>{row.rank}</td>"
        f'<td class="c-{tone}">{row.change.text}</td>'
        f"<td>{html.opened('ranking', row.query_id, 'passages')}</td></tr>"
    )
