"""The ir_datasets library: a dataset by its name, and its failures in one line."""

from __future__ import annotations

import difflib
import logging
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from curator.errors import InputFileError, UnknownNameError
from curator.formats.text.records import described, on_one_line

_INSTALL = "pip install exam-curator[ir-datasets]"

# What reading somebody's files over somebody's network ends in. Among OSError are the
# errors of connections, and the library itself raises RuntimeError.
_FAILURES = (
    *(ImportError, OSError, RuntimeError, ValueError, LookupError, EOFError),
    *(tarfile.TarError, zlib.error, SyntaxError),
)


class DatasetPlace:
    """A dataset as a place of an error."""

    def __init__(self, name: str) -> None:
        self._name = name

    def error(self, said: str) -> InputFileError:
        return InputFileError(on_one_line(f"ir_datasets '{self._name}': {said}"))


def loaded_dataset(name: str) -> Any:
    """The dataset, nothing of it read."""
    place = DatasetPlace(name)
    try:
        library = import_module("ir_datasets")
    except ImportError:
        raise place.error(f"reading it needs the library: {_INSTALL}.") from None
    try:
        return library.load(name)
    except KeyError:
        near = difflib.get_close_matches(name, list(library.registry), n=3, cutoff=0.6)
        meant = f" Did you mean {' or '.join(near)}?" if near else ""
        raise UnknownNameError(
            on_one_line(
                f"ir_datasets has no dataset {described(name)}.{meant} Its names are "
                "listed at ir-datasets.com."
            )
        ) from None


@contextmanager
def failures_in_one_line(place: DatasetPlace) -> Iterator[None]:
    """What the library raises as one error that says what to do."""
    log = logging.getLogger("ir_datasets")
    log.addFilter(_is_no_retry)
    try:
        yield
    except _FAILURES as error:
        why = str(error).partition("\n")[0] or type(error).__name__
        if "download" in why or isinstance(error, ConnectionError | TimeoutError):
            why = "its files are not on this machine and could not be downloaded"
        elif type(error).__module__.startswith("requests"):
            why = "its files are not on this machine and no server answered"
        elif isinstance(error, FileNotFoundError):
            why = f"there is no file {error.filename or why}"
        raise place.error(
            f"cannot be read: {why}. Try again with a network, or put its files where "
            "ir_datasets looks for them (IR_DATASETS_HOME)."
        ) from error
    finally:
        log.removeFilter(_is_no_retry)


def _is_no_retry(record: logging.LogRecord) -> bool:
    """Whether a word of the library is news: its agreements are, its retries not."""
    return "ownload" not in record.getMessage() or "agree" in record.getMessage()
