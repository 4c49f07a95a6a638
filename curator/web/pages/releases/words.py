"""The Export tab in words: what is missing, what a file is called and begins with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import unquote

from curator.formats.codec import Exports
from curator.store.assignments import WORK, Work
from curator.verbs.releases.readiness import Readiness
from curator.web.components import words

TO_DO: dict[Work, str] = {"curate": "curate", "votes": "vote on", "checks": "check"}
SHOWN_CHARACTERS = 200
NOT_BEFORE = "Closed until there are grades."
NO_RELEASE = "This is made of a release, and there is none yet: freeze one above."
NO_LABELS = "{measure} compares texts and gives no labels to freeze; choose another."
ORGANIZER = "only organizers can export it."
TURNED = dict.fromkeys(
    map(ord, "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
)
PICTURES = {one: 0x2400 + one for one in range(32) if one != ord("\t")}
"""Control characters as their pictures; marks that turn text round are left out."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """How a file is asked for: ``of`` a release or of now (""), in which ``form``.

    ``binary`` labels are 1 and 0, ``graded`` those of questions are ratings, and
    neither is what is usual for a file; ``by_subtopic`` labels are given for each
    subtopic. In a list on the page a release's name stands percent-encoded behind "=".
    """

    of: str = ""
    form: str = ""
    binary: bool = False
    by_subtopic: bool = False
    graded: bool = False

    def with_setting(self, setting: str, value: str) -> Chosen:
        """Return it with one setting changed."""
        match setting:
            case "bank":
                return replace(self, of=unquote(value[1:]) if value[:1] == "=" else "")
            case "form":
                return replace(self, form=value)
            case "labels":
                binary = value == "binary"
                return replace(self, binary=binary, graded=value == "graded")
        return replace(self, by_subtopic=value == "subtopic")


def missing_rows(
    found: Readiness, grader: str, names: Mapping[str, str]
) -> list[tuple[str, str, str, str]]:
    """(what is missing, where, the page that mends it, what a click sends).

    ``grader`` is its short name, ``names`` are those of queries.
    """

    def where(queries: Iterable[str], *, named: bool = False) -> str:
        first, *others = queries
        if named and not others:
            return names[first]
        return f"in {words.count(1 + len(others), 'query', 'queries')}"

    rows = []
    if not found.kept:
        rows.append(("No question is kept yet.", "", "Judge", "goto:Judge"))
    if found.settings is None:
        said = "Labels and boards rest on grades, and there are none yet."
        rows.append((said, "", "Grading", "goto:Grading"))
    if number := sum(found.ungraded.values()):
        pairs = words.count(found.needed, "pair")
        said = f"{number:,} of {pairs} {_be(number)} not graded by {grader}"
        rows.append((said, where(found.ungraded), "Grading", "goto:Grading"))
    if number := sum(found.unreadable.values()):
        be = "is unreadable: states" if number == 1 else "are unreadable: state"
        said = f"{words.count(number, 'response')} {be} no rating"
        pick = f"unreadable:{found.settings.grader if found.settings else ''}"
        rows.append((said, where(found.unreadable), "Grading", pick))
    if number := found.proposals:
        said = f"{words.count(number, 'proposal')} {_be(number)} undecided"
        pick = f"curate:{next(iter(found.undecided))}"
        rows.append((said, where(found.undecided, named=True), "Judge", pick))
    if number := len(found.not_done):
        of = words.count(found.queries, "query", "queries")
        said = f"{number:,} of {of} {_be(number)} not marked done"
        first = found.not_done[0]
        rows.append(
            (said, names[first] if number == 1 else "", "Judge", f"curate:{first}")
        )
    for work in WORK:
        left = [judge for kind, _, judge in found.assigned if kind == work]
        if number := len(left):
            given = words.count(number, "assignment")
            said = f"{given} to {TO_DO[work]} a query {_be(number)} open"
            whose = ", ".join(f"{name} {n:,}" for name, n in Counter(left).items())
            rows.append((said, whose, "People", "goto:People"))
    return rows


def _be(number: int) -> str:
    return "is" if number == 1 else "are"


def regardless_words(found: Readiness) -> str:
    """``215 grades are missing, 3 proposals are undecided``."""
    return ", ".join(
        f"{words.count(number, noun, many)} {_be(number)} {state}"
        for number, noun, many, state in (
            (found.missing, "grade", "grades", "missing"),
            (found.proposals, "proposal", "proposals", "undecided"),
            (len(found.not_done), "query", "queries", "not done"),
            (len(found.assigned), "assignment", "assignments", "open"),
        )
        if number
    )


def why_not_freeze(found: Readiness, *, regardless: bool) -> str:
    """Why nothing can be frozen now, in one sentence; "" where it can."""
    if found.settings is None:
        return NOT_BEFORE
    if not found.settings.grader:
        return NO_LABELS.format(measure=found.settings.measure)
    if not found.kept and not found.needed:
        return "No question is kept, so there is nothing to freeze."
    if found.complete or regardless:
        return ""
    return f"Closed: {regardless_words(found)}. Mend that, or tick the line above."


def why_not_export(
    kind: Exports, found: Readiness, *, of_now: bool, regardless: bool
) -> str:
    """Why a file of numbers is not made now; "" where it is. A release is whole."""
    if not kind.of_numbers or not of_now:
        return ""
    if found.settings is None:
        return NOT_BEFORE
    if kind.kind.endswith("qrels") and not found.settings.grader:
        return NO_LABELS.format(measure=found.settings.measure)
    if found.complete or regardless:
        return ""
    return (
        f"Not made yet: {regardless_words(found)}. Mend that, or tick the line under "
        "“What is missing”."
    )


def why_hidden(kind: Exports, found: Readiness, *, blind: bool) -> str:
    """Why a judge is not given this file in the app; "" where they are."""
    if blind and kind.tells_systems:
        return f"Judging is blind, and this tells which system is which; {ORGANIZER}"
    if kind.tells_votes and (found.unseen or found.closed):
        return (
            "This tells what others voted or a model proposed, which you are not shown "
            f"yet; {ORGANIZER}"
        )
    return ""


def left_unseen(kind: Exports, found: Readiness) -> str:
    """What of a judge's own file is not in it, for want of a vote of theirs."""
    if not found.unseen or not (kind.group == "Questions" or kind.kind == "checks"):
        return ""
    marks = words.count(
        found.unseen, "vote, verdict or check", "votes, verdicts and checks"
    )
    return f"Without {marks} of others: you see them once you have given yours."


def file_name(stem: str, kind: Exports, chosen: Chosen) -> str:
    """``dl19-v1-qrels-binary.qrels``: a name that any file system takes."""
    parts = [plain(stem), plain(chosen.of), kind.kind.replace("_", "-")]
    if kind.kind == "qrels":
        parts += ["binary"] * chosen.binary + ["by-subtopic"] * chosen.by_subtopic
    if kind.kind == "question_qrels":
        parts += ["graded"] * chosen.graded
    return "-".join(filter(None, parts)) + ending(kind, chosen)


def ending(kind: Exports, chosen: Chosen) -> str:
    """How files of the chosen form end; of the usual one for a form there is not."""
    return dict(kind.forms).get(chosen.form, kind.forms[0][1])


def plain(name: str) -> str:
    """The name with nothing but letters, digits, dots, dashes and underscores."""
    kept = "".join(c if c.isalnum() or c in "._-" else "-" for c in name)
    return kept.strip("-.")[:60]


def shown_lines(lines: Iterable[str]) -> tuple[str, ...]:
    """The lines as a page shows them: cut, and without what moves a caret."""
    return tuple(
        line[:SHOWN_CHARACTERS].translate(PICTURES | TURNED)
        + "…" * (len(line) > SHOWN_CHARACTERS)
        for line in lines
    )


def preview_words(shown: int, noun: str = "line", *, more: bool) -> str:
    """``the first 20 lines``, ``all 3 files``, ``an empty file``."""
    if not shown:
        return "an empty file"
    if more:
        return f"the first {noun}" if shown == 1 else f"the first {shown} {noun}s"
    return f"its one {noun}" if shown == 1 else f"all {shown} {noun}s"


def size_words(size: int) -> str:
    """``812 bytes``, ``12.4 KB``, ``3.1 MB``."""
    if size < 1000:
        return words.count(size, "byte")
    for unit, least in (("GB", 1e9), ("MB", 1e6)):
        if size >= least:
            return f"{size / least:.1f} {unit}"
    return f"{size / 1e3:.1f} KB"
