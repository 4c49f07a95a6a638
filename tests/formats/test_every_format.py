"""Every format of the registry goes out and comes in, is recognised, and is offered.

A module that says of itself what ``Codec`` asks for is all of a new format; what it
forgets, or says and does not do, fails here.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from curator.bank.edits import Vote
from curator.cli import main
from curator.formats.codec import GROUPS, Codec
from curator.formats.file_preview import likely_options
from curator.formats.recognition import file_start, fitting, option_for
from curator.formats.registry import (
    codecs,
    exports,
    import_options,
    option_help,
    readers,
)
from curator.verbs.files.export_request import content_counts
from curator.workspace import Workspace
from tests.samples.files import sample, written

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text()
FILES = (
    *("queries", "passages", "gold", "autograder", "bank", "runs", "judgments"),
    *("official", "nuggetbank", "nuggetizer", "ragtime", "nugget_docs", "tqa"),
    *("reports", "grades"),
)
ALONE = b'{"passage_id": "p9", "text": "Of nobody.", "title": "Alone"}\n'
SET_BY_PEOPLE = {"title"}  # a file says it, and no import takes it from there
THERE_AND_BACK = [
    name
    for name, one in codecs().items()
    if one.imports and one.imports.read and one.exports and one.exports.write
]


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace with something of everything that any format carries."""
    folder = tmp_path_factory.mktemp("full")
    with Workspace.open(folder / "full.db", create=True, judge="ann") as workspace:
        for name in FILES:
            option = codecs()[name].imports.option.name  # type: ignore[union-attr]
            content = ALONE if name == "passages" else sample(name)
            file = written(folder, content, f"{name}.txt")
            workspace.import_(add_queries=True, **{option: file})  # type: ignore[arg-type]
        workspace.set_up(title="All of it")
        one = next(q for q in workspace.bank() if q.kind == "nugget" and q.text)
        workspace.apply([Vote(one.question_id, "vital")])
        yield workspace


def things(workspace: Workspace) -> dict[str, int]:
    with workspace.snapshot() as snapshot:
        return content_counts(snapshot)


@pytest.mark.parametrize("name", THERE_AND_BACK)
def test_a_format_comes_back_as_it_went_out(
    name: str, full: Workspace, tmp_path: Path
) -> None:
    codec = codecs()[name]
    assert codec.imports
    assert codec.exports
    there = things(full)
    carries = codec.exports.carries.things
    assert [thing for thing in carries if not there[thing]] == []

    first, second = tmp_path / "first.out", tmp_path / "second.out"
    written = full.export(name, first)
    assert written.written
    in_part = set(written.lost) - set(full.dropped(name))
    with Workspace.open(tmp_path / "new.db", create=True) as again:
        again.import_(**{codec.imports.option.name: first})  # type: ignore[arg-type]
        back = things(again)
        assert in_part or {one for one in carries if not back[one]} <= SET_BY_PEOPLE
        again.export(name, second)
    assert second.read_bytes() == first.read_bytes()


@pytest.mark.parametrize("name", THERE_AND_BACK)
def test_a_format_is_recognised_and_taken_for_no_other(
    name: str, full: Workspace, tmp_path: Path
) -> None:
    codec = codecs()[name]
    assert codec.imports
    path = tmp_path / f"a file of {name}.txt"
    full.export(name, path)
    option = codec.imports.option
    assert option_for(path) == option.name
    assert fitting(path) == (option.name,)
    start = file_start(path)
    fits = [one for one in codecs().values() if one.imports and one.imports.fits(start)]
    assert max(fits, key=lambda one: specific(one)) == codec
    assert [one for one in fits if specific(one) == specific(codec)] == [codec]


def specific(codec: Codec) -> int:
    assert codec.imports
    return codec.imports.specific


def test_every_format_is_an_option_with_words_of_its_own() -> None:
    runner = CliRunner()
    shown = " ".join(runner.invoke(main, ["export", "--help"]).output.split())
    for one in exports().values():
        assert one.option in shown
    shown = " ".join(runner.invoke(main, ["import", "--help"]).output.split())
    for name, option in import_options().items():
        assert f"--{name} FILE {option_help(option)}" in shown
    taken = [list(option_help(one)) for one in import_options().values()]
    assert all(taken)


def test_an_option_reads_one_format_or_says_which() -> None:
    for option, formats in readers().items():
        assert option in formats  # the one whose reader refuses what is of none
        names = {one.called for one in formats.values()}
        assert len(formats) == 1 or (len(names) == len(formats) and "" not in names)
        assert len({one.option for one in formats.values()}) == 1


def test_the_pages_offer_every_format() -> None:
    for one in exports().values():
        assert "" not in (one.label, one.what)
        assert one.forms
        assert one.group in GROUPS
    options = import_options()
    assert all(one.label and one.sign for one in options.values())
    assert all(likely_options(f"x-{one.label}", [*options]) for one in options.values())


def test_the_documentation_names_every_format_and_the_options_agree() -> None:
    """By the table of docs/formats.md: formats, options that read, ones that write."""
    rows = [line.split("|")[1:4] for line in PAGE.split("\n") if line.startswith("| [")]
    reading = {option for _, cell, _ in rows for option in options_in(cell)}
    writing = {option for _, _, cell in rows for option in options_in(cell)}
    assert reading - {"ir-dataset", "data", "labels"} == set(readers())
    assert writing - {"release"} == {
        one.option.removeprefix("--") for one in exports().values()
    }


def options_in(cell: str) -> set[str]:
    words = cell.replace("`", " ").split()
    return {word.removeprefix("--") for word in words if word.startswith("--")}
