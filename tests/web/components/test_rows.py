"""Numbers, sentences and rows, without Streamlit."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC

import pytest

from curator.evaluation.impact import Impact, LabelChange, SystemMove
from curator.evaluation.settings import Settings
from curator.web.components import words
from curator.web.components.view import View, from_params, to_params
from curator.web.components.words import plain
from curator.web.pages.judge import impact_words, query_list
from curator.web.pages.judge.passages.passage_text import pieces

SETTINGS = Settings("g", "P@20")


def impact_of(*moves: SystemMove, missing: int = 0, labels: int = 0) -> Impact:
    changes = [LabelChange("q", f"p{i}", 4, 0) for i in range(labels)]
    return Impact(SETTINGS, missing, tuple(changes), moves, 2, 2)


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
    ("value", "shown"),
    [(0.0023, "+.0023"), (-0.0047, "−.0047"), (0.0, "0"), (-0.00001, "−<.0001")],
)
def test_changes_carry_their_sign(value: float, shown: str) -> None:
    assert words.change(value) == shown


@pytest.mark.parametrize(
    ("lower", "upper", "shown"),
    [(0.7051, 0.7118, ".705–.712"), (0.5, 0.5, ".500"), (None, None, "≈ .600")],
)
def test_bounds_say_no_more_than_is_known(
    lower: float | None, upper: float | None, shown: str
) -> None:
    assert words.bounds(lower, upper, 0.6) == shown


def test_a_time_is_shown_in_the_readers_zone() -> None:
    assert words.clock("2026-03-14T10:42:59.000+00:00", UTC) == "10:42"
    assert words.clock(None, UTC) == ""


def test_the_sentence_counts_labels_movers_and_names_the_largest() -> None:
    found = impact_of(
        SystemMove("a", 0.5, 0.4, 1, 3), SystemMove("b", 0.4, 0.4, 2, 1), labels=2
    )
    said = plain(impact_words.impact_sentence(found, (), {}, against="my last edit"))
    assert said == (
        "Since my last edit: 2 labels fall, 2 systems move; largest a ▼2 (1 → 3)."
    )


def test_scores_that_change_without_a_rank_are_counted() -> None:
    found = impact_of(SystemMove("a", 0.5, 0.4, 1, 1), SystemMove("b", 0.3, 0.3, 2, 2))
    said = plain(impact_words.impact_sentence(found, (), {}, against="x"))
    assert said.endswith(
        "no label changes, no rank moves. 1 score changes; nearest overtake: b over a, "
        ".1000 away."
    )


def test_tau_is_said_before_and_after() -> None:
    found = impact_of(SystemMove("a", 0.5, 0.1, 1, 2), SystemMove("b", 0.4, 0.4, 2, 1))
    said = plain(impact_words.impact_sentence(found, (), {"a": 1, "b": 2}, against="x"))
    assert said.endswith("τ to official 1.000 → −1.000 ▼")


def test_where_grades_are_missing_nothing_is_said_to_move() -> None:
    found = impact_of(SystemMove("a", 0.5, 0.1, 1, 2), missing=215)
    said = plain(impact_words.impact_sentence(found, (), {"a": 1}, against="x"))
    assert "215 grades missing" in said
    assert "▼" not in said


def test_pieces_are_the_text_whatever_overlaps() -> None:
    found = pieces("One. Two. Three.", {1: (0, 9), 2: (5, 9)})
    assert [(piece.text, piece.answers) for piece in found] == [
        ("One. ", (1,)),
        ("Two.", (1, 2)),
        (" Three.", ()),
    ]


def test_the_next_query_to_do_wraps_round() -> None:
    rows = tuple(
        query_list.QueryRow(name, name, 0, done, False)
        for name, done in (("a", False), ("b", True), ("c", True))
    )
    assert query_list.next_to_do(rows, "b") == "a"
    assert query_list.next_to_do(rows[1:], "b") is None


def test_a_view_survives_its_url() -> None:
    view = View("q", "q/1", "p", "g", "P@20", 3, 10, "session", 7, "ann", 12)
    assert from_params(to_params(view)) == view
    assert from_params({}) == View()


@pytest.mark.parametrize("text", ["", "-1", "6", "four", "４", "1e3", "9" * 40])
def test_a_rating_that_cannot_be_read_takes_its_default(text: str) -> None:
    assert from_params({"rating": text}).rating is None


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
