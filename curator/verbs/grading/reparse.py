"""``grade --reparse``: parse stored responses again, as a new grader."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import ClassVar

from curator.errors import NotGradableError
from curator.results import Result, column
from curator.snapshot.opened import OpenWorkspace
from curator.store import grades as store_grades
from curator.store.connection import write_transaction
from curator.store.responses import raw_by_text
from grading.ratings import NOT_ASKED, SELF_RATING, response_kind
from grading.readings import ANSWERED
from grading.responders import AS_GIVEN, GraderSpec, Reading

CURRENT_PARSERS = {"rated": SELF_RATING, "answered": ANSWERED}
SHOWN_RESPONSES = 3  # most frequent responses listed for each kind of change


def _or_unknown(rating: int | None) -> int | str:
    return "unknown" if rating is None else rating


@dataclass(frozen=True)
class RatingChange:
    """Responses of one kind with the same old and new rating.

    ``kind`` is what a response is (a digit, words for "cannot be answered", other
    words). ``before`` is None where no rating was known. ``responses`` are the most
    frequent ones, verbatim.
    """

    columns: ClassVar = "response=kind before after count such_as=responses"

    kind: str
    before: int | None = field(metadata=column(show=_or_unknown))
    after: int | None = field(metadata=column(show=_or_unknown))
    count: int
    responses: tuple[str, ...] = field(
        metadata=column(show=lambda responses: " | ".join(responses)[:60])
    )

    @property
    def changed(self) -> bool:
        return self.before != self.after


@dataclass(frozen=True)
class Reparsed(Result[RatingChange], rows="changes"):
    """Result of a reparse: the new grader's name, and the changes by size."""

    grader: str
    new_grader: str
    responses: int
    without_words: int
    changes: tuple[RatingChange, ...]

    @property
    def notes(self) -> list[str]:
        """Sentences on the numbers of responses and of changes."""
        changed = sum(change.count for change in self.changes if change.changed)
        without = f"{self.without_words:,} grades have no stored response."
        return [
            f"{self.new_grader} parsed {self.responses:,} responses of {self.grader}; "
            f"{changed:,} ratings differ.",
            *([without] if self.without_words else []),
        ]


def reparse(workspace: OpenWorkspace, name: str) -> Reparsed:
    """Parse a grader's stored responses again, as a new grader.

    No model is asked, and the old one stays as it is. Raises UnknownNameError, and
    NotGradableError where there is no response to read or the parser is the current
    one.
    """
    connection = workspace.connection
    record = workspace.current_snapshot().full.grader(name)
    spec = reparsed_spec(record.spec)
    responder_id = store_grades.responder_id_of(connection, record.grader_id)
    before = store_grades.stored_vectors(connection, record.grader_id)
    words: defaultdict[tuple[str, int | None, int | None], Counter[str]]
    words = defaultdict(Counter)
    responses = 0
    for item in {item for items in before.values() for item in items}:
        old, new = (
            store_grades.ratings_by_text(connection, responder_id, reading, item)
            for reading in (record.spec.reading, spec.reading)
        )
        responses += len(old)
        for text_id, raw in raw_by_text(connection, responder_id, item[0]).items():
            earlier, later = (
                None if rating < 0 else int(rating)
                for rating in (old.get(text_id, NOT_ASKED), new[text_id])
            )
            words[response_kind(raw), earlier, later][raw] += 1
    if not words:
        raise NotGradableError(f"{name} has no stored response to parse again.")
    with write_transaction(connection):
        grader_id, _ = store_grades.store_grader(connection, spec)
        (stored,) = connection.execute(
            "SELECT name FROM grader WHERE grader_id = ?", (grader_id,)
        ).fetchone()
        for query_id, items in before.items():
            vectors = store_grades.vectors_from_responses(
                connection, responder_id, spec.reading, query_id, items
            )
            store_grades.write_vectors(connection, grader_id, query_id, vectors)
    with_words = sum(raws.total() for raws in words.values())
    changes = tuple(
        RatingChange(
            *change, raws.total(), tuple(dict(raws.most_common(SHOWN_RESPONSES)))
        )
        for change, raws in sorted(words.items(), key=lambda entry: -entry[1].total())
    )
    return Reparsed(name, stored, with_words, max(0, responses - with_words), changes)


def reparsed_spec(spec: GraderSpec) -> GraderSpec:
    """Spec of the grader that parses the same responses with the current parser.

    Raises NotGradableError where they were parsed with it already, or there is none.
    """
    reading = spec.reading
    parser = CURRENT_PARSERS.get(reading.kind)
    if parser is None or spec.computed or spec.combined or spec.responder.engine:
        raise NotGradableError(
            f"{spec.name} cannot be reparsed. Only imported self-ratings and answers "
            "can: graders that ran here keep their parser."
        )
    if reading.parser != AS_GIVEN:
        raise NotGradableError(f"{spec.name} uses the parser {reading.parser} already.")
    return replace(
        spec,
        name=f"{spec.name}, read by {parser}",
        reading=Reading(reading.kind, reading.item_kind, parser),
    )
