"""``setup``: what the organizer decides for everyone who judges."""

from __future__ import annotations

import secrets
import sqlite3
from dataclasses import dataclass

from curator.bank.edits import without_controls
from curator.errors import EditError, SettingError
from curator.store import settings as store_settings
from curator.store.connection import exclusive
from curator.store.settings import Key

MAX_GUIDELINES = 20_000  # characters, some eight printed pages
MAX_TITLE = 200  # characters
SALT_BYTES = 16


@dataclass(frozen=True)
class Setup:
    """What is set; ``guidelines`` and ``min_relevance`` None where nothing is."""

    title: str
    guidelines: str | None
    blind: bool
    min_relevance: int | None


def set_up(
    connection: sqlite3.Connection,
    *,
    title: str | None = None,
    guidelines: str | None = None,
    blind: bool | None = None,
    min_relevance: int | None = None,
) -> Setup:
    """Set those that are given, all or none, and say what is then set.

    Blind mode switched on gets a new secret from which system names are masked, so
    masks stay the same while it is on and tell nothing of those before. Raises
    SettingError for a title or guidelines that are too long or not Unicode.
    """
    new: dict[Key, str] = {}
    if title is not None:
        new["title"] = " ".join(_cleaned("title", title, MAX_TITLE).split())
    if guidelines is not None:
        new["guidelines"] = _cleaned("guidelines", guidelines, MAX_GUIDELINES)
    if blind is not None:
        new["blind"] = secrets.token_hex(SALT_BYTES) if blind else ""
    if min_relevance is not None:
        new["min_relevance"] = str(min_relevance)
    if new:
        with exclusive(connection):
            if blind and (
                salt := store_settings.read_settings(connection).get("blind")
            ):
                new["blind"] = salt  # judges know the systems by its masks
            for key, value in new.items():
                store_settings.write_setting(connection, key, value)
    return setup(connection)


def setup(connection: sqlite3.Connection) -> Setup:
    """What is set."""
    found = store_settings.read_settings(connection)
    min_relevance = found.get("min_relevance")
    return Setup(
        title=found.get("title", ""),
        guidelines=found.get("guidelines"),
        blind="blind" in found,
        min_relevance=None if min_relevance is None else int(min_relevance),
    )


def _cleaned(what: str, text: str, longest: int) -> str:
    try:
        text = without_controls(text)
    except EditError as error:
        raise SettingError(f"The {what} cannot be kept: {error}") from None
    if len(text) > longest:
        raise SettingError(
            f"The {what} can have {longest:,} characters; these are {len(text):,}."
        )
    return text
