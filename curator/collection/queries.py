"""Information needs: a query and its subtopics."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Subtopic:
    """A facet of a query. ``text`` is None where only its id is known."""

    subtopic_id: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """An information need. ``title`` is None where only its id is known."""

    query_id: str
    title: str | None = None
    background: str | None = None
    subtopics: tuple[Subtopic, ...] = ()

    @property
    def name(self) -> str:
        """The title, or the id where no text is known."""
        return self.title if self.title is not None else self.query_id
