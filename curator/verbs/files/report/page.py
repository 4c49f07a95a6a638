"""A report as one HTML file that needs nothing beside it.

Style and figures stand in the file; there is no script, and the page itself forbids
every request. All text from outside is escaped by the template engine, after control
characters and marks that turn its direction are taken out.
"""

from __future__ import annotations

import shlex
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import FileSystemLoader, Template
from markupsafe import Markup

from curator.engine.gradebook import GraderRecord
from curator.evaluation.measures import meaning, measure_type, title
from curator.evaluation.settings import DEFAULT_LABEL, Settings
from curator.formats.templates import ENVIRONMENT
from curator.formats.text.notices import counted, missing_grades
from curator.formats.text.output_files import output_file
from curator.tables import agreement, checks, leaderboard
from curator.tables.forms import decimals
from curator.tables.settings import depth_words, passages_looked_at, settings_clause
from curator.verbs.files.export_request import ExportRequest, ExportSummary
from curator.verbs.files.report import drawings
from curator.verbs.files.report.report import Report, report

HERE = Path(__file__).parent
READ_MS_MARCO = "all-minilm"  # in the names of models that were trained on it


def export_report(request: ExportRequest) -> ExportSummary:
    """Write the page. Missing grades refuse nothing: the page says what is missing."""
    contents = report(request.state, request.settings)
    with output_file(request.target) as stream:
        stream.write(report_page(contents))
    grader = contents.grader
    notices: tuple[str, ...] = ()
    if grader is not None and grader.known < grader.needed:
        missing = missing_grades(grader.needed - grader.known, grader.needed)
        notices = (f"{missing}; the page gives bounds where it can.",)
    kept = contents.states["kept"]
    return ExportSummary("report", request.target, kept, "kept questions", notices)


def report_page(report: Report) -> str:
    """The whole page; equal reports give equal pages."""
    settings = report.settings
    return _template().render(
        report=report,
        settings=settings,
        grader=report.grader,
        its_graders=report.its_graders,
        of_ava=any(name.startswith("ava:") for name in report.its_graders),
        cited=measure_type(settings.measure).cited if settings else "",
        commands=commands(report),
    )


def commands(report: Report) -> list[tuple[str, str]]:
    """(what it gives, the command) for every number of the page."""
    settings = report.settings
    if settings is None:
        return [("the bank", "curator questions WORKSPACE")]
    grader, depth = list[str](), ["-k", str(settings.k)]
    if settings.grader:
        grader = ["--grader", settings.grader, "--min-rating", str(settings.min_rating)]
    least = list[str]()
    if settings.min_answered > 1:
        least += ["--min-answered", str(settings.min_answered)]
    if settings.label != DEFAULT_LABEL:
        least += ["--label", settings.label]
    grader += least
    options = ["--measure", settings.measure, *grader, *depth]
    found = [
        ("the collection, every grader here", "status", []),
        ("who wrote the questions", "decisions", []),
        ("the bank with reach and influence", "questions", options),
    ]
    for one in report.boards:
        measure = one.settings.measure
        of_board = ["--measure", measure, *grader, *depth]
        found.append((f"the board by {title(measure)}", "leaderboard", of_board))
    if report.boards:
        found.append(("tiers", "compare", [*options, "--tests"]))
    if report.correlations:
        measures = dict.fromkeys(one.settings.measure for one in report.correlations)
        others = dict.fromkeys(one.against for one in report.correlations)
        compared = [word for one in measures for word in ("--measure", one)]
        compared += [word for one in others for word in ("--against", one)]
        found.append(("correlations", "correlate", [*grader, *depth, *compared]))
    if report.agreement is not None:
        of_tables = ["--grader", settings.grader, *least, "--tables"]
        direct = report.grader is not None and report.grader.kind == "direct"
        if settings.label == "answered" or direct:
            of_tables += ["--min-rating", str(settings.min_rating)]
        found.append(("agreement", "agreement", of_tables))
    for kappa in report.kappas if len(report.kappas) > 1 else ():
        if kappa.compared:
            rating = str(kappa.min_rating)
            its = ["--grader", kappa.grader, "--min-rating", rating, *least]
            found.append((f"κ of {kappa.grader}", "agreement", its))
    if report.quality is not None:
        of_checks = ["quality", "--min-rating", str(settings.min_rating), *least]
        found.append(("what checks say", "checks", of_checks))
    if report.grader:
        partial = ["--allow-partial"] * (report.grader.known < report.grader.needed)
        found.append(("labels", "export", ["--qrels", "FILE", *grader, *partial]))
    if report.releases:
        found.append(("releases", "release", []))
    found.append(("every text and rating, rebuilt", "verify", []))
    return [
        (what, shlex.join(["curator", command, "WORKSPACE", *given]))
        for what, command, given in found
    ]


def saw_ms_marco(record: GraderRecord) -> bool:
    """Whether a model that it rests on read that collection when it was trained."""
    return READ_MS_MARCO in record.spec.responder.model.lower() or any(
        map(saw_ms_marco, record.parts)
    )


def measure_means(settings: Settings) -> str:
    """What the settings' measure is and how deep it looks, in a clause."""
    return meaning(settings.measure).format(first=passages_looked_at(settings))


def capital(text: str) -> str:
    """The text with its first letter a capital, unless it is a name like nDCG."""
    return text[:1].upper() + text[1:] if text[1:2].islower() else text


def plain(value: Any) -> Any:
    """What the template writes of a value: all text is made plain first."""
    if isinstance(value, str):
        kind = Markup if isinstance(value, Markup) else str
        return kind(drawings.plain(value))
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
        "against_drawing": drawings.against_drawing,
        "agreement": agreement,
        "bars_drawing": drawings.bars_drawing,
        "board_drawing": drawings.board_drawing,
        "checks": checks,
        "counted": counted,
        "depth_words": depth_words,
        "measure_means": measure_means,
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
