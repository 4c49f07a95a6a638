"""``export``: what people made here, written to files that other tools read."""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module
from pathlib import Path

from curator.engine.opened import OpenWorkspace
from curator.engine.settings import Options, report_settings, settings_from
from curator.errors import EvaluationError, UnknownNameError
from curator.evaluation.settings import Settings
from curator.formats.manifests import refuse_manifest
from curator.store.releases import ReleaseRecord
from curator.verbs.files.export_request import ExportOrder, ExportSummary
from curator.verbs.releases.release import release_named

__all__ = [
    "ENDINGS",
    "EXPORTERS",
    "OF_NUMBERS",
    "ExportOrder",
    "ExportSummary",
    "export",
    "refuse",
    "refuse_settings",
]

EXPORTERS = {
    "bank": "banks:export_bank",
    "qrels": "numbers:export_qrels",
    "autograder": "banks:export_autograder",
    "leaderboard": "numbers:export_leaderboard",
    "answers": "banks:export_answers",
    "nuggetbank": "nugget_banks:export_nuggetbank",
    "nuggetizer": "nugget_banks:export_nuggetizer",
    "queries": "collections:export_queries",
    "passages": "collections:export_passages",
    "runs": "collections:export_runs",
    "judgments": "collections:export_judgments",
    "official": "collections:export_official",
    "gold": "collections:export_gold",
    "report": "report.page:export_report",
    "reports": "reports:export_reports",
    "tqa": "reports:export_tqa",
    "bundle": "bundles.write:export_bundle",
}
"""By kind, the module of this package and the function that writes it."""

OF_NUMBERS = ("qrels", "leaderboard")
"""The kinds that rest on grades, and so on settings; those that a release has."""

ENDINGS = {
    "bank": (".jsonl", ".csv"),
    "qrels": (".qrels",),
    "autograder": (".jsonl",),
    "leaderboard": (".tsv", ".csv"),
    "answers": (".tsv",),
    "nuggetbank": (".jsonl",),
    "nuggetizer": (".jsonl",),
    "queries": (".jsonl",),
    "passages": (".jsonl",),
    "runs": (".run",),
    "judgments": (".qrels",),
    "official": (".json",),
    "gold": (".jsonl",),
    "report": (".html",),
    "reports": (".jsonl",),
    "tqa": (".json",),
    "bundle": (".zip",),
}
"""How files of each kind usually end. Any other ending does, but for OF_OTHERS."""

OF_OTHERS = (".csv", ".zip", ".pdf", ".xlsx", ".xls", ".ods", ".docx")
"""Endings by which programs know a format: no other kind of file is called so."""

NOT_OF_A_RELEASE = {
    "report": "A report is of the workspace as it is and lists its releases",
    "bundle": "A bundle holds the workspace with all of its releases",
}


def export(
    workspace: OpenWorkspace,
    /,
    kind: str,
    target: str | Path,
    settings: Settings | None = None,
    *,
    release: str | None = None,
    binary: bool = False,
    by_subtopic: bool = False,
    allow_partial: bool = False,
    **options: Options,
) -> ExportSummary:
    """Write one of ``EXPORTERS`` to a file.

    Numbers are those under the settings, or of a ``release``, which has its own. Raises
    EvaluationError for settings beside a release, for an ending that promises another
    format, and where grades are missing and ``allow_partial`` is not said.
    """
    with workspace.snapshot() as state:
        if kind not in OF_NUMBERS:  # a board is everybody's, a vote is not
            state = state.seen
        found = None
        if release is not None:
            found = release_named(state, release)
            given = [name for name, one in options.items() if one is not None]
            refuse_settings(
                found[0], given if settings is None else ["settings", *given]
            )
        elif settings is None and kind in OF_NUMBERS:
            settings = settings_from(state, options)
        elif settings is None and kind in ("report", "bundle"):
            settings = report_settings(state, options)
        return export_order(
            ExportOrder(
                state,
                kind,
                Path(target),
                settings,
                found,
                binary=binary,
                by_subtopic=by_subtopic,
                allow_partial=allow_partial,
            )
        )


def export_order(order: ExportOrder) -> ExportSummary:
    """Write the file whole or not at all.

    Raises UnknownNameError for a kind there is not, EvaluationError for what ``refuse``
    does, and for numbers that rest on missing grades, unless ``allow_partial``.
    """
    refuse(order.kind, order.target, order.release[0].name if order.release else None)
    module, _, name = EXPORTERS[order.kind].partition(":")
    found: ExportSummary = getattr(
        import_module(f"curator.verbs.files.{module}"), name
    )(order)
    return found


def refuse(kind: str, target: Path, release: str | None = None) -> None:
    """Raise EvaluationError for a file that would not be what its name or order says.

    For an ending that promises another format, for anything but numbers of a release,
    and where the manifest cannot stand beside the file. Raises UnknownNameError for a
    kind there is not.
    """
    if kind not in EXPORTERS:
        kinds = ", ".join(EXPORTERS)
        raise UnknownNameError(f"Cannot export '{kind}'. Available: {kinds}.")
    if release is not None and kind not in OF_NUMBERS:
        why = NOT_OF_A_RELEASE.get(
            kind,
            f"--{kind} writes the workspace as it is; a release has qrels and a board",
        )
        raise EvaluationError(f"{why}; leave out --release {release}.")
    if kind in OF_NUMBERS:
        refuse_manifest(target)
    ending = Path(target.name.lower().removesuffix(".gz")).suffix
    right = ENDINGS[kind]
    if ending in OF_OTHERS and ending not in right and not target.is_dir():
        raise EvaluationError(
            f"'{target}': --{kind} writes no {ending}; name a file in "
            f"{' or '.join(right)}."
        )


def refuse_settings(record: ReleaseRecord, given: Collection[str]) -> None:
    """Raise EvaluationError where settings were given beside a release's own."""
    if not given:
        return
    short = {"k": "-k", "settings": "the settings"}
    names = [short.get(one, f"--{one.replace('_', '-')}") for one in given]
    raise EvaluationError(
        f"Release '{record.name}' stands under {record.measure}, {record.grader}, "
        f"rating from {record.min_rating} and k {record.k}; leave out "
        f"{', '.join(names)}."
    )
