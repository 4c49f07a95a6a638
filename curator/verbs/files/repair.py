"""``repair``: what can be derived of a damaged workspace, derived again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from curator.engine.gradebook import records_of
from curator.engine.opened import OpenWorkspace
from curator.formats.text.notices import counted
from curator.results import Result
from curator.store import grades as store_grades
from curator.store import repairs
from curator.store.backup import copy_to, name_beside
from curator.store.bundles.integrity import verify_file
from curator.store.connection import exclusive
from curator.verbs.grading.run_computed import opened_grader
from grading.cache import MemoryCache
from grading.errors import GradingError
from grading.graders.computed import Encoder
from grading.items import Item
from grading.keys import text_key


@dataclass(frozen=True)
class Repaired(Result[str], table="files.repair_table"):
    """What was mended, and a sentence for everything that is left as it stands.

    ``copy`` is the workspace as it was, None where nothing was mended.
    """

    mended: tuple[str, ...]
    left: tuple[str, ...]
    copy: Path | None = None


def repair(workspace: OpenWorkspace, *, encoder: Encoder | None = None) -> Repaired:
    """Derive again what ``verify`` finds wrong, where it follows from what is sound.

    A copy of the file is made beside it first. What cannot be derived, such as what
    people or models said, is left as it stands and named. ``encoder`` is a model
    process that runs the default model. Raises WorkspaceError where the file cannot
    be written or copied.
    """
    connection = workspace.connection
    if not verify_file(connection).problems:
        return Repaired((), ())
    copy = name_beside(workspace.path)
    copy_to(connection, copy, sound=False)
    mended = repairs.mend_indexes(connection)
    if not verify_file(connection).torn:
        # Ratings follow from vectors.
        mended += _read_again(workspace, encoder)
        with exclusive(connection):
            mended += repairs.mend_rows(connection)
    left = verify_file(connection).problems
    if not mended:
        copy.unlink()
    return Repaired(tuple(mended), left, copy if mended else None)


def _read_again(workspace: OpenWorkspace, encoder: Encoder | None) -> list[str]:
    """Have texts read whose vectors are damaged; a sentence for each model that did.

    One whose model is not at hand leaves them as they are.
    """
    connection, mended = workspace.connection, list[str]()
    damaged = repairs.damaged_vectors(connection)
    if not damaged:  # nor may graders be as they were written
        return []
    for record in records_of(store_grades.read_graders(connection)):
        if not record.spec.computed:
            continue
        number = store_grades.responder_id_of(connection, record.grader_id)
        of_wholes = store_grades.EmbeddingCache(connection, number)
        version = record.spec.sentences
        numbers = number, of_wholes.sentence_cache(version).responder_id
        texts = {t for one in numbers for t in damaged.get(one, {}).values()}
        if not texts:
            continue
        cache = MemoryCache()
        try:
            grader = opened_grader(connection, record, cache=cache, encoder=encoder)
            for text in texts:
                grader.grade([Item("question", text)], [text])
        except GradingError:
            continue
        caches = cache, cache.sentence_cache(version)
        for responder_id, read in zip(numbers, caches, strict=True):
            keys = [text_key(text) for text in damaged.pop(responder_id, {}).values()]
            if vectors := read.get_many(keys):
                repairs.replace_vectors(connection, responder_id, vectors)
        texts_read = counted(len(texts), "text")
        mended.append(f"the vectors of {record.name}: {texts_read} read again")
    return mended
