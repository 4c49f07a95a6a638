"""A plugin of pytest that adds a kind of mark to the registry, as a module does."""

from __future__ import annotations

from pathlib import Path

from curator.bank import marks

marks.__path__.append(str(Path(__file__).with_name("added_marks")))
