"""Guidelines for judges: one Markdown file, UTF-8."""

from __future__ import annotations

from pathlib import Path

from curator.errors import InputFileError


def read_guidelines(path: Path) -> str:
    """The file's text. Raises InputFileError where it cannot be read as text."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputFileError(
            f"{path}: cannot be read ({error.strerror}). Check the path."
        ) from error
    except UnicodeDecodeError as error:
        raise InputFileError(
            f"{path}: byte {error.start} is not UTF-8; guidelines are a Markdown text."
        ) from error
