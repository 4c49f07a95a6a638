"""Verdicts in the reader: which answers are quoted, and what a press saves."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from curator.bank.edits import JudgeAnswer, apply_edits
from curator.bank.questions import Bank, Question
from curator.formats.templates import macro
from curator.web.pages.judge.passages.reader import VERDICTS
from curator.web.pages.judge.passages.verdicts import quoted_answers
from curator.web.server import WORKSPACE_VARIABLE
from tests.samples.checked_answers import (
    ELDER,
    answered_workspace,
    judged,
)
from tests.web.conftest import OpenApp, page_html, sent

BANK = Bank(
    {
        "q": (
            Question("q/a", "q", "Why?"),
            Question("q/b", "q", "When?"),
            Question("q/c", "q", None),
            Question("q/d", "q", "Who?", state="retired"),
        )
    }
)
ANSWERS = {"q/b": " now ", "q/a": "so", "q/c": "x", "q/d": "me", "q/e": "?"}
NUMBERS = {"q/a": 1, "q/b": 2, "q/c": 3, "q/d": 4}


RATED = {"q/a": True, "q/b": False}
quoted_html = macro(VERDICTS, "quoted")


def quoted(bank=BANK, selected=None, rated=RATED):
    return quoted_answers(
        bank, "q", ANSWERS, rated, NUMBERS, judge="ann", selected=selected
    )


def test_others_verdicts_are_words_only_beside_ones_own() -> None:
    bank = BANK
    for judge, value in (("bob", "right"), ("cy", "wrong"), ("dee", "right")):
        edit = JudgeAnswer("q/a", "so", value)  # type: ignore[arg-type]
        bank, _ = apply_edits(bank, [edit], judge=judge)
    first, _ = quoted(bank)
    assert (first["mine"], first["notes"]) == ("", "")
    bank, _ = apply_edits(bank, [JudgeAnswer("q/a", "so", "wrong")], judge="ann")
    first, second = quoted(bank)
    assert (first["mine"], second["mine"]) == ("wrong", "")
    assert first["notes"] == "2 others say right, 1 other says wrong"


def test_the_words_of_an_answer_come_back_from_their_attribute_as_they_were() -> None:
    # Streamlit drops an attribute with the first three; a browser makes LF of CR LF.
    for answer in ("a --> b", "]>", "</script", "a\r\nb", '"&<%20\u2028é'):
        (found,) = quoted_answers(
            BANK, "q", {"q/a": answer}, {}, NUMBERS, judge="ann", selected=None
        )
        (carried,) = re.findall('data-answer="([^"]*)"', quoted_html([found]))
        assert re.fullmatch(r"[\w.~% -]*", carried)
        assert not re.search(r"--!?>", carried)
        assert unquote(carried) == answer


def test_under_people_a_verdict_is_given_and_seen_at_once(
    open_app: OpenApp, judging: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = answered_workspace(tmp_path / "answered")
    judged(path)
    asked = {"passage": "p2", "grader": "people", "judge": "ann"}

    def drawn() -> tuple[str, list[str]]:
        html = page_html(open_app(path, **asked))
        _, first, second = html.split('<div class="p-answer"')
        assert 'data-mine="wrong"' in second
        html = page_html(open_app(path, **asked, pool="yes"))
        labels = re.findall(r"<b>label (\d)</b>", html)
        return re.findall('data-mine="([^"]*)"', first)[0], labels

    # by hand: p1, p2 and p3 give a right answer to the first question, p4 none
    assert drawn() == ("right", ["5", "5", "5"])
    said = {"question": "q/a", "texts": [ELDER], "based_on": 1}
    monkeypatch.setenv(WORKSPACE_VARIABLE, str(path))
    assert sent("verdict", verdict="wrong", **said).ok
    assert drawn() == ("wrong", ["5", "0", "0"])
