"""Texts as HTML: code between backticks, commands as the buttons of pages."""

from curator.cli.program import main
from curator.web.components.html import coded
from curator.web.components.places import COMMANDS, PLACES


def test_a_command_is_the_button_of_the_page_that_does_it() -> None:
    html = str(coded("Run `curator grade WORKSPACE --grader '<b>'`, or press `i`."))
    assert html == (
        'Run <button type="button" class="c-act" data-pick="goto:Grading">'
        'Settings › Grading</button>, or press <code class="c-inline">i</code>.'
    )
    assert set(COMMANDS.values()) <= set(PLACES)
    assert set(COMMANDS) <= set(main.commands)


def test_a_command_for_whoever_runs_the_server_stays_one() -> None:
    assert "<code" in coded("`curator people WORKSPACE add ann --role organizer`")
    assert coded("a ` alone <i>") == "a ` alone &lt;i&gt;"
