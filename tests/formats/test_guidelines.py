"""Guidelines are one Markdown text; anything else is refused in one line."""

from __future__ import annotations

import pytest

from curator.errors import InputFileError
from curator.formats.guidelines import read_guidelines


def test_the_text_is_read_as_it_stands_without_a_byte_order_mark(tmp_path):
    path = tmp_path / "guidelines.md"
    path.write_bytes("\ufeff# Würdig\n\n- *nur* Fakten\n".encode())
    assert read_guidelines(path) == "# Würdig\n\n- *nur* Fakten\n"


def test_what_is_no_text_is_refused_with_the_place(tmp_path):
    path = tmp_path / "guidelines.md"
    path.write_bytes(b"abc\xff")
    with pytest.raises(InputFileError, match="byte 3 is not UTF-8") as refused:
        read_guidelines(path)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize("missing", ["none.md", "."])
def test_a_file_that_cannot_be_read_is_named(tmp_path, missing):
    with pytest.raises(InputFileError, match="cannot be read"):
        read_guidelines(tmp_path / missing)
