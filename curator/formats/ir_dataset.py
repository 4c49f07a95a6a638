"""A dataset of the ir_datasets library in, by its name there.

Its queries, its qrels as judgments, its scored documents as a run of the dataset's
name, and the texts of those documents only that are judged or ranked: a collection has
millions of others, which are neither read nor kept.
"""

from __future__ import annotations

import difflib
import logging
import tarfile
import zlib
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from curator.collection.pools import Query, Subtopic
from curator.collection.rankings import RankedPassage
from curator.errors import InputFileError, UnknownNameError
from curator.formats import limits
from curator.formats.parsed_import import ParsedImport, Progress
from curator.formats.queries import FORMAT as QUERIES
from curator.formats.text.json_text import json_text
from curator.formats.text.lines import collector_paused
from curator.formats.text.notices import counted, listed
from curator.formats.text.records import (
    MAX_GRADE,
    described,
    identifier,
    number_of,
    on_one_line,
    text_of,
    whole_number,
)
from curator.formats.trec.runs import RankedLists

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
) -> ParsedImport:
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
    parsed = ParsedImport(name, f"the dataset {name} of ir_datasets")
    with failures_in_one_line(place), collector_paused():
        if dataset.has_queries():
            _add_queries(place, parsed, dataset.queries_iter())
        if dataset.has_qrels():
            _add_judgments(place, parsed, dataset.qrels_iter())
        if dataset.has_scoreddocs():
            _add_run(place, parsed, dataset.scoreddocs_iter())
        collected = [passage_id for _, passage_id in parsed.judgments]
        for ranking in parsed.rankings:
            collected += [slot.passage_id for slot in ranking.slots if slot is not None]
        ids = list(dict.fromkeys([*collected, *sorted(wanted)]))
        if dataset.has_docs() and ids:
            _add_texts(place, parsed, dataset, ids, progress)
            if missing := len(set(collected) - parsed.passages.keys()):
                parsed.notices.append(
                    f"{counted(missing, 'judged or ranked document')} without a text "
                    "in the dataset."
                )
        elif ids:
            parsed.notices.append("The dataset has no documents, so no text is read.")
    if not (parsed.queries or parsed.judgments or parsed.rankings or ids):
        raise place.error(
            "has no queries, judgments or run; first import others that say which of "
            "its documents count."
        )
    return parsed


def _add_queries(
    place: DatasetPlace, parsed: ParsedImport, queries: Iterator[Any]
) -> None:
    unread = set[str]()
    for record in queries:
        fields: dict[str, Any] = record._asdict()
        query_id = identifier(place, fields.pop("query_id", None), "query id")
        titles = [name for name in TITLES if _text(fields, name)]
        title = fields.pop(titles[0]) if titles else None
        parts = [_text(fields, name) for name in (*TITLES, *BACKGROUNDS)]
        background = "\n\n".join(filter(None, parts)) or None
        subtopics = _subtopics(place, query_id, fields)
        query = Query(query_id, title, background, subtopics)
        if parsed.queries.setdefault(query_id, query) is not query:
            raise place.error(f"query '{query_id}' occurs twice.")
        others = {
            name: value
            for name, value in fields.items()
            if value is not None and not (name in _HOMES and _text(fields, name))
        }
        kept = {
            name: value
            for name, value in others.items()
            if _is_json(value) and name not in _HOMES
        }
        unread |= others.keys() - kept.keys()
        if kept:
            parsed.extras["query", query_id, QUERIES] = json_text(place, kept)
    if unread:
        parsed.notices.append(f"Fields of queries left out: {listed(unread)}.")


def _subtopics(
    place: DatasetPlace, query_id: str, fields: dict[str, Any]
) -> tuple[Subtopic, ...]:
    """The query's subtopics, where it has some with a number and a text."""
    values = fields.get("subtopics")
    if not isinstance(values, tuple | list) or not all(
        hasattr(value, "number") and hasattr(value, "text") for value in values
    ):
        return ()
    del fields["subtopics"]
    subtopics = {}
    for value in values:
        subtopic_id = identifier(place, value.number, f"subtopic of '{query_id}'")
        text = text_of(place, value.text, f"text of subtopic '{subtopic_id}'")
        subtopics[subtopic_id] = Subtopic(subtopic_id, text or None)
    return tuple(subtopics.values())


def _add_judgments(
    place: DatasetPlace, parsed: ParsedImport, qrels: Iterator[Any]
) -> None:
    lower = 0
    for record in qrels:
        query_id = identifier(place, record.query_id, "query id")
        passage_id = identifier(place, record.doc_id, "document id")
        what = f"relevance of document '{passage_id}'"
        grade = whole_number(place, record.relevance, what, -MAX_GRADE, MAX_GRADE)
        stored = parsed.judgments.setdefault((query_id, passage_id), grade)
        lower += stored != grade
        parsed.judgments[query_id, passage_id] = max(stored, grade)
    if lower:
        parsed.notices.append(
            f"{counted(lower, 'judgment')} with another grade for the same document, "
            "perhaps of another subtopic: the highest counts."
        )


def _add_run(place: DatasetPlace, parsed: ParsedImport, scored: Iterator[Any]) -> None:
    by_query: dict[str, list[tuple[float, str]]] = {}
    for record in scored:
        query_id = identifier(place, record.query_id, "query id")
        passage_id = identifier(place, record.doc_id, "document id")
        score = number_of(place, record.score, f"score of document '{passage_id}'")
        by_query.setdefault(query_id, []).append((score, passage_id))
    lists = RankedLists()
    system = parsed.source
    for query_id, ranked in by_query.items():
        # Equal scores stay in the dataset's order.
        ranked.sort(key=lambda item: -item[0])
        for rank, (score, passage_id) in enumerate(ranked, start=1):
            lists.add(system, query_id, RankedPassage(passage_id, rank, score))
    if by_query:
        parsed.rankings = lists.rankings(place)
        parsed.notices.append(f"Its scored documents are read as the run {system}.")
        parsed.notices += lists.notices(why_gaps="the dataset names none")


def _add_texts(
    place: DatasetPlace,
    parsed: ParsedImport,
    dataset: Any,
    ids: list[str],
    progress: Progress | None,
) -> None:
    empty = 0
    read_by: Counter[str] = Counter()
    for number, document in enumerate(dataset.docs_store().get_many_iter(ids), start=1):
        passage_id = identifier(place, document.doc_id, "document id")
        text, words = _document_text(document)
        if len(text) > limits.current().text:
            message = limits.beyond(
                "text", "is longer than {} characters; leave it out"
            )
            raise place.error(f"document '{passage_id}' {message}")
        if text.strip():
            parsed.passages[passage_id] = text
            read_by[words] += 1
        else:
            empty += 1
        if progress is not None and number % 256 == 0:
            progress(number, len(ids))
    parsed.notices += [f"{words}." for words in read_by if words]
    if empty:
        parsed.notices.append(
            f"{counted(empty, 'document')} without text, left out: "
            "their ranks count as answering nothing."
        )


def _document_text(document: Any) -> tuple[str, str]:
    """A document's text, and how it was made where there were several fields."""
    fields = document._asdict()
    texts = [name for name in BODIES if _text(fields, name)]
    others = [name for name in fields if _text(fields, name) and name != "doc_id"]
    if others in ([], ["text"]):
        return _text(fields, "text"), ""
    of = f"The text of a document with {', '.join(n for n in fields if n != 'doc_id')}"
    if hasattr(document, "default_text"):
        what = f"{of} is what ir_datasets calls its default text"
        doc = " ".join((document.default_text.__doc__ or "").split())
        return document.default_text(), f"{what} ({doc})" if doc else what
    joined = "\n\n".join(fields[name] for name in texts)
    return joined, f"{of} is its {' and '.join(texts) or 'nothing'}"


def _text(fields: dict[str, Any], name: str) -> str:
    """The field's text, "" for anything else and for white space."""
    value = fields.get(name)
    return value if isinstance(value, str) and value.strip() else ""


def _is_json(value: object) -> bool:
    if isinstance(value, list):
        return all(map(_is_json, value))
    return value is None or isinstance(value, str | int | float | bool)


_INSTALL = "pip install exam-curator[ir-datasets]"

# What reading somebody's files over somebody's network ends in. Among OSError are the
# errors of connections, and the library itself raises RuntimeError.
_FAILURES = (
    *(ImportError, OSError, RuntimeError, ValueError, LookupError, EOFError),
    *(tarfile.TarError, zlib.error, SyntaxError),
)


class DatasetPlace:
    """A dataset as a place of an error."""

    def __init__(self, name: str) -> None:
        self._name = name

    def error(self, message: str) -> InputFileError:
        return InputFileError(on_one_line(f"ir_datasets '{self._name}': {message}"))


def loaded_dataset(name: str) -> Any:
    """The dataset, nothing of it read."""
    place = DatasetPlace(name)
    try:
        library = import_module("ir_datasets")
    except ImportError:
        raise place.error(f"reading it needs the library: {_INSTALL}.") from None
    try:
        return library.load(name)
    except KeyError:
        near = difflib.get_close_matches(name, list(library.registry), n=3, cutoff=0.6)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise UnknownNameError(
            on_one_line(
                f"ir_datasets has no dataset {described(name)}.{hint} Its names are "
                "listed at ir-datasets.com."
            )
        ) from None


@contextmanager
def failures_in_one_line(place: DatasetPlace) -> Iterator[None]:
    """Raise errors of the library as one InputFileError."""
    log = logging.getLogger("ir_datasets")
    log.addFilter(_is_no_retry)
    try:
        yield
    except _FAILURES as error:
        why = str(error).partition("\n")[0] or type(error).__name__
        is_of_network = isinstance(error, ConnectionError | TimeoutError)
        is_of_network |= type(error).__module__.startswith("requests")
        if is_of_network or "download" in why:
            why = "its files are not on this machine and could not be downloaded"
        elif isinstance(error, FileNotFoundError):
            why = f"there is no file {error.filename or why}"
        raise place.error(
            f"cannot be read: {why}. Try again with a network, or put its files where "
            "ir_datasets looks for them (IR_DATASETS_HOME)."
        ) from error
    finally:
        log.removeFilter(_is_no_retry)


def _is_no_retry(record: logging.LogRecord) -> bool:
    return "ownload" not in record.getMessage() or "agree" in record.getMessage()
