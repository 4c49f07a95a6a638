"""Small workspaces, what to compare of them, and the one fake: the text model."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import shutil
import sqlite3
import sys
import traceback
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from curator.evaluation.leaderboard import Leaderboard
from curator.workspace import Workspace
from grading.models.embedding import EmbeddingModel

RATED = "fake-llm/Rated"
UNANSWERED = "unanswerable"
DEMO_FILES = {
    "queries": "queries.jsonl",
    "passages": "passages.jsonl",
    "bank": "questions.jsonl",
    "runs": "runs",
    "judgments": "judgments.qrels",
    "official": "official.json",
}


def demo_files(folder: Path) -> dict[str, Path]:
    """The demo collection's files by import option."""
    return {option: folder / name for option, name in DEMO_FILES.items()}


def demo_workspace(path: Path, folder: Path, judge: str = "ann") -> Workspace:
    """A new workspace with the whole demo collection."""
    workspace = Workspace.open(path, create=True, judge=judge)
    workspace.import_(**demo_files(folder), min_relevance=2)
    return workspace


def write_lines(path: Path, values: Iterable[object]) -> Path:
    """A file of one JSON value a line."""
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def question_bank(
    path: Path,
    questions: Mapping[str, Mapping[str, str | None]],
    *,
    kind: str = "question",
    answers: Mapping[str, Sequence[str]] | None = None,
) -> Path:
    """A bank file: {query: {question id: text}}; and {question id: gold answers}."""
    gold = answers or {}
    return write_lines(
        path,
        [
            {
                "query_id": query_id,
                "query_text": f"What of {query_id}?",
                "items": [
                    {
                        "query_id": query_id,
                        f"{kind}_id": one,
                        f"{kind}_text": text,
                        **({"gold_answers": gold[one]} if one in gold else {}),
                    }
                    for one, text in many.items()
                ],
            }
            for query_id, many in questions.items()
        ],
    )


def graded_passage(
    passage_id: str,
    query_id: str,
    ratings: Mapping[str, int],
    *,
    text: str | None = None,
    raws: Mapping[str, str] | None = None,
    ranks: Mapping[str, int] | None = None,
    judgment: int | None = None,
    llm: str = "fake-llm",
    direct: int | None = None,
    answers: Mapping[str, str] | None = None,
) -> dict[str, object]:
    """A passage of an Autograder file: ratings, a direct grade, extracted answers."""
    judgments = []
    if judgment is not None:
        judgments = [
            {"paragraphId": passage_id, "query": query_id, "relevance": judgment}
        ]
    raws = {item: str(rating) for item, rating in ratings.items()} | dict(raws or {})
    record: dict[str, object] = {
        "paragraph_id": passage_id,
        "text": f"Text of {passage_id}." if text is None else text,
        "paragraph_data": {
            "judgments": judgments,
            "rankings": [
                {
                    "method": system,
                    "paragraphId": passage_id,
                    "queryId": query_id,
                    "rank": rank,
                    "score": 1 / rank,
                }
                for system, rank in (ranks or {}).items()
            ],
        },
    }
    exam_grades = []
    if ratings:
        right = {item for item, rating in ratings.items() if rating}
        rated = [{"question_id": i, "self_rating": r} for i, r in ratings.items()]
        exam_grades.append(
            _exam_grade(llm, "Rated", raws, right)
            | {"prompt_info": {"prompt_class": "Rated", "is_self_rated": True}}
            | {"self_ratings": rated}
        )
    if answers:
        right = {item for item, answer in answers.items() if answer != UNANSWERED}
        exam_grades.append(_exam_grade(llm, "Answers", answers, right))
    if exam_grades:
        record["exam_grades"] = exam_grades
    if direct is not None:
        record["grades"] = [
            {
                "correctAnswered": direct >= 1,
                "answer": str(direct),
                "llm": llm,
                "llm_options": {},
                "prompt_info": {"prompt_class": "Direct"},
                "self_ratings": direct,
                "prompt_type": "direct_grading",
            }
        ]
    return record


def _exam_grade(
    llm: str, prompt: str, answers: Mapping[str, str], right: Collection[str]
) -> dict[str, object]:
    return {
        "correctAnswered": [item for item in answers if item in right],
        "wrongAnswered": [item for item in answers if item not in right],
        "answers": [list(pair) for pair in answers.items()],
        "llm": llm,
        "llm_options": {},
        "prompt_info": {"prompt_class": prompt, "check_answer_key": False},
    }


def graded_file(path: Path, queries: Mapping[str, Sequence[object]]) -> Path:
    """An Autograder file: {query: [graded_passage, …]}."""
    return write_lines(path, [[q, list(passages)] for q, passages in queries.items()])


def one_graded(
    path: Path,
    passage_id: str,
    query_id: str,
    ratings: Mapping[str, int],
    **fields: Any,
) -> Path:
    """An Autograder file of one ``graded_passage``."""
    passage = graded_passage(passage_id, query_id, ratings, **fields)
    return graded_file(path, {query_id: [passage]})


def run_file(path: Path, ranked: Mapping[str, Sequence[str]], system: str) -> Path:
    """A TREC run: {query: [passage ids, best first]}."""
    path.write_text(
        "".join(
            f"{query_id} Q0 {passage_id} {rank} {1 / rank:.6f} {system}\n"
            for query_id, passages in ranked.items()
            for rank, passage_id in enumerate(passages, start=1)
        )
    )
    return path


def collection_files(
    folder: Path,
    *,
    titles: Mapping[str, str] | None = None,
    queries: Sequence[object] = (),
    passages: Mapping[str, str] | None = None,
    questions: Mapping[str, Mapping[str, str | None]] | None = None,
    answers: Mapping[str, Sequence[str]] | None = None,
    graded: Mapping[str, Sequence[object]] | None = None,
    runs: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
    judgments: str = "",
    official: Mapping[str, float] | None = None,
) -> dict[str, Path]:
    """Write a collection's files, by import option; those not given are left out.

    ``titles`` is short for queries with a text alone; ``runs`` is {system: {query:
    [passage ids, best first]}}, ``judgments`` the text of a qrels file.
    """
    folder.mkdir(exist_ok=True)
    if titles:
        queries = [{"query_id": name, "text": text} for name, text in titles.items()]
    files = {}
    if queries:
        files["queries"] = write_lines(folder / "queries.jsonl", queries)
    if passages:
        texts = [{"passage_id": name, "text": text} for name, text in passages.items()]
        files["passages"] = write_lines(folder / "passages.jsonl", texts)
    if questions:
        bank = folder / "bank.jsonl"
        files["bank"] = question_bank(bank, questions, answers=answers)
    if graded:
        files["autograder"] = graded_file(folder / "graded.jsonl", graded)
    if runs:
        files["runs"] = folder / "runs"
        files["runs"].mkdir(exist_ok=True)
        for system, ranked in runs.items():
            run_file(files["runs"] / f"{system}.run", ranked, system)
    if judgments:
        files["judgments"] = folder / "judgments.qrels"
        files["judgments"].write_text(judgments)
    if official:
        files["official"] = folder / "official.json"
        files["official"].write_text(json.dumps(official))
    return files


def copied(make: Callable[[Path], object], folder: Path) -> None:
    """Copy to the folder what ``make`` makes in a folder, once a process."""
    shutil.copytree(Path(_made_once(make).name, "made"), folder, dirs_exist_ok=True)


@cache
def _made_once(make: Callable[[Path], object]) -> TemporaryDirectory[str]:
    made = TemporaryDirectory()
    folder = Path(made.name, "made")  # which everybody may enter, as its copies
    folder.mkdir()
    make(folder)
    return made


def small_collection(folder: Path) -> dict[str, Path]:
    """Two queries, two systems; q1 has questions a and b, q2 has c. By hand:

    Cover@20 at rating 4: one = (1/2 + 0)/2, two = (2/2 + 1)/2.
    """
    p1 = graded_passage(
        "p1", "q1", {"q1/a": 5, "q1/b": 0}, ranks={"one": 1}, judgment=2
    )
    p2 = graded_passage("p2", "q1", {"q1/a": 4, "q1/b": 4}, ranks={"two": 1})
    p3 = graded_passage("p3", "q2", {"q2/c": 0}, ranks={"one": 1}, judgment=0)
    p4 = graded_passage("p4", "q2", {"q2/c": 5}, ranks={"two": 1})
    return collection_files(
        folder,
        titles={q: f"What of {q}?" for q in ("q1", "q2")},
        passages={p: f"Text of {p}." for p in ("p0", "p1", "p2", "p3", "p4")},
        questions={
            "q1": {"q1/a": "Why is it?", "q1/b": "How is it?"},
            "q2": {"q2/c": "When is it?"},
        },
        graded={"q1": [p1, p2], "q2": [p3, p4]},
        runs={
            "one": {"q1": ["p1", "p0"], "q2": ["p3"]},
            "two": {"q1": ["p2", "p1"], "q2": ["p4"]},
        },
        judgments="q1 0 p1 2\nq2 0 p3 0\nq1 0 p0 1\n",
        official={"two": 1, "one": 2},
    )


def small_workspace(folder: Path) -> Workspace:
    """A new workspace of ``small_collection``, open as ann."""
    copied(_make_small, folder)
    return Workspace.open(folder / "small.db", judge="ann")


def _make_small(folder: Path) -> None:
    files = small_collection(folder / "files")
    with Workspace.open(folder / "small.db", create=True, judge="ann") as workspace:
        workspace.import_(**files, min_relevance=2)


def dump(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table, by table, and the schema with its version."""
    connection = sqlite3.connect(path)
    try:
        tables = dict(
            connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY name")
        )
        rows: dict[str, list[tuple[object, ...]]] = {
            name: sorted(connection.execute(f"SELECT * FROM '{name}'"), key=repr)
            for name, sql in tables.items()
            if sql and sql.startswith("CREATE TABLE")
        }
        rows["schema"] = [*tables.items(), *connection.execute("PRAGMA user_version")]
        return rows
    finally:
        connection.close()


def boards_of(workspace: Workspace) -> dict[str, object]:
    """What people see of a workspace, whatever its files came in order: by grader."""
    collection = workspace.collection()
    seen: dict[str, object] = {
        "official": dict(collection.official),
        "queries": {
            query.query_id: (query.title, query.background)
            for query in collection.queries
        },
        "pools": {
            query_id: set(pool.passage_ids)
            for query_id, pool in collection.pools.items()
        },
        "judgments": {
            (query_id, passage_id): int(grade)
            for query_id, pool in collection.pools.items()
            for passage_id, grade in zip(pool.passage_ids, pool.judgments, strict=True)
        },
        "questions": {
            (q.question_id, q.text, q.kind, q.state, q.subtopic_id, q.answers)
            for q in workspace.bank()
        },
    }
    for state in workspace.graders():
        seen[state.name] = (state.known, state.needed)
        for measure in ("cover", "P@2", "nDCG@10"):
            if state.kind == "direct" and measure == "cover":
                continue
            board = workspace.leaderboard(grader=state.name, measure=measure)
            seen[f"{state.name} {measure}"] = board_lines(board)
    return seen


def board_lines(board: Leaderboard) -> list[tuple[object, ...]]:
    """The board's lines, with what they rest on first."""
    return [
        (board.queries, board.needed, board.known),
        *(
            (s.system, s.rank, s.score, s.lower, s.upper, s.known_at_k)
            for s in board.standings
        ),
    ]


class FakeEncoder:
    """Vectors from a hash of the text: one window, or two for a long text.

    ``texts`` lists every text it was ever asked for.
    """

    def __init__(self, *, fails_at_call: int | None = None) -> None:
        self.texts: list[str] = []
        self._calls_left = fails_at_call

    def encode(self, texts: Sequence[str]) -> list[np.ndarray]:
        if self._calls_left is not None:
            self._calls_left -= 1
            if self._calls_left < 0:
                raise KeyboardInterrupt
        self.texts += texts
        return [vectors_of(text) for text in texts]


def vectors_of(text: str) -> np.ndarray:
    """float16 (windows, 4), the same for a text in every process."""
    windows = []
    for window in range(1 + (len(text) > 400)):
        seed = hashlib.sha256(f"{window}{text}".encode()).digest()[:8]
        vector = np.random.default_rng(int.from_bytes(seed, "big")).normal(size=4)
        windows.append(vector / np.linalg.norm(vector))
    return np.array(windows, dtype=np.float16)


class EncodedBefore:
    """The vectors that ``recorded_vectors`` has kept in a file; no others."""

    def __init__(self, path: Path) -> None:
        self._known: dict[str, np.ndarray] = pickle.loads(path.read_bytes())

    def encode(self, texts: Sequence[str]) -> list[np.ndarray]:
        return [self._known[text] for text in texts]


@contextmanager
def recorded_vectors(path: Path) -> Iterator[None]:
    """Keeps in a file what the real model says meanwhile."""
    encode, known = EmbeddingModel.encode, dict[str, np.ndarray]()

    def recorded(self: EmbeddingModel, texts: Sequence[str]) -> list[np.ndarray]:
        vectors = encode(self, texts)
        known.update(zip(texts, vectors, strict=True))
        return vectors

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EmbeddingModel, "encode", recorded)
        yield
    path.write_bytes(pickle.dumps(known))


def in_processes(number: int, work: Callable[[int], None]) -> None:
    """Run ``work(i)`` in forked processes; fail if one of them does."""
    children = []
    for i in range(number):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                work(i)
                status = 0
            except BaseException:
                traceback.print_exc()
                sys.stderr.flush()
            finally:
                os._exit(status)
        children.append(child)
    statuses = [os.waitpid(child, 0)[1] for child in children]
    assert statuses == [0] * number
