"""Types of verbs for mypy, which refuses functions imported in a class."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mypy.nodes import Decorator, FuncDef
from mypy.plugin import AttributeContext, ClassDefContext, Plugin
from mypy.types import CallableType, Type

from curator.snapshot.methods import imported_verbs

WORKSPACE = "curator.workspace.Workspace"
EDITORS = "curator.workspace.ForEditors"
VERBS = imported_verbs("curator/workspace.py")


class VerbTypes(Plugin):
    """Gives ``workspace.<verb>`` the type of the verb without its first argument."""

    def get_attribute_hook(
        self, fullname: str
    ) -> Callable[[AttributeContext], Type] | None:
        owner, _, name = fullname.rpartition(".")
        if owner != WORKSPACE or name not in VERBS:
            return None
        return partial(self.type_of, f"{VERBS[name]}.{name}")

    def get_customize_class_mro_hook(
        self, fullname: str
    ) -> Callable[[ClassDefContext], None] | None:
        return as_opened if fullname == EDITORS else None

    def type_of(self, verb: str, context: AttributeContext) -> Type:
        symbol = self.lookup_fully_qualified(verb)
        node = symbol and symbol.node
        function = node.type if isinstance(node, FuncDef | Decorator) else None
        if not isinstance(function, CallableType):
            return context.default_attr_type
        return function.copy_modified(
            arg_types=function.arg_types[1:],
            arg_kinds=function.arg_kinds[1:],
            arg_names=function.arg_names[1:],
        )


def as_opened(context: ClassDefContext) -> None:
    """Take a workspace for no snapshot, as editors do to bind verbs."""
    info = context.cls.info
    info.bases = info.bases[:1]
    info.mro = [info, *info.bases[0].type.mro]


def plugin(version: str) -> type[Plugin]:
    return VerbTypes
