"""What graders answered, and whether the answers are right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from curator.workspace.opened import Opened

if TYPE_CHECKING:
    from curator.verbs.answers import (
        answers,
        ava_models,
        compared_checks,
        known_answers,
    )


class Answers(Opened):
    """Extracted answers, known answers, and checks of answers side by side."""

    def answers(
        self, query_id: str, passage_ids: Sequence[str], grader: str
    ) -> answers.Answers:
        """What an answering grader answered, by passage and question; {} for others."""
        from curator.verbs.answers import answers

        return answers.answers(
            self._connection, self._fresh(), grader, query_id, passage_ids
        )

    def known_answers(
        self, query_id: str | None = None
    ) -> tuple[known_answers.KnownQuestion, ...]:
        """Kept questions with the answers known to be correct or incorrect.

        Gold answers, the other choices beside them, and what most judges say, be it
        shown to this one or not.
        """
        from curator.verbs.answers import known_answers

        return known_answers.known_answers(self._fresh().bank, query_id)

    def answer_checks(
        self, source: str | None = None, graders: Sequence[str] | None = None
    ) -> compared_checks.AnswerChecks:
        """String matching, AVA graders and people on what one grader answered.

        ``source`` is the answering grader, ``graders`` are AVA graders of its answers,
        by default all. Opened ``as_judge``, over the verdicts that the judge may see.
        """
        from curator.verbs.answers import answer_checks

        boards = self._seen_boards(self._fresh())
        return answer_checks.answer_checks(self._connection, boards, source, graders)

    def answer_sources(self) -> tuple[str, ...]:
        """The graders whose answers can be checked; the one with most grades first."""
        from curator.verbs.answers import answer_sources

        return answer_sources.source_names(self._fresh())

    def ava_models(self) -> tuple[ava_models.AvaModel, ...]:
        """The model behind each AVA grader, by the card that lies in its folder."""
        from curator.verbs.answers import ava_models

        return ava_models.ava_models(self._fresh())
