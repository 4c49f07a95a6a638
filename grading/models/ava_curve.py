"""How a training went, as it goes: ``curve.jsonl`` in the model's folder.

One point a line; a line that is still being written does not count. Loads no torch.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from grading.ava.card import CARD, Point, read_card

CURVE = "curve.jsonl"


def read_curve(folder: Path) -> tuple[Point, ...]:
    """The points so far, or the card's once the training has ended; () before any."""
    if (folder / CARD).is_file():
        return read_card(folder).curve
    try:
        text = (folder / CURVE).read_text()
    except FileNotFoundError:
        return ()
    whole = text.splitlines(keepends=True)
    return tuple(Point(**json.loads(line)) for line in whole if line.endswith("\n"))


def start_curve(folder: Path, points: Iterable[Point]) -> None:
    """Write these points and no others, whole or not at all."""
    part = folder / f"{CURVE}.part"
    part.write_text("".join(map(_line, points)))
    part.replace(folder / CURVE)


def append_point(folder: Path, point: Point) -> None:
    """Write one more point at the end."""
    with (folder / CURVE).open("a") as file:
        file.write(_line(point))


def _line(point: Point) -> str:
    return json.dumps(asdict(point)) + "\n"
