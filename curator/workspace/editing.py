"""Changing the bank, and taking changes back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from curator.bank.edits import Edit
from curator.verbs.curate import edits as editing
from curator.verbs.curate import retirements
from curator.workspace.opened import Opened

if TYPE_CHECKING:
    from curator.engine.ideals import Span


class Editing(Opened):
    """Edits in batches, marks of ideal answers, undo and redo."""

    def apply(
        self,
        edits: Edit | Iterable[Edit],
        *,
        by: str | None = None,
        shown: str | None = None,
        nonce: str | None = None,
        seconds: float | None = None,
    ) -> editing.Batch:
        """Make the edits, all or none, as one batch that undoes as one.

        ``shown`` and ``seconds`` are kept with the events: what the judge could see,
        and how long they looked. ``nonce`` is the caller's own name for this save; sent
        again, it answers with the batch that it saved and saves nothing. Raises
        EditError, StaleEditError with both texts where a question changed since
        ``based_on``.
        """
        many = list(edits) if isinstance(edits, Iterable) else [edits]
        return editing.apply(
            self._connection,
            many,
            by=by or self.judge,
            shown=shown,
            nonce=nonce,
            seconds=seconds,
        )

    def mark_ideals(
        self,
        query_id: str,
        passage_id: str,
        spans: Iterable[Span] = ((0, None),),
        *,
        marked: bool = True,
        shown: str | None = None,
        nonce: str | None = None,
    ) -> editing.Batch:
        """Mark a passage, or spans of its text, as ideal answers, or take marks away.

        A span is (start, end) in characters, end exclusive; (0, None) is all of it.
        ``shown`` and ``nonce`` as in ``apply``. Raises EditError, UnknownNameError.
        """
        from curator.engine import ideals as ideal_answers

        edits = ideal_answers.marking(
            self._connection,
            self._fresh(),
            query_id,
            passage_id,
            spans,
            marked=marked,
        )
        return self.apply(edits, shown=shown, nonce=nonce)

    def undo(
        self,
        query_id: str | None = None,
        *,
        event: int | None = None,
        shown: str | None = None,
        nonce: str | None = None,
    ) -> editing.Batch:
        """Take back my latest batch (in this query), or the batch of one event.

        ``shown`` and ``nonce`` as in ``apply``. Raises UndoError where there is none,
        or where someone has changed one of its questions since; then nothing is undone
        and the question is named.
        """
        return editing.undo(
            self._connection,
            by=self.judge,
            query_id=query_id,
            event=event,
            shown=shown,
            nonce=nonce,
        )

    def redo(
        self,
        query_id: str | None = None,
        *,
        shown: str | None = None,
        nonce: str | None = None,
    ) -> editing.Batch:
        """Make again what my latest undo (in this query) took back."""
        return editing.redo(
            self._connection,
            by=self.judge,
            query_id=query_id,
            shown=shown,
            nonce=nonce,
        )

    def explain(self, question_id: str, reason: str) -> None:
        """Say why I retired this question, or take the reason away with "".

        Changes neither bank nor history but the words of that event. Raises EditError
        unless the latest that happened to the question is its retirement by me.
        """
        retirements.explain(self._connection, question_id, reason, by=self.judge)
