"""A paper's kit: LaTeX that says what was frozen; no text in it does anything."""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.bank.edits import Add, Keep, Propose, Retire, Reword
from curator.errors import EvaluationError
from curator.verbs.files.paper.kit import Citations, paragraphs, references, tex
from curator.workspace import Workspace
from tests.conftest import MadeOnce
from tests.samples.hand_made import hand_made_workspace

SPECIAL = "\\{}$&#^_%~<>|\"'`[]*-–≥κ中\u202e\x00é\u0301\n"
HARM = r"\input{/etc/passwd} \end{document} $x^2$ % & # _ ~ {a} 中文 é"
COMMANDS = re.compile(r"\\[a-zA-Z]+|\\.", re.DOTALL)
HARMLESS = {
    *(rf"\{one}" for one in "{}#$%&_"),
    *(r"\textbackslash", r"\textasciitilde", r"\textasciicircum", r"\textless"),
    *(r"\textgreater", r"\textbar", r"\char", r"\textasciigrave", r"\unicodechar"),
    *(r"\geq", r"\leq", r"\pm", r"\rightarrow", r"\uparrow", r"\downarrow"),
    *(r"\approx", r"\star", r"\kappa", r"\tau", r"\alpha", r"\beta"),
}


def braces_of(source: str) -> int:
    """How deep the source ends in braces; fails where one closes that none opened."""
    depth = 0
    for one in re.sub(r"(?m)\\.|^%.*$", "", source):
        depth += {"{": 1, "}": -1}.get(one, 0)
        assert depth >= 0
    return depth


@pytest.fixture
def kit(made_once: MadeOnce, tmp_path: Path) -> Path:
    """The kit of a release with texts that mean harm, beside its workspace."""
    shutil.copytree(made_once("paper", made), tmp_path, dirs_exist_ok=True)
    return tmp_path / "kit"


def made(folder: Path) -> None:
    """The kit, and in ``hand-made`` the workspace that has been edited since."""
    path = hand_made_workspace(folder / "hand-made")
    with Workspace.open(path, judge="ann_b") as workspace:
        workspace.set_up(title=HARM)
        made = workspace.apply([Add("q1", HARM), Propose("q1", "And who?", "{}")])
        old, asked = [one.after.question_id for one in made.changes if one.after]
        workspace.apply([Keep(asked)])
        workspace.apply([Reword(asked, "And whose?")])
        workspace.release("v1", why=HARM, allow_partial=True)
        workspace.apply([Retire(old)])
        workspace.export("paper", folder / "kit", release="v1")


@given(st.text(alphabet=st.sampled_from(SPECIAL) | st.characters()))
def test_no_text_does_anything_in_latex(text: str) -> None:
    source = tex(text)
    assert set(COMMANDS.findall(source)) <= HARMLESS
    assert braces_of(source) == 0
    bare = COMMANDS.sub("", source)
    assert bare.count("$") % 2 == 0
    assert not set(bare) & set('%&#^_~\\<>|"\n')
    assert braces_of(paragraphs(text)) == 0


def test_the_kit_says_what_was_frozen_and_who_made_it(kit: Path) -> None:
    methods = " ".join((kit / "methods.tex").read_text().split())
    with Workspace.open(kit.parent / "hand-made" / "hand-made.db") as workspace:
        (record,) = workspace.releases()
    assert record.sha256 in methods.replace("\\allowbreak ", "")
    assert tex(record.grader) in methods
    assert r"Of the kept ones, 1 were written by people (ann\_b 1)" in methods
    # By hand: one was proposed, kept and then reworded; four came with the bank.
    assert r"1 were proposed by models (ann\_b 1) and kept by people" in methods
    assert "1 of them reworded" in methods
    assert "4 were imported" in methods
    assert "0 more were retired" in methods  # the one that went since was kept then
    assert tex(HARM) in (kit / "tables" / "questions.tex").read_text()
    assert tex(HARM) in (kit / "paper.tex").read_text()


def test_only_papers_that_are_cited_are_listed_and_all_of_them(kit: Path) -> None:
    listed = set(
        re.findall(r"^@\w+\{(\S+),$", (kit / "references.bib").read_text(), re.M)
    )
    cited = re.findall(r"\\cite\{(.*?)\}", (kit / "methods.tex").read_text())
    assert listed == {key for keys in cited for key in keys.split(",")}
    assert "farzi2024exam" in listed
    assert "vu2020ava" not in listed
    every = Citations()
    for name, (key, _) in references().items():
        assert key in every(f"{name}, eq. 1")
    assert every.bibliography().count("@") == len(references())


def test_every_file_is_whole_latex_with_what_the_main_file_asks_for(kit: Path) -> None:
    for path in kit.rglob("*.tex"):
        source = path.read_text()
        assert braces_of(source) == 0
        begun = re.findall(r"\\begin\{(\w+)\}", source)
        assert sorted(begun) == sorted(re.findall(r"\\end\{(\w+)\}", source))
    main = (kit / "paper.tex").read_text()
    asked = [f"{one}.tex" for one in re.findall(r"^\\input\{(.*)\}", main, re.M)]
    asked += [f"{one}.pdf" for one in re.findall(r"\]\{(figures/.*)\}", main)]
    made = {str(one.relative_to(kit)) for one in kit.rglob("*.*") if one.is_file()}
    assert {*asked, "paper.tex", "references.bib"} == made


def test_a_second_export_is_the_same_and_leaves_what_somebody_wrote(
    kit: Path, tmp_path: Path
) -> None:
    before = {one: one.read_bytes() for one in kit.rglob("*.*") if one.is_file()}
    mine = kit / "paper.tex"
    mine.write_text("mine")
    with Workspace.open(tmp_path / "hand-made" / "hand-made.db") as workspace:
        said = workspace.export("paper", kit, release="v1")
        workspace.export("paper", tmp_path / "kit.zip", release="v1")
    assert "paper.tex' was edited" in " ".join(said.notices)
    assert mine.read_text() == "mine"
    mine.write_bytes(before[mine])
    assert {one: one.read_bytes() for one in before} == before
    with zipfile.ZipFile(tmp_path / "kit.zip") as packed:
        found = {kit / name: packed.read(name) for name in packed.namelist()}
        # Whenever it is written, the bytes are the same.
        assert {one.date_time for one in packed.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert found == before


def test_a_blind_judge_gets_no_kit(kit: Path, tmp_path: Path) -> None:
    path = tmp_path / "hand-made" / "hand-made.db"
    with Workspace.open(path) as workspace:
        workspace.set_up(blind=True)
    refused = pytest.raises(EvaluationError, match="blind")
    with Workspace.open(path, judge="bob", as_judge=True) as workspace, refused:
        workspace.export("paper", tmp_path / "blind", release="v1")


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is not installed")
def test_the_main_file_compiles(kit: Path) -> None:
    command = ("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper")
    done = subprocess.run(command, cwd=kit, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (kit / "paper.pdf").stat().st_size
