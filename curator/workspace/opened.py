"""An opened workspace file, and what of it whoever opened it may see.

Every theme beside this module rests on it. A method asks for the boards in one of
three ways: ``_fresh`` is the rule, ``_seen_boards`` where votes and verdicts of others
would show, ``_whole`` where what comes of them is the same for everybody.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from curator.bank.questions import Bank
from curator.engine.state import Boards, boards_for
from curator.verbs.history import reading
from curator.visibility import human_first, verdicts, votes

Progress = Callable[[int, int], None]


class Opened:
    """The file's path and connection, who works on it, and what they may see."""

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        judge: str,
        *,
        as_judge: bool = False,
    ) -> None:
        self.path = path
        self.judge = judge
        self._as_judge = as_judge
        self._connection = connection
        self._boards = boards_for(path)

    def _fresh(self) -> Boards:
        """The boards as whoever opened this may see them, with everybody's votes."""
        boards = self._boards.current(self._connection)
        if self._as_judge and boards.collection.blind:
            boards = boards.blinded()
        if self._as_judge:
            boards = human_first.seen_by(self._connection, boards, self.judge)
        return boards

    def _whole(self) -> Boards:
        """The boards with every name and every question, whoever opened this."""
        return self._boards.current(self._connection)

    def _seen_boards(self, boards: Boards) -> Boards:
        """The boards with the votes that whoever opened this may see."""
        if not self._as_judge:
            return boards
        return votes.seen_boards(boards, self.judge)

    def _voted(self, boards: Boards) -> frozenset[str]:
        """The questions on which they have a vote."""
        return boards.once(
            ("voted on", self.judge),
            lambda: votes.voted_on(boards.bank, self.judge),
        )

    def _judged(self, boards: Boards) -> frozenset[verdicts.Words]:
        """The answers on which they have a verdict."""
        return boards.once(
            ("judged by", self.judge),
            lambda: verdicts.judged_by(boards.bank, self.judge),
        )

    def _past(self, boards: Boards, event: int) -> Bank:
        """The bank as it was, with everybody's votes."""
        past = reading.bank_at(self._connection, boards, event)
        closed = self._closed()
        if not closed:
            return past
        return human_first.past_seen(past, boards.bank, closed, self._hidden())

    def _closed(self) -> frozenset[str]:
        """The queries whose proposals whoever opened this is not to see yet."""
        if not self._as_judge:
            return frozenset()
        boards = self._whole()
        return human_first.closed_queries(self._connection, boards, self.judge)

    def _hidden(self) -> dict[str, frozenset[str]]:
        """By query, the ids of the proposals that they are not to see yet."""
        if not self._as_judge:
            return {}
        boards = self._whole()
        return human_first.hidden_questions(self._connection, boards, self.judge)
