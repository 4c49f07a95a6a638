"""Citations of the papers in ``references.bib``.

The comment above an entry is its name in sources: "Clarke et al. 2008; ndeval", the
source of a measure, cites the paper named ``Clarke et al. 2008``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from curator.verbs.files.paper.typeset import Tex


class Citations:
    """Writes citations of the papers that a source names, and collects their keys."""

    def __init__(self) -> None:
        self.keys: set[str] = set()

    def __call__(self, *sources: str) -> Tex:
        keys = dict.fromkeys(
            key
            for source in sources
            for name, (key, _) in references().items()
            if name in source
        )
        self.keys.update(keys)
        return Tex(f"~\\cite{{{','.join(keys)}}}" if keys else "")

    def bibliography(self) -> str:
        """Return the BibTeX entries of all papers cited."""
        return "\n".join(
            entry for key, entry in references().values() if key in self.keys
        )


@cache
def references() -> dict[str, tuple[str, str]]:
    """Return key and BibTeX entry of each paper by its name in sources."""
    source = Path(__file__).with_suffix(".bib").read_text(encoding="utf-8")
    papers = {}
    for paper in source.split("\n\n"):
        comment, entry = paper.split("\n", 1)
        key = entry.partition("{")[2].partition(",")[0]
        papers[comment.removeprefix("% ")] = key, f"{entry.rstrip()}\n"
    return papers
