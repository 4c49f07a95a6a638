"""The right column of the Answers page: checks, pairs, systems, and the models."""

from __future__ import annotations

from collections.abc import Sequence

from curator.ui.answers.check_rows import CheckRow, ErrorRow, PairRow, SystemRow
from curator.ui.answers.model_words import CardRow, ReportRows
from curator.ui.shared import html

WITHOUT_VERDICTS = (
    "No answer has a majority of verdicts that you may see yet: give some with y and "
    "w, and every check is held against people’s here."
)


def checks_html(rows: Sequence[CheckRow], judged: int) -> str:
    """What each check says; against people where there are verdicts."""
    head = '<th scope="col">Check</th><th scope="col">Right</th>'
    if judged:
        titles = {
            "n": "Answers with a majority of people's verdicts",
            "P": "Precision: of what the check calls right, the share that is",
            "R": "Recall: of what is right, the share that the check calls so",
            "F1": "Harmonic mean of the two",
            "κ": "Cohen's kappa with people",
        }
        head += "".join(
            f'<th scope="col" title="{html.text(title)}">{name}</th>'
            for name, title in titles.items()
        )
    body = "".join(
        f'<tr><th scope="row" title="{html.text(row.name)}">{html.text(row.label)}</th>'
        f"<td>{row.right}</td>"
        + (
            f"<td>{row.judged}</td><td>{row.precision}</td><td>{row.recall}</td>"
            f"<td>{row.f1}</td><td>{row.kappa}</td>"
            if judged
            else ""
        )
        + "</tr>"
        for row in rows
    )
    about = "against people’s verdicts" if judged else "share of answers called right"
    note = "" if judged else f'<p class="c-note">{html.text(WITHOUT_VERDICTS)}</p>'
    return _table("Checks", about, head, body) + note


def pairs_html(rows: Sequence[PairRow]) -> str:
    """Every two checks on the same answers; nothing of one check."""
    if not rows:
        return ""
    head = "".join(
        f'<th scope="col" title="{title}">{name}</th>'
        for name, title in (
            ("Two checks", "The first, and the second"),
            ("Both", "Right to both"),
            ("1st", "Right to the first alone"),
            ("2nd", "Right to the second alone"),
            ("None", "Wrong to both"),
            ("Same", "Share of answers on which they say the same"),
            ("κ", "Cohen's kappa"),
        )
    )
    body = "".join(
        f'<tr><th scope="row">{html.text(row.first)}, {html.text(row.second)}</th>'
        + "".join(f"<td>{count}</td>" for count in row.counts)
        + f"<td>{row.same}</td><td>{row.kappa}</td></tr>"
        for row in rows
    )
    return _table("Two by two", "answers that both have checked", head, body)


def systems_html(
    rows: Sequence[SystemRow], errors: Sequence[ErrorRow], columns: Sequence[str]
) -> str:
    """Accuracy of each system by each check and by people, and the error of checks."""
    if not rows:
        return ""
    heads = ("System", "n", *columns)
    head = "".join(
        f'<th scope="col" title="{html.text(one)}">{html.text(one)}</th>'
        for one in heads
    )
    body = "".join(
        f'<tr><th scope="row">{html.system(row.system)}</th><td>{row.questions}</td>'
        + "".join(f"<td>{one}</td>" for one in row.accuracies)
        + "</tr>"
        for row in rows
    )
    made = _table(
        "Systems", "share of questions the first passage gets right", head, body
    )
    if not errors:
        return made
    head = "".join(
        f'<th scope="col">{one}</th>'
        for one in ("Check", "Systems", "τ<sub>b</sub>", "p", "RMSE ± σ")
    )
    body = "".join(
        f'<tr><th scope="row">{html.text(row.label)}</th><td>{row.systems}</td>'
        f"<td>{row.tau}</td><td>{row.p}</td><td>{row.rmse}</td></tr>"
        for row in errors
    )
    return made + _table("Error", "accuracies against people’s", head, body)


def card_html(row: CardRow) -> str:
    """A model's card, or why there is none."""
    lines = "".join(
        f"<dt>{html.text(name)}</dt><dd>{html.text(said)}</dd>"
        for name, said in row.lines
    )
    why = f'<p class="c-note">{html.coded(row.why)}</p>' if row.why else ""
    return (
        f'<div class="a-card"><b>{html.text(row.name)}</b>'
        f"{f'<dl>{lines}</dl>' if lines else ''}{why}"
        f"{'' if row.report is None else report_html(row.report)}</div>"
    )


def report_html(rows: ReportRows) -> str:
    """What a saved report says: on single answers, and on systems by measure."""
    made = ""
    if rows.answers:
        head = "".join(
            f'<th scope="col">{one}</th>' for one in ("Data", "P", "R", "F1")
        )
        data, *ratios = rows.answers
        body = f'<tr><th scope="row">{html.text(data)}</th>'
        body += "".join(f"<td>{one}</td>" for one in ratios) + "</tr>"
        made += _table("Report: answers", rows.answers_about, head, body)
    if rows.systems:
        titles = ("Data", "Measure", "n", "τ<sub>b</sub>", "p", "RMSE ± σ")
        head = "".join(f'<th scope="col">{one}</th>' for one in titles)
        body = "".join(
            f'<tr><th scope="row">{html.text(one.data)}</th><td>{one.measure}</td>'
            f"<td>{one.systems}</td><td>{one.tau}</td><td>{one.p}</td>"
            f"<td>{one.rmse}</td></tr>"
            for one in rows.systems
        )
        made += _table("Report: systems", rows.systems_about, head, body)
    return made


def _table(name: str, about: str, head: str, body: str) -> str:
    return (
        '<div class="m-scroll a-scroll"><table class="v-table a-table">'
        f"<caption><b>{name}</b>{html.text(about)}</caption>"
        f"<thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )
