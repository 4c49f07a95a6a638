"""``export --paper``: LaTeX of a release, to write a paper around.

Numbers of the bank, its labels and its board are those that were frozen; runs,
judgments and official ranks are the collection's. The same release gives the same
bytes.
"""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from curator.collection.pools import UNJUDGED
from curator.engine import scoring
from curator.engine.gradebook import GraderRecord
from curator.engine.settings import reference_settings
from curator.engine.state import State
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
from curator.store.history import bank_at
from curator.store.question_history import Origin, read_origins
from curator.store.releases import ReleaseRecord
from curator.tables import figures, forms
from curator.tables.agreement import agreement_table
from curator.tables.leaderboard import correlation_table
from curator.tables.releases import (
    frozen_bank_table,
    frozen_board_table,
    frozen_question_table,
)
from curator.tables.settings import (
    RULES,
    depth_words,
    passages_looked_at,
    settings_words,
)
from curator.tables.table import EVERYWHERE, Table
from curator.verbs.files.export_request import (
    ExportRequest,
    ExportSummary,
    refuse_blind,
)
from curator.verbs.files.paper.references import bibliography, named_in
from curator.verbs.files.paper.typeset import (
    Tex,
    digits,
    paragraphs,
    template,
    tex,
    within_fonts,
)
from curator.verbs.files.report.report import REFERENCES
from curator.verbs.leaderboard.leaderboard import Correlated
from curator.version import VERSION
from grading.prompts.released import PROMPTS

MAIN = "paper.tex"
ON_A_PAGE = 40  # rows of a table that floats
WRAPPED = r">{\raggedright\arraybackslash}p{%s\linewidth}"


@dataclass(frozen=True)
class PaperTable:
    """A table's file: its name, and a table or a sentence on why there is none.

    ``columns`` describes those of one that goes on over pages.
    """

    name: str
    table: Table | str
    columns: str = ""
    appendix: bool = False

    @property
    def is_long(self) -> bool:
        """Whether it cannot float."""
        rows = 0 if isinstance(self.table, str) else len(self.table.rows)
        return bool(self.columns) and (self.appendix or rows > ON_A_PAGE)

    @property
    def caption(self) -> str:
        """What stands over it where it floats."""
        if isinstance(self.table, str):
            return ""
        return " · ".join(self.table.caption.splitlines())

    @property
    def source(self) -> str:
        """The file."""
        table = self.table
        if isinstance(table, str):
            return tex(table) + "\n"
        columns = self.columns if self.is_long else ""
        lines = forms.latex(table.headings, table.cells, table.caption, long=columns)
        # A comment may hold any character.
        fit = (one if one.startswith("%") else within_fonts(one) for one in lines)
        return "".join(f"{line}\n" for line in fit)


def export_paper(request: ExportRequest) -> ExportSummary:
    """Write the kit into a folder, or as a zip where the name ends so.

    A ``paper.tex`` that somebody has changed is left as it is. Raises EvaluationError
    where judges are blind, CuratorError where a file cannot be written.
    """
    refuse_blind(request)
    if request.release is None:  # what has none was refused before
        raise EvaluationError("A paper's kit is made of a release.")
    files = paper_files(request.state.whole, *request.release)
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
            notices.append(f"'{main}' was changed by somebody and stays as it is.")
        _write_folder(target, files)
    return ExportSummary("paper", target, len(files), "files", tuple(notices))


def _notices(record: ReleaseRecord, frozen: Release) -> list[str]:
    notices = []
    if not frozen.board:
        notices.append("The release has no board: there were no runs.")
    if record.known < record.needed:
        missing = counted(record.needed - record.known, "grade")
        notices.append(f"{missing} were missing when it was frozen; the text says so.")
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
    state: State, record: ReleaseRecord, frozen: Release
) -> dict[str, bytes]:
    """Every file of the kit by its name; which there are never depends on the data."""
    agreed = _agreement(state, frozen)
    correlated = _correlations(state, frozen)
    tables = _tables(state, frozen, correlated, agreed)
    pictures = {
        "leaderboard": figures.frozen_figure(frozen),
        "official": figures.against_figure(frozen, state.collection.official),
    }
    graders = _graders(state, record.grader)
    cited = _Citations()
    methods = template("methods.tex").render(
        **_bank_words(state, record, frozen),
        agreed=not isinstance(agreed, str),
        cite=cited,
        collection=_collection(state, frozen),
        correlated=not isinstance(correlated, str),
        counted=counted,
        digits=digits,
        frozen=frozen,
        graders=graders,
        means=meaning(record.measure).format(first=passages_looked_at(record.settings)),
        measure=depth_words(record.settings),
        measured=_sources(record.measure),
        people=_people,
        published={one.name: of for one in graders if (of := _published(one))},
        record=record,
        rule=RULES[record.label],
        settings=record.settings,
        title=state.collection.title,
        version=VERSION,
    )
    main = template(MAIN).render(
        figures=[(name, one.title) for name, one in pictures.items()],
        record=record,
        tables=tables,
        title=state.collection.title,
        version=VERSION,
    )
    texts = {
        MAIN: main,
        "methods.tex": methods,
        "prompts.tex": _prompts(graders),
        "references.bib": bibliography(cited.keys),
        **{f"tables/{one.name}.tex": one.source for one in tables},
    }
    return {name: text.encode() for name, text in texts.items()} | {
        f"figures/{name}.pdf": one.pdf() for name, one in pictures.items()
    }


class _Citations:
    """Writes citations of the papers that a source names, and keeps which."""

    def __init__(self) -> None:
        self.keys: set[str] = set()

    def __call__(self, *sources: str) -> Tex:
        keys = dict.fromkeys(key for one in sources for key in named_in(one))
        self.keys.update(keys)
        return Tex(f"~\\cite{{{','.join(keys)}}}" if keys else "")


def _sources(measure: str) -> str:
    """What the measure says of where it comes from, in a line."""
    one = measure_type(measure)
    found = [line.source for line in one.documented] + [one.names[0].family]
    text = "; ".join(found)
    return text if "trec_eval" not in text else f"{text}; ir-measures"


def _people(counts: Sequence[tuple[str, int]]) -> str:
    """``ann 12, ben 3``."""
    return ", ".join(f"{name} {number:,}" for name, number in counts)


def _collection(state: State, frozen: Release) -> dict[str, int | None]:
    pools = [state.collection.pools[one] for one in state.query_ids()]
    return {
        "queries": len(state.collection.queries),
        "passages": sum(len(one.counted) for one in pools),
        "systems": len(frozen.board) or len(state.collection.systems),
        "judged": sum(int((one.judgments != UNJUDGED).sum()) for one in pools),
        "min_relevance": state.collection.min_relevance,
    }


def _bank_words(
    state: State, record: ReleaseRecord, frozen: Release
) -> dict[str, object]:
    """States and origins of the questions, as they were when they were frozen."""
    read = state.with_texts  # of which numbers are told
    bank = bank_at(read.connection, read.bank, record.event_id)
    origins = read_origins(read.connection, record.event_id)
    kept = [item for query in frozen.queries for item in query.questions()]
    came = [
        (one, origins.get(one.item_id) or Origin("imported", "", "")) for one in kept
    ]

    def by_name(how: str, field: str = "by") -> list[tuple[str, int]]:
        names = (getattr(origin, field) for _, origin in came if origin.how == how)
        return sorted(Counter(filter(None, names)).items())

    kinds = Counter(item.kind for item in kept)
    return {
        "kinds": " and ".join(
            counted(kinds[one], f"kept {one}")
            for one in ("question", "nugget")
            if kinds[one] or not kept
        ),
        "states": {
            one: sum(question.state == one for question in bank)
            for one in ("retired", "proposed")
        },
        "wrote": by_name("written"),
        "proposed": by_name("proposed"),
        "kept_by": by_name("proposed", "kept_by"),
        "reworded": sum(
            of.how == "proposed" and of.words != one.text for one, of in came
        ),
        "imported": sum(of.how == "imported" for _, of in came),
    }


def _graders(state: State, name: str) -> list[GraderRecord]:
    """The release's grader and those it rests on; none where it is gone by now."""
    try:
        waiting = [state.grader(name)]
    except UnknownNameError:
        return []
    found: dict[str, GraderRecord] = {}
    while waiting:
        one = waiting.pop(0)
        found.setdefault(one.name, one)
        waiting += one.parts
    return list(found.values())


def _published(grader: GraderRecord) -> object:
    """The prompt of ours whose words the grader is asked in, if there is one."""
    prompt = grader.spec.responder.prompt
    found = (one for one in PROMPTS.values() if prompt in (one.template, one.name))
    return next(found, None)


def _prompts(graders: Sequence[GraderRecord]) -> str:
    """Every prompt in full, or by its published name where only that is known."""
    asked = [one for one in graders if one.spec.responder.prompt]
    parts = [
        f"\\paragraph{{{tex(one.name)}}}\n\\begin{{quote}}\\ttfamily\\raggedright\n"
        f"{paragraphs(one.spec.responder.prompt)}\n\\end{{quote}}\n"
        for one in asked
    ]
    return "".join(parts) or "The grader takes no prompt.\n"


def _tables(
    state: State,
    frozen: Release,
    correlated: list[Correlated] | str,
    agreed: Agreement | str,
) -> list[PaperTable]:
    titles = {one.query_id: one.name for one in state.collection.queries}
    return [
        PaperTable(
            "leaderboard",
            frozen_board_table(frozen)
            if frozen.board
            else "There were no runs, so there is no board.",
            "rlrr",
        ),
        PaperTable(
            "correlation",
            correlated
            if isinstance(correlated, str)
            else _against_each(correlation_table(correlated), frozen),
        ),
        PaperTable(
            "agreement",
            agreed
            if isinstance(agreed, str)
            else agreement_table(
                agreed, frozen.settings, state.collection.min_relevance
            ),
        ),
        PaperTable(
            "bank", frozen_bank_table(frozen, titles), f"{WRAPPED % 0.5}rrr", True
        ),
        PaperTable(
            "questions",
            frozen_question_table(frozen),
            f"{WRAPPED % 0.2}{WRAPPED % 0.7}",
            True,
        ),
    ]


def _against_each(table: Table, frozen: Release) -> Table:
    """The table without its column of measures, of which there is one."""
    columns = [one for one in table.columns if one.heading != "measure"]
    against = [
        replace(one, only=EVERYWHERE) if one.heading == "against" else one
        for one in columns
    ]
    return replace(
        table,
        columns=against,
        caption=f"Rank correlation · {settings_words(frozen.settings)}",
    )


def _correlations(state: State, frozen: Release) -> list[Correlated] | str:
    """The frozen board against the official one and those of judgments, or why not."""
    if len(frozen.board) < 2:
        return "Without a board of two systems there is no order to compare."
    collection, settings = state.collection, frozen.settings
    scores = {one.system: one.score for one in frozen.board}
    found = []
    if collection.official:
        of_ranks = correlate(scores, collection.official, reference_is="ranks")
        found.append(Correlated(settings, OFFICIAL, of_ranks))
    for against in REFERENCES if any(map(is_judged, collection.pools.values())) else ():
        try:
            board = scoring.board(state, reference_settings(state, settings, against))
        except EvaluationError:  # nobody said from which judgment on is relevant
            continue
        if board.standings:
            of_scores = correlate(scores, board.scores(), reference_is="scores")
            found.append(Correlated(settings, against, of_scores))
    return found or "No official board and no judgments are known."


def _agreement(state: State, frozen: Release) -> Agreement | str:
    """The frozen labels against the official judgments, or why there is nothing."""
    min_relevance = state.collection.min_relevance
    pools = [(one, state.collection.pools.get(one.query_id)) for one in frozen.queries]
    judged = [(one, pool) for one, pool in pools if pool and is_judged(pool)]
    if not judged:
        return "No official judgments are known, so labels are compared with nobody's."
    if min_relevance is None:
        return "Nobody has said from which judgment on a passage is relevant."
    labels = frozen.labels()
    label = [
        labels.get((one.query_id, passage_id), -1)
        for one, pool in judged
        for passage_id in pool.passage_ids
    ]
    judgments = np.concatenate([pool.judgments for _, pool in judged])
    relevant_from = frozen.settings.relevant_from(frozen.reading)
    return JudgedLabels.of(label, judgments).agreement(relevant_from, min_relevance)
