"""What a passage looks like wherever it is read: its marks, and the way to the next."""

from __future__ import annotations

from collections.abc import Iterable

from curator.ui.passages.passage_rows import Piece
from curator.ui.shared import html


def pieces_html(pieces: Iterable[Piece]) -> str:
    """The text, each stretch that answers marked with the questions it answers.

    What people marked as an ideal answer is underlined.
    """
    return "".join(map(_piece_html, pieces))


def _piece_html(piece: Piece) -> str:
    shown = html.text(piece.text)
    if piece.ideal:
        shown = f'<span class="p-ideal">{shown}</span>'
    if not piece.answers:
        return shown
    numbers = ",".join(map(str, piece.answers))
    return f"<mark>{shown}</mark>" + ("" if piece.goes_on else f"<sup>{numbers}</sup>")


def steps_html(before: str | None, after: str | None, *, css: str = "") -> str:
    """Buttons to the passages before and after; disabled where there is none."""
    return _step_html("[", "Previous passage", before, css) + _step_html(
        "]", "Next passage", after, css
    )


def _step_html(key: str, label: str, passage_id: str | None, css: str) -> str:
    pick = "" if passage_id is None else html.text(f"passage:{passage_id}")
    named = f' class="{css}"' if css else ""
    return (
        f'<button type="button"{named} data-key="{key}" data-pick="{pick}" '
        f'aria-label="{label}" title="{label} ({key})"'
        f"{'' if pick else ' disabled'}>{key}</button>"
    )
