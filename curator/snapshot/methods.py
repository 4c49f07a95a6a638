"""Verbs as methods of a workspace, imported on first use.

Methods that write check the user's role first. Errors caused by a damaged file are
reported as damage. Lazy imports keep commands fast: `curator leaderboard` loads no
parsers, graders and reports. Editors and ``help`` see the docstring and the parameters
of the verb.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from types import MethodType
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.snapshot import Snapshot

P = ParamSpec("P")
R = TypeVar("R")
Verb = Callable[..., Any]


class LazyVerb:
    """A verb by its module and name, usable as a method of a workspace.

    A verb that ``reads`` takes a snapshot; its method passes a current one.
    """

    def __init__(self, module: str, name: str, *, reads: bool = False) -> None:
        self.module, self.name, self.reads = module, name, reads

    def __get__(self, workspace: OpenWorkspace | None, owner: type) -> Verb:
        verb = cast(Verb, getattr(import_module(self.module), self.name))
        if self.reads:

            @wraps(verb)
            def method(workspace: OpenWorkspace, /, *args: Any, **options: Any) -> Any:
                with workspace.blamed(), workspace.snapshot() as snapshot:
                    return verb(snapshot, *args, **options)

        else:

            @wraps(verb)
            def method(workspace: OpenWorkspace, /, *args: Any, **options: Any) -> Any:
                workspace.require(self.name)
                with workspace.blamed():
                    return verb(workspace, *args, **options)

        return method if workspace is None else MethodType(method, workspace)


class LazyModule:
    """A module whose verbs are imported on first use."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> LazyVerb:
        return LazyVerb(self._module, name)


def lazy_modules(package: str, *modules: str) -> list[LazyModule]:
    return [LazyModule(f"{package}.{module}") for module in modules]


def reads(
    verb: Callable[Concatenate[Snapshot, P], R],
) -> Callable[Concatenate[OpenWorkspace, P], R]:
    """Turn a verb of a snapshot into a method of a workspace.

    The verb is a LazyVerb, which type checkers take for the function.
    """
    lazy_verb = cast(LazyVerb, verb)
    method: Any = LazyVerb(lazy_verb.module, lazy_verb.name, reads=True)
    return cast("Callable[Concatenate[OpenWorkspace, P], R]", method)
