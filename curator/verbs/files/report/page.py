"""A report as one self-contained HTML file.

Style and figures are included; there is no script, and the page forbids every request.
The template engine escapes all outside text, after control characters and marks of text
direction are removed.
"""

from __future__ import annotations

import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import FileSystemLoader, Template
from markupsafe import Markup

from curator.evaluation.measures import meaning, measure_type, title
from curator.evaluation.settings import DEFAULT_LABEL, Settings
from curator.figures import bar_chart
from curator.formats.templates import ENVIRONMENT
from curator.formats.text.notices import counted, missing_grades
from curator.formats.text.output_files import output_file
from curator.snapshot.gradebook import GraderRecord
from curator.tables import agreement, checks, figures, leaderboard
from curator.tables.forms import decimals
from curator.tables.settings import (
    RULES,
    depth_words,
    passages_looked_at,
    settings_clause,
)
from curator.verbs.files.export_request import ExportRequest, ExportSummary
from curator.verbs.files.report.report import Report, report

HERE = Path(__file__).parent
HIDDEN_CHARACTERS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]"
)
READ_MS_MARCO = "all-minilm"  # part of the names of models trained on it


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
    for drawn in report.boards:
        name = drawn.settings.measure
        result = f"the leaderboard by {title(name)}"
        listed.append((result, "leaderboard", ["--measure", name, *board, *depth]))
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
    return READ_MS_MARCO in record.spec.responder.model.lower() or any(
        map(saw_ms_marco, record.parts)
    )


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
        "agreement": agreement,
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
    }
    environment.filters = {
        **environment.filters,
        "capital": capital,
        "decimals": decimals,
        "measure": title,
        "moment": lambda at: f"{at[:16].replace('T', ' ')} UTC" if at else "",
    }
    return environment.get_template("report.html")
