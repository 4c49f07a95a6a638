"""Files that come in and go out, and whether their numbers still hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from curator.engine.settings import settings_from
from curator.engine.state import Boards
from curator.evaluation.settings import Settings
from curator.verbs.setup import settings as setting_up
from curator.workspace.opened import Progress
from curator.workspace.releases import Releases

if TYPE_CHECKING:
    from curator.formats.report_page.contents import Report
    from curator.verbs.files import export_request, imports
    from curator.verbs.files import verify as verifying

Files = str | Path | Sequence[str | Path]


class Filing(Releases):
    """Imports, exports (of a release too), the report, bundles, verifying."""

    def import_(
        self,
        *,
        autograder: Files | None = None,
        bank: Files | None = None,
        queries: Files | None = None,
        passages: Files | None = None,
        runs: Files | None = None,
        judgments: Files | None = None,
        official: Files | None = None,
        gold: Files | None = None,
        reports: Files | None = None,
        ir_dataset: str | Sequence[str] = (),
        min_relevance: int | None = None,
        title: str | None = None,
        tokenizer: str | None = None,
        progress: Progress | None = None,
    ) -> tuple[imports.ImportSummary, ...]:
        """Read files, one or several of each kind, all in one write or not at all.

        ``ir_dataset`` names datasets of the ir_datasets library, ``tokenizer`` what
        cuts generated reports into passages ("words" for None). Importing a file again
        changes nothing. ``progress`` gets (bytes read, bytes in all files). Raises
        InputFileError and ImportConflictError, each one line.
        """
        from curator.verbs.files import imports

        given: dict[str, Files | None] = {
            "queries": queries,
            "passages": passages,
            "bank": bank,
            "autograder": autograder,
            "runs": runs,
            "reports": reports,
            "judgments": judgments,
            "official": official,
            "gold": gold,
        }
        return imports.import_files(
            self._connection,
            [
                (kind, Path(file))
                for kind, files in given.items()
                for file in imports.listed_files(files)
            ],
            by=self.judge,
            min_relevance=min_relevance,
            title=title,
            tokenizer=tokenizer,
            ir_datasets=[ir_dataset] if isinstance(ir_dataset, str) else ir_dataset,
            progress=progress,
        )

    def import_bundle(self, path: str | Path) -> imports.ImportSummary:
        """Rebuild the workspace of a bundle in this one, which must hold nothing.

        Raises WorkspaceError where it holds anything, BundleError for a bundle that is
        not whole; nothing is kept then.
        """
        from curator.verbs.files.bundles import read

        return read.import_bundle(self._connection, Path(path))

    def export(
        self,
        kind: str,
        target: str | Path,
        settings: Settings | None = None,
        *,
        release: str | None = None,
        binary: bool = False,
        by_subtopic: bool = False,
        allow_partial: bool = False,
        **options: str | int | None,
    ) -> export_request.ExportSummary:
        """Write one of ``verbs.exporting.EXPORTERS`` to a file.

        Numbers are those under the settings, or of a ``release``, which has its own.
        Raises EvaluationError for settings beside a release, for an ending that
        promises another format, and where grades are missing and ``allow_partial`` is
        not said.
        """
        from curator.verbs.files import export as exporting

        boards = self._fresh()
        if kind not in exporting.OF_NUMBERS:  # a board is everybody's, a vote is not
            boards = self._seen_boards(boards)
        found = None
        if release is not None:
            found = self.release_named(release)
            given = [name for name, one in options.items() if one is not None]
            exporting.refuse_settings(
                found[0], given if settings is None else ["settings", *given]
            )
        elif settings is None and kind in exporting.OF_NUMBERS:
            settings = settings_from(boards, options)
        elif settings is None and kind in ("report", "bundle"):
            settings = self._report_settings(boards, options)
        return exporting.export(
            exporting.ExportOrder(
                self._connection,
                boards,
                kind,
                Path(target),
                settings,
                found,
                binary=binary,
                by_subtopic=by_subtopic,
                allow_partial=allow_partial,
                closed=self._closed(),
                by=self.judge,
            )
        )

    def losses(self, kind: str) -> tuple[str, ...]:
        """What an export of this kind has no place for: "12 votes", "3 subtopics"."""
        from curator.verbs.files import losses

        return losses.lost(self._connection, self._seen_boards(self._fresh()), kind)

    def report(
        self, settings: Settings | None = None, **options: str | int | None
    ) -> Report:
        """Everything the published page says, as one value; ``export`` writes it.

        Also of a workspace without grades. Opened as a judge, over what the judge may
        see.
        """
        from curator.verbs.files.report import contents

        boards = self._seen_boards(self._fresh())
        chosen = settings or self._report_settings(boards, options)
        return contents.report(self._connection, boards, chosen)

    def verify(self, against: str | Path | None = None) -> verifying.Verification:
        """Re-hash every text, rebuild every rating, compute every exported number.

        The numbers of the bundle that this was rebuilt from, and those of ``against``:
        a bundle, qrels or a board. Raises BundleError and InputFileError for a file
        that cannot be read.
        """
        from curator.verbs.files import verify as verifying
        from curator.verbs.files.bundles import recompute

        found = verifying.verify(self._connection)
        # What differs names systems, which a judge in blind mode is not to see.
        hidden = self._as_judge and bool(setting_up.setup(self._connection).blind)
        whole = None if hidden else self._whole
        file = None if against is None else Path(against)
        return recompute.with_numbers(self._connection, found, whole, file)

    def _report_settings(
        self, boards: Boards, options: Mapping[str, str | int | None]
    ) -> Settings | None:
        """The settings of a report; None where nothing is graded."""
        from curator.verbs.files.report import contents

        return contents.report_settings(boards, options)
