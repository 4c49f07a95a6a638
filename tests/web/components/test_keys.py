"""Every key does one thing, and what it does is said where it can be pressed."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

from curator.web.components import listener
from curator.web.components.listener import KEYS, TERMS, help_on
from curator.web.components.places import PLACES
from curator.web.server import HERE

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
        if path.suffix in (".js", ".py", ".html") and path != Path(listener.__file__)
    )
    # The list of keys names every key and would hide a control that is missing.
    assert "\nKEYS = (" not in sources
    for key in KEYS:
        if key.act == "click" and key.pressed and not key.selector:
            for name in key.name.split():
                if name != "Enter":
                    assert f'"{name}"' in sources or f"'{name}'" in sources, name


def test_help_has_the_keys_of_the_page() -> None:
    found = help_on("Check")
    here = dict(found["keys"])
    assert (here["n"], here["u"]) == ("no", "unsure")
    assert "x" not in here
    assert found["words"] == TERMS
    # What holds everywhere stands on every page, and no page is misspelt.
    assert all("these keys" in dict(help_on(page)["keys"])["h ?"] for page in PLACES)
    pages = {page for key in KEYS for names in key.does for page in names.split(", ")}
    assert pages <= set(PLACES)
