"""Compare the JSON that commands print in two worktrees of this repository.

    python -m scripts.compare_outputs OLD [NEW] [--import "ARGUMENTS"] [--only WORDS]

Builds the demo workspace in each worktree with its own code, and one workspace for each
``--import`` (arguments of ``curator import``, such as "--autograder graded.jsonl.gz
--official board.json"). Runs scripts/commands.txt on each with ``--format json`` and
prints the values that differ, and lines of the files written. Times and sizes are left
out.
The exit status is 1 for any difference.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = ROOT / "scripts" / "commands.txt"
WORKSPACE = "workspace.db"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(Z|[+]00:00)?")
VARYING = (".seconds", ".size")
MOST = 10  # differences printed for one command
DEMO = (
    "queries.jsonl",
    "passages.jsonl",
    "questions.jsonl",
    "exam.jsonl",
    "runs",
    "judgments.qrels",
    "official.json",
    "gold.jsonl",
)
ENDINGS = (".qrels", ".jsonl", ".tsv", ".json")


def demo_import(folder: Path) -> list[str]:
    """Return the arguments that import the demo collection."""
    return [str(folder / name) for name in DEMO] + ["--min-relevance", "2"]


def filled_commands(questions: list[dict[str, Any]], systems: list[str]) -> list[str]:
    """Return the commands, with names of this workspace in place of {names}."""
    kept = [one for one in questions if one["state"] == "kept"]
    names = {
        "system": systems[0] if systems else "none",
        "query": kept[0]["query_id"],
        "question": kept[0]["question_id"],
        "other": kept[1]["question_id"],
    }
    lines = COMMANDS.read_text("utf-8").splitlines()
    commands = [line for line in lines if line and not line.startswith("#")]
    quoted = {name: shlex.quote(value) for name, value in names.items()}
    return [command.format(passage="{passage}", **quoted) for command in commands]


def outputs(path: Path) -> dict[str, Any]:
    """Run the commands on a workspace in the current folder; return what they print.

    Values are JSON, or text where a command failed, by the command's words.
    """
    from click.testing import CliRunner

    from curator.cli import main

    def printed(*words: str) -> Any:
        result = CliRunner().invoke(main, [*words, "--format", "json"])
        try:
            return json.loads(result.stdout)
        except ValueError:
            return f"exit {result.exit_code}: {result.output}"

    workspace = str(path)
    board = printed("leaderboard", workspace)
    systems = [one["system"] for one in board["systems"]] if "systems" in board else []
    found: dict[str, Any] = {}
    passage = "none"
    for command in filled_commands(printed("questions", workspace), systems):
        words = shlex.split(command.replace("{passage}", shlex.quote(passage)))
        words = [workspace if word == "WORKSPACE" else word for word in words]
        found[command] = printed(*words)
        value = found[command] if isinstance(found[command], dict) else {}
        if words[0] == "passages" and value:
            passage = value["passages"][0]["passage_id"]
        if words[2:3] == ["next"] and value:
            answered = [
                json.dumps({**pair, "answer": "yes"}) for pair in value["checks"]
            ]
            Path("checks.jsonl").write_text("\n".join(answered))
    return found


def run_here(imports: list[str]) -> dict[str, Any]:
    """Build the workspace from import arguments in the current folder and run."""
    from click.testing import CliRunner

    from curator.cli import main

    steps = [["import", WORKSPACE, *imports]]
    if not {"--autograder", "--grades", "--labels"} & {*imports}:  # nothing is graded
        steps.append(["grade", WORKSPACE])
    for words in steps:
        result = CliRunner().invoke(main, words)
        if result.exit_code:
            return {" ".join(words): f"exit {result.exit_code}: {result.output}"}
    found = outputs(Path(WORKSPACE))
    for path in sorted(Path.cwd().iterdir()):
        if path.suffix in ENDINGS:
            found[f"file {path.name}"] = path.read_text("utf-8").splitlines()
    return found


def run_in(worktree: Path, imports: list[str]) -> dict[str, Any]:
    """Run with the code and, where it has one, the environment of a worktree."""
    python = worktree / ".venv" / "bin" / "python"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [str(python if python.exists() else sys.executable), __file__, "--run"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(worktree), "COLUMNS": "100"},
            input=json.dumps(imports),
            capture_output=True,
            text=True,
        )
    if done.returncode:
        sys.exit(f"{worktree}: {done.stderr}")
    printed: dict[str, Any] = json.loads(TIME.sub("TIME", done.stdout))
    return printed


def values(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (path, value) for everything in a JSON value that holds no other."""
    if isinstance(value, dict) and value:
        for name, part in value.items():
            yield from values(part, f"{path}.{name}")
    elif isinstance(value, list) and value:
        for number, part in enumerate(value):
            yield from values(part, f"{path}[{number}]")
    else:
        yield path, value


def differences(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    """Yield lines about commands whose output differs."""
    for command in {**old, **new}:
        before, after = (dict(values(one.get(command))) for one in (old, new))
        paths = [
            path
            for path in {**before, **after}
            if not path.endswith(VARYING)
            and (path in before, before.get(path)) != (path in after, after.get(path))
        ]
        if paths:
            yield f"{command}: {len(paths)} of {len(after)} values differ"
        for path in paths[:MOST]:
            yield f"  {path}: {before.get(path, '-')!r} -> {after.get(path, '-')!r}"


def main() -> None:
    """Print the differences between two worktrees."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument(
        "old", type=Path, nargs="?", help="the worktree to compare with"
    )
    parser.add_argument("new", type=Path, nargs="?", default=ROOT)
    parser.add_argument("--import", action="append", default=[], dest="imports")
    parser.add_argument("--only", default="", help="commands with these words alone")
    parser.add_argument("--run", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        print(json.dumps(run_here(json.load(sys.stdin))))
        return
    if options.old is None:
        parser.error("give the worktree to compare with")
    count = 0
    for imports in [
        demo_import(ROOT / "data" / "demo"),
        *map(paths_in, options.imports),
    ]:
        old, new = (
            {
                command: output
                for command, output in run_in(worktree.resolve(), imports).items()
                if options.only in command
            }
            for worktree in (options.old, options.new)
        )
        print(f"== {' '.join(imports)[:70]}: {len(new)} outputs")
        for line in differences(old, new):
            count += not line.startswith(" ")
            print(line)
    print(f"{count} outputs differ" if count else "no differences")
    sys.exit(1 if count else 0)


def paths_in(arguments: str) -> list[str]:
    """Split arguments; names of files that exist here become absolute."""
    words = shlex.split(arguments)
    return [str(Path(one).resolve()) if Path(one).exists() else one for one in words]


if __name__ == "__main__":
    main()
