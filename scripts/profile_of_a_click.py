"""Print what drawing Judge after an edit runs: modules, functions, calls, chains.

    python -m scripts.profile_of_a_click [WORKSPACE.db] [--list]

The workspace is copied first, by default the demo. ``--list`` prints every function
with its calls and its callers.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
from collections import Counter, defaultdict
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from streamlit.testing.v1 import AppTest

import curator
from curator.bank.edits import Retire
from curator.web.server import APP, WORKSPACE_VARIABLE, demo_workspace
from curator.workspace import Workspace
from grading.worker import Worker

ROOT = Path(curator.__file__).parent.parent
OWN = (f"{ROOT}/curator/", f"{ROOT}/grading/")
LISTED = 30


class Profile:
    """Calls of this project's functions in the threads that begin meanwhile."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.callers: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def __enter__(self) -> Profile:
        threading.setprofile(self.called)
        return self

    def __exit__(self, *_: object) -> None:
        threading.setprofile(None)  # type: ignore[arg-type]

    def called(self, frame: FrameType, event: str, _: Any) -> None:
        """Count the call of a function, and who called it."""
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(OWN):
            return
        if code.co_name.startswith("<"):
            return  # a module, a lambda, or what goes through a list
        caller: FrameType | None = frame.f_back
        while caller and not is_own(caller.f_code):
            caller = caller.f_back
        name = name_of(code)
        self.calls[name] += 1
        self.callers[name][name_of(caller.f_code) if caller else ""] += 1

    @property
    def modules(self) -> Counter[str]:
        """Functions run of each module."""
        return Counter(name.partition(":")[0] for name in self.calls)

    def passed_on(self) -> list[tuple[int, str, str]]:
        """Functions with one caller, in another module: calls, caller, function."""
        return sorted(
            (self.calls[name], caller, name)
            for name, callers in self.callers.items()
            for caller in callers
            if len(callers) == 1 and caller.partition(":")[0] != name.partition(":")[0]
        )


def is_own(code: CodeType) -> bool:
    """Return True for a named function of this project."""
    return code.co_filename.startswith(OWN) and not code.co_name.startswith("<")


def name_of(code: CodeType) -> str:
    """``web/pages/judge/page:draw``."""
    place = code.co_filename.removeprefix(f"{ROOT}/").removesuffix(".py")
    return f"{place.removeprefix('curator/')}:{code.co_qualname}"


def profiled(path: Path) -> Profile:
    """Profile the drawing that follows an edit, on a page drawn twice before."""
    Worker.start = lambda self: None  # type: ignore[method-assign]
    app = AppTest.from_file(str(APP), default_timeout=120)
    with Workspace.open(path) as workspace:
        question = next(q for q in workspace.bank() if q.state == "kept")
        judge = workspace.judge
    app.query_params["query"], app.query_params["judge"] = question.query_id, judge
    for _ in range(3):
        app.run()
    assert not app.exception, [error.value for error in app.exception]
    with Workspace.open(path) as workspace:
        workspace.apply(Retire(question.question_id))
    with Profile() as profile:
        app.run()
    assert not app.exception, [error.value for error in app.exception]
    return profile


def main(arguments: list[str]) -> None:
    """Print the profile."""
    files = [name for name in arguments if not name.startswith("--")]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "click.db"
        shutil.copy(files[0] if files else demo_workspace(), path)
        os.environ[WORKSPACE_VARIABLE] = str(path)
        profile = profiled(path)
    calls = profile.calls
    print(f"{len(profile.modules)} modules, {len(calls)} functions, "
          f"{sum(calls.values()):,} calls")  # fmt: skip
    print("\nFunctions by module")
    for module, number in profile.modules.most_common(LISTED):
        print(f"{number:6} {module}")
    print("\nMost called")
    for name, number in calls.most_common(LISTED):
        print(f"{number:6} {name}")
    print("\nWith one caller, in another module")
    for number, caller, name in profile.passed_on():
        print(f"{number:6} {caller} -> {name}")
    if "--list" in arguments:
        for name in sorted(calls):
            print(f"{calls[name]:6} {name} < {', '.join(profile.callers[name])}")


if __name__ == "__main__":
    main(sys.argv[1:])
