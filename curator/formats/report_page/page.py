"""A report as one HTML file that needs nothing beside it.

Style and figures stand in the file; there is no script, and the page itself forbids
every request. All text from outside is escaped by the template engine, after control
characters and marks that turn its direction are taken out.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from curator.evaluation.measures import title
from curator.formats.report_page import drawings, words
from curator.formats.report_page.contents import Report
from curator.formats.text.notices import counted


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
    told = report.settings
    if told is None:
        return [("the bank", "curator questions WORKSPACE")]
    parts = ["--measure", told.measure]
    if told.grader:
        grader = ["--grader", told.grader, "--min-rating", str(told.min_rating)]
    else:
        grader = []
    options = shlex.join([*parts, *grader, "-k", str(told.k)])
    found = [
        ("the collection, every grader here", "curator status WORKSPACE"),
        ("who wrote the questions", "curator decisions WORKSPACE"),
        ("the bank with reach and influence", f"curator questions WORKSPACE {options}"),
    ]
    under = shlex.join([*grader, "-k", str(told.k)])
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
            *_each("--measure", [one.measure for one in report.correlations]),
            *_each("--against", [one.against for one in report.correlations]),
        ]
        correlated = f"curator correlate WORKSPACE {under} {shlex.join(compared)}"
        found.append(("correlations", correlated))
    if report.agreement is not None:
        options = shlex.join(["--grader", told.grader])
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


def shown(value: Any) -> Any:
    """What the template writes of a value: text from outside made plain first."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return words.plain(value)
    return value


@cache
def _template() -> Template:
    environment = Environment(
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "against_drawing": drawings.against_drawing,
        "bars_drawing": drawings.bars_drawing,
        "board_drawing": drawings.board_drawing,
        "counted": counted,
        "example_said": words.example_said,
        "measure_means": words.measure_means,
        "reading_said": words.reading_said,
        "said": words.said,
        "sources": words.sources,
        "words": words,
    }
    environment.filters |= {
        "capital": words.capital,
        "decimals": words.decimals,
        "measure": title,
        "moment": words.moment,
        "rank": words.rank,
    }
    environment.globals["style"] = Markup(_beside("report.css"))
    return environment.from_string(_beside("report.html"))


def _beside(name: str) -> str:
    return (
        files("curator.formats.report_page").joinpath(name).read_text(encoding="utf-8")
    )
