"""``export``: what people made here, written to files that other tools read."""

from __future__ import annotations

from importlib import import_module

from curator.errors import UnknownNameError
from curator.verbs.export_orders import ExportOrder, ExportSummary

__all__ = ["EXPORTERS", "OF_NUMBERS", "ExportOrder", "ExportSummary", "export"]

EXPORTERS = {
    "bank": "exported_banks:export_bank",
    "qrels": "exported_numbers:export_qrels",
    "autograder": "exported_banks:export_autograder",
    "leaderboard": "exported_numbers:export_leaderboard",
    "answers": "exported_banks:export_answers",
    "nuggetbank": "exported_nugget_banks:export_nuggetbank",
    "nuggetizer": "exported_nugget_banks:export_nuggetizer",
    "queries": "exported_collections:export_queries",
    "passages": "exported_collections:export_passages",
    "runs": "exported_collections:export_runs",
    "judgments": "exported_collections:export_judgments",
    "official": "exported_collections:export_official",
    "gold": "exported_collections:export_gold",
    "report": "exported_report:export_report",
    "reports": "exported_reports:export_reports",
    "tqa": "exported_reports:export_tqa",
    "bundle": "bundling:export_bundle",
}
"""By kind, the module of this package and the function that writes it."""

OF_NUMBERS = ("qrels", "leaderboard")
"""The kinds that rest on grades, and so on settings."""


def export(order: ExportOrder) -> ExportSummary:
    """Write the file whole or not at all.

    Raises UnknownNameError for a kind there is not, EvaluationError for numbers that
    rest on missing grades, unless ``allow_partial``.
    """
    if order.kind not in EXPORTERS:
        kinds = ", ".join(EXPORTERS)
        raise UnknownNameError(f"Cannot export '{order.kind}'. Available: {kinds}.")
    module, _, name = EXPORTERS[order.kind].partition(":")
    found: ExportSummary = getattr(import_module(f"curator.verbs.{module}"), name)(
        order
    )
    return found
