"""The command that starts the server, from any folder, with Curator's own look."""

from __future__ import annotations

import pytest

from curator.web.server import (
    CONFIG,
    HERE,
    OPTIONS,
)


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
