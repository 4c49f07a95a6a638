"""A dataset of the ir_datasets library in, by its name there.

Its queries, its qrels as judgments, its scored documents as a run of the dataset's
name, and the texts of those documents only that are judged or ranked: a collection has
millions of others, which are neither read nor kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

from curator.collection.queries import Query, Subtopic
from curator.collection.rankings import RankedPassage
from curator.formats.ir_library import (
    DatasetPlace,
    failures_in_one_line,
    loaded_dataset,
)
from curator.formats.parsed_import import Incoming, Progress
from curator.formats.queries import FORMAT as QUERIES
from curator.formats.ranked_lists import RankedLists
from curator.formats.text.gc_pause import collector_paused
from curator.formats.text.json_text import json_text
from curator.formats.text.notices import counted, listed
from curator.formats.text.records import (
    MAX_GRADE,
    identifier,
    number_of,
    text_of,
    whole_number,
)

TITLES = ("title", "text", "query")
BACKGROUNDS = ("description", "narrative", "background")
"""Fields of a query: its title is the first of these, its background all of those."""

_HOMES = {
    *("query_id", "request_id", "id", "title_query", "problem_statement", "subtopics"),
    *TITLES,
    *BACKGROUNDS,
}
# What a line of queries says with these names, another value must not.

BODIES = ("title", "headline", "abstract", "text", "body", "contents")
"""Fields of a document's text, for those that name no text of their own."""


def read_ir_dataset(
    name: str, *, wanted: Collection[str] = (), progress: Progress | None = None
) -> Incoming:
    """Queries, judgments, one run and the texts of a dataset.

    ``wanted`` are ids of passages that lack a text elsewhere, looked up here too. A
    query's title is its field ``title``, ``text`` or ``query``; its description,
    narrative and background are its background; other fields are extras of queries.
    ``progress`` is called with (texts read, texts to read).

    Raises UnknownNameError for a name that the library does not know, and
    InputFileError where the library or the dataset's files are not to be had.
    """
    place = DatasetPlace(name)
    dataset = loaded_dataset(name)
    incoming = Incoming(name, f"the dataset {name} of ir_datasets")
    with failures_in_one_line(place), collector_paused():
        if dataset.has_queries():
            _add_queries(place, incoming, dataset.queries_iter())
        if dataset.has_qrels():
            _add_judgments(place, incoming, dataset.qrels_iter())
        if dataset.has_scoreddocs():
            _add_run(place, incoming, dataset.scoreddocs_iter())
        own = [passage_id for _, passage_id in incoming.judgments] + [
            slot.passage_id
            for ranking in incoming.rankings
            for slot in ranking.slots
            if slot is not None
        ]
        ids = list(dict.fromkeys([*own, *sorted(wanted)]))
        if dataset.has_docs() and ids:
            _add_texts(place, incoming, dataset, ids, progress)
            if missing := len(set(own) - incoming.passages.keys()):
                incoming.notices.append(
                    f"{counted(missing, 'judged or ranked document')} without a text "
                    "in the dataset."
                )
        elif ids:
            incoming.notices.append("The dataset has no documents: no text is read.")
    if not (incoming.queries or incoming.judgments or incoming.rankings or ids):
        raise place.error(
            "has neither queries nor judgments nor a run; its documents are read once "
            "others say which of them count."
        )
    return incoming


def _fields(record: Any) -> dict[str, Any]:
    """A named tuple's values by field."""
    found: dict[str, Any] = record._asdict()
    return found


def _add_queries(
    place: DatasetPlace, incoming: Incoming, queries: Iterator[Any]
) -> None:
    beside: dict[str, None] = {}
    unread: dict[str, None] = {}
    for record in queries:
        fields = _fields(record)
        query_id = identifier(place, fields.pop("query_id", None), "query id")
        titles = [name for name in TITLES if _has_words(fields.get(name))]
        title = text_of(place, fields.pop(titles[0]), "title") if titles else None
        more = (*TITLES, *BACKGROUNDS)
        parts = [fields.pop(name) for name in more if _is_text(fields, name)]
        query = Query(
            query_id,
            title,
            "\n\n".join(part for part in parts if part.strip()) or None,
            _subtopics(place, query_id, fields),
        )
        if incoming.queries.setdefault(query_id, query) is not query:
            raise place.error(f"query '{query_id}' stands twice.")
        fields = {name: value for name, value in fields.items() if value is not None}
        kept = {
            name: value
            for name, value in fields.items()
            if _is_json(value) and name not in _HOMES
        }
        beside |= dict.fromkeys(kept)
        unread |= dict.fromkeys(fields.keys() - kept.keys())
        if kept:
            text = json_text(place, kept)
            incoming.extras["query", query_id, QUERIES] = text
    if beside:
        incoming.notices.append(
            f"Fields of queries kept beside title and background: {listed(beside)}."
        )
    if unread:
        incoming.notices.append(f"Fields of queries left out: {listed(unread)}.")


def _subtopics(
    place: DatasetPlace, query_id: str, fields: dict[str, Any]
) -> tuple[Subtopic, ...]:
    """The query's subtopics, where it has some with a number and a text."""
    values = fields.get("subtopics")
    if not isinstance(values, tuple | list) or not all(
        hasattr(one, "number") and hasattr(one, "text") for one in values
    ):
        return ()
    del fields["subtopics"]
    found = {}
    for one in values:
        subtopic_id = identifier(place, one.number, f"subtopic of query '{query_id}'")
        text = text_of(place, one.text, f"text of subtopic '{subtopic_id}'")
        found[subtopic_id] = Subtopic(subtopic_id, text or None)
    return tuple(found.values())


def _add_judgments(
    place: DatasetPlace, incoming: Incoming, qrels: Iterator[Any]
) -> None:
    lower = 0
    for record in qrels:
        query_id = identifier(place, record.query_id, "query id")
        passage_id = identifier(place, record.doc_id, "document id")
        grade = whole_number(
            place,
            record.relevance,
            f"relevance of document '{passage_id}'",
            -MAX_GRADE,
            MAX_GRADE,
        )
        known = incoming.judgments.setdefault((query_id, passage_id), grade)
        lower += known != grade
        incoming.judgments[query_id, passage_id] = max(known, grade)
    if lower:
        incoming.notices.append(
            f"{counted(lower, 'judgment')} of a document judged otherwise before, "
            "perhaps for another subtopic: the highest counts."
        )


def _add_run(place: DatasetPlace, incoming: Incoming, scored: Iterator[Any]) -> None:
    by_query: dict[str, list[tuple[float, str]]] = {}
    for record in scored:
        query_id = identifier(place, record.query_id, "query id")
        passage_id = identifier(place, record.doc_id, "document id")
        score = number_of(place, record.score, f"score of document '{passage_id}'")
        by_query.setdefault(query_id, []).append((score, passage_id))
    lists = RankedLists()
    system = incoming.source
    for query_id, ranked in by_query.items():
        # Equal scores stay in the dataset's order.
        ranked.sort(key=lambda one: -one[0])
        for rank, (score, passage_id) in enumerate(ranked, start=1):
            lists.add(system, query_id, RankedPassage(passage_id, rank, score))
    if by_query:
        incoming.rankings = lists.rankings(place)
        incoming.notices.append(f"Its scored documents are read as the run {system}.")
        incoming.notices += lists.notices(why_gaps="the dataset names none")


def _add_texts(
    place: DatasetPlace,
    incoming: Incoming,
    dataset: Any,
    ids: list[str],
    progress: Progress | None,
) -> None:
    empty = 0
    read_by: Counter[str] = Counter()
    for number, document in enumerate(dataset.docs_store().get_many_iter(ids), start=1):
        passage_id = identifier(place, document.doc_id, "document id")
        text, words = _document_text(document)
        if text.strip():
            incoming.passages[passage_id] = text
            read_by[words] += 1
        else:
            empty += 1
        if progress is not None and number % 256 == 0:
            progress(number, len(ids))
    incoming.notices += [f"{words}." for words in read_by if words]
    if empty:
        incoming.notices.append(
            f"{counted(empty, 'document')} without text, left out: "
            "a rank that names one answers nothing."
        )


def _document_text(document: Any) -> tuple[str, str]:
    """A document's text, and how it was made where there were several fields."""
    fields = _fields(document)
    texts = [name for name in BODIES if _is_text(fields, name)]
    others = [
        name
        for name, value in fields.items()
        if isinstance(value, str) and name not in ("doc_id", *texts)
    ]
    if texts == ["text"] and not others:
        return fields["text"], ""
    of = f"The text of a document with {', '.join(n for n in fields if n != 'doc_id')}"
    if hasattr(document, "default_text"):
        what = f"{of} is what ir_datasets calls its default text"
        said = " ".join((document.default_text.__doc__ or "").split())
        return document.default_text(), f"{what} ({said})" if said else what
    joined = "\n\n".join(fields[name] for name in texts if fields[name].strip())
    return joined, f"{of} is its {' and '.join(texts) or 'nothing'}"


def _has_words(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_text(fields: dict[str, Any], name: str) -> bool:
    return isinstance(fields.get(name), str)


def _is_json(value: object) -> bool:
    """Whether a value is one that a line of JSON can hold."""
    if isinstance(value, list):
        return all(map(_is_json, value))
    return value is None or isinstance(value, str | int | float | bool)
