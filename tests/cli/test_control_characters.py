"""Control characters in the texts of a workspace reach no terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from shutil import copy

import click
import pytest

from curator.cli import main
from curator.cli.edits import edit
from tests.samples import restricted
from tests.samples.command_line import run
from tests.samples.workspaces import write_lines

WORD = "q\x1b]0;title\x07\x1b[2J\x9b31mu\x08\x7fa\u202ee\u2066t"
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
MARK = "\N{REPLACEMENT CHARACTER}"

SHOW_TEXTS = [
    "checks DB next",
    "diff DB v1",
    "edit DB add q2 WORD",
    "edit DB note q1/b WORD",
    "edit DB reword q1/a WORD",
    "generate DB --query q1 --model m --dry-run",
    "history DB",
    "ideals DB",
    "judges DB --votes",
    "next DB",
    "norming DB show",
    "overview DB",
    "questions DB",
    "setup DB --title WORD",
]
SHOW_NUMBERS_AND_NAMES = [
    "adjudicate DB --names --decided",
    "agreement DB",
    "assign DB",
    "checks DB quality",
    "checks DB gold",
    "compare DB",
    "correlate DB --against judgments:nDCG@10",
    "coverage DB --query q1",
    "decisions DB",
    "grade DB --grader lexical --dry-run",
    "impact DB --reword q1/b WORD",
    "jobs DB",
    "leaderboard DB",
    "norming DB list",
    "passages DB --query q1",
    "people DB list",
    "progress DB",
    "pyramid DB",
    "release DB",
    "repair DB",
    "restrict DB",
    "rouge DB",
    "scores DB",
    "stability DB",
    "trust DB",
    "status DB",
    "sweep DB --against judgments:nDCG@10",
    "topics DB one",
    "validity DB",
    "verify DB",
]
REFUSED = {
    "edit DB retire WORD": 1,
    "import DB --queries WORD": 1,
    "import DB --labels WORD": 2,
    "questions WORD": 1,
}
# They print no text, or of what other tests give them, and by the same function.
NOT_RUN = {
    *(f"edit {name}" for name in edit.commands),
    "ava compare", "ava evaluate", "ava explain", "ava report", "ava show", "ava train",
    "backup", "checks record", "demo", "endpoint test", "export", "figure", "gate",
    "norming answer", "norming close",
    "norming open", "norming reveal", "people add", "people remove", "restore", "serve",
}  # fmt: skip


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the word in every text that is imported or typed."""
    folder = tmp_path_factory.mktemp("hostile")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(restricted, "SECRET", WORD)
        restricted.make_secretive(folder)
    return folder / "secret.db"


def arguments(line: str, path: Path) -> list[str]:
    given = {"DB": str(path), "WORD": WORD}
    return [given.get(part, part) for part in line.split()]


def leaf_commands(group: click.Group, before: str = "") -> Iterator[str]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from leaf_commands(command, f"{before}{name} ")
        else:
            yield before + name


def test_every_command_is_run_here_or_named() -> None:
    lines = [*SHOW_TEXTS, *SHOW_NUMBERS_AND_NAMES, *REFUSED]
    run_here = {" ".join(line.replace(" DB", "").split()[:2]) for line in lines}
    run_here |= {line.split()[0] for line in lines}
    assert {*leaf_commands(main)} <= run_here | NOT_RUN


def forms_of(line: str) -> Iterator[str]:
    """Choices of the command's ``--format``."""
    command: click.Command = main
    for part in line.replace("DB ", "").split():
        if isinstance(command, click.Group):
            command = command.commands[part]
    for option in command.params:
        if option.name == "form" and isinstance(option.type, click.Choice):
            yield from option.type.choices


@pytest.mark.parametrize("line", [*SHOW_TEXTS, *SHOW_NUMBERS_AND_NAMES])
def test_no_command_prints_control_characters(
    line: str, hostile: Path, tmp_path: Path
) -> None:
    for form in forms_of(line):
        if form in ("trec_eval", "tot", "ir_measures"):
            continue  # of ids and numbers
        given = arguments(line, Path(copy(hostile, tmp_path)))
        result = run(*given, "--format", form)
        printed = result.stdout + result.stderr
        assert not CONTROLS.search(printed)
        if form == "table":
            assert (MARK in printed) == (line in SHOW_TEXTS)
        if form == "json":
            assert MARK not in result.stdout


@pytest.mark.parametrize(("line", "status"), REFUSED.items())
def test_errors_print_no_control_characters(
    line: str, status: int, hostile: Path
) -> None:
    printed = run(*arguments(line, hostile), code=status).stderr
    assert MARK in printed
    assert not CONTROLS.search(printed)


def test_an_import_prints_no_control_characters_of_its_files(tmp_path: Path) -> None:
    queries = write_lines(
        tmp_path / f"{WORD.replace('/', '')}.jsonl",
        [{"query_id": "q1", "text": WORD, WORD: WORD}, {"query_id": "q2", "text": "?"}],
    )
    result = run("import", tmp_path / "new.db", "--queries", queries)
    assert MARK in result.stdout
    assert not CONTROLS.search(result.stdout + result.stderr)
