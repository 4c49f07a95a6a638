"""`python -m benchmarks.click_path`: through how much code does a click on Curate run?

Counts the modules and functions of curator between an edit and the page drawn anew, on
a small workspace: what somebody has to know to follow a click.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from types import FrameType

import streamlit as st
from streamlit.testing.v1 import AppTest

import curator
from curator.web.components import channel, session
from curator.web.server import APP, WORKSPACE_VARIABLE
from curator.workspace import Workspace
from tests.samples.hand_made import hand_made_workspace

SOURCE = str(Path(curator.__file__).parent)
RUN_TIMEOUT = 120  # seconds


def called(path: Path) -> Counter[tuple[str, str]]:
    """How often each (module, function) of curator is called by a click on Retire."""
    calls: Counter[tuple[str, str]] = Counter()

    def profile(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        ours = event == "call" and code.co_filename.startswith(SOURCE)
        if ours and code.co_filename.endswith(".py") and code.co_name[0] != "<":
            module = code.co_filename.removeprefix(SOURCE).lstrip(os.sep)
            calls[module, code.co_qualname] += 1

    with Workspace.open(path) as workspace:
        query_id = workspace.collection().queries[0].query_id
        question = workspace.bank().questions_of(query_id)[0]
    app = AppTest.from_file(str(APP), default_timeout=RUN_TIMEOUT)
    app.query_params["query"] = query_id
    app.run()
    app.run()  # what a page keeps from one drawing to the next is there by now
    st.session_state[session.KEY] = app.session_state[session.KEY]
    threading.setprofile(profile)
    sys.setprofile(profile)
    answer = channel.handled(
        "a click",
        {
            "type": "retire",
            "workspace": session.workspace_id(),
            "question": question.question_id,
            "based_on": question.revision,
        },
    )
    app.run()
    sys.setprofile(None)
    threading.setprofile(None)
    assert answer.ok, answer.line
    return calls


def main() -> None:
    """Print how many modules and functions, and the modules."""
    with tempfile.TemporaryDirectory() as folder:
        path = hand_made_workspace(Path(folder))
        os.environ[WORKSPACE_VARIABLE] = str(path)
        calls = called(path)
    modules = Counter(module for module, _ in calls)
    print(f"{len(modules)} modules, {len(calls)} functions, {calls.total()} calls")
    for module, functions in sorted(modules.items()):
        print(f"{functions:5}  {module}")


if __name__ == "__main__":
    main()
