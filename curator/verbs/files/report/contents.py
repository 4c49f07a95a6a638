"""What a report says, as one frozen value: no HTML, no workspace behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from curator.bank.questions import Question
from curator.evaluation.agreement import AgreementTables
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.settings import Settings
from curator.verbs.leaderboard.correlation import Correlated

Highlight = Literal["answer", "key", "answer words", "words", "none"]
"""How the marked words were found: see ``Example``."""


@dataclass(frozen=True, slots=True)
class CollectionFigures:
    """What the collection holds. ``passages`` are distinct, ``pairs`` are pooled.

    ``judged`` counts pairs with an official judgment, ``depth`` the deepest rank of
    any system. ``blind``: names are masked, judgments and official ranks left out.
    """

    queries: int
    subtopics: int
    passages: int
    pairs: int
    systems: int
    depth: int
    judged: int
    min_relevance: int | None
    official: int
    blind: bool = False


@dataclass(frozen=True, slots=True)
class Authors:
    """Who wrote the kept questions, and what became of what models proposed."""

    written: int
    imported: int
    as_proposed: int
    reworded: int
    dropped: int
    undecided: int


@dataclass(frozen=True, slots=True)
class Health:
    """What the active questions do under the settings' grader.

    ``unanswered`` no passage answers, ``answered_by_all`` every system answers within
    the ranks looked at, ``moving_nothing`` change no system's score in their query;
    each by question id. ``sole`` are the only question of their query, so nothing can
    be compared. None for what cannot be said without systems.
    """

    active: int
    unanswered: tuple[str, ...]
    answered_by_all: tuple[str, ...] | None
    moving_nothing: tuple[str, ...] | None
    sole: int


@dataclass(frozen=True, slots=True)
class BankLine:
    """A kept question and how far it reaches; None where the grader does not ask it."""

    question: Question
    passages: int | None = None
    systems: int | None = None


@dataclass(frozen=True, slots=True)
class BankOfQuery:
    """A query's kept questions, in the bank's order."""

    query_id: str
    title: str
    lines: tuple[BankLine, ...]


@dataclass(frozen=True, slots=True)
class Kappa:
    """A grader's binary labels against the judgments: Cohen's kappa over passages.

    ``note`` says why there is none.
    """

    grader: str
    min_rating: int
    kappa: float | None
    compared: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """A passage that answers a question, cut to a length, and the words that say so.

    ``before``, ``marked`` and ``after`` are the shown text in its order; ``cut_before``
    and ``cut_after`` say where some of it is missing. ``how``: the grader's own answer,
    an answer of the key, the sentence that shares most words with the question (and
    with its answers, where there are some that do not stand there word for word), or
    none. ``question`` is the query where the grader rates a passage as a whole.
    """

    query_id: str
    query: str
    question: str
    passage_id: str
    rating: int
    reach: int
    before: str
    marked: str
    after: str
    how: Highlight
    cut_before: bool = False
    cut_after: bool = False


@dataclass(frozen=True, slots=True)
class GraderDescription:
    """A grader in full: who answers, how the answers are read, what it has graded.

    ``parts`` are the graders it rests on. ``saw_ms_marco``: the model read that
    collection's passages when it was trained.
    """

    name: str
    kind: str
    item_kind: str
    model: str
    revision: str
    prompt: str
    decoding: tuple[tuple[str, str], ...]
    parser: str
    thresholds: tuple[float, ...]
    key: str
    known: int
    needed: int
    unreadable: int
    parts: tuple[str, ...] = ()
    saw_ms_marco: bool = False


@dataclass(frozen=True, slots=True)
class ReleaseLine:
    """A release: who froze what, when and why; how many labels differ by now."""

    name: str
    at: str
    by: str
    why: str
    sha256: str
    settings: Settings
    questions: int
    labels: int
    drift: int


@dataclass(frozen=True)
class Report:
    """Everything the page says, for one setting.

    ``settings`` is None where nothing is graded. ``boards`` begins with that of the
    settings, the usual ones after it; ``no_board`` says why it is empty, as do
    ``no_correlation``, ``no_agreement`` and ``no_example`` of theirs. ``labels`` counts
    passages by label, ``unlabelled`` those of which no grade is known.
    ``as_of`` is the latest time in the history, ``sha256`` that of the kept bank with
    its grades, "" where there is none.
    """

    title: str
    version: str
    as_of: str
    began: str
    edits: tuple[tuple[str, int], ...]
    imported: int
    settings: Settings | None
    collection: CollectionFigures
    states: Mapping[str, int]
    kinds: Mapping[str, int]
    done: int
    authors: Authors
    bank: tuple[BankOfQuery, ...]
    per_query: Mapping[int, int]
    health: Health | None
    graders: tuple[GraderDescription, ...]
    labels: Mapping[int, int] = field(default_factory=dict)
    unlabelled: int = 0
    boards: tuple[Leaderboard, ...] = ()
    no_board: str = ""
    tiers: Mapping[str, int] = field(default_factory=dict)
    tier_note: str = ""
    official: Mapping[str, float] = field(default_factory=dict)
    correlations: tuple[Correlated, ...] = ()
    no_correlation: str = ""
    agreement: AgreementTables | None = None
    agreement_note: str = ""
    kappas: tuple[Kappa, ...] = ()
    no_agreement: str = ""
    examples: tuple[Example, ...] = ()
    no_example: str = ""
    sha256: str = ""
    releases: tuple[ReleaseLine, ...] = ()

    @property
    def grader(self) -> GraderDescription | None:
        """The settings' grader, None without one."""
        if self.settings is None:
            return None
        named = (one for one in self.graders if one.name == self.settings.grader)
        return next(named, None)

    @property
    def its_graders(self) -> tuple[GraderDescription, ...]:
        """The settings' grader and those it rests on, in full."""
        by_name = {one.name: one for one in self.graders}
        found: dict[str, GraderDescription] = {}
        waiting = [self.settings.grader] if self.settings else []
        while waiting:
            grader = by_name.get(waiting.pop(0))
            if grader is not None and grader.name not in found:
                found[grader.name] = grader
                waiting += grader.parts
        return tuple(found.values())
