"""A report as one HTML file that needs nothing beside it.

Style and figures stand in the file; there is no script, and the page itself forbids
every request. All text from outside is escaped by the template engine, after control
characters and marks that turn its direction are taken out.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import FileSystemLoader, Template
from markupsafe import Markup

from curator.evaluation.measures import title
from curator.formats.templates import ENVIRONMENT
from curator.formats.text.notices import counted, missing_grades
from curator.formats.text.output_files import output_file
from curator.tables import leaderboard
from curator.tables.forms import decimals
from curator.tables.settings import depth_words, settings_clause
from curator.verbs.files.export_request import ExportRequest, ExportSummary
from curator.verbs.files.report import drawings, words
from curator.verbs.files.report.contents import Report
from curator.verbs.files.report.report import report

HERE = Path(__file__).parent


def export_report(request: ExportRequest) -> ExportSummary:
    """Write the page. Missing grades refuse nothing: the page says what is missing."""
    contents = report(request.state, request.settings)
    with output_file(request.target) as stream:
        stream.write(report_page(contents))
    grader = contents.grader
    notices: tuple[str, ...] = ()
    if grader is not None and grader.known < grader.needed:
        lacking = missing_grades(grader.needed - grader.known, grader.needed)
        notices = (f"{lacking}; the page gives bounds where it can.",)
    number = sum(len(query.lines) for query in contents.bank)
    return ExportSummary("report", request.target, number, "kept questions", notices)


def report_page(report: Report) -> str:
    """The whole page; equal reports give equal pages."""
    return _template().render(
        report=report,
        settings=report.settings,
        grader=report.grader,
        commands=commands(report),
    )


def commands(report: Report) -> list[tuple[str, str]]:
    """(what it gives, the command) for every number of the page."""
    settings = report.settings
    if settings is None:
        return [("the bank", "curator questions WORKSPACE")]
    parts = ["--measure", settings.measure]
    if settings.grader:
        grader = ["--grader", settings.grader, "--min-rating", str(settings.min_rating)]
    else:
        grader = []
    options = shlex.join([*parts, *grader, "-k", str(settings.k)])
    found = [
        ("the collection, every grader here", "curator status WORKSPACE"),
        ("who wrote the questions", "curator decisions WORKSPACE"),
        ("the bank with reach and influence", f"curator questions WORKSPACE {options}"),
    ]
    under = shlex.join([*grader, "-k", str(settings.k)])
    for one in report.boards:
        measure = shlex.quote(one.settings.measure)
        found.append(
            (
                f"the board by {title(one.settings.measure)}",
                f"curator leaderboard WORKSPACE --measure {measure} {under}",
            )
        )
    if report.boards:
        tests = f"curator compare WORKSPACE {options} --tests"
        found.append(("tiers", tests))
    if report.correlations:
        compared = [
            *_each("--measure", [one.settings.measure for one in report.correlations]),
            *_each("--against", [one.against for one in report.correlations]),
        ]
        correlated = f"curator correlate WORKSPACE {under} {shlex.join(compared)}"
        found.append(("correlations", correlated))
    if report.agreement is not None:
        options = shlex.join(["--grader", settings.grader])
        found.append(("agreement", f"curator agreement WORKSPACE {options} --tables"))
    for kappa in report.kappas:
        if kappa.compared and len(report.kappas) > 1:
            options = shlex.join(
                ["--grader", kappa.grader, "--min-rating", str(kappa.min_rating)]
            )
            found.append(
                (f"κ of {kappa.grader}", f"curator agreement WORKSPACE {options}")
            )
    if report.grader:
        options = shlex.join(grader)
        if report.grader.known < report.grader.needed:
            options += " --allow-partial"
        found.append(("labels", f"curator export WORKSPACE --qrels FILE {options}"))
    if report.releases:
        found.append(("releases", "curator release WORKSPACE"))
    found.append(("every text and rating, rebuilt", "curator verify WORKSPACE"))
    return found


def _each(option: str, values: Iterable[str]) -> list[str]:
    """The option before each different value, in their order."""
    return [word for value in dict.fromkeys(values) for word in (option, value)]


def plain(value: Any) -> Any:
    """What the template writes of a value: all text is made plain first."""
    if isinstance(value, str):
        kind = Markup if isinstance(value, Markup) else str
        return kind(words.plain(value))
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
        "bars_drawing": drawings.bars_drawing,
        "board_drawing": drawings.board_drawing,
        "counted": counted,
        "depth_words": depth_words,
        "settings_clause": settings_clause,
        "style": Markup((HERE / "report.css").read_text(encoding="utf-8")),
        "tables": leaderboard,
        "words": words,
    }
    environment.filters = {
        **environment.filters,
        "capital": words.capital,
        "decimals": decimals,
        "measure": title,
        "moment": words.moment,
    }
    return environment.get_template("report.html")
