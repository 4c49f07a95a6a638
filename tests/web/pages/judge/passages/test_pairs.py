"""The question beside the passage read: who is asked, and what an answer saves."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import Retire, Reword
from curator.bank.marks import Check
from curator.web.components import session
from curator.workspace import Workspace
from tests.web.conftest import sent

QUESTION = "When is it?"
YES = "question=q1%2Fc&revision=1&passage=p2&answer=yes"


def checks(path: Path) -> list[Check]:
    with Workspace.open(path, judge="ann") as workspace:
        return list(workspace.bank().checks_of("q1"))


def note() -> str:
    """Take the line that the page shows next."""
    line, error = session.current().note or ("", False)
    session.current().note = None
    assert error == bool(line)
    return line


def test_an_answer_is_kept_until_it_is_given_again(judging: Path) -> None:
    assert sent("pair", name=YES).ok
    (check,) = checks(judging)
    assert (check.item, check.passage_id, check.judge) == (QUESTION, "p2", "ann")
    assert (check.answer, check.probability, check.drawn) == ("yes", None, 0)
    assert sent("pair", "a second nonce", name=YES.replace("yes", "no")).ok
    assert [check.answer for check in checks(judging)] == ["no"]
    assert sent("pair", "a third nonce", name=YES.replace("yes", "no")).ok
    assert checks(judging) == []
    assert note() == ""


@pytest.mark.parametrize("edit", [Retire("q1/c"), Reword("q1/c", "When was it?")])
def test_an_answer_to_a_question_that_changed_is_refused(
    judging: Path, edit: Retire | Reword
) -> None:
    with Workspace.open(judging, judge="ben") as workspace:
        workspace.apply(edit)
    assert sent("pair", name=YES).ok
    assert "has changed since you opened it" in note()
    # Nor is one that names the revision of a retired question.
    assert sent("pair", "a second nonce", name=YES.replace("n=1", "n=2")).ok
    assert (note() == "") == isinstance(edit, Reword)
    assert len(checks(judging)) == isinstance(edit, Reword)
