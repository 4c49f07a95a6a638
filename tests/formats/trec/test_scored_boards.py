"""Boards as evaluation tools write them: which columns and measure, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.errors import InputFileError
from curator.formats.recognition import option_for
from curator.formats.trec.official_ranks import read_official_ranks
from tests.samples.files import written

# by hand: b is best, a and c tie behind it
RANKS = {"a": 2.5, "b": 1.0, "c": 2.5}
SCORES = {"a": 0.25, "b": 0.5, "c": 0.25}
ROWS = [(one, topic, s) for one, s in SCORES.items() for topic in ("q1", "all")]
FORMS = {
    "tot": "{0}\tGRADE\t{1}\t{2}",
    "ir_measures": "{0} {1} GRADE {2}",
    "rag4reports": "{1}\t{0}\tGRADE\t{2}",
}


def lines(form: str) -> bytes:
    return "".join(FORMS[form].format(*one) + "\n" for one in ROWS).encode()


@pytest.mark.parametrize("form", FORMS)
def test_a_board_is_the_means_whatever_the_order_of_columns(
    form: str, tmp_path: Path
) -> None:
    path = written(tmp_path, lines(form), "board.txt")
    assert option_for(path) == "official"
    parsed = read_official_ranks(path)
    assert parsed.official == RANKS
    assert parsed.taken_for == "scores by system, of which the means, of GRADE"
    kept = {key[1]: float(text) for key, text in parsed.extras.items()}
    assert kept == SCORES


def test_trec_evals_files_are_called_by_their_systems(tmp_path: Path) -> None:
    for system, score in SCORES.items():
        text = f"map                   \tq1\t{score}\nmap\tall\t{score}\n"
        written(tmp_path, text.encode(), system)
    assert option_for(tmp_path) == "official"
    assert read_official_ranks(tmp_path).official == RANKS


@pytest.mark.parametrize(
    ("content", "measure", "message"),
    [
        (b"a all M 0.5\na all N 0.5\n", None, "M, N; give --official-measure"),
        (b"a all M 0.5\na all M 0.25\n", None, "line 2: run 'a' has two means of M"),
    ],
)
def test_what_makes_no_board_gets_one_line(
    content: bytes, measure: str | None, message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputFileError, match=message) as error:
        read_official_ranks(written(tmp_path, content), measure=measure)
    assert "\n" not in str(error.value)
