"""Generated reports: what a RAG system wrote on each topic, a response a line.

``{"metadata": {"team_id", "run_id", "topic_id"}, "responses": [{"text", "citations"}],
"documents"?}``; TREC RAG's spelling is read too: ``answer`` for ``responses``, the ids
beside it, ``narrative_id`` or ``request_id`` for the topic.

A response's texts are one text, cut into passages at sentence borders; their places
are their ranks. Extras kept under the format "reports":

``("report", "<run_id>\\t<topic_id>")``
    the line as it stood, so that an export writes it again.
``("report_passages", "<run_id>\\t<topic_id>")``
    what made its passages: ``tokenizer``, ``revision`` of its files, ``most`` tokens;
    the ``sha256`` of their texts, and, once written, the line's ``place`` among all.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator.collection.rankings import Ranking, Slot
from curator.errors import EvaluationError
from curator.formats import codec
from curator.formats.parsed_import import ParsedImport, Progress
from curator.formats.recognition import read_files
from curator.formats.text.json_text import json_text, json_value
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import Oddities, counted, listed
from curator.formats.text.output_files import output_file
from curator.formats.text.records import (
    Place,
    described,
    either,
    first_field,
    identifier,
    list_of,
    name_of,
    record_of,
    text_of,
)
from grading.highlight import sentences

WORDS = "words"
"""The tokenizer that needs nothing installed: see ``count_words``."""

MOST_TOKENS = 400  # of one passage, unless one sentence alone has more

# Scripts that put no blanks between words: each sign is a word.
_SIGN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_SIGN}]|(?:(?![{_SIGN}])\w)+|[^\w\s]")
EXPECTED = 'generated reports: {"metadata": {…}, "responses": [{"text"}]} a line'
FORMAT = "reports"
LINE, PASSAGES = "report", "report_passages"
TOPICS = ("topic_id", "narrative_id", "request_id")
TEXTS = ("responses", "answer")


def read_reports(
    path: Path, *, tokenizer: str = WORDS, progress: Progress | None = None
) -> ParsedImport:
    """The responses of a file, or of every file in a folder, cut into passages.

    Each run is a system, each topic a query, and a response without text a ranking
    without passages. Hidden files and folders inside are passed over. Raises
    InputFileError, also for a topic that a run answers twice, and MissingModelError
    for a tokenizer that is not on this machine.
    """
    cutter = named_tokenizer(tokenizer)
    reading = _Reading(path, cutter)
    read_files(path, FORMAT, EXPECTED, reading.add_file, progress=progress)
    return reading.result()


def response_texts(place: Place, record: dict[str, Any]) -> list[str]:
    """The texts of a response's entries, in order."""
    field = _texts_field(place, record)
    what = f"an entry of {field}"
    texts = []
    for value in list_of(place, record[field], field):
        if isinstance(value, str):
            texts.append(value)
            continue
        entry = record_of(place, value, what)
        if "text" not in entry:
            raise place.error(f"{what} has no text; expected a field text.")
        texts.append(text_of(place, entry["text"], f"text of {what}") or "")
    return texts


def passage_stem(topic_id: str, sha256: str) -> str:
    """What ids of a response's passages begin with: the topic, and their hash.

    Without the run's name, which judges are not to see in blind mode; runs that say the
    same have the same passages.
    """
    return f"{topic_id}/{sha256[:16]}"


_ODD = {
    **{
        name: f"[line] read by the field {name}, as there is no {names[0]}."
        for names in (TOPICS, TEXTS)
        for name in names[1:]
    },
    "topics": f"[line] with several ids of a topic: {', else '.join(TOPICS)} counts.",
    "texts": f"[line] with both {' and '.join(TEXTS)}: the text is that of {TEXTS[0]}.",
}


class _Reading:
    def __init__(self, path: Path, cutter: Tokenizer) -> None:
        self._cutter = cutter
        self._home: dict[tuple[str, str], tuple[str, int]] = {}
        self._empty: list[str] = []
        self._odd = Oddities(_ODD)
        self._parsed = ParsedImport(
            path.name,
            "generated reports, cut at sentence borders into passages of up to "
            f"{MOST_TOKENS} tokens of '{cutter.name}'",
        )

    def add_file(self, lines: TextLines) -> None:
        for line in lines:
            self.add(lines, line)

    def add(self, lines: TextLines, line: str) -> None:
        record = record_of(lines, json_value(lines, line), "the line")
        metadata = record_of(lines, record.get("metadata", {}), "metadata")
        run_id = _run(lines, metadata, record)
        topic_id = self._topic(lines, metadata, record)
        texts = response_texts(lines, record)
        self._odd.count(_texts_field(lines, record))
        self._odd.count("texts", all(record.get(n) is not None for n in TEXTS))
        home = self._home.setdefault(
            (run_id, topic_id), (lines.path.name, lines.number)
        )
        if home != (lines.path.name, lines.number):
            raise lines.error(
                f"run {described(run_id)} answers topic '{topic_id}' here and in "
                f"{home[0]}, line {home[1]}; keep one, or give the runs two names."
            )
        passages = segments(texts, self._cutter.count)
        sha256 = _sha256(passages)
        self._keep(run_id, topic_id, passage_stem(topic_id, sha256), passages)
        key = f"{run_id}\t{topic_id}"
        self._parsed.extras[LINE, key, FORMAT] = line.strip()
        made_by = {
            "tokenizer": self._cutter.name,
            "revision": self._cutter.revision,
            "most": MOST_TOKENS,
            "sha256": sha256,
        }
        self._parsed.extras[PASSAGES, key, FORMAT] = json_text(lines, made_by)

    def result(self) -> ParsedImport:
        parsed = self._parsed
        parsed.notices += self._odd.notices()
        if self._empty:
            one = len(self._empty) == 1
            verbs = ("answers", "counts") if one else ("answer", "count")
            parsed.notices.append(
                f"{counted(len(self._empty), 'response')} without text, which "
                f"{verbs[0]} nothing and {verbs[1]} 0: {listed(self._empty)}."
            )
        return parsed

    def _topic(
        self, place: Place, metadata: dict[str, Any], record: dict[str, Any]
    ) -> str:
        stated = {name: _stated(place, metadata, record, name) for name in TOPICS}
        found = first_field(stated, TOPICS)
        if found is None:
            raise place.error(
                f"a response without a topic; expected {either(TOPICS)} in metadata."
            )
        self._odd.count(found[0])
        ids = {str(value) for value in stated.values() if value is not None}
        self._odd.count("topics", len(ids) > 1)
        return identifier(place, found[1], found[0])

    def _keep(self, run_id: str, topic_id: str, stem: str, passages: list[str]) -> None:
        slots = []
        for rank, passage in enumerate(passages, start=1):
            slots.append(Slot(f"{stem}/{rank}", 1 / rank))
            self._parsed.passages[f"{stem}/{rank}"] = passage
            # In the order of lines, however many files or imports they come in.
            self._parsed.pooled[topic_id, f"{stem}/{rank}"] = None
        if not slots:
            self._empty.append(f"{run_id} on {topic_id}")
        self._parsed.rankings.append(Ranking(run_id, topic_id, tuple(slots)))


def _sha256(passages: list[str]) -> str:
    whole = json.dumps(passages, ensure_ascii=False)
    return hashlib.sha256(whole.encode()).hexdigest()


def _run(place: Place, metadata: dict[str, Any], record: dict[str, Any]) -> str:
    found = _stated(place, metadata, record, "run_id")
    if found is None:
        raise place.error('a response without a system; expected "run_id" in metadata.')
    number = isinstance(found, int) and not isinstance(found, bool)
    return name_of(place, str(found) if number else found, "run_id")


def _stated(
    place: Place, metadata: dict[str, Any], record: dict[str, Any], name: str
) -> Any:
    """What metadata or the record beside it state, None where neither does.

    Raises the place's error where both do, and not the same.
    """
    inside, beside = metadata.get(name), record.get(name)
    if inside is None or beside is None or str(inside) == str(beside):
        return beside if inside is None else inside
    raise place.error(
        f"{name} is {described(inside)} in metadata and {described(beside)} beside it; "
        "keep one of them."
    )


def _texts_field(place: Place, record: dict[str, Any]) -> str:
    """The field of the response's texts; one that is null is an empty response."""
    found = first_field(record, TEXTS)
    if found is not None:
        return found[0]
    for name in TEXTS:
        if name in record:
            return name
    raise place.error(f"a response without texts; expected a field {either(TEXTS)}.")


@dataclass(frozen=True)
class Tokenizer:
    """What counts tokens: its name, a hash of its files ("" for ``words``), and how."""

    name: str
    revision: str
    count: Callable[[str], int]


def count_words(text: str) -> int:
    """How many words and marks: runs of letters and digits, and every other sign.

    Chinese and Japanese signs count one each. By Unicode's properties as Python's
    ``re`` knows them; white space counts nothing.
    """
    return len(_WORD.findall(text))


def named_tokenizer(name: str) -> Tokenizer:
    """The tokenizer of this name: ``words``, or a Hugging Face name or folder.

    Raises MissingModelError where it is not on this machine.
    """
    if name == WORDS:
        return Tokenizer(WORDS, "", count_words)
    from grading.models.tokens import token_counter

    identity, count = token_counter(name)
    return Tokenizer(identity.name, identity.revision, count)


def joined_text(texts: Sequence[str]) -> str:
    """The texts one after the other, a blank between two that have none there.

    Those of white space alone are left out.
    """
    return "".join(text for text, _ in _spaced(texts))


def segments(
    texts: Sequence[str],
    count: Callable[[str], int],
    *,
    most: int = MOST_TOKENS,
) -> list[str]:
    """``joined_text(texts)`` in passages; joined, they are that text to the letter.

    A passage ends where a sentence or one of the texts ends, and takes in as many
    sentences as stay within ``most`` tokens. A sentence that has more is a passage of
    its own. White space between two passages belongs to the first.
    """
    starts: list[int] = []
    length = 0
    for text, lead in _spaced(texts):
        starts += [length + lead + start for start, _ in sentences(text[lead:])]
        length += len(text)
    if not starts:
        return []
    whole = joined_text(texts)
    borders = [0, *starts[1:], length]
    found: list[str] = []
    begin, end = 0, 0
    for border in borders[1:]:
        if end > begin and count(whole[begin:border]) > most:
            found.append(whole[begin:end])
            begin = end
        end = border
    return [*found, whole[begin:end]]


def _spaced(texts: Sequence[str]) -> list[tuple[str, int]]:
    """Each text with the blank before it, and how many characters that blank is."""
    found: list[tuple[str, int]] = []
    for text in texts:
        if not text.strip():
            continue
        bare = not found or found[-1][0][-1].isspace() or text[0].isspace()
        found.append((text, 0) if bare else (" " + text, 1))
    return found


def _write(contents: codec.Contents, target: Path) -> codec.Written:
    """The lines of all generated reports, as they came in and in that order."""
    lines = contents.report_lines()
    if not lines:
        raise EvaluationError(
            "No generated reports came into this workspace; `curator import WORKSPACE "
            "--reports FILE` reads some."
        )
    others = zip(("ranking", "passage text"), contents.of_no_report(), strict=True)
    with output_file(target) as stream:
        stream.writelines(f"{line}\n" for line in lines.values())
    dropped = [f"{counted(n, what)} of no report" for what, n in others if n]
    return codec.Written(len(lines), "generated reports", dropped=dropped)


CODECS = (
    codec.Codec(
        "reports",
        codec.Imports(
            option=codec.ImportOption(
                name="reports",
                what="generated reports",
                label="generated reports",
                help="Generated reports: JSONL, or a folder.",
                sign=r"report|response|ragtime",
                folders=True,
            ),
            read=read_reports,
            fits=lambda start: start.has(
                {"responses"}, {"run_id", "answer"}, {"metadata", "answer"}
            ),
        ),
        codec.Exports(
            help="Generated reports, as they came in.",
            label="Generated reports",
            what="The responses of systems that write, as they came.",
            group=codec.COLLECTION,
            forms=(codec.JSONL,),
            carries=codec.carried(
                *("rankings", "passage texts", "texts in no pool"), extras=("reports",)
            ),
            write=_write,
            large=True,
            tells_systems=True,
        ),
    ),
)
