"""Grading new text beside the page: asked by one session, awaited by none.

The model works in a process of its own; a thread here only waits for it and saves
what comes, portion by portion, so a click never stands behind it.
"""

from __future__ import annotations

import logging
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from curator.errors import CuratorError
from curator.workspace import Workspace
from grading.errors import GradingError
from grading.worker import Worker

EMBEDDING = "embedding"


@dataclass(frozen=True, slots=True)
class Wish:
    """A query's pool to be graded, for its questions now and as of ``since``."""

    path: Path
    query_id: str
    since: int | None


class Beside:
    """What is being graded for the sessions of this server."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="grading")
        self._lock = threading.Lock()
        self._going: dict[Wish, Future[None]] = {}
        self._shares: dict[str, tuple[int, int]] = {}
        self._errors: dict[str, str] = {}

    def ask(self, wish: Wish) -> None:
        """Grade this when its turn comes; what is asked for already is not asked twice.

        What failed is asked again only once its error was taken.
        """
        with self._lock:
            if wish in self._going or wish.query_id in self._errors:
                return
            self._going[wish] = self._pool.submit(self._grade, wish)

    def going(self, query_id: str) -> bool:
        """Whether this query's new text is being graded or waits for its turn."""
        with self._lock:
            return any(wish.query_id == query_id for wish in self._going)

    def progress(self, query_id: str) -> tuple[int, int] | None:
        """(texts read, texts to read) of the query being graded."""
        return self._shares.get(query_id)

    def error(self, query_id: str) -> str:
        """Why the query's last grading failed, or ""."""
        return self._errors.get(query_id, "")

    def forgive(self, query_id: str) -> None:
        """Forget an error, so that it is tried again when it is next asked for."""
        self._errors.pop(query_id, None)

    def _grade(self, wish: Wish) -> None:
        def report(done: int, total: int) -> None:
            self._shares[wish.query_id] = (done, total)

        try:
            with Workspace.open(wish.path) as workspace:
                workspace.grade(
                    EMBEDDING,
                    query_id=wish.query_id,
                    since=wish.since,
                    encoder=self._worker,
                    progress=report,
                )
        except (CuratorError, GradingError) as error:
            self._errors[wish.query_id] = str(error)
        except Exception:
            # Nobody waits for this thread, so a bug would end unseen, and be met
            # again at every drawing.
            self._errors[wish.query_id] = "Grading failed; the server's log says why."
            logging.getLogger(__name__).exception("grading beside the page")
        finally:
            with self._lock:
                self._going.pop(wish, None)
                self._shares.pop(wish.query_id, None)
