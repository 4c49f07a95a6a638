"""The command that starts the server, from any folder, with Curator's own look."""

from __future__ import annotations

import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from curator.web.server import (
    APP,
    CONFIG,
    HERE,
    OPTIONS,
    WORKSPACE_VARIABLE,
    serve_command,
    serve_environment,
)


def test_the_command_says_where_to_serve_and_shows_the_workspace() -> None:
    command = serve_command("work.db", "127.0.0.1", 8601)
    assert command[:2] == [sys.executable, "-m"]
    assert find_spec(command[2]) is not None
    assert command[3:] == ["127.0.0.1", "8601", "work.db"]


def test_the_server_is_given_a_file_that_exists_by_its_full_path() -> None:
    assert APP.is_absolute()
    assert APP.is_file()


def test_streamlit_run_and_curator_serve_have_the_settings_of_one_file() -> None:
    from streamlit import config
    from streamlit.web.server.starlette import starlette_app

    assert HERE.parents[1] / ".streamlit" / "config.toml" == CONFIG
    assert OPTIONS["server.address"] == "127.0.0.1"
    assert OPTIONS["browser.gatherUsageStats"] is False
    assert OPTIONS["theme.light.primaryColor"]
    starlette_app._validate_run_config(OPTIONS)  # refuses an option there is not
    assert OPTIONS.keys() <= config._config_options_template.keys()


def test_streamlit_never_refers_to_a_message_that_a_page_may_have_forgotten() -> None:
    least = float(str(OPTIONS["global.minCachedMessageSize"]))
    assert least >= 1e9  # bytes: no message is so long


def test_a_fault_shows_its_class_in_the_browser_and_nothing_of_its_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from streamlit import config
    from streamlit.elements import exception
    from streamlit.proto.Exception_pb2 import Exception as Shown

    kept, shown = config.get_option, Shown()
    monkeypatch.setattr(
        config, "get_option", lambda name: OPTIONS.get(name, kept(name))
    )
    fault = ValueError("what nobody is to see")
    exception.marshall(shown, fault, apply_show_error_details=True)
    assert shown.type == "ValueError"
    assert b"what nobody" not in shown.SerializeToString()
    assert b".py" not in shown.SerializeToString()


def test_the_environment_names_the_workspace_wherever_the_server_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    environment = serve_environment("work.db")
    assert environment[WORKSPACE_VARIABLE] == str(tmp_path / "work.db")
    assert environment["PYTHONPATH"].startswith(str(HERE.parents[1]))


def test_every_colour_of_the_theme_is_there_for_light_and_dark() -> None:
    theme = tomllib.loads(CONFIG.read_text())["theme"]
    assert theme["light"].keys() == theme["dark"].keys()


def test_the_theme_and_the_style_sheet_agree_on_the_colours_they_share() -> None:
    theme = tomllib.loads(CONFIG.read_text())["theme"]
    style = (HERE / "components" / "frame.css").read_text()
    for name, option in {
        "ink": "textColor",
        "line": "borderColor",
        "accent": "primaryColor",
        "panel": "secondaryBackgroundColor",
    }.items():
        pair = f"{theme['light'][option]}, {theme['dark'][option]}"
        assert f"--{name}: light-dark({pair});" in style
