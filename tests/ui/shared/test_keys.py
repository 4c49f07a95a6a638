"""Every key does one thing, and what it does is said where it can be pressed."""

from __future__ import annotations

from itertools import chain

from curator.ui.server import HERE
from curator.ui.shared.listener import KEYS

# What Streamlit keeps for itself.
RESERVED = {"c", "r"}


def test_no_key_does_two_things() -> None:
    pressed = list(chain.from_iterable(key.pressed for key in KEYS))
    assert len(pressed) == len(set(pressed))
    assert not RESERVED & set(pressed)


def test_every_key_that_presses_a_control_is_on_one() -> None:
    sources = "".join(
        path.read_text("utf-8")
        for path in sorted(HERE.rglob("*"))
        if path.suffix in (".js", ".py") and path.name != "keys.py"
    )
    for key in KEYS:
        if key.act == "click" and not key.selector:
            for name in key.shown.split():
                if name != "Enter":
                    assert f'"{name}"' in sources or f"'{name}'" in sources, name
