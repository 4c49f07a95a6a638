"""The report as a page: the one export that is made to be read by people."""

from __future__ import annotations

from curator.formats.report_page.page import report_page
from curator.formats.text.notices import missing_grades
from curator.formats.text.output_files import output_file
from curator.verbs.files.export_request import ExportOrder, ExportSummary
from curator.verbs.files.report.contents import report


def export_report(order: ExportOrder) -> ExportSummary:
    """Write the page. Missing grades refuse nothing: the page says what is missing."""
    found = report(order.state, order.settings)
    with output_file(order.target) as stream:
        stream.write(report_page(found))
    told = found.grader
    notices: tuple[str, ...] = ()
    if told is not None and told.known < told.needed:
        lacking = missing_grades(told.needed - told.known, told.needed)
        notices = (f"{lacking}; the page gives bounds where it can.",)
    number = sum(len(query.lines) for query in found.bank)
    return ExportSummary("report", order.target, number, "kept questions", notices)
