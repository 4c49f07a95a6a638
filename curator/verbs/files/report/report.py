"""``report``: all contents of a published page, and the page as one HTML file.

The page is self-contained: style and figures are included, there is no script, and it
forbids every request. The template engine escapes all outside text, after control
characters and marks of text direction are removed.
"""

from __future__ import annotations

import math
import re
import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import FileSystemLoader, Template
from markupsafe import Markup

from curator.bank.questions import active
from curator.collection.pools import UNJUDGED, Query
from curator.errors import CuratorError, EvaluationError
from curator.evaluation.agreement import Agreement, AgreementTables
from curator.evaluation.leaderboard import Leaderboard, is_judged
from curator.evaluation.measures import meaning, measure_type, title
from curator.evaluation.settings import (
    DEFAULT_LABEL,
    OFFICIAL,
    SAME_LABEL,
    Settings,
    default_min_rating,
)
from curator.figures import bar_chart
from curator.formats.templates import ENVIRONMENT
from curator.formats.text.notices import counted, missing_grades
from curator.formats.text.output_files import output_file
from curator.snapshot import scoring
from curator.snapshot import settings as chosen_settings
from curator.snapshot.gradebook import GraderRecord
from curator.snapshot.languages import Languages, languages
from curator.snapshot.settings import (
    BoardChoice,
    OptionValue,
    default_settings,
    transferred_rating,
)
from curator.snapshot.snapshot import Snapshot
from curator.store.counts import Activity, read_activity
from curator.tables import agreement as label_tables
from curator.tables import checks, figures, leaderboard, validity
from curator.tables.forms import decimals
from curator.tables.settings import (
    RULES,
    depth_words,
    passages_looked_at,
    settings_clause,
)
from curator.verbs.checks.quality import Quality, check_quality
from curator.verbs.compare import USUAL_MEASURES, significance
from curator.verbs.curate.question_rows import QuestionLine, question_lines
from curator.verbs.files.export_request import ExportRequest, ExportSummary
from curator.verbs.files.report.examples import ReportExample, examples
from curator.verbs.leaderboard.leaderboard import (
    BoardCorrelation,
    agreement,
    correlations,
)
from curator.verbs.proposals.decisions import DecisionCounts, decisions
from curator.verbs.releases import Drift, freeze, release_drifts
from curator.verbs.setup import GraderState, graders
from curator.version import VERSION

HERE = Path(__file__).parent
HIDDEN_CHARACTERS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]"
)
READ_MS_MARCO = "all-minilm"  # part of the names of models trained on it
NO_CHANGE = 1e-12  # changes of a score up to this count as none
REFERENCES = ("judgments:nDCG@10", "judgments:P@20")
"""The boards of judgments that a report compares with, besides the official one."""


@dataclass(frozen=True)
class Report:
    """All contents of the page, for one setting.

    ``settings`` is None where nothing is graded by a grader that reads the texts.
    ``collection`` are ``collection_counts``, ``effects`` numbers of the settings'
    active questions, None where nothing is graded. ``bank`` has the kept questions by
    query. ``per_query`` counts queries by their number of questions of the grader's
    kind. ``boards`` begins with that of the settings, followed by the usual ones;
    ``missing`` has the reason for each empty part: boards, correlations, agreement and
    examples. ``labels`` counts passages by label, ``unlabelled`` those without a
    grade. ``kappas`` are the agreements of all graders with the judgments, each with
    its minimum rating; ``quality`` compares them with people's checks, None without
    any. ``sha256`` is that of the kept bank with its grades, "" without grades.
    """

    title: str
    version: str
    history: Activity
    settings: Settings | None
    collection: Mapping[str, int | None]
    blind: bool
    languages: Languages
    states: Mapping[str, int]
    kinds: Mapping[str, int]
    done: int
    authors: DecisionCounts
    bank: tuple[tuple[Query, tuple[QuestionLine, ...]], ...]
    per_query: Mapping[int, int]
    effects: Mapping[str, int] | None
    graders: tuple[tuple[GraderRecord, GraderState], ...]
    official: Mapping[str, float]
    releases: tuple[Drift, ...]
    quality: Quality | None = None
    labels: Mapping[int, int] = field(default_factory=dict)
    unlabelled: int = 0
    sha256: str = ""
    boards: tuple[Leaderboard, ...] = ()
    tiers: Mapping[str, int] = field(default_factory=dict)
    tier_note: str = ""
    correlations: tuple[BoardCorrelation, ...] = ()
    agreement: AgreementTables | None = None
    agreement_notes: tuple[str, ...] = ()
    kappas: tuple[tuple[str, int, Agreement], ...] = ()
    examples: tuple[ReportExample, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)

    @property
    def used_graders(self) -> dict[str, tuple[GraderRecord, GraderState]]:
        """The settings' grader and those it depends on, by name."""
        by_name = {state.name: (record, state) for record, state in self.graders}
        chosen = by_name.get(self.settings.grader) if self.settings else None
        names = [record.name for record in chosen[0].with_parts()] if chosen else []
        return {name: by_name[name] for name in names if name in by_name}

    @property
    def grader(self) -> GraderState | None:
        """The settings' grader, None without one."""
        return next((state for _, state in self.used_graders.values()), None)


def report(
    snapshot: Snapshot, /, settings: BoardChoice | None = None, **options: OptionValue
) -> Report:
    """Collect all contents of the published page; ``export`` writes it.

    Also for a workspace without grades; empty parts have a reason. Depends only on what
    the viewer may see of the file: no clock, no model, no random numbers.
    """
    settings = default_settings(snapshot, options, settings)
    collection, bank = snapshot.collection, snapshot.bank
    graded = settings if settings is not None and settings.grader else None
    lines = question_lines(snapshot, settings)
    kept = [line for line in lines if line.question.state == "kept"]
    parts: dict[str, Any] = {}
    if graded is not None:
        parts = _labels(snapshot, graded)
        with suppress(EvaluationError):  # there may be no checks
            parts["quality"] = check_quality(
                snapshot, min_rating=graded.min_rating, **_label_rule(graded)
            )
    missing: dict[str, str] = {}
    makers: dict[str, Callable[[], dict[str, Any]]] = {
        "boards": lambda: _boards(snapshot, settings),
        "correlations": lambda: _correlations(snapshot, parts.get("boards", ())),
        "agreement": lambda: _agreement(snapshot, graded),
        "examples": lambda: {"examples": examples(snapshot, graded)},
    }
    for name, make in makers.items():
        try:
            parts |= make()
        except EvaluationError as error:
            missing[name] = str(error)
    return Report(
        title=collection.title,
        version=VERSION,
        # Counts include restricted queries.
        history=read_activity(snapshot.full.connection),
        settings=settings,
        collection=collection_counts(snapshot),
        blind=collection.blind and not collection.mask_salt,
        languages=languages(snapshot),
        states={
            name: sum(question.state == name for question in bank)
            for name in ("kept", "proposed", "retired")
        },
        kinds=dict(Counter(sorted(line.question.kind for line in kept))),
        done=len({query_id for query_id, _ in bank.done}),
        authors=decisions(snapshot).bank,
        bank=tuple(
            (snapshot.queries[query_id], tuple(query_lines))
            for query_id, query_lines in groupby(
                kept, lambda line: line.question.query_id
            )
        ),
        per_query=_per_query(snapshot, graded),
        effects=_effects(snapshot, settings, lines),
        graders=tuple(zip(snapshot.gradebook.records, graders(snapshot), strict=True)),
        official=dict(collection.official),
        releases=release_drifts(snapshot),
        missing=missing,
        **parts,
    )


def collection_counts(snapshot: Snapshot) -> dict[str, int | None]:
    """Count the contents of the collection.

    ``passages`` are distinct, ``pairs`` are pooled; ``judged`` counts pairs with an
    official judgment, ``depth`` is the deepest rank of any system.
    """
    collection = snapshot.collection
    pools = collection.pools.values()
    return {
        "queries": len(collection.queries),
        "subtopics": sum(len(query.subtopics) for query in collection.queries),
        "passages": len({passage_id for pool in pools for passage_id in pool.counted}),
        "pairs": sum(len(pool.counted) for pool in pools),
        "systems": len(collection.systems),
        "depth": collection.depth,
        "judged": sum(int((pool.judgments != UNJUDGED).sum()) for pool in pools),
        "min_relevance": collection.min_relevance,
        "official": len(collection.official),
    }


def _label_rule(settings: Settings) -> dict[str, Any]:
    return {"min_answered": settings.min_answered, "label": settings.label}


def _labels(snapshot: Snapshot, graded: Settings) -> dict[str, Any]:
    frozen = freeze(snapshot, graded, scores=False)
    values = frozen.labels().values()
    labels = Counter(math.floor(label + SAME_LABEL) for label in values)
    passages = sum(
        len(query.passage_ids) for query in frozen.queries if next(query.rated(), None)
    )
    return {
        "labels": dict(sorted(labels.items(), reverse=True)),
        "unlabelled": passages - len(values),
        "sha256": frozen.sha256,
    }


def _per_query(snapshot: Snapshot, graded: Settings | None) -> dict[int, int]:
    # Counts all kinds if nothing is graded, or the grader rates whole passages.
    kind = snapshot.grader(graded.grader).spec.reading.item_kind if graded else "any"
    kind = "any" if kind == "query" else kind
    by_query = map(snapshot.bank.questions_of, snapshot.query_ids())
    counts = Counter(len(active(questions, kind)) for questions in by_query)
    return dict(sorted(counts.items()))


def _effects(
    snapshot: Snapshot, settings: Settings | None, lines: Sequence[QuestionLine]
) -> dict[str, int] | None:
    """Count questions by their effect; those on systems only if there are any."""
    reaches = [line.influence for line in lines if line.influence is not None]
    if settings is None or not reaches:
        return None
    unanswered = sum(not reach.passages for reach in reaches)
    effects = {"active": len(reaches), "unanswered": unanswered}
    systems = len(snapshot.collection.systems)
    if systems:
        effects["answered_by_all"] = sum(reach.systems == systems for reach in reaches)
    if systems and snapshot.measure(settings).based_on != "texts":
        changes = [reach.influence for reach in reaches]
        shifts = [change for change in changes if change is not None]
        effects["sole"] = len(changes) - len(shifts)  # without it there is no other
        effects["moving_nothing"] = sum(shift <= NO_CHANGE for shift in shifts)
    return effects


def _boards(snapshot: Snapshot, settings: Settings | None) -> dict[str, Any]:
    """Build boards and tiers of the first. Raises EvaluationError without a board."""
    if settings is None and snapshot.gradebook.records:
        raise EvaluationError("No grader is selected that can read these texts.")
    if settings is None:
        raise EvaluationError("Nothing is graded yet, so there is no leaderboard.")
    if not snapshot.collection.systems:
        raise EvaluationError("The collection has no runs, so no system is ranked.")
    first = scoring.board(snapshot, settings)
    if not first.standings:
        raise EvaluationError(" ".join(first.notes) or "No query is scored.")
    boards = [first]
    for measure in USUAL_MEASURES if settings.grader else ():
        try:
            other = chosen_settings.settings(
                snapshot,
                settings.grader,
                measure,
                settings.min_rating,
                settings.k,
                settings.min_answered,
                settings.label,
            )
            board = scoring.board(snapshot, other)
        except CuratorError:  # undefined under this grader
            continue
        if board.settings != settings and board.standings:
            boards.append(board)
    tested = significance(snapshot, settings)
    return {
        "boards": tuple(boards),
        # With too few queries no test can reject, and a single tier would mislead.
        "tiers": {} if tested.tests.note else tested.tiers,
        "tier_note": tested.tests.note,
    }


def _correlations(snapshot: Snapshot, boards: Sequence[Leaderboard]) -> dict[str, Any]:
    """Correlate every board with the official one and those of judgments.

    Raises EvaluationError if there is nothing to correlate.
    """
    collection = snapshot.collection
    if not boards:
        raise EvaluationError("There is no leaderboard to correlate.")
    if len(collection.systems) < 2:
        raise EvaluationError("A single system has no ranking to compare.")
    against = [OFFICIAL] if collection.official else []
    if any(map(is_judged, collection.pools.values())):
        against += [
            reference
            for reference in REFERENCES
            if collection.min_relevance is not None or "nDCG" in reference
        ]
    if not against:
        raise EvaluationError(
            "There is no official leaderboard and there are no judgments, so there is "
            "nothing to compare with."
        )
    settings: Any = [board.settings for board in boards]
    return {"correlations": correlations(snapshot, settings, against=against)}


def _agreement(snapshot: Snapshot, settings: Settings | None) -> dict[str, Any]:
    """Compute tables of the grader and every kappa. Raises EvaluationError."""
    if settings is None:
        raise EvaluationError("Without grades there are no labels to compare.")
    if not any(map(is_judged, snapshot.collection.pools.values())):
        raise EvaluationError("There are no official judgments to compare labels with.")
    if snapshot.collection.min_relevance is None:
        raise EvaluationError(
            "The judgment from which a passage is relevant is not set, so labels are "
            "not compared with judgments."
        )
    same = _label_rule(settings)
    compared = agreement(
        snapshot, grader=settings.grader, min_rating=settings.min_rating, **same
    )
    kappas, notes = [], [compared.note]
    for record in snapshot.gradebook.records:
        rating = transferred_rating(snapshot, settings, record.name)
        if rating is None:
            rating = default_min_rating(record.spec.reading.kind)
        try:
            other = agreement(snapshot, grader=record.name, min_rating=rating, **same)
        except EvaluationError as error:
            notes.append(f"{record.name}: {error}")
        else:
            kappas.append((record.name, rating, other.agreement))
    return {
        "agreement": compared.tables,
        "agreement_notes": tuple(filter(None, notes)),
        "kappas": tuple(kappas),
    }


def export_report(request: ExportRequest) -> ExportSummary:
    """Write the page, also if grades are missing: the page reports these."""
    contents = report(request.snapshot, request.settings)
    with output_file(request.target) as stream:
        stream.write(report_page(contents))
    grader = contents.grader
    notices: tuple[str, ...] = ()
    if grader is not None and grader.known < grader.needed:
        missing = missing_grades(grader.needed - grader.known, grader.needed)
        notices = (f"{missing}; the page gives bounds where possible.",)
    kept = contents.states["kept"]
    return ExportSummary("report", request.target, kept, "kept questions", notices)


def report_page(report: Report) -> str:
    """Render the page; equal reports give equal pages."""
    settings = report.settings
    return _template().render(
        report=report,
        settings=settings,
        grader=report.grader,
        used_graders=report.used_graders,
        uses_ava=any(name.startswith("ava:") for name in report.used_graders),
        cited=measure_type(settings.measure).cited if settings else "",
        commands=commands(report),
    )


def commands(report: Report) -> list[tuple[str, str]]:
    """List (result, command) for every number of the page."""
    settings = report.settings
    if settings is None:
        return [("the bank", "curator questions WORKSPACE")]
    rules = []
    if settings.min_answered > 1:
        rules += ["--min-answered", str(settings.min_answered)]
    if settings.label != DEFAULT_LABEL:
        rules += ["--label", settings.label]
    rating = ["--min-rating", str(settings.min_rating)]
    grader = ["--grader", settings.grader] if settings.grader else []
    board = [*grader, *(rating if grader else []), *rules]
    depth = ["-k", str(settings.k)]
    measure = ["--measure", settings.measure]
    listed = [
        ("the collection and its graders", "status", []),
        ("who wrote the questions", "decisions", []),
        ("the bank with reach and influence", "questions", [*measure, *board, *depth]),
    ]
    for name in (drawn.settings.measure for drawn in report.boards):
        arguments = ["--measure", name, *board, *depth]
        listed.append((f"the leaderboard by {title(name)}", "leaderboard", arguments))
    if report.boards:
        listed.append(("tiers", "compare", [*measure, *board, *depth, "--tests"]))
    if report.correlations:
        pairs = [("--measure", row.settings.measure) for row in report.correlations]
        pairs += [("--against", row.against) for row in report.correlations]
        compared = [word for pair in dict.fromkeys(pairs) for word in pair]
        listed.append(("correlations", "correlate", [*board, *depth, *compared]))
    if report.agreement is not None:
        direct = report.grader is not None and report.grader.kind == "direct"
        has_rating = settings.label == "answered" or direct
        tables = [*grader, *rules, "--tables", *(rating if has_rating else [])]
        listed.append(("agreement", "agreement", tables))
    for name, from_rating, agreed in report.kappas if len(report.kappas) > 1 else ():
        if agreed.compared:
            other = ["--grader", name, "--min-rating", str(from_rating), *rules]
            listed.append((f"κ of {name}", "agreement", other))
    if report.quality is not None:
        checked = ["quality", *rating, *rules]
        listed.append(("quality of labels by checks", "checks", checked))
    if report.grader:
        is_partial = report.grader.known < report.grader.needed
        partial = ["--allow-partial"] if is_partial else []
        listed.append(("labels", "export", ["--qrels", "FILE", *board, *partial]))
    if report.releases:
        listed.append(("releases", "release", []))
    listed.append(("check of every text and rating", "verify", []))
    return [
        (result, shlex.join(["curator", command, "WORKSPACE", *arguments]))
        for result, command, arguments in listed
    ]


def saw_ms_marco(record: GraderRecord) -> bool:
    """Return True if the grader uses a model that was trained on MS MARCO."""
    models = (part.spec.responder.model.lower() for part in record.with_parts())
    return any(READ_MS_MARCO in model for model in models)


def measure_means(settings: Settings) -> str:
    return meaning(settings.measure).format(first=passages_looked_at(settings))


def capital(text: str) -> str:
    """Capitalize the first letter, except in a name like nDCG."""
    return text[:1].upper() + text[1:] if text[1:2].islower() else text


def plain(value: Any) -> Any:
    """Remove control characters from text before the template writes it."""
    if isinstance(value, str):
        kind = Markup if isinstance(value, Markup) else str
        return kind(HIDDEN_CHARACTERS.sub("", value))
    return value


@cache
def _template() -> Template:
    environment = ENVIRONMENT.overlay(
        loader=FileSystemLoader(HERE),
        finalize=plain,
        trim_blocks=True,
        lstrip_blocks=True,
        cache_size=1,
    )
    environment.globals = {
        **environment.globals,
        "agreement": label_tables,
        "checks": checks,
        "counted": counted,
        "bar_chart": bar_chart,
        "depth_words": depth_words,
        "figures": figures,
        "measure_means": measure_means,
        "rules": RULES,
        "saw_ms_marco": saw_ms_marco,
        "settings_clause": settings_clause,
        "style": Markup((HERE / "report.css").read_text(encoding="utf-8")),
        "tables": leaderboard,
        "validity": validity,
    }
    environment.filters = {
        **environment.filters,
        "capital": capital,
        "decimals": decimals,
        "measure": title,
        "moment": lambda at: f"{at[:16].replace('T', ' ')} UTC" if at else "",
    }
    return environment.get_template("report.html")
