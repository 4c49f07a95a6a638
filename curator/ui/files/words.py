"""The Export page in words: what is missing, what a file is called and begins with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from shlex import quote
from urllib.parse import unquote

from curator.evaluation.settings import Settings
from curator.ui.files.kinds import FileKind
from curator.ui.shared import words
from curator.verbs.releases.readiness import Readiness

SHOWN_CHARACTERS = 200
NO_GRADES = "Labels and boards rest on grades, and there are none yet."
NOT_BEFORE = "Closed until there are grades."
NONE_KEPT = "No question is kept yet."
NO_LABELS = "{measure} compares texts and gives no labels to freeze; choose another."
NOTHING_KEPT = "No question is kept, so there is nothing to freeze."
NOT_ASKED = "Nobody marks queries done here, so that is not asked for."
BLIND = "Judging is blind, and this tells which system is which"
UNSEEN = "This tells what others voted or a model proposed, which you are not shown yet"
ORGANIZER = "the organizer writes it on the command line:"


@dataclass(frozen=True, slots=True)
class Chosen:
    """How a file is wished: ``of`` a release or of now (""), in which ``form``.

    ``binary`` labels are 1 and 0; ``by_subtopic`` they are given for each subtopic.
    In a list on the page a release's name stands percent-encoded behind "=".
    """

    of: str = ""
    form: str = ""
    binary: bool = False
    by_subtopic: bool = False

    def with_setting(self, setting: str, value: str) -> Chosen | None:
        """The same with one setting changed; None for one that there is not."""
        match setting:
            case "of":
                return replace(self, of=unquote(value[1:]) if value[:1] == "=" else "")
            case "form":
                return replace(self, form=value)
            case "labels":
                return replace(self, binary=value == "binary")
            case "per":
                return replace(self, by_subtopic=value == "subtopic")
        return None


@dataclass(frozen=True, slots=True)
class LackRow:
    """One thing that is missing, in how many queries, and where it is mended.

    ``pick`` is what a click sends, "" where nothing can be done on a page.
    """

    said: str
    where: str
    go: str
    pick: str


def lack_rows(
    found: Readiness, grader: str, names: dict[str, str]
) -> tuple[LackRow, ...]:
    """What is missing, a row each; ``grader`` is its short name."""
    rows = []
    if number := sum(found.ungraded.values()):
        pairs = words.count(found.needed, "pair")
        be = "is" if number == 1 else "are"
        said = f"{number:,} of {pairs} {be} not graded by {grader}"
        rows.append(LackRow(said, _queries(found.ungraded), "Grading", "goto:Grading"))
    if number := sum(found.unreadable.values()):
        be, states = ("is", "states") if number == 1 else ("are", "state")
        said = f"{words.count(number, 'response')} {be} unreadable: {states} no rating"
        pick = f"unreadable:{found.settings.grader if found.settings else ''}"
        rows.append(LackRow(said, _queries(found.unreadable), "Grading", pick))
    if number := found.proposals:
        be = "is" if number == 1 else "are"
        said = f"{words.count(number, 'proposal')} {be} undecided"
        first = next(iter(found.undecided))
        where = _queries(found.undecided, names)
        rows.append(LackRow(said, where, "Curate", f"curate:{first}"))
    if number := len(found.not_done):
        be = "is" if number == 1 else "are"
        said = f"{number:,} of {words.count(found.queries, 'query', 'queries')} {be} "
        where = names[found.not_done[0]] if number == 1 else ""
        first = found.not_done[0]
        rows.append(
            LackRow(f"{said}not marked done", where, "Curate", f"curate:{first}")
        )
    return tuple(rows)


def _queries(found: Mapping[str, int], names: dict[str, str] | None = None) -> str:
    if len(found) == 1 and names:
        return names[next(iter(found))]
    return f"in {words.count(len(found), 'query', 'queries')}"


def regardless_words(found: Readiness) -> str:
    """``215 grades are missing, 3 proposals are undecided``."""
    said = []
    for number, noun, many, state in (
        (found.missing, "grade", "grades", "missing"),
        (found.proposals, "proposal", "proposals", "undecided"),
        (len(found.not_done), "query", "queries", "not done"),
    ):
        if number:
            be = "is" if number == 1 else "are"
            said.append(f"{words.count(number, noun, many)} {be} {state}")
    return ", ".join(said)


def why_not_freeze(found: Readiness, *, regardless: bool) -> str:
    """Why nothing can be frozen now, in one sentence; "" where it can."""
    if found.settings is None:
        return NOT_BEFORE
    if not found.settings.grader:
        return NO_LABELS.format(measure=found.settings.measure)
    if not found.kept and not found.needed:
        return NOTHING_KEPT
    if found.complete or regardless:
        return ""
    return f"Closed: {regardless_words(found)}. Mend that, or tick the line above."


def why_not_export(
    kind: FileKind, found: Readiness, *, of_now: bool, regardless: bool
) -> str:
    """Why a file of numbers is not made now; "" where it is. A release is whole."""
    if not kind.of_numbers or not of_now:
        return ""
    if found.settings is None:
        return NOT_BEFORE
    if kind.kind == "qrels" and not found.settings.grader:
        return NO_LABELS.format(measure=found.settings.measure)
    if found.complete or regardless:
        return ""
    return (
        f"Not made yet: {regardless_words(found)}. Mend that, or tick the line under "
        "“What is missing”."
    )


def why_hidden(kind: FileKind, found: Readiness, *, blind: bool) -> str:
    """Why a judge is not given this file in the app; "" where they are."""
    if blind and kind.tells_systems:
        return f"{BLIND}; {ORGANIZER}"
    if kind.tells_votes and (found.unseen or found.closed):
        return f"{UNSEEN}; {ORGANIZER}"
    return ""


def left_unseen(kind: FileKind, found: Readiness) -> str:
    """What of a judge's own file is not in it, for want of a vote of theirs."""
    if not found.unseen or kind.group != "Questions":
        return ""
    marks = words.count(found.unseen, "vote or verdict", "votes and verdicts")
    return (
        f"Without {marks} of others: you see them once you have given yours; the "
        "command line writes all."
    )


def file_name(stem: str, kind: FileKind, chosen: Chosen) -> str:
    """``dl19-v1-qrels-binary.qrels``: a name that any file system takes."""
    parts = [plain(stem), *([plain(chosen.of)] if chosen.of else []), kind.kind]
    if kind.kind == "qrels":
        parts += ["binary"] if chosen.binary else []
        parts += ["by-subtopic"] if chosen.by_subtopic else []
    return "-".join(part for part in parts if part) + ending(kind, chosen)


def ending(kind: FileKind, chosen: Chosen) -> str:
    """How files of the chosen form end; of the usual one for a form there is not."""
    return dict(kind.forms).get(chosen.form, kind.forms[0][1])


def plain(name: str) -> str:
    """The name with nothing but letters, digits, dots, dashes and underscores."""
    kept = "".join(c if c.isalnum() or c in "._-" else "-" for c in name)
    return kept.strip("-.")[:60]


def command(
    path: str, kind: FileKind, chosen: Chosen, settings: Settings | None
) -> str:
    """The command that writes the same file."""
    target = f"--{kind.kind} FILE{ending(kind, chosen)}"
    said = [f"curator export {quote(path)} {target}"]
    said += [f"--release {quote(chosen.of)}"] if chosen.of else []
    said += ["--binary"] if chosen.binary and kind.kind == "qrels" else []
    said += ["--by-subtopic"] if chosen.by_subtopic and kind.kind == "qrels" else []
    if kind.under_settings and settings is not None and not chosen.of:
        said += [f"--grader {quote(settings.grader)}"] if settings.grader else []
        said += [f"--measure {quote(settings.measure)}"]
    return " ".join(said)


def shown_lines(lines: Iterable[str]) -> tuple[str, ...]:
    """The lines as a page shows them: cut, and without what moves a caret."""
    return tuple(
        _visible(line[:SHOWN_CHARACTERS])
        + ("…" if len(line) > SHOWN_CHARACTERS else "")
        for line in lines
    )


def _visible(line: str) -> str:
    """Control characters as their pictures; marks that turn text round left out."""
    turned = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    return "".join(
        chr(0x2400 + ord(c)) if c < " " and c != "\t" else "" if c in turned else c
        for c in line
    )


def preview_words(shown: int, *, more: bool) -> str:
    """``the first 20 lines``, ``all 3 lines``, ``no lines``."""
    if not shown:
        return "an empty file"
    if more:
        return "the first line" if shown == 1 else f"the first {shown} lines"
    return "its one line" if shown == 1 else f"all {shown} lines"


def size_words(size: int) -> str:
    """``812 bytes``, ``12.4 KB``, ``3.1 MB``."""
    if size < 1000:
        return words.count(size, "byte")
    for unit, least in (("GB", 1e9), ("MB", 1e6)):
        if size >= least:
            return f"{size / least:.1f} {unit}"
    return f"{size / 1e3:.1f} KB"
