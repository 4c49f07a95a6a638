"""Print how large the program, its tests and its documentation are.

    python -m scripts.sizes

Lines of Python with docstrings and blanks, modules, the folder with the most modules,
and the words of the documentation. `.ci/run` prints it with every run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]


def lines(paths: Iterable[Path]) -> int:
    """Return the number of lines of these files."""
    return sum(len(path.read_text("utf-8").splitlines()) for path in paths)


def sizes() -> dict[str, str]:
    """Return each size by its name, as text."""
    program = [*ROOT.glob("curator/**/*.py"), *ROOT.glob("grading/**/*.py")]
    folders = Counter(path.parent.relative_to(ROOT) for path in program)
    folder, modules = folders.most_common(1)[0]
    web = [
        path
        for kind in ("css", "html", "js")
        for path in ROOT.glob(f"curator/**/*.{kind}")
    ]
    pages = ROOT.glob("docs/**/*.md")
    words = sum(len(path.read_text("utf-8").split()) for path in pages)
    return {
        "lines of curator and grading": f"{lines(program):,}",
        "modules": f"{len(program):,}",
        "largest folder": f"{folder}, {modules} modules",
        "lines of JavaScript, HTML and CSS": f"{lines(web):,}",
        "lines of tests": f"{lines(ROOT.glob('tests/**/*.py')):,}",
        "words of documentation": f"{words:,}",
        "bytes of the README": f"{(ROOT / 'README.md').stat().st_size:,}",
    }


if __name__ == "__main__":
    for name, size in sizes().items():
        print(f"{name:34} {size}")
