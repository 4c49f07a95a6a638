"""What can be exported, in words: a line for each kind of file.

A kind that ``verbs.exporting`` can write stands on the Export page once it has a line
here, which has to say what of it may be hidden from a judge.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from curator.verbs.files.export import EXPORTERS


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file: its name in the list, what it is, and how files of it end.

    ``forms`` are (words, ending) pairs, the usual one first. ``large`` files are made
    when they are asked for, in a process of their own. ``tells_systems``: systems,
    judgments or official ranks by their names, whatever is masked; ``tells_votes``: all
    that judges said and what models proposed, whoever may see it. ``under_settings``:
    those at the top of the page decide what is in it; ``of_numbers``: it is refused
    where something is missing; ``of_a_release``: it can also be what was frozen.
    """

    kind: str
    label: str
    what: str
    group: str
    forms: tuple[tuple[str, str], ...]
    large: bool = False
    tells_systems: bool = False
    tells_votes: bool = False
    under_settings: bool = False
    of_numbers: bool = False
    of_a_release: bool = False

    @property
    def looked_into(self) -> bool:
        """Whether its first lines mean something to people."""
        return self.forms[0][1] not in (".zip", ".html")


JSONL = ("JSONL", ".jsonl")
NUMBERS, BANK, GRADED = "Numbers", "Questions", "Grades"
COLLECTION, ALL = "Collection", "All of it"

KINDS = (
    FileKind(
        "qrels",
        "Qrels",
        "Every passage’s label, for trec_eval and ir_measures.",
        NUMBERS,
        (("qrels", ".qrels"),),
        under_settings=True,
        of_numbers=True,
        of_a_release=True,
    ),
    FileKind(
        "leaderboard",
        "Board",
        "Every system’s score with its standard error.",
        NUMBERS,
        (("TSV", ".tsv"), ("CSV for spreadsheets", ".csv")),
        under_settings=True,
        of_numbers=True,
        of_a_release=True,
    ),
    FileKind(
        "bank",
        "Question bank",
        "The kept questions in Autograder’s form.",
        BANK,
        (JSONL, ("CSV for spreadsheets", ".csv")),
    ),
    FileKind(
        "nuggetbank",
        "NuggetBank",
        "The kept questions and key facts as a NuggetBank, version 3.",
        BANK,
        (JSONL,),
    ),
    FileKind("nuggetizer", "Nuggetizer", "The kept key facts.", BANK, (JSONL,)),
    FileKind(
        "tqa",
        "TQA",
        "The lessons as they came, with the questions that are kept.",
        BANK,
        (("JSON", ".json"),),
    ),
    FileKind(
        "answers",
        "Known answers",
        "Answers known to be right or wrong, in WikiQA’s form.",
        BANK,
        (("TSV", ".tsv"),),
    ),
    FileKind(
        "autograder",
        "Graded passages",
        "Passages with their ranks, judgments and grades, in Autograder’s form.",
        GRADED,
        (("JSONL, gzipped", ".jsonl.gz"), JSONL),
        large=True,
        tells_systems=True,
    ),
    FileKind(
        "queries",
        "Queries",
        "Queries with their background and subtopics.",
        COLLECTION,
        (JSONL,),
    ),
    FileKind(
        "passages",
        "Passages",
        "Every passage that has a text.",
        COLLECTION,
        (("JSONL, gzipped", ".jsonl.gz"), JSONL),
        large=True,
    ),
    FileKind(
        "runs",
        "Runs",
        "What the systems retrieved, all in one TREC run file.",
        COLLECTION,
        (("TREC run, gzipped", ".run.gz"), ("TREC run", ".run")),
        large=True,
        tells_systems=True,
    ),
    FileKind(
        "reports",
        "Generated reports",
        "The responses of systems that write, as they came.",
        COLLECTION,
        (JSONL,),
        large=True,
        tells_systems=True,
    ),
    FileKind(
        "judgments",
        "Judgments",
        "The official judgments as qrels.",
        COLLECTION,
        (("qrels", ".qrels"),),
        tells_systems=True,
    ),
    FileKind(
        "official",
        "Official ranks",
        "Each system’s rank on the official board.",
        COLLECTION,
        (("JSON", ".json"),),
        tells_systems=True,
    ),
    FileKind(
        "gold",
        "Gold articles",
        "The passages that answer by right.",
        COLLECTION,
        (JSONL,),
    ),
    FileKind(
        "bundle",
        "Bundle",
        "Everything, in one file that rebuilds this workspace and proves its numbers.",
        ALL,
        (("zip", ".zip"),),
        large=True,
        tells_systems=True,
        tells_votes=True,
        under_settings=True,
        of_numbers=True,
    ),
    FileKind(
        "report",
        "Report",
        "One page to publish: collection, bank, boards, agreement and method.",
        ALL,
        (("HTML", ".html"),),
        large=True,
        tells_systems=True,
        under_settings=True,
    ),
)


def offered() -> tuple[FileKind, ...]:
    """The kinds that can be written, in the order of the list."""
    return tuple(one for one in KINDS if one.kind in EXPORTERS)


def kind_of(kinds: Collection[FileKind], name: str | None) -> FileKind:
    """The kind of this name, else the first."""
    return next((one for one in kinds if one.kind == name), next(iter(kinds)))
