"""``repair``: restore derived data of a damaged workspace."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from curator.formats.text.notices import counted
from curator.results import Result
from curator.snapshot.gradebook import records_of
from curator.snapshot.opened import OpenWorkspace
from curator.store import grades as store_grades
from curator.store import repairs
from curator.store.backup import backup_path, copy_to
from curator.store.bundles.integrity import verify_file
from curator.store.connection import write_transaction
from curator.verbs.grading.run_computed import open_computed_grader
from grading.cache import MemoryCache
from grading.errors import GradingError
from grading.graders.computed import Encoder
from grading.items import Item
from grading.keys import text_key


@dataclass(frozen=True)
class Repaired(Result[str], table="files.repair_table"):
    """The problems mended, and a sentence for each that remains.

    ``copy`` is the workspace before the repair, None where nothing was mended.
    """

    mended: tuple[str, ...]
    remaining: tuple[str, ...]
    copy: Path | None = None


def repair(workspace: OpenWorkspace, *, encoder: Encoder | None = None) -> Repaired:
    """Derive damaged data again where it follows from undamaged data.

    Copies the file first. Data that cannot be derived, such as people's marks or
    responses of models, is left unchanged and listed. ``encoder`` is a model process
    that runs the default model. Raises WorkspaceError where the file cannot be written
    or copied.
    """
    connection = workspace.connection
    if not verify_file(connection).problems:
        return Repaired((), ())
    copy = backup_path(workspace.path)
    copy_to(connection, copy, check=False)
    mended = repairs.repair_indexes(connection)
    if not verify_file(connection).torn:
        # Ratings are computed from vectors, so these are repaired first.
        mended += _encode_again(workspace, encoder)
        with write_transaction(connection):
            mended += repairs.repair_rows(connection)
    remaining = verify_file(connection).problems
    if not mended:
        copy.unlink()
    return Repaired(tuple(mended), remaining, copy if mended else None)


def _encode_again(workspace: OpenWorkspace, encoder: Encoder | None) -> list[str]:
    """Encode the texts whose vectors are damaged; return a sentence for each model.

    Vectors of a model that is not installed stay damaged.
    """
    connection, mended = workspace.connection, list[str]()
    damaged = repairs.damaged_vectors(connection)
    if not damaged:  # graders may be damaged too, so they are read only if needed
        return []
    for record in records_of(store_grades.read_graders(connection)):
        if not record.spec.computed:
            continue
        model_id = store_grades.responder_id_of(connection, record.grader_id)
        stored_vectors = store_grades.EmbeddingCache(connection, model_id)
        version = record.spec.sentences
        # The vectors of whole texts, and those of their sentences.
        responder_ids = model_id, stored_vectors.sentence_cache(version).responder_id
        texts = {
            text
            for responder_id in responder_ids
            for text in damaged.get(responder_id, {}).values()
        }
        if not texts:
            continue
        cache = MemoryCache()
        try:
            grader = open_computed_grader(
                connection, record, cache=cache, encoder=encoder
            )
            for text in texts:
                grader.grade([Item("question", text)], [text])
        except GradingError:
            continue
        caches = cache, cache.sentence_cache(version)
        for responder_id, encoded in zip(responder_ids, caches, strict=True):
            keys = [text_key(text) for text in damaged.pop(responder_id, {}).values()]
            if vectors := encoded.get_many(keys):
                repairs.replace_vectors(connection, responder_id, vectors)
        text_count = counted(len(texts), "text")
        mended.append(f"the vectors of {record.name}: {text_count} read again")
    return mended
