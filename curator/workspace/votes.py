"""What judges find important."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curator.engine.settings import settings_from
from curator.evaluation.settings import Settings
from curator.workspace.opened import Opened

if TYPE_CHECKING:
    from curator.verbs.judges import agreement
    from curator.verbs.judges import boards as judge_boards


class Votes(Opened):
    """How far votes agree, and the boards that they make."""

    def judges(self) -> agreement.Judges:
        """Who has voted on how much, how far judges agree and where they differ.

        Opened ``as_judge``, over the votes that the judge may see.
        """
        from curator.verbs.judges import agreement

        return agreement.judges(self._seen_boards(self._fresh()))

    def pyramid_curves(
        self, settings: Settings | None = None, **options: str | int | None
    ) -> judge_boards.PyramidCurves:
        """What another judge adds to the pyramid: one point for 1, 2, … judges."""
        from curator.verbs.judges import boards as judge_boards

        boards = self._seen_boards(self._fresh())
        chosen = settings or settings_from(boards, options)
        return judge_boards.pyramid_curves(boards, chosen)

    def judge_boards(
        self, settings: Settings | None = None, **options: str | int | None
    ) -> judge_boards.JudgeBoards:
        """Each judge's own board beside the nugget pyramid of all, with their τ.

        Of the settings grader, min_rating and k count.
        """
        from curator.verbs.judges import boards as judge_boards

        boards = self._seen_boards(self._fresh())
        chosen = settings or settings_from(boards, options)
        return judge_boards.judge_boards(boards, chosen)
