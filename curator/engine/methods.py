"""Verbs as methods of a workspace, each imported when somebody first asks for it.

What is not mere reading asks for its role first, whoever calls it. An error that comes
of a damaged file is told as that, whoever would have shown it.

A cold `curator leaderboard` has no use for parsers, graders and reports; whoever looks
at a method, in an editor or by ``help``, gets the verb with its words and parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from types import MethodType
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from curator.engine.opened import OpenWorkspace
from curator.engine.state import State

P = ParamSpec("P")
R = TypeVar("R")
Verb = Callable[..., Any]


class LaterVerb:
    """A verb by its module and name: of a workspace, so a method as it stands.

    One that ``reads`` is a verb of a state, and a method over the workspace's now.
    """

    def __init__(self, module: str, name: str, *, reads: bool = False) -> None:
        self.module, self.name, self.reads = module, name, reads

    def __get__(self, workspace: OpenWorkspace | None, of: type) -> Verb:
        verb = method = cast(Verb, getattr(import_module(self.module), self.name))
        if self.reads:

            @wraps(verb)
            def method(workspace: OpenWorkspace, /, *args: Any, **options: Any) -> Any:
                with workspace.blamed(), workspace.snapshot() as state:
                    return verb(state, *args, **options)

        else:

            @wraps(verb)
            def method(workspace: OpenWorkspace, /, *args: Any, **options: Any) -> Any:
                workspace.require(self.name)
                with workspace.blamed():
                    return verb(workspace, *args, **options)

        return method if workspace is None else MethodType(method, workspace)


class LaterModule:
    """A module of which a verb is named before anybody needs it."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> LaterVerb:
        return LaterVerb(self._module, name)


def later(package: str, *modules: str) -> list[LaterModule]:
    """These modules of a package, imported when one of their verbs is asked for."""
    return [LaterModule(f"{package}.{one}") for one in modules]


def reads(
    verb: Callable[Concatenate[State, P], R],
) -> Callable[Concatenate[OpenWorkspace, P], R]:
    """A verb of a state as a method of a workspace."""
    named = cast(LaterVerb, verb)
    made: Any = LaterVerb(named.module, named.name, reads=True)
    return cast("Callable[Concatenate[OpenWorkspace, P], R]", made)
