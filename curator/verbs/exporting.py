"""``export``: what people made here, written to files that other tools read."""

from __future__ import annotations

from importlib import import_module

from curator.errors import UnknownNameError
from curator.verbs.export_orders import ExportOrder, ExportSummary

__all__ = ["EXPORTERS", "OF_NUMBERS", "ExportOrder", "ExportSummary", "export"]

EXPORTERS = {
    "bank": "exported_banks:export_bank",
    "autograder": "exported_banks:export_autograder",
    "answers": "exported_banks:export_answers",
    "qrels": "exported_numbers:export_qrels",
    "leaderboard": "exported_numbers:export_leaderboard",
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
