"""What could not be read is listed until something about the same has been answered."""

from __future__ import annotations

import pytest

from curator.generation.responses import is_empty_answer
from curator.workspace import Workspace
from tests.samples.asked_models import answered

NO = "I cannot help with that."
YES = "['Why so?']"


def say(workspace: Workspace, raw: str, **about: str) -> None:
    """Have a model answer this, about ``tides`` unless about something else."""
    answered(workspace.path, raw, **{"query_id": "tides", **about})  # type: ignore[arg-type]


def unread(workspace: Workspace) -> list[str]:
    """The responses listed, the latest first."""
    return [one.raw for one in workspace.generations(unread=True)]


@pytest.mark.parametrize(
    "about", [{"query_id": "rain"}, {"subtopic_id": "moon"}, {"passage_id": "t1"}]
)
def test_an_answer_about_something_else_does_not(
    workspace: Workspace, about: dict[str, str]
) -> None:
    say(workspace, NO)
    assert all(one.unreadable for one in workspace.generations())
    say(workspace, YES, **about)
    assert unread(workspace) == [NO]
    say(workspace, YES, model="another")
    assert unread(workspace) == []


def test_an_empty_list_is_an_answer(workspace: Workspace) -> None:
    say(workspace, NO, passage_id="t1")
    say(workspace, "[]", passage_id="t1")
    assert unread(workspace) == []
    # One that broke off is not.
    say(workspace, "[]", passage_id="t1", error="The line was cut.")
    assert unread(workspace) == ["[]"]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("[]", True),
        ("```python\n[]\n```", True),
        ("<think>Is there more?</think>\n[]", True),
        ("Here is the list:\n[]", True),
        ("[]\n\nAll of it is asked already.", True),
        ('{\n  "questions": [],\n  "reason": "nothing new"\n}', True),
        ("[] is what I have to say.", False),
        ("['Why so?']\n[]", False),
        ("I cannot say that [1]", False),
        ("[[]]", False),
        ("<think>[]", False),
    ],
)
def test_nothing_to_add_is_an_empty_list_and_nothing_else(
    raw: str, expected: bool
) -> None:
    assert is_empty_answer(raw) == expected
