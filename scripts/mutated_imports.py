"""Damaged files are read rightly or refused in one line, and the workspace stays sound.

    python -m scripts.mutated_imports [--count N] [--seed S] [--kind K] [--folder F]

Takes the examples of docs/formats.md, the demo collection and what is exported from it,
bundles included, damages them (bytes flipped, lines cut, doubled or moved, fields
swapped, types changed, archives broken) and imports each into a workspace. After every
one: an import or one line that names the file, SQLite's own checks of the file, and
nothing written where the file was refused.

Of kind ``workspace`` the workspace itself is damaged: bytes and pages of its file, its
values, rows and tables. Then it is opened, shown, imported into and verified, each of
which works or ends in one line; and ``verify`` passes nothing that differs.

Prints what happened, by kind of file; anything else is printed in full, and the exit
status is 1.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import random
import re
import shutil
import sqlite3
import sys
import tempfile
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from curator.cli import main as main_command
from curator.errors import CuratorError
from curator.formats.bundles import DATABASE, SUMS
from curator.formats.registry import import_options
from curator.snapshot.snapshot import forget
from curator.workspace import Workspace
from grading.errors import GradingError

EXPECTED = (CuratorError, GradingError)  # shown as one line
ROOT = Path(__file__).parent.parent
EXAMPLE = re.compile(r"<!-- example: (\w+) -->\n+```\w*\n(.*?)```", re.DOTALL)
PLACE = re.compile(r"line \d+")
VALUES = (
    *(None, True, False, 0, 1, -1, 6, 2**31, 10**30, 1.5, 1e308, "", " ", "a b"),
    *("\t", "\u0000", "é" * 3, "=1", "x" * 3000, [], {}, [[]], {"a": 1}, {"": None}),
)


PAGE = 4096
STATEMENTS = (
    "DROP {0} {1}",
    "ALTER {0} {1} RENAME TO other",
    "ALTER {0} {1} ADD COLUMN more TEXT",
    "ALTER {0} {1} DROP COLUMN at",
    "CREATE TRIGGER t AFTER INSERT ON {1} BEGIN DELETE FROM {1}; END",
    "CREATE VIEW v AS SELECT * FROM {1}",
)


@dataclass(frozen=True)
class Sample:
    """A file as it should be, and the import option that reads it."""

    kind: str
    name: str
    content: bytes


@dataclass
class Outcome:
    """What happened to damaged files of one kind."""

    read: int = 0
    refused: int = 0
    with_line: int = 0
    faults: list[str] = field(default_factory=list)


def samples(folder: Path) -> Iterator[Sample]:
    """Files of every kind: documented, of the demo, and exported from it."""
    page = ROOT / "docs" / "formats.md"
    for number, (kind, text) in enumerate(EXAMPLE.findall(page.read_text())):
        if kind in import_options():
            yield Sample(kind, f"example-{number}-{kind}", text.encode())
    demo = ROOT / "data" / "demo"
    files = {
        "queries": "queries.jsonl",
        "passages": "passages.jsonl",
        "bank": "questions.jsonl",
        "judgments": "judgments.qrels",
        "official": "official.json",
        "gold": "gold.jsonl",
        "runs": "runs/bm25.run",
    }
    for kind, name in files.items():
        yield Sample(kind, Path(name).name, (demo / name).read_bytes())
    with Workspace.open(folder / "base.db") as workspace:
        for kind, name in {"autograder": "graded.jsonl.gz", "bundle": "b.zip"}.items():
            workspace.export(kind, folder / name)
            yield Sample(kind, name, (folder / name).read_bytes())


def damaged(sample: Sample, chance: random.Random) -> bytes:
    """The file with one to three things wrong in it."""
    content = sample.content
    packed = content.startswith(b"\x1f\x8b")
    if packed and chance.random() < 0.8:
        content = gzip.decompress(content)
    ways: list[Callable[[bytes, random.Random], bytes]]
    ways = [flipped, cut, doubled, moved, swapped_lines]
    if sample.kind != "bundle":
        ways += [changed_value] * 4
    for _ in range(chance.choice((1, 1, 2, 3))):
        content = chance.choice(ways)(content, chance)
    if sample.kind == "bundle" and chance.random() < 0.5:
        return other_member(sample.content, chance)
    return gzip.compress(content, 1) if packed and chance.random() < 0.5 else content


def flipped(content: bytes, chance: random.Random) -> bytes:
    """One to four bits turned over."""
    changed = bytearray(content)
    for _ in range(chance.randint(1, 4) if changed else 0):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def cut(content: bytes, chance: random.Random) -> bytes:
    """The end, or a piece from the middle, gone."""
    at = chance.randrange(len(content) + 1)
    length = chance.choice((1, 3, 40, len(content)))
    return content[:at] + content[at + length :]


def doubled(content: bytes, chance: random.Random) -> bytes:
    """A piece standing twice."""
    at = chance.randrange(len(content) + 1)
    return content[:at] + content[max(0, at - chance.randint(1, 60)) :]


def moved(content: bytes, chance: random.Random) -> bytes:
    """A line somewhere else."""
    lines = content.splitlines(keepends=True)
    if len(lines) > 1:
        line = lines.pop(chance.randrange(len(lines)))
        lines.insert(chance.randrange(len(lines) + 1), line)
    return b"".join(lines)


def swapped_lines(content: bytes, chance: random.Random) -> bytes:
    """Two columns or fields of a line in each other's place."""
    lines = content.splitlines(keepends=True)
    if not lines:
        return content
    at = chance.randrange(len(lines))
    for blank in (b"\t", b" ", b","):
        parts = lines[at].rstrip(b"\n").split(blank)
        if len(parts) > 1:
            one, other = chance.sample(range(len(parts)), 2)
            parts[one], parts[other] = parts[other], parts[one]
            lines[at] = blank.join(parts) + b"\n"
            break
    return b"".join(lines)


def changed_value(content: bytes, chance: random.Random) -> bytes:
    """A value somewhere in a JSON line replaced by one of another type."""
    lines = content.split(b"\n")
    numbers = [n for n, line in enumerate(lines) if line.strip()]
    if not numbers:
        return content
    at = chance.choice(numbers)
    try:
        value = json.loads(lines[at])
    except (ValueError, RecursionError):
        return flipped(content, chance)
    lines[at] = json.dumps(_changed(value, chance), ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )
    return b"\n".join(lines)


def other_member(content: bytes, chance: random.Random) -> bytes:
    """A bundle with a file changed and its hash made right again."""
    with zipfile.ZipFile(io.BytesIO(content)) as whole:
        members = {entry.filename: whole.read(entry) for entry in whole.infolist()}
    del members[SUMS]
    if chance.random() < 0.7:
        members[DATABASE] = _damaged_database(members[DATABASE], chance)
    else:
        name = chance.choice(sorted(members))
        ways = (flipped, cut, doubled, moved, changed_value)
        members[name] = chance.choice(ways)(members[name], chance)
    sums = (f"{hashlib.sha256(members[n]).hexdigest()}  {n}\n" for n in sorted(members))
    members[SUMS] = "".join(sums).encode()
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as whole:
        for name, body in members.items():
            whole.writestr(name, body)
    return made.getvalue()


def _damaged_database(content: bytes, chance: random.Random) -> bytes:
    if chance.random() < 0.2:
        return flipped(content, chance)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / DATABASE
        file.write_bytes(content)
        _damaged_rows(file, chance, tables=chance.random() < 0.3)
        return file.read_bytes()


def _changed(value: Any, chance: random.Random) -> Any:
    if isinstance(value, list) and value and chance.random() < 0.9:
        at = chance.randrange(len(value))
        return [_changed(v, chance) if n == at else v for n, v in enumerate(value)]
    if isinstance(value, dict) and value and chance.random() < 0.9:
        at = chance.choice(list(value))
        if chance.random() < 0.1:
            return {key: v for key, v in value.items() if key != at}
        return {
            key: _changed(v, chance) if key == at else v for key, v in value.items()
        }
    return chance.choice(VALUES)


def tried(sample: Sample, content: bytes, base: Path, folder: Path) -> tuple[str, str]:
    """("read" | "refused" | "fault", what was said) of one damaged file."""
    work, file = folder / "work.db", folder / sample.name
    file.write_bytes(content)
    fresh = sample.kind == "bundle"
    work.unlink(missing_ok=True)
    if not fresh:
        shutil.copyfile(base, work)
    before = None if fresh else facts(work)
    said, outcome = "", "read"
    try:
        if fresh:
            rebuilt(work, file)
        with Workspace.open(work) as workspace:
            if not fresh:
                workspace.import_(**{sample.kind: file})
            workspace.bank(), workspace.collection(), workspace.bank_at(0)
            workspace.leaderboard(measure="P@10"), workspace.status()
    except EXPECTED as error:
        said, outcome = str(error), "refused"
        if "\n" in said or not said.isprintable() or sample.name not in said:
            return "fault", f"not one line with the file's name: {said!r}"
    except Exception:
        return "fault", traceback.format_exc(limit=-4)
    if outcome == "refused" and fresh and work.exists():
        return "fault", f"a file is left behind after: {said}"
    if work.exists():
        if wrong := unsound(work):
            return "fault", wrong
        if outcome == "refused" and facts(work) != before:
            return "fault", f"something was written though: {said}"
    return outcome, said


def damaged_workspace(base: Path, work: Path, chance: random.Random) -> bool:
    """Make ``work`` the workspace ``base`` with one to three things wrong in it.

    Whether that was in what ``verify`` vouches for, and so must be found.
    """
    shutil.copyfile(base, work)
    content = bytearray(work.read_bytes())
    pages = len(content) // PAGE
    way = chance.randrange(7)
    if way == 0:
        work.write_bytes(flipped(bytes(content), chance))
    elif way == 1:
        work.write_bytes(content[: chance.randrange(len(content))])
    elif way == 2:
        for _ in range(chance.randint(1, 3)):
            one, other = (PAGE * chance.randrange(pages) for _ in "ab")
            kept = content[one : one + PAGE]
            content[one : one + PAGE] = content[other : other + PAGE]
            content[other : other + PAGE] = kept
        work.write_bytes(content)
    elif way == 3:
        at = PAGE * chance.randrange(pages) + chance.randrange(PAGE)
        length = chance.randint(1, 2 * PAGE)
        content[at : at + length] = bytes(len(content[at : at + length]))
        work.write_bytes(content)
    else:
        return _damaged_rows(work, chance, tables=way == 4)
    return False  # perhaps in a page that nothing is in


def _damaged_rows(work: Path, chance: random.Random, *, tables: bool) -> bool:
    connection = sqlite3.connect(work)
    connection.execute("PRAGMA ignore_check_constraints = ON")
    names = [
        (kind, name)
        for kind, name in connection.execute(
            "SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' "
            "ORDER BY name"
        )
    ]
    found = False
    with connection:
        for _ in range(chance.randint(1, 3)):
            kind, table = chance.choice(names)
            try:
                if tables:
                    connection.execute(chance.choice(STATEMENTS).format(kind, table))
                    found = True
                elif kind == "table":
                    _damaged_row(connection, table, chance)
            except (sqlite3.Error, OverflowError, UnicodeError):
                continue  # not of this table, or not of this type
    if chance.random() < 0.1:
        connection.execute(f"PRAGMA user_version = {chance.choice((0, 3, 24, 99))}")
        found = True
    connection.close()
    return found


def _damaged_row(
    connection: sqlite3.Connection, table: str, chance: random.Random
) -> bool:
    """A row gone, or a value of it another; whether there was one."""
    columns = connection.execute(f'PRAGMA table_info("{table}")').fetchall()
    keys = [name for _, name, _, _, _, key in columns if key] or ["rowid"]
    rows = connection.execute(f'SELECT {", ".join(keys)} FROM "{table}"').fetchall()
    if not rows:
        return False
    row = chance.choice(rows)
    where = " AND ".join(f"{key} = ?" for key in keys)
    if chance.random() < 0.1:
        connection.execute(f'DELETE FROM "{table}" WHERE {where}', row)
        return True
    _, name, kind, *_ = chance.choice(columns)
    select = f'SELECT "{name}" FROM "{table}" WHERE {where}'
    (before,) = connection.execute(select, row).fetchone()
    value: Any = chance.choice(VALUES)
    if isinstance(before, bytes):
        value = chance.choice((flipped, cut, doubled))(before, chance)
    elif isinstance(before, str) and chance.random() < 0.6:
        value = chance.choice((flipped, cut, doubled))(before.encode(), chance)
    elif isinstance(value, list | dict):
        value = json.dumps(value)
    given = "CAST(? AS TEXT)" if kind == "TEXT" else "?"
    update = f'UPDATE "{table}" SET "{name}" = {given} WHERE {where}'
    connection.execute(update, (value, *row))
    connection.text_factory = bytes
    again = connection.execute(select, row).fetchone()
    connection.text_factory = str
    kept = before.encode() if isinstance(before, str) else before
    return again is None or again[0] != kept


def tried_workspace(work: Path, file: Path, *, certain: bool) -> tuple[str, str]:
    """("read" | "refused" | "fault", what was said) of a damaged workspace.

    ``certain`` that it differs, ``verify`` has to say so.
    """
    steps: dict[str, Callable[[Workspace], object]] = {
        "status": lambda one: one.status(),
        "leaderboard": lambda one: one.leaderboard(),
        "bank": lambda one: (one.bank_at(0), one.history(), one.questions()),
        "import": lambda one: one.import_(queries=file),
        "repair": lambda one: one.repair(),
    }
    said, passed = "", True
    forget(work)  # what was read of the one before, whose versions it has
    for name, step in steps.items():
        if name == "import":  # before anything is written
            try:
                with Workspace.open(work) as workspace:
                    found = workspace.verify()
                    table = str(found.problems)
                passed = not found.problems
                said = said or table * bool(found.problems)
                if not table.isprintable():
                    return "fault", f"verify: not printable {table!r}"
            except EXPECTED as error:
                said, passed = str(error), False
            except Exception:
                return "fault", f"verify: {traceback.format_exc(limit=-5)}"
        try:
            with Workspace.open(work) as workspace:
                step(workspace)
        except EXPECTED as error:
            said = said or str(error)
            if "\n" in str(error) or not str(error).isprintable():
                return "fault", f"{name}: not one line: {str(error)!r}"
        except Exception:
            return "fault", f"{name}: {traceback.format_exc(limit=-5)}"
    if passed and (certain or said):
        return "fault", f"verify passed what differs{': ' * bool(said)}{said}"
    return ("read" if passed else "refused"), said


def rebuilt(work: Path, bundle: Path) -> None:
    """The workspace of a bundle as the command line makes it. Raises CuratorError."""
    command = ["import", str(work), "--bundle", str(bundle)]
    done = CliRunner().invoke(main_command, command)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    if done.exit_code:
        raise CuratorError(done.stderr.strip().removeprefix("Error: "))


def unsound(path: Path) -> str:
    """What SQLite's own checks find wrong; "" where nothing is."""
    connection = sqlite3.connect(path)
    try:
        found = [row[0] for row in connection.execute("PRAGMA integrity_check")]
        foreign = connection.execute("PRAGMA foreign_key_check").fetchall()
    finally:
        connection.close()
    return "" if found == ["ok"] and not foreign else f"{found} {foreign}"


def facts(path: Path) -> list[tuple[Any, ...]]:
    """How many rows each table has, and the latest event."""
    connection = sqlite3.connect(path)
    try:
        names = [
            name
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
            )
        ]
        return [
            (name, *connection.execute(f'SELECT count(*) FROM "{name}"').fetchone())
            for name in names
        ]
    finally:
        connection.close()


def run(
    count: int, seed: int, folder: Path, kind: str | None = None
) -> dict[str, Outcome]:
    """Try ``count`` damaged files, every kind as often; the outcome by kind."""
    base = folder / "base.db"
    by_kind: dict[str, list[Sample]] = {}
    for sample in [*samples(folder), Sample("workspace", "work.db", b"")]:
        by_kind.setdefault(sample.kind, []).append(sample)
    kinds = [kind] if kind else sorted(by_kind)
    outcomes = {one: Outcome() for one in kinds}
    chance = random.Random(seed)
    # By its ending it is read as what it is; under its own name it comes damaged, too.
    queries = next(one for one in by_kind["queries"] if one.name.endswith(".jsonl"))
    whole = folder / f"whole-{queries.name}"
    whole.write_bytes(queries.content)
    for number in range(count):
        sample = chance.choice(by_kind[kinds[number % len(kinds)]])
        if sample.kind == "workspace":
            work = folder / sample.name
            for left in folder.glob(f"{sample.name}[-.]*"):
                left.unlink()
            certain = damaged_workspace(base, work, chance)
            content = work.read_bytes()
            result, said = tried_workspace(work, whole, certain=certain)
        else:
            content = damaged(sample, chance)
            result, said = tried(sample, content, base, folder)
        outcome = outcomes[sample.kind]
        outcome.read += result == "read"
        outcome.refused += result == "refused"
        outcome.with_line += result == "refused" and bool(PLACE.search(said))
        if result == "fault":
            kept = folder / f"fault-{number}-{sample.name}"
            kept.write_bytes(content)
            outcome.faults.append(f"{number} {sample.name}: {said}")
    return outcomes


def main(arguments: list[str] | None = None) -> int:
    """Run it and print a table; 1 where anything was neither read nor refused."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", help="files of this kind alone")
    parser.add_argument("--folder", type=Path, help="where damaged files are kept")
    given = parser.parse_args(arguments)
    folder = given.folder or Path(tempfile.mkdtemp(prefix="mutated-"))
    folder.mkdir(parents=True, exist_ok=True)
    prepared(folder / "base.db")
    outcomes = run(given.count, given.seed, folder, given.kind)
    print("kind          tried    read  refused  naming a line  faults")
    for kind, one in sorted(outcomes.items()):
        tries = one.read + one.refused + len(one.faults)
        print(
            f"{kind:<12}{tries:>7}{one.read:>8}{one.refused:>9}{one.with_line:>15}"
            f"{len(one.faults):>8}"
        )
    said = Counter(fault for one in outcomes.values() for fault in one.faults)
    for fault in list(said)[:40]:
        print(fault, file=sys.stderr)
    return 1 if said else 0


def prepared(path: Path) -> None:
    """The demo workspace at ``path``, graded, in a file without a log beside it."""
    from curator.demo import build_demo

    path.unlink(missing_ok=True)
    source = sqlite3.connect(build_demo())
    target = sqlite3.connect(path)
    source.backup(target)
    source.close()
    target.close()


if __name__ == "__main__":
    sys.exit(main())
