"""Generated reports: what a RAG system wrote on each topic, a response a line.

``{"metadata": {"team_id", "run_id", "topic_id"}, "responses": [{"text", "citations"}],
"documents"?}``; TREC RAG's spelling is read too: ``answer`` for ``responses``, the ids
beside it, ``narrative_id`` or ``request_id`` for the topic. Citations are places in
``references`` from 0, ids of documents, or an object of ids and scores.

A response's texts are one text, cut into passages at sentence borders; their places
are their ranks. Extras kept under the format "reports":

``("report", "<run_id>\\t<topic_id>")``
    the line as it stood, so that an export writes it again.
``("report_passages", "<run_id>\\t<topic_id>")``
    what made its passages: ``tokenizer``, ``revision`` of its files, ``most`` tokens;
    the ``sha256`` of their texts, and, once written, the line's ``place`` among all.

What its sentences cite is kept beside: ``collection/citations.py``.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator.collection.citations import CITATIONS, CitedSpan, split_spans
from curator.collection.rankings import Ranking, Slot
from curator.errors import EvaluationError
from curator.formats import codec
from curator.formats.parsed_import import ParsedImport, Progress
from curator.formats.recognition import read_files
from curator.formats.text.json_text import json_text, line_record
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import Oddities, counted
from curator.formats.text.output_files import output_file
from curator.formats.text.records import (
    Record,
    described,
    either,
    first_field,
    identifier,
    name_of,
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
    reading = _ReportReader(path, cutter)
    left_out = read_files(path, FORMAT, EXPECTED, reading.add_file, progress=progress)
    reading.parsed.notices += [*reading.odd.notices(), *left_out]
    return reading.parsed


def passage_stem(topic_id: str, sha256: str) -> str:
    """Return the prefix of a response's passage ids: topic and hash.

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
    "empty": "[response] without text, answering nothing and scored 0: {}.",
    "places": "[citation] of positions that references does not have, ignored.",
    "texts": f"[line] with both {' and '.join(TEXTS)}: the text is that of {TEXTS[0]}.",
}


_Entry = tuple[str, tuple[str, ...]]
"""An entry of a response: its text, and the ids of what it cites."""


class _ReportReader:
    def __init__(self, path: Path, cutter: Tokenizer) -> None:
        self.cutter = cutter
        self.home: dict[tuple[str, str], tuple[str, int]] = {}
        self.odd = Oddities(_ODD)
        self.parsed = ParsedImport(
            path.name,
            "generated reports, cut at sentence borders into passages of up to "
            f"{MOST_TOKENS} tokens of '{cutter.name}'",
        )

    def add_file(self, lines: TextLines) -> None:
        for line in lines:
            record = line_record(lines, line)
            metadata = Record(
                lines.at("metadata"), record.get("metadata", {}), "metadata"
            )
            run_id = _stated(metadata, record, "run_id")
            run_id = str(run_id) if type(run_id) is int else run_id
            run_id = name_of(record, run_id, "run_id")
            topic_id = self._topic(metadata, record)
            entries = self._entries(record)
            here = (lines.path.name, lines.number)
            home = self.home.setdefault((run_id, topic_id), here)
            if home != here:
                raise lines.error(
                    f"run {described(run_id)} answers topic '{topic_id}' here and in "
                    f"{home[0]}, line {home[1]}; keep one, or give the runs two names."
                )
            passages = segments([text for text, _ in entries], self.cutter.count)
            self._keep(lines, run_id, topic_id, passages)
            key = f"{run_id}\t{topic_id}"
            self.parsed.extras[LINE, key, FORMAT] = line.strip()
            if any(cited for _, cited in entries):
                key = f"{topic_id}\t{run_id}"  # so that those of a topic stand together
                spans = split_spans(_spans(entries), passages)
                cited = json_text(lines, {"passages": spans})
                self.parsed.extras[CITATIONS, key, FORMAT] = cited

    def _topic(self, metadata: Record, record: Record) -> str:
        stated = {name: _stated(metadata, record, name) for name in TOPICS}
        topic = first_field(stated, TOPICS)
        if topic is None:
            raise record.error(
                f"a response without a topic; expected {either(TOPICS)} in metadata."
            )
        self.odd.count(topic[0])
        ids = {str(value) for value in stated.values() if value is not None}
        self.odd.count("topics", len(ids) > 1)
        return identifier(record, topic[1], topic[0])

    def _entries(self, record: Record) -> list[_Entry]:
        """A response's entries, in order; a field of null has none."""
        present = [name for name in TEXTS if name in record]
        if not present:
            raise record.error(
                f"a response without texts; expected a field {either(TEXTS)}."
            )
        stated = [name for name in present if record[name] is not None]
        self.odd.count("texts", len(stated) > 1)
        field = (stated or present)[0]
        self.odd.count(field)
        what = f"an entry of {field}"
        entries: list[_Entry] = []
        for number, value in enumerate(record.items_of(field)):
            value = {"text": value} if isinstance(value, str) else value
            entry = Record(record.at(field, number), value, what, what)
            if "text" not in entry:
                raise entry.error(f"{what} has no text; expected a field text.")
            entries.append((entry.text("text") or "", self._cited(entry, record)))
        return entries

    def _cited(self, entry: Record, record: Record) -> tuple[str, ...]:
        """The ids of what an entry cites, each once, in their order."""
        citations = entry.get("citations")
        if not isinstance(citations, list | dict | None):
            raise entry.error(
                f"citations is {described(citations)}; expected a list of ids or of "
                "places in references, or an object of ids and scores."
            )
        references = record.items_of("references")
        cited = dict[str, None]()
        for citation in citations or ():
            if type(citation) is int:
                if not 0 <= citation < len(references):
                    self.odd.count("places")
                    continue
                citation = references[citation]
            if not isinstance(citation, str) or not citation:
                raise entry.error(
                    f"a citation is {described(citation)}; expected a document's id, "
                    "or its place in references."
                )
            cited[citation] = None
        return tuple(cited)

    def _keep(
        self, lines: TextLines, run_id: str, topic_id: str, passages: list[str]
    ) -> None:
        text = json.dumps(passages, ensure_ascii=False)
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        stem = passage_stem(topic_id, sha256)
        slots = []
        for rank, passage in enumerate(passages, start=1):
            slots.append(Slot(f"{stem}/{rank}", 1 / rank))
            self.parsed.passages[f"{stem}/{rank}"] = passage
            # In the order of lines, however many files or imports they come in.
            self.parsed.pooled[topic_id, f"{stem}/{rank}"] = None
        if not slots:
            self.odd.name("empty", f"{run_id} on {topic_id}")
        self.parsed.rankings.append(Ranking(run_id, topic_id, tuple(slots)))
        made_by = {
            "tokenizer": self.cutter.name,
            "revision": self.cutter.revision,
            "most": MOST_TOKENS,
            "sha256": sha256,
        }
        key = (PASSAGES, f"{run_id}\t{topic_id}", FORMAT)
        self.parsed.extras[key] = json_text(lines, made_by)


def _stated(metadata: Record, record: Record, name: str) -> Any:
    """What metadata or the record beside it state, None where neither does.

    Raises the record's error where both do, and not the same.
    """
    inside, outside = metadata.get(name), record.get(name)
    if inside is None or outside is None or str(inside) == str(outside):
        return outside if inside is None else inside
    raise record.error(
        f"{name} is {described(inside)} in metadata and {described(outside)} "
        "beside it; keep one of them."
    )


@dataclass(frozen=True)
class Tokenizer:
    """A tokenizer: its name, a hash of its files ("" for ``words``), its function."""

    name: str
    revision: str
    count: Callable[[str], int]


def count_words(text: str) -> int:
    """Count words and marks: runs of letters and digits, and other characters.

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


def segments(
    texts: Sequence[str],
    count: Callable[[str], int],
    *,
    most: int = MOST_TOKENS,
) -> list[str]:
    """The texts, joined by blanks, in passages; joined, these are that text.

    A passage ends where a sentence or one of the texts ends, and takes in as many
    sentences as stay within ``most`` tokens. A sentence that has more is a passage of
    its own. White space between two passages belongs to the first.
    """
    full_text, starts = "", list[int]()
    for blank, text in _spaced(texts):
        full_text += blank
        starts += [len(full_text) + start for start, _ in sentences(text)]
        full_text += text
    notices: list[str] = []
    begin, end = 0, 0
    for border in (*starts[1:], len(full_text)):
        if end > begin and count(full_text[begin:border]) > most:
            notices.append(full_text[begin:end])
            begin = end
        end = border
    return [*notices, full_text[begin:end]] if full_text else []


def _spans(entries: Iterable[_Entry]) -> Iterator[CitedSpan]:
    """The span of each entry with words in the joined texts."""
    spoken = [entry for entry in entries if entry[0].strip()]
    end = 0
    spaced = _spaced([text for text, _ in spoken])
    for (blank, text), (_, cited) in zip(spaced, spoken, strict=True):
        start = end + len(blank) + len(text) - len(text.lstrip())
        end += len(blank) + len(text)
        yield CitedSpan(start, start + len(text.strip()), cited)


def _spaced(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each text that has words, after the blank that goes before it, or none."""
    last = " "
    for text in filter(str.strip, texts):
        yield "" if last.isspace() or text[0].isspace() else " ", text
        last = text[-1]


def _write(contents: codec.Contents, target: Path) -> codec.WriteResult:
    lines = contents.report_lines()
    if not lines:
        raise EvaluationError(
            "This workspace has no generated reports; `curator import WORKSPACE "
            "--reports FILE` imports some."
        )
    others = zip(("ranking", "passage text"), contents.of_no_report(), strict=True)
    with output_file(target) as stream:
        stream.writelines(f"{line}\n" for line in lines.values())
    dropped = [f"{counted(n, what)} of no report" for what, n in others if n]
    return codec.WriteResult(len(lines), "generated reports", dropped=dropped)


CODECS = (
    codec.Codec(
        "reports",
        codec.Imports(
            option=codec.ImportOption(
                "reports", "generated reports", r"report|response|ragtime", folders=True
            ),
            read=read_reports,
            fits=lambda start: start.has(
                {"responses"}, {"run_id", "answer"}, {"metadata", "answer"}
            ),
        ),
        codec.Exports(
            label="Generated reports",
            what="The responses of systems that write, as imported.",
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
