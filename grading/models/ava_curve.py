"""How a training went, as it goes: ``curve.jsonl`` in the model's folder.

One point a line; a line that is still being written does not count. Loads no torch.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from grading.ava.card import NOT_UNDERSTOOD, Point, has_card, point_of, read_card
from grading.ava.folders import reading, writing
from grading.errors import InvalidSpecError

CURVE = "curve.jsonl"


def read_curve(folder: Path) -> tuple[Point, ...]:
    """The points so far, or the card's once the training has ended; () before any.

    Raises InvalidSpecError for a curve that is not understood, MissingModelError for
    one that cannot be read.
    """
    if has_card(folder):
        return read_card(folder).curve
    file = folder / CURVE
    with reading(folder):
        written = file.read_bytes() if file.is_file() else b""
    whole = [line for line in written.splitlines(keepends=True) if line[-1:] == b"\n"]
    try:
        return tuple(point_of(json.loads(line)) for line in whole)
    except NOT_UNDERSTOOD as error:
        raise InvalidSpecError(
            f"'{file}' is not a curve that this program writes ({error}); delete the "
            "folder and train again"
        ) from error


def start_curve(folder: Path, points: Iterable[Point]) -> None:
    """Write these points and no others, whole or not at all."""
    part = folder / f"{CURVE}.part"
    with writing(folder):
        part.write_text("".join(map(_line, points)))
        part.replace(folder / CURVE)


def append_point(folder: Path, point: Point) -> None:
    """Write one more point at the end."""
    with writing(folder), (folder / CURVE).open("a") as file:
        file.write(_line(point))


def _line(point: Point) -> str:
    return json.dumps(asdict(point)) + "\n"
