"""Numbers, sentences and rows, without Streamlit."""

from __future__ import annotations

import subprocess
import sys

import pytest

from curator.web.components import words
from curator.web.components.view import View, from_params, to_params


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.6264, ".626"), (1.0, "1.000"), (0.0, ".000"), (None, "–"), (-0.25, "−.250"),
     (-0.0001, ".000")],
)  # fmt: skip
def test_scores_have_three_places_and_no_leading_zero(
    value: float | None, shown: str
) -> None:
    assert words.score(value) == shown


@pytest.mark.parametrize(
    ("lower", "upper", "shown"),
    [(0.7051, 0.7118, ".705–.712"), (0.5, 0.5, ".500"), (None, None, "≈ .600")],
)
def test_bounds_say_no_more_than_is_known(
    lower: float | None, upper: float | None, shown: str
) -> None:
    assert words.bounds(lower, upper, 0.6) == shown


def test_a_view_survives_its_url() -> None:
    view = View("q", "q/1", "p", "g", "P@20", 3, 10, "session", 7, "ann", 12)
    assert from_params(to_params(view)) == view
    assert from_params({}) == View()


def test_present_imports_no_streamlit() -> None:
    code = (
        "import sys, curator.web.server\n"
        "from curator.web.pages.judge import impact_words, rows\n"
        "from curator.web.pages.releases.history import event_rows\n"
        "from curator.web.pages.results import sentences\n"
        "from curator.web.pages.judge.passages import pool, passage_text\n"
        "from curator.web.components import settings, view, words\n"
        "heavy = {'streamlit', 'torch', 'transformers', 'scipy', 'pandas'}\n"
        "sys.exit(' '.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
