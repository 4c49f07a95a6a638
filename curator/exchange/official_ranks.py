"""The official leaderboard in: a JSON object ``{system: rank}``."""

from __future__ import annotations

from pathlib import Path

from curator.exchange.incoming import Incoming, Progress
from curator.exchange.json_text import json_document
from curator.exchange.recognition import wrong_file_hint
from curator.exchange.records import described, name_of, number_of, record_of
from curator.exchange.text_lines import TextLines

EXPECTED = 'official ranks: a JSON object {"system": rank}'


def read_official_ranks(path: Path, *, progress: Progress | None = None) -> Incoming:
    """Rank by system, 1 is best; fractions and ties occur. Raises InputFileError."""
    with wrong_file_hint(path, "official"):
        incoming = Incoming(path.name, "an official leaderboard")
        lines = TextLines(path, expected=EXPECTED, progress=progress)
        ranks = record_of(lines, json_document(lines), "the file")
        if not ranks:
            raise lines.error(f"the object names no system; expected {EXPECTED}.")
        for key, value in ranks.items():
            system = name_of(lines, key, "system")
            rank = number_of(lines, value, f"rank of {described(system)}")
            if rank <= 0:
                raise lines.error(
                    f"rank of {described(system)} is {described(value)}; ranks are "
                    "positive, 1 is best."
                )
            incoming.official[system] = rank
        return incoming
