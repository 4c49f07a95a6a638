"""What is installed is what is in the tree."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

import curator
import grading

ROOT = Path(__file__).parent.parent


def test_every_package_is_listed_for_installation() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = set(listed["tool"]["setuptools"]["packages"])
    found = {
        str(folder.relative_to(source.parent)).replace(os.sep, ".")
        for source in (Path(curator.__file__).parent, Path(grading.__file__).parent)
        for folder in (source, *source.rglob("*"))
        if folder.is_dir() and any(folder.glob("*.py"))
    }
    assert packages == found | {"curator.demo_collection", "curator.streamlit_config"}


def test_the_tests_run_against_the_wheel_where_one_is_named() -> None:
    wheel = os.environ.get("CURATOR_WHEEL")
    if wheel is None:
        pytest.skip("CURATOR_WHEEL is not set: the tests run against the tree")
    assert Path(curator.__file__).is_relative_to(wheel)
    assert Path(grading.__file__).is_relative_to(wheel)


def test_whatever_a_page_reads_is_installed_with_it() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    assert listed["package-data"]["*"] == ["*.css", "*.csv", "*.html", "*.js"]
    pages = Path(curator.__file__).parent / "web"
    for path in pages.rglob("*.*"):
        if path.suffix in (".css", ".csv", ".html", ".js", ".py"):
            folder = ".".join(path.parent.relative_to(pages.parent.parent).parts)
            assert folder in listed["packages"], path


def test_published_prompts_are_installed_with_their_words() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (pattern,) = listed["tool"]["setuptools"]["package-data"]["grading.prompts"]
    folder = Path(grading.__file__).parent / "prompts"
    files = {path for path in folder.rglob("*") if path.suffix not in (".py", ".pyc")}
    assert {path for path in files if path.is_file()} == {*folder.glob(pattern)}
