"""Verbs as methods of a workspace, imported on first use.

``Workspace`` imports its verbs for editors alone, so that go-to-definition arrives at
the function. Here they become methods: lazily, since `curator leaderboard` must load no
parsers, graders and reports. Methods that write check the user's role first. Errors
caused by a damaged file are reported as damage.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cached_property, wraps
from importlib import import_module
from pathlib import Path
from types import MethodType
from typing import Any, TypeVar, cast

from curator.snapshot.opened import OpenWorkspace

Verb = Callable[..., Any]
AWorkspace = TypeVar("AWorkspace", bound=type[OpenWorkspace])


class LazyVerb:
    """A verb by its module and name, usable as a method of a workspace.

    The method of a verb that ``reads`` passes a current snapshot.
    """

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name

    @cached_property
    def verb(self) -> Verb:
        """The function."""
        return cast(Verb, getattr(import_module(self.module), self.name))

    @cached_property
    def reads(self) -> bool:
        """True if the function takes a snapshot."""
        return "snapshot" in self.verb.__annotations__

    @cached_property
    def method(self) -> Verb:
        """The function for a workspace, with its docstring and parameters."""
        verb = self.verb

        @wraps(verb)
        def read(workspace: OpenWorkspace, /, *args: Any, **options: Any) -> Any:
            with workspace.snapshot() as snapshot:
                return verb(snapshot, *args, **options)

        @wraps(verb)
        def write(workspace: OpenWorkspace, /, *args: Any, **options: Any) -> Any:
            workspace.require(self.name)
            with workspace.blamed():
                return verb(workspace, *args, **options)

        return read if self.reads else write

    def __get__(self, workspace: OpenWorkspace | None, owner: type) -> Verb:
        return self.method if workspace is None else MethodType(self.method, workspace)


def imported_verbs(file: str) -> dict[str, str]:
    """Map the verbs that a class of this file imports to their modules."""
    return {
        alias.name: node.module
        for class_ in ast.parse(Path(file).read_text("utf-8")).body
        if isinstance(class_, ast.ClassDef)
        for block in class_.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def lazy_verbs(file: str) -> Callable[[AWorkspace], AWorkspace]:
    """Give the class the methods that it imports in this file for editors alone."""

    def with_verbs(workspace: AWorkspace) -> AWorkspace:
        for name, module in imported_verbs(file).items():
            setattr(workspace, name, LazyVerb(module, name))
        return workspace

    return with_verbs
