"""``export --paper``: LaTeX of a release, as the base of a paper.

Numbers of the bank, its labels and its board are the frozen ones; runs, judgments and
official ranks are the collection's. The same release gives the same bytes. A template
is LaTeX with ``<< value >>`` and ``<% statement %>``; all but ``Tex`` is escaped.
"""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from curator.edit_words import RETIRE, REWORD
from curator.errors import CuratorError, EvaluationError, UnknownNameError
from curator.evaluation.agreement import Agreement, JudgedLabels
from curator.evaluation.correlation import correlate
from curator.evaluation.leaderboard import is_judged
from curator.evaluation.measures import meaning, measure_type
from curator.evaluation.releases import Release
from curator.evaluation.settings import OFFICIAL
from curator.formats.bundles import zip_entry
from curator.formats.text.notices import counted
from curator.formats.text.output_files import output_file
from curator.snapshot import scoring
from curator.snapshot.gradebook import GraderRecord
from curator.snapshot.settings import reference_settings
from curator.snapshot.snapshot import Snapshot
from curator.store.history import bank_at
from curator.store.question_history import Origin, read_origins
from curator.store.releases import ReleaseRecord
from curator.tables import figures, forms
from curator.tables.agreement import agreement_table
from curator.tables.files import (
    frozen_bank_table,
    frozen_board_table,
    frozen_question_table,
)
from curator.tables.forms import latex_text
from curator.tables.settings import (
    RULES,
    depth_words,
    passages_looked_at,
)
from curator.tables.table import Table
from curator.tables.validity import correlation_table
from curator.verbs.files.export_request import (
    ExportRequest,
    ExportSummary,
    refuse_blind,
)
from curator.verbs.files.report.report import REFERENCES, collection_counts
from curator.verbs.leaderboard.leaderboard import BoardCorrelation
from curator.version import VERSION
from grading.prompts.released import PROMPTS

MAIN = "paper.tex"
MAX_FLOAT_ROWS = 40  # most rows of a table that floats
WRAPPED_COLUMN = r">{\raggedright\arraybackslash}p{%s\linewidth}"


@dataclass(frozen=True)
class PaperTable:
    """A table's file: its name, and a table or a sentence on why there is none.

    ``columns`` is the LaTeX column format of a table over several pages.
    """

    name: str
    table: Table | str
    columns: str = ""
    appendix: bool = False

    @property
    def is_long(self) -> bool:
        """True if it cannot float."""
        rows = 0 if isinstance(self.table, str) else len(self.table.rows)
        return bool(self.columns) and (self.appendix or rows > MAX_FLOAT_ROWS)

    @property
    def caption(self) -> str:
        if isinstance(self.table, str):
            return ""
        return " · ".join(self.table.caption.splitlines())

    @property
    def source(self) -> str:
        """LaTeX source of the file."""
        table = self.table
        if isinstance(table, str):
            return tex(table) + "\n"
        columns = self.columns if self.is_long else ""
        lines = forms.latex(table.headings, table.cells, table.caption, long=columns)
        # A comment may hold any character.
        encoded = (
            line if line.startswith("%") else replace_missing_characters(line)
            for line in lines
        )
        return "".join(f"{line}\n" for line in encoded)


def export_paper(request: ExportRequest) -> ExportSummary:
    """Write the kit into a folder, or as a zip if the name ends in .zip.

    A ``paper.tex`` that was edited is left unchanged. Raises EvaluationError where
    judges are blind, CuratorError where a file cannot be written.
    """
    refuse_blind(request)
    if request.release is None:  # refused earlier, for the type checker
        raise EvaluationError("The kit of a paper needs a release.")
    files = paper_files(request.snapshot, *request.release)
    notices = _notices(*request.release)
    target = request.target
    if target.suffix.lower() == ".zip" and not target.is_dir():
        with (
            output_file(target) as stream,
            zipfile.ZipFile(stream.buffer, "w", zipfile.ZIP_DEFLATED) as packed,
        ):
            for name, content in files.items():
                packed.writestr(zip_entry(name, len(content)), content)
    else:
        main = target / MAIN
        if main.is_file() and main.read_bytes() != files[MAIN]:
            del files[MAIN]
            notices.append(f"'{main}' was edited and is not overwritten.")
        _write_folder(target, files)
    return ExportSummary("paper", target, len(files), "files", tuple(notices))


def _notices(record: ReleaseRecord, frozen: Release) -> list[str]:
    notices = []
    if not frozen.board:
        notices.append("The release has no leaderboard: there were no runs.")
    if record.known < record.needed:
        missing = counted(record.needed - record.known, "grade")
        notices.append(f"{missing} were missing when it was frozen, as the text says.")
    return notices


def _write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    try:
        for name in files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CuratorError(f"Cannot write '{folder}': {error.strerror}.") from None
    for name, content in files.items():
        with output_file(folder / name) as stream:
            stream.buffer.write(content)


def paper_files(
    snapshot: Snapshot, record: ReleaseRecord, frozen: Release
) -> dict[str, bytes]:
    """All files of the kit by name; the names do not depend on the data."""
    tables = _tables(snapshot, frozen)
    missing = {table.name for table in tables if isinstance(table.table, str)}
    settings, official = frozen.settings, snapshot.collection.official
    scores = {row.system: row.score for row in frozen.board}
    pictures = {
        "leaderboard": figures.scores_figure(settings, frozen.board),
        "official": figures.ranks_figure(settings, scores, official),
    }
    graders = _graders(snapshot, record.grader)
    cited = Citations()
    methods = template("methods.tex").render(
        **_bank_words(snapshot, record, frozen),
        agreed="agreement" not in missing,
        cite=cited,
        collection=collection_counts(snapshot),
        correlated="correlation" not in missing,
        counted=counted,
        hash_text=hash_text,
        frozen=frozen,
        graders=graders,
        means=meaning(record.measure).format(first=passages_looked_at(record.settings)),
        measure=depth_words(record.settings),
        measured=_sources(record.measure),
        people=_people,
        published={g.name: text for g in graders if (text := _published(g))},
        record=record,
        retired=RETIRE.past,
        reworded_past=REWORD.past,
        rule=RULES[record.label],
        settings=record.settings,
        title=snapshot.collection.title,
        version=VERSION,
    )
    main = template(MAIN).render(
        figures=[(name, picture.title) for name, picture in pictures.items()],
        record=record,
        tables=tables,
        title=snapshot.collection.title,
        version=VERSION,
    )
    texts = {
        MAIN: main,
        "methods.tex": methods,
        "prompts.tex": _prompts(graders),
        "references.bib": cited.bibliography(),
        **{f"tables/{table.name}.tex": table.source for table in tables},
    }
    return {name: text.encode() for name, text in texts.items()} | {
        f"figures/{name}.pdf": picture.pdf() for name, picture in pictures.items()
    }


def _sources(measure: str) -> str:
    type_ = measure_type(measure)
    text = "; ".join(filter(None, [type_.source, type_.names[0].family]))
    return text if "trec_eval" not in text else f"{text}; ir-measures"


def _people(counts: Sequence[tuple[str, int]]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in counts)


def _bank_words(
    snapshot: Snapshot, record: ReleaseRecord, frozen: Release
) -> dict[str, object]:
    """States and origins of the questions at the time of the release."""
    read = snapshot.full  # counts include restricted queries
    bank = bank_at(read.connection, read.bank, record.event_id)
    origins = read_origins(read.connection, record.event_id)
    kept = [item for query in frozen.queries for item in query.questions()]
    with_origins = [
        (item, origins.get(item.item_id) or Origin("imported", "", "")) for item in kept
    ]

    def by_name(how: str, field: str = "by") -> list[tuple[str, int]]:
        such = (origin for _, origin in with_origins if origin.how == how)
        names = (getattr(origin, field) for origin in such)
        return sorted(Counter(filter(None, names)).items())

    kinds = Counter(item.kind for item in kept)
    return {
        "kinds": " and ".join(
            counted(kinds[kind], f"kept {kind}")
            for kind in ("question", "nugget")
            if kinds[kind] or not kept
        ),
        "states": {
            name: sum(question.state == name for question in bank)
            for name in ("retired", "proposed")
        },
        "wrote": by_name("written"),
        "proposed": by_name("proposed"),
        "kept_by": by_name("proposed", "kept_by"),
        "reworded": sum(
            origin.how == "proposed" and origin.words != item.text
            for item, origin in with_origins
        ),
        "imported": sum(origin.how == "imported" for _, origin in with_origins),
    }


def _graders(snapshot: Snapshot, name: str) -> list[GraderRecord]:
    """The release's grader and those it depends on; none if it no longer exists."""
    try:
        return snapshot.grader(name).with_parts()
    except UnknownNameError:
        return []


def _published(grader: GraderRecord) -> object:
    text = grader.spec.responder.prompt
    matches = (p for p in PROMPTS.values() if text in (p.template, p.name))
    return next(matches, None)


def _prompts(graders: Sequence[GraderRecord]) -> str:
    """The full text of every prompt, or its published name if only that is known."""
    prompted = [grader for grader in graders if grader.spec.responder.prompt]
    parts = [
        f"\\paragraph{{{tex(grader.name)}}}\n\\begin{{quote}}\\ttfamily\\raggedright\n"
        f"{paragraphs(grader.spec.responder.prompt)}\n\\end{{quote}}\n"
        for grader in prompted
    ]
    return "".join(parts) or "The grader has no prompt.\n"


def _tables(snapshot: Snapshot, frozen: Release) -> list[PaperTable]:
    min_relevance = snapshot.collection.min_relevance
    tables: dict[str, Callable[[], Table]] = {
        "leaderboard": lambda: frozen_board_table(frozen),
        "correlation": lambda: _correlation_table(snapshot, frozen),
        "agreement": lambda: agreement_table(
            _agreement(snapshot, frozen), frozen.settings, min_relevance
        ),
        "bank": lambda: frozen_bank_table(frozen, snapshot.collection.names),
        "questions": lambda: frozen_question_table(frozen),
    }
    columns = {
        "leaderboard": "rlrr",
        "bank": f"{WRAPPED_COLUMN % 0.5}rrr",
        "questions": f"{WRAPPED_COLUMN % 0.2}{WRAPPED_COLUMN % 0.7}",
    }
    paper_tables = []
    for name, make in tables.items():
        table: Table | str = "There were no runs, so there is no leaderboard."
        if name != "leaderboard" or frozen.board:
            try:
                table = make()
            except EvaluationError as error:
                table = str(error)
        appendix = name in ("bank", "questions")
        paper_tables.append(PaperTable(name, table, columns.get(name, ""), appendix))
    return paper_tables


def _correlation_table(snapshot: Snapshot, frozen: Release) -> Table:
    """Correlate the frozen board with the official one and those of judgments.

    Raises EvaluationError if there is no correlation.
    """
    if len(frozen.board) < 2:
        raise EvaluationError("There are fewer than two systems to compare.")
    collection, settings = snapshot.collection, frozen.settings
    scores = {row.system: row.score for row in frozen.board}
    correlations = []
    if collection.official:
        with_official = correlate(scores, collection.official, reference_is="ranks")
        correlations.append(BoardCorrelation(settings, OFFICIAL, with_official))
    for against in REFERENCES if any(map(is_judged, collection.pools.values())) else ():
        with suppress(EvaluationError):  # no minimum relevance may be set
            reference = reference_settings(snapshot, settings, against)
            if others := scoring.board(snapshot, reference).scores():
                with_judgments = correlate(scores, others, reference_is="scores")
                correlations.append(BoardCorrelation(settings, against, with_judgments))
    if not correlations:
        raise EvaluationError(
            "There is no official leaderboard and there are no judgments."
        )
    return correlation_table(correlations)


def _agreement(snapshot: Snapshot, frozen: Release) -> Agreement:
    """Compare the frozen labels with the official judgments. Raises EvaluationError."""
    min_relevance, pools = snapshot.collection.min_relevance, snapshot.collection.pools
    frozen_ids = (query.query_id for query in frozen.queries if query.query_id in pools)
    judged = [(id_, pools[id_]) for id_ in frozen_ids if is_judged(pools[id_])]
    if not judged:
        raise EvaluationError("There are no official judgments to compare labels with.")
    if min_relevance is None:
        raise EvaluationError("No minimum relevance is set.")
    labels = frozen.labels()
    label = [
        labels.get((id_, name), -1) for id_, pool in judged for name in pool.passage_ids
    ]
    judgments = np.concatenate([pool.judgments for _, pool in judged])
    relevant_from = frozen.settings.relevant_from(frozen.reading)
    compared = JudgedLabels.from_arrays(label, judgments)
    return compared.agreement(relevant_from, min_relevance)


# Characters outside pdfLaTeX's T1 and TS1 fonts; LaTeX stops at these.
_MISSING_CHARACTERS = re.compile(
    "[^\x00-\x7f\u00a1-\u0125\u0128-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u0165"
    "\u0168-\u017e‐‑‒–—―‘’‚“”„†‡•…‰‹›€™]"
)


class Tex(str):
    """LaTeX source that is not escaped again."""

    __slots__ = ()


def tex(text: str) -> Tex:
    r"""Escape the text as LaTeX, on one line.

    A character that pdfLaTeX lacks becomes ``\unicodechar`` with its code point, which
    users with a font for it can redefine.
    """
    return replace_missing_characters(latex_text(text))


def replace_missing_characters(source: str) -> Tex:
    return Tex(
        _MISSING_CHARACTERS.sub(
            lambda match: f"\\unicodechar{{{ord(match[0]):04X}}}", source
        )
    )


def paragraphs(text: str) -> Tex:
    """The lines of the text as paragraphs, without empty ones."""
    return Tex("\\par\n".join(filter(None, map(tex, text.splitlines()))))


def hash_text(sha256: str) -> Tex:
    parts = (tex(sha256[start : start + 8]) for start in range(0, len(sha256), 8))
    return Tex(r"\texttt{" + r"\allowbreak ".join(parts) + "}")


def _value(value: Any) -> Any:
    if isinstance(value, Tex):
        return value
    return f"{value:,}" if isinstance(value, int) else tex(str(value))


@cache
def template(name: str) -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        variable_start_string="<<",
        variable_end_string=">>",
        block_start_string="<%",
        block_end_string="%>",
        comment_start_string="<#",
        comment_end_string="#>",
        finalize=_value,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # escapes HTML; finalize escapes LaTeX
    )
    return environment.get_template(name)


class Citations:
    """Writes citations of the papers that a source names, and collects their keys."""

    def __init__(self) -> None:
        self.keys: set[str] = set()

    def __call__(self, *sources: str) -> Tex:
        keys = dict.fromkeys(
            key
            for source in sources
            for name, (key, _) in references().items()
            if name in source
        )
        self.keys.update(keys)
        return Tex(f"~\\cite{{{','.join(keys)}}}" if keys else "")

    def bibliography(self) -> str:
        """Return the BibTeX entries of all papers cited."""
        return "\n".join(
            entry for key, entry in references().values() if key in self.keys
        )


@cache
def references() -> dict[str, tuple[str, str]]:
    """Return key and BibTeX entry of each paper by its name in sources."""
    source = Path(__file__).with_name("references.bib").read_text(encoding="utf-8")
    papers = {}
    for paper in source.split("\n\n"):
        comment, entry = paper.split("\n", 1)
        key = entry.partition("{")[2].partition(",")[0]
        papers[comment.removeprefix("% ")] = key, f"{entry.rstrip()}\n"
    return papers
