"""Whether a workspace is what it says: all derived is derived again and compared.

Besides, what STRICT and CHECKs leave open and this program relies on, looked at row by
row. Only what came out of this program is in a workspace otherwise; a bundle may have
been written by anybody, and what it holds is read like this before it is kept.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from curator.bank.edits.changes import is_count
from curator.bank.edits.kinds import are_choices, are_texts, is_event
from curator.formats.text.records import NOT_IN_IDS, NOT_IN_NAMES, described
from curator.results import Result
from curator.store import bank as store_bank
from curator.store import grades as store_grades
from curator.store import texts as store_texts
from curator.store.connection import column, read_once, snapshot
from curator.store.damage import (
    HARM,
    LONG,
    OF_ROWS,
    different_rows,
    different_texts,
    file_problems,
    name_of_item,
)
from curator.store.grades import ItemKey, Vector
from curator.store.texts import answers_from, cached_item_key, item_of
from grading.items import Item
from grading.keys import answer_key_key, item_key
from grading.ratings import NOT_ASKED, ratings_of
from grading.registry import computing
from grading.responders import MEAN, GraderSpec
from grading.scales import SCALES, scale_from

Connection = sqlite3.Connection


@dataclass(frozen=True)
class LineDiffers:
    """A line as the file has it and as it is computed here; None where one has none.

    ``line`` is the number of the line there, None for one that is only here.
    """

    line: int | None
    there: str | None
    here: str | None


@dataclass(frozen=True)
class FileCheck:
    """One file compared: its numbers, how many lines differ, and the first of these.

    ``problem`` says why it could not be compared at all, "" where it could.
    """

    path: str
    numbers: int
    differing: int = 0
    lines: tuple[LineDiffers, ...] = ()
    problem: str = ""

    @property
    def equal(self) -> bool:
        """Whether every line is computed here as it stands there."""
        return not (self.differing or self.problem)


@dataclass(frozen=True)
class Verification(Result[str], table="files.verification_table"):
    """How much was checked, and one sentence for everything that is not as it was.

    ``files`` are exported files whose numbers were computed again, ``notes`` sentences
    on what is no problem. ``torn``: the file does not hold together, so that no number
    can be computed from it.
    """

    texts: int
    items: int
    vectors: int
    problems: tuple[str, ...]
    files: tuple[FileCheck, ...] = ()
    notes: tuple[str, ...] = ()
    torn: bool = False


def verify_file(connection: sqlite3.Connection) -> Verification:
    """Hold every row against its digest and every text, item and key against its key.

    Rebuild every rating vector: from responses by each grader's reading, those of
    embedding graders from the stored vectors.
    """
    with read_once(connection), snapshot(connection):
        problems = file_problems(connection)
        if any(problem.startswith("SQLite") for problem in problems):
            # The rest cannot be read.
            return Verification(0, 0, 0, tuple(problems), torn=True)
        wrong = [*problems, *different_rows(connection), *different_texts(connection)]
        (texts,) = connection.execute("SELECT count(*) FROM text").fetchone()
        items = vectors = 0
        with unless(wrong):
            _check_keys(connection, wrong)
            items = _check_items(connection, wrong)
            vectors = _check_vectors(connection, wrong)
    return Verification(texts, items, vectors, tuple(wrong), torn=bool(problems))


@contextmanager
def unless(wrong: Collection[str]) -> Iterator[None]:
    """A block that need not come to its end where something is known to be wrong."""
    try:
        yield
    except (*HARM, *OF_ROWS):
        if not wrong:
            raise


def _check_keys(connection: Connection, wrong: list[str]) -> None:
    wrong += (
        f"the answer key {described(answers)} is not the one that was stored"
        for stored, answers in connection.execute(
            "SELECT sha256, answers FROM answer_key WHERE key_id > 0"
        )
        if answer_key_key(answers_from(answers)) != stored
    )


def _check_items(connection: Connection, wrong: list[str]) -> int:
    number = 0
    for item_id, stored, kind, text, choices, *more in connection.execute(
        "SELECT item_id, item.sha256, kind, body, choices, candidate, public_id "
        "FROM item LEFT JOIN text USING (text_id)"
    ):
        number += 1
        pairs = tuple((letter, choice) for letter, choice in json.loads(choices))
        if item_key(Item(kind, text, pairs, *more)) != stored:
            name = name_of_item(connection, item_id)
            wrong.append(f"{name} is not the {kind} that was stored")
    return number


def _check_vectors(connection: Connection, wrong: list[str]) -> int:
    count = 0
    for grader_id, spec in store_grades.read_graders(connection).items():
        stored: defaultdict[str, dict[ItemKey, Vector]] = defaultdict(dict)
        for (query_id, item), vector in store_grades.stored_vectors(
            connection, grader_id
        ).items():
            stored[query_id][item] = vector
        words = spec.reading.frequencies
        if words and store_grades.read_frequencies(connection, words).key != words:
            wrong.append(
                f"{spec.name} lacks the word frequencies that it was made with"
            )
            continue
        responder_id = store_grades.responder_id_of(connection, grader_id)
        for query_id, by_item in stored.items():
            count += len(by_item)
            rebuilt = rebuilt_vectors(
                connection, spec, responder_id, query_id, list(by_item)
            )
            wrong += (
                f"ratings of {spec.name} for query {query_id}, "
                f"{name_of_item(connection, item[0])} do not follow from what is stored"
                for item, vector in by_item.items()
                if item not in rebuilt or not _follows(spec, rebuilt[item], vector)
            )
    for ratings, probability in connection.execute(
        "SELECT ratings, probability FROM rating_vector WHERE probability IS NOT NULL"
    ):
        vector = np.frombuffer(probability, dtype="<f4")
        follow = bool(np.all(vector <= 1)) and ratings_of(vector).tobytes() == ratings
        if not follow:
            wrong.append("ratings do not follow from the probabilities beside them")
    return count


def rebuilt_vectors(
    connection: sqlite3.Connection,
    spec: GraderSpec,
    responder_id: int,
    query_id: str,
    items: list[ItemKey],
) -> Mapping[ItemKey, Vector]:
    """What follows from responses or stored vectors, for those items that have them.

    NOT_READ at passages longer than LONG: what a grader that weighs words makes of one
    takes many times its size.
    """
    if not spec.computed:
        return store_grades.vectors_from_responses(
            connection, responder_id, spec.reading, query_id, items
        )
    asked = store_texts.keyed_items(connection, items)
    pool = column(
        connection,
        "SELECT CASE WHEN letters <= ? THEN body END FROM pool "
        "JOIN passage ON passage.number = pool.passage JOIN text USING (text_id) "
        "WHERE query_id = ? ORDER BY position",
        *(LONG, query_id),
    )
    short = np.array([body is not None for body in pool], dtype=bool)
    texts = [body for body in pool if body is not None]
    grader = computing(
        spec,
        cache=store_grades.EmbeddingCache(connection, responder_id),
        frequencies=store_grades.read_frequencies(connection, spec.reading.frequencies),
    )
    # Without its vector an item's grades follow from nothing; and a passage that was
    # left out, or joined the pool since, has none either.
    read = grader.read([asked[one][0] for one in items], texts)
    items = [
        one
        for one, is_read in zip(items, read, strict=False)
        if is_read and asked[one][0].text is not None
    ]
    graded = np.flatnonzero(read[len(asked) :])
    found = grader.grade(
        [asked[one][0] for one in items],
        [texts[position] for position in graded],
        [asked[one][1] for one in items],
    )
    grades = np.full((len(items), len(pool)), NOT_READ, dtype=found.dtype)
    of_short = np.full((len(items), len(texts)), NOT_ASKED, dtype=found.dtype)
    of_short[:, graded] = found
    grades[:, short] = of_short
    return dict(zip(items, grades, strict=True))


NOT_READ = -100  # no grade is: this passage was not read again
CLOSE = 1e-5  # of probabilities: sums of float32 differ in their last digits


def _follows(spec: GraderSpec, again: Vector, before: Vector) -> bool:
    """Whether what is stored is what was derived again.

    A pool may have grown since our own grader read it, and a question may have been
    asked in another query since; imported grades are derived again with every import.
    """
    if spec.reading.as_given:
        return np.array_equal(again, before)
    if len(again) < len(before):
        return False
    asked = (before != NOT_ASKED) & (again[: len(before)] != NOT_READ)
    distance = np.abs(again[: len(before)][asked] - before[asked])
    return bool((distance <= (CLOSE if before.dtype.kind == "f" else 0)).all())


_LONGEST_NAME = 1000  # characters; what people give names to has less


def _is_name(value: str) -> bool:
    return (
        not NOT_IN_NAMES.search(value)
        and bool(value.strip())
        and len(value) <= _LONGEST_NAME
    )


def _is_time(value: str) -> bool:
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _has_no_blank(value: str) -> bool:
    return not NOT_IN_IDS.search(value)


def _are_answers(value: Any) -> bool:
    """Whether it is what ``answers_json`` writes."""
    all_needed = isinstance(value, dict) and value.keys() == {"AND"}
    return are_texts(value["AND"] if all_needed else value)


def _are_options(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(one, str | int | float) for one in value.values()
    )


def _are_counts(value: Any) -> bool:
    return isinstance(value, dict) and all(map(is_count, value.values()))


def _are_scores(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_score, value))


def _is_score(value: Any) -> bool:
    match value:
        case [str(), rank, int() | float(), int() | float() | None]:
            return is_count(rank)
    return False


_IDS = "query.query_id subtopic.subtopic_id passage.passage_id question.question_id"
_NAMES = (
    "system.system official.system batch.by done.judge vote.judge verdict.judge "
    "checked.judge dismissal.judge decision.judge note.judge ideal.by generation.by "
    "norming_round.opened_by norming_round.revealed_by norming_round.closed_by "
    "norming_answer.judge norming_comment.judge "
    "generation.model release.by release.name grader.name"
)
_TIMES = (
    "batch.at done.at vote.at ideal.at verdict.at checked.at dismissal.at "
    "decision.at note.at generation.at release.at "
    "norming_round.opened_at norming_round.revealed_at norming_round.closed_at "
    "norming_answer.at norming_comment.at"
)
_VALUES: tuple[tuple[str, Callable[[str], bool], str], ...] = (
    (_IDS, _has_no_blank, "the {column} {value!r:.80} holds a blank"),
    (_NAMES, _is_name, "a {table} has the {column} {value!r:.80}, which is no name"),
    (_TIMES, _is_time, "a {table} is of the time {value!r:.60}"),
)
"""What every value of these columns is, and what to say of one that is not."""

_JSON: tuple[tuple[str, Callable[[Any], bool]], ...] = (
    ("item.choices", are_choices),
    ("answer_key.answers", _are_answers),
    ("question.provenance", lambda value: isinstance(value, dict)),
    ("generation.parameters", _are_options),
    ("release.board", _are_scores),
    ("frequencies.by_stem", _are_counts),
)
"""Columns of JSON, and the shape that their readers take."""

_ROWS = {
    "a pool with a gap, or a passage without a text in it": (
        "SELECT query_id FROM pool JOIN passage ON passage.number = pool.passage "
        "GROUP BY query_id "
        "HAVING count(*) <> max(position) + 1 OR count(text_id) <> count(*)"
    ),
    "a gold article that is not in the pool": (
        "SELECT query_id FROM gold WHERE NOT EXISTS (SELECT 1 FROM pool WHERE "
        "pool.query_id = gold.query_id AND pool.passage = gold.passage)"
    ),
    "an ideal answer outside its passage": (
        "SELECT query_id FROM ideal JOIN passage ON passage.number = ideal.passage "
        "LEFT JOIN text USING (text_id) WHERE NOT EXISTS (SELECT 1 FROM pool WHERE "
        "pool.query_id = ideal.query_id AND pool.passage = ideal.passage) "
        'OR max(start, "end") > length(body)'
    ),
    "a check of a passage outside its pool": (
        "SELECT query_id FROM checked WHERE NOT EXISTS (SELECT 1 FROM pool WHERE "
        "pool.query_id = checked.query_id AND pool.passage = checked.passage)"
    ),
    "a norming round whose items do not fit together": (
        "SELECT round_id FROM norming_round LEFT JOIN norming_item USING (round_id) "
        "GROUP BY round_id HAVING count(place) <> ifnull(max(place), 0) + 1 OR sum("
        "(question_id IS NULL) <> (asks = 'passages') "
        "OR (passage_id IS NULL) <> (asks = 'votes'))"
    ),
    "a norming answer that its round does not take": (
        "SELECT round_id FROM norming_answer JOIN norming_round USING (round_id) "
        "WHERE NOT CASE asks WHEN 'pairs' THEN answer IN ('yes', 'no', 'unsure') "
        "WHEN 'votes' THEN answer IN ('vital', 'okay') ELSE answer = 'unsure' "
        "OR (answer = CAST(CAST(answer AS INTEGER) AS TEXT) "
        "AND CAST(answer AS INTEGER) BETWEEN 0 AND highest) END"
    ),
    "a question in another place than the history gave it": (
        "SELECT question_id FROM question WHERE number IS NOT "
        "(SELECT min(event_id) FROM event "
        "WHERE event.question_id = question.question_id)"
    ),
    "a subtopic that its query does not have": (
        "SELECT question_id FROM question WHERE subtopic_id IS NOT NULL "
        "AND NOT EXISTS (SELECT 1 FROM subtopic "
        "WHERE subtopic.query_id = question.query_id "
        "AND subtopic.subtopic_id = question.subtopic_id)"
    ),
    "kept fields that are no object": (
        "SELECT key FROM extra WHERE json_type(json) <> 'object'"
    ),
    "a vector longer than its pool": (
        "SELECT query_id FROM rating_vector AS vector WHERE length(ratings) > "
        "(SELECT count(*) FROM pool WHERE pool.query_id = vector.query_id)"
    ),
    "an embedding of another size than the others": (
        "SELECT responder_id FROM embedding GROUP BY responder_id "
        "HAVING min(dimensions) <> max(dimensions)"
    ),
}


def faults(connection: Connection) -> Iterator[str]:
    """A sentence for each thing that no import, edit or grading here would leave."""
    for columns, fits, said in _VALUES:
        for place in columns.split():
            yield from _unfit(connection, place, fits, said)
    for what, query in _ROWS.items():
        for (name,) in connection.execute(query):
            yield f"'{name}' has {what}"
    yield from _wrong_rankings(connection)
    for place, fits in _JSON:
        said = "a {table} has the {column} {value:.60}"
        yield from _unfit(connection, place, fits, said, json.loads)
    yield from _wrong_events(connection)
    yield from _wrong_graders(connection)
    yield from _wrong_questions(connection)


def _unfit(
    connection: Connection,
    place: str,
    fits: Callable[[Any], bool],
    said: str,
    read: Callable[[str], Any] = str,
) -> Iterator[str]:
    """``said`` of each value of a column that does not fit, as it is ``read``."""
    table, column = place.split(".")
    select = f'SELECT DISTINCT "{column}" FROM "{table}" WHERE "{column}" IS NOT NULL'
    for (value,) in connection.execute(select):
        if not fits(read(value)):
            yield said.format(table=table, column=column, value=value)


def _wrong_rankings(connection: Connection) -> Iterator[str]:
    known = {n for (n,) in connection.execute("SELECT number FROM passage")}
    for query_id, numbers in connection.execute(
        "SELECT query_id, passages FROM ranking UNION ALL "
        "SELECT query_id, passages FROM subtopic_ranking"
    ):
        found = np.abs(np.frombuffer(numbers, dtype="<i4").astype(np.int64))
        if not set(found[found > 0].tolist()) <= known:
            yield f"a ranking of '{query_id}' has a passage that is not there"


def _wrong_events(connection: Connection) -> Iterator[str]:
    for event, *kept in connection.execute(
        "SELECT event_id, kind, query_id, question_id, before, after FROM event"
    ):
        if not is_event(*kept):
            yield f"event {event} ({kept[0]:.30}) says what no event says"


def _wrong_graders(connection: Connection) -> Iterator[str]:
    for name, key, spec, responder, their_spec in connection.execute(
        "SELECT name, grader.sha256, grader.spec, responder.sha256, responder.spec "
        "FROM grader JOIN responder USING (responder_id)"
    ):
        found = GraderSpec.from_json(json.loads(spec))
        if (
            found.name != name
            or not _is_spec(found)
            or found.key != key
            or found.responder.key != responder
            or json.loads(json.dumps(found.to_json()["responder"]))
            != json.loads(their_spec)
        ):
            yield f"the grader '{name:.60}' is not described as it is named"


def _is_spec(spec: GraderSpec) -> bool:
    """Whether everything that should be a text is one."""
    asked = spec.responder
    texts = [spec.name, asked.model, asked.revision, asked.prompt]
    texts += [spec.reading.parser, spec.reading.answers_of, spec.reading.frequencies]
    texts += [part for pair in asked.decoding for part in pair]
    if not are_texts(texts):
        return False
    if spec.reading.parser == MEAN:
        for option in SCALES:
            scale_from(dict(asked.decoding)[option])
    return True


def _wrong_questions(connection: Connection) -> Iterator[str]:
    """Questions whose item holds other words than they have."""
    keys = dict[str, str](
        connection.execute(
            "SELECT question_id, item.sha256 FROM question JOIN item USING (item_id)"
        )
    )
    for question in store_bank.read_bank(connection):
        if cached_item_key(item_of(question)) != keys[question.question_id]:
            yield f"question '{question.question_id}' has an item with other words"
