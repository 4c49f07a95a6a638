"""No answer to an edit tells a word of a proposal that is hidden from its judge.

Ann has to write questions before she sees proposals. Whatever became of one, what she
is answered names neither its words nor who proposed or changed it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
import streamlit as st
from click.testing import CliRunner

import curator.web.pages.events  # noqa: F401, registers the handlers of events
from curator.bank.edits import (
    Add,
    Edit,
    Keep,
    Propose,
    Restore,
    Retire,
    Reword,
    WriteNote,
)
from curator.bank.marks import Ideal
from curator.bank.questions import Question
from curator.cli import main
from curator.cli.edits import edit as edit_group
from curator.errors import CuratorError, EditError
from curator.web.components.channel import HANDLERS
from curator.web.components.view import View
from curator.web.server import WORKSPACE_VARIABLE
from curator.workspace import AS_JUDGE_VARIABLE, Workspace
from tests.samples.histories import EDITS
from tests.samples.proposals import topic_workspace
from tests.web.conftest import remember, sent

WORDS = "Why quetzalcoatlus?"
MODEL, ORGANIZER = "chat:archaeopteryx", "pterodactyl"
SECRETS = ("quetzalcoatlus", "archaeopteryx", "pterodactyl")
Change = Callable[[Workspace, str], object]


def take_back(organizer: Workspace, hidden: str) -> None:
    events = organizer.history(query_id="rain", kind="propose")
    organizer.undo(event=events[0].event_id)


def put_back(organizer: Workspace, hidden: str, *edits: Edit) -> None:
    for edit in edits:
        organizer.apply(edit)
    for _ in edits:
        organizer.undo("rain")


STATES: dict[str, Change] = {
    "proposed": lambda organizer, hidden: None,
    "kept and put back": lambda organizer, hidden: put_back(
        organizer, hidden, Keep(hidden), Reword(hidden, f"{WORDS} Or how?")
    ),
    "restored and dropped again": lambda organizer, hidden: [
        organizer.apply(Retire(hidden)),
        put_back(organizer, hidden, Restore(hidden)),
    ],
    "noted, dropped, reworded and taken back": lambda organizer, hidden: [
        organizer.apply(WriteNote(hidden, f"{WORDS} is easy")),
        organizer.apply(Retire(hidden)),
        organizer.apply(Reword(hidden, f"{WORDS} Or how?")),
        organizer.undo("rain"),
        organizer.undo("rain"),
        take_back(organizer, hidden),
    ],
}


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A workspace in which judges write two questions first; ann works in it."""
    path = topic_workspace(tmp_path)
    with Workspace.open(path, judge=ORGANIZER) as organizer:
        organizer.set_up(human_first=2)
        organizer.apply(Propose("rain", WORDS, '{"generation": 99}'), by=MODEL)
    monkeypatch.setenv(WORKSPACE_VARIABLE, str(path))
    monkeypatch.setenv(AS_JUDGE_VARIABLE, "1")
    monkeypatch.setenv("CURATOR_USER", "ann")
    yield path
    st.session_state.clear()


def proposal(path: Path) -> str:
    with Workspace.open(path, judge=ORGANIZER) as organizer:
        return next(q.question_id for q in organizer.bank() if q.text == WORDS)


def answers_of_verbs(path: Path, hidden: str) -> Iterator[str]:
    """Yield what ann is answered to each kind of edit of the proposal."""
    values = {
        "query_id": "rain",
        "question_id": hidden,
        "question": Question(hidden, "rain", "Mine?"),
        "text": "Mine?",
        "title": "Mine",
        "subtopic_id": "mine",
        "passage_id": "r1",
        "provenance": "{}",
        "answer": "yes",
        "vote": "vital",
        "value": "right",
        "key": f"no-answer {hidden}",
        "round_id": 1,
        "place": 0,
        "ideal": Ideal("r1", 0, None),
    }
    with Workspace.open(path, judge="ann", as_judge=True) as ann:
        for kind in EDITS:
            fields = inspect.signature(kind).parameters.values()
            given = {o.name: values[o.name] for o in fields if o.default is o.empty}
            for based_on in (None, 0, 99):
                if "based_on" in inspect.signature(kind).parameters:
                    given["based_on"] = based_on
                try:
                    yield repr(ann.apply(kind(**given)))
                except CuratorError as error:
                    yield f"{error} {vars(error)}"
        try:
            ann.explain(hidden, "too easy")
        except CuratorError as error:
            yield str(error)
        yield from map(repr, [ann.history(), ann.events(range(20)), ann.bank()])
        yield from (repr(ann.bank_at(event)) for event in range(ann.baselines().latest))


def answers_of_page(path: Path, hidden: str) -> Iterator[str]:
    """Yield what ann's page is answered to each event about a question."""
    values = {
        "query": "rain",
        "question": hidden,
        "many": [[hidden, 1]],
        "texts": ["Mine?"],
        "key": f"no-answer {hidden}",
        "round_id": 1,
        "place": 0,
        "state": "",
        "vote": "vital",
        "flagged": True,
        "verdict": "right",
        "reason": "too easy",
    }
    remember(View(query="rain", judge="ann"))
    for number, (event, handler) in enumerate(HANDLERS.items()):
        parameters = inspect.signature(handler).parameters
        given = {name: values[name] for name in parameters if name in values}
        if given.keys() & {"question", "many", "key"}:
            for based_on in (None, 0):
                if "based_on" in parameters:
                    given["based_on"] = based_on
                yield repr(sent(event, f"nonce-{number}-{based_on}", **given))


def answers_of_commands(path: Path, hidden: str) -> Iterator[str]:
    """Yield what `curator edit` prints for ann, for each kind of edit."""
    for name, command in edit_group.commands.items():
        arguments = [p for p in command.params if isinstance(p, click.Argument)]
        words = [
            getattr(other.type, "choices", ["Mine?"])[0] for other in arguments[1:]
        ]
        yield printed("edit", path, name, hidden, *words)


def printed(*arguments: object) -> str:
    result = CliRunner().invoke(main, [str(one) for one in arguments])
    assert result.exit_code in (0, 1, 2), result.exception
    return result.output


@pytest.mark.parametrize("answers", [answers_of_verbs, answers_of_page])
@pytest.mark.parametrize("state", STATES)
def test_no_answer_tells_of_a_hidden_proposal(
    path: Path, state: str, answers: Callable[[Path, str], Iterator[str]]
) -> None:
    hidden = proposal(path)
    with Workspace.open(path, judge=ORGANIZER) as organizer:
        STATES[state](organizer, hidden)
    for answer in [*answers(path, hidden), *answers_of_commands(path, hidden)]:
        assert not any(secret in answer for secret in SECRETS), answer


def kept_and_put_back(ann: Workspace, hidden: str) -> None:
    ann.apply(Keep(hidden))
    ann.undo()


def noted(ann: Workspace, hidden: str) -> None:
    ann.apply([WriteNote(hidden, "Look at this."), WriteNote("rain/a", "And this.")])


@pytest.mark.parametrize("change", [kept_and_put_back, noted])
def test_what_one_did_before_a_proposal_was_hidden_is_not_undone_in_its_words(
    path: Path, change: Change
) -> None:
    hidden = proposal(path)
    with (
        Workspace.open(path, judge=ORGANIZER) as organizer,
        Workspace.open(path, judge="ann", as_judge=True) as ann,
    ):
        organizer.set_up(human_first=0)
        change(ann, hidden)
        latest = ann.baselines().latest
        organizer.set_up(human_first=2)
        remember(View(query="rain", judge="ann"))
        for verb in ("undo", "redo"):
            with pytest.raises(CuratorError) as refused:
                getattr(ann, verb)()
            answers = [
                str(refused.value),
                repr(sent(verb, f"{verb}-nonce", query="rain", stay=True)),
                printed("edit", path, verb),
            ]
            assert not any(secret in repr(answers) for secret in SECRETS), answers
        assert organizer.baselines().latest == latest


def test_words_that_a_hidden_proposal_has_are_refused_without_naming_it(
    path: Path,
) -> None:
    hidden = proposal(path)
    with Workspace.open(path, judge="ann", as_judge=True) as ann:
        with pytest.raises(EditError, match="hidden from you has these words") as error:
            ann.apply(Reword("rain/a", WORDS))
        assert hidden not in str(error.value)
        ann.apply(Add("rain", "How do drops form?"))
        with pytest.raises(EditError, match="already asks"):
            ann.apply(Reword("rain/a", "How do drops form?"))
