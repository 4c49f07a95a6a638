"""Whatever stands in a workspace, a template shows it as text."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from jinja2 import Environment, meta, nodes
from jinja2.runtime import Macro

from curator.formats.templates import ENVIRONMENT
from curator.web.server import HERE

HURTS = "<script>hurt()</script>\"' onload=hurt() & ]> --> \u202e\u200f"
TEMPLATES = sorted(str(path.relative_to(HERE)) for path in HERE.rglob("*.html"))


class Hostile:
    """Whatever a template asks of it, the answer hurts."""

    def __init__(self, truth: bool) -> None:
        self.truth = truth

    def __str__(self) -> str:
        return HURTS

    def __bool__(self) -> bool:
        return self.truth

    def __getattr__(self, name: str) -> Hostile:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, key: object) -> Hostile:
        return self

    def __iter__(self) -> Iterator[Hostile]:
        return iter([self])

    def __call__(self, *_: object, **__: object) -> Hostile:
        return self

    def __len__(self) -> int:
        return 1

    def __float__(self) -> float:
        return 1.0

    def __format__(self, spec: str) -> str:
        return HURTS

    def __hash__(self) -> int:
        return 0

    def __lt__(self, other: object) -> bool:
        return self.truth

    __gt__ = __le__ = __ge__ = __lt__

    def __add__(self, other: object) -> Hostile:
        return self

    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __add__

    def __abs__(self) -> Hostile:
        return self


def _row(value: object, width: int) -> object:
    """A row of hostile values, where a template takes one apart."""
    return [value] * width if isinstance(value, Hostile) else value


def _rows(value: object, width: int) -> object:
    return [[value] * width] if isinstance(value, Hostile) else value


class Taking(Environment):
    """The pages' templates; rows and arguments they take apart are as long as asked."""

    def _parse(self, source: str, name: str | None, filename: str | None) -> Any:
        tree = super()._parse(source, name, filename)
        for loop in tree.find_all(nodes.For):
            if isinstance(loop.target, nodes.Tuple):
                loop.iter = _call("hostile_rows", loop.iter, len(loop.target.items))
        for named in tree.find_all(nodes.Assign):
            if isinstance(named.target, nodes.Tuple):
                named.node = _call("hostile_row", named.node, len(named.target.items))
        macros = {macro.name: len(macro.args) for macro in tree.find_all(nodes.Macro)}
        for call in tree.find_all(nodes.Call):
            if call.dyn_args is not None and isinstance(call.node, nodes.Name):
                width = macros[call.node.name]
                call.dyn_args = _call("hostile_row", call.dyn_args, width)
        return tree


def _call(name: str, value: nodes.Expr, width: int) -> nodes.Call:
    function = nodes.Name(name, "load")
    return nodes.Call(function, [value, nodes.Const(width)], [], None, None)


HOSTILE = Taking(
    loader=ENVIRONMENT.loader,
    autoescape=ENVIRONMENT.autoescape,
    undefined=ENVIRONMENT.undefined,
)
HOSTILE.globals = ENVIRONMENT.globals | {"hostile_row": _row, "hostile_rows": _rows}


class Page(HTMLParser):
    """The names of all elements and attributes of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, Any]]) -> None:
        self.names |= {tag, *(name for name, _ in attrs)}


CONSTANT = {"pages/settings/first_screen.html"}
"""Templates that take no value."""


def drawn(name: str, value: Hostile) -> Iterator[str]:
    """The template, and each of its macros, with this for every value."""
    assert ENVIRONMENT.loader is not None
    source, *_ = ENVIRONMENT.loader.get_source(ENVIRONMENT, name)
    names = meta.find_undeclared_variables(ENVIRONMENT.parse(source))
    values = dict.fromkeys(names, value)
    template = HOSTILE.get_template(name)
    yield template.render(values)
    module = template.make_module(values)
    for macro in vars(module).values():
        if isinstance(macro, Macro):
            given = {"caller": value} if macro.caller else {}
            yield str(macro(*[value] * len(macro.arguments), **given))


@pytest.mark.parametrize("name", TEMPLATES)
def test_no_value_of_a_template_becomes_an_element_or_an_attribute(name: str) -> None:
    pages = [html for truth in (True, False) for html in drawn(name, Hostile(truth))]
    for html in pages:
        assert not {"script", "onload"} & Page(html).names
        assert "<script" not in html
    assert any("&lt;script&gt;" in html for html in pages) or name in CONSTANT


def test_breaks_and_indentation_are_not_drawn() -> None:
    assert TEMPLATES
    for name in TEMPLATES:
        assert "\n" not in "".join(drawn(name, Hostile(True)))


def test_no_script_makes_elements_of_text() -> None:
    scripts = "".join(path.read_text("utf-8") for path in HERE.rglob("*.js"))
    for maker in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"):
        assert maker not in scripts
