"""Languages of a workspace's texts, and graders that do not read them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from curator.collection.pools import Collection
from curator.results import Cells, Result
from curator.store.texts import sampled_texts
from grading.languages import (
    ENGLISH,
    Shares,
    can_grade_languages,
    can_read_languages,
    describe_shares,
    language_shares,
)

if TYPE_CHECKING:
    from sqlite3 import Connection

    from curator.snapshot.gradebook import GraderRecord
    from curator.snapshot.snapshot import Snapshot

ANOTHER = (
    "a chat model (`--grader chat:MODEL`) or an encoder of that language "
    "(`--grader embedding:MODEL`)"
)


@dataclass(frozen=True)
class Languages(Result[Cells], table="overview.language_table"):
    """The share of texts in each language, estimated from a sample.

    ``queries`` are those of queries with their questions.
    """

    queries: Shares
    passages: Shares

    @cached_property
    def english(self) -> bool:
        """True if the texts are English, or their languages are unknown."""
        return can_read_languages(self.queries) and can_read_languages(self.passages)

    @property
    def summary(self) -> str:
        """Return all languages in one sentence, "" without texts."""
        roles = {"Queries": self.queries, "Passages": self.passages}
        if self.queries == self.passages:
            roles = {"Texts": self.queries}
        return " ".join(
            f"{role}: {describe_shares(shares)}."
            for role, shares in roles.items()
            if shares
        )

    @property
    def note(self) -> str:
        """Return a warning of graders that read few languages, "" for English texts."""
        if self.english:
            return ""
        return (
            f"{self.summary} The graders instant, embedding and lexical read only "
            f"{ENGLISH}, FLAN-T5 also French, German and Romanian; do not trust their "
            f"grades of other texts. Grade by {ANOTHER}, or import grades."
        )


_LANGUAGES: WeakKeyDictionary[Collection, Languages] = WeakKeyDictionary()


def languages(snapshot: Snapshot) -> Languages:
    """Detect the languages of the texts, cached for the collection."""
    snapshot = snapshot.full
    if snapshot.collection not in _LANGUAGES:
        _LANGUAGES[snapshot.collection] = stored_languages(snapshot.connection)
    return _LANGUAGES[snapshot.collection]


def stored_languages(connection: Connection) -> Languages:
    return Languages(*map(language_shares, sampled_texts(connection)))


def can_read(snapshot: Snapshot, record: GraderRecord) -> bool:
    """Return False for a grader known not to read the language of the texts."""
    if record.parts:
        return all(can_read(snapshot, part) for part in record.parts)
    languages_here = languages(snapshot)
    return all(
        can_grade_languages(record.spec, shares)
        for shares in (languages_here.queries, languages_here.passages)
    )
