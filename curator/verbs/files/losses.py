"""What a workspace holds and an export's format has no place for, in plain words.

``CARRIES`` is the table: what each kind of export carries. A new kind is one line
there, named as in ``exporting.EXPORTERS``: the names of ``WORDS`` that its format
holds, and the formats (as the reader calls them in ``ParsedImport.extras``) whose
unknown fields it writes again. A kind that carries part of something (one vote of two)
does not name it here, or names it and adds a sentence of its own to what ``lost``
gives.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from curator.bank.questions import Question
from curator.engine.state import State
from curator.formats.text.notices import counted
from curator.store.counts import (
    counts,
    extras_by_format,
    graders_with_grades,
    texts_of_articles,
)
from grading.responders import AS_GIVEN

WORDS: dict[str, tuple[str, str]] = {
    "query texts": ("1 query text", "{:,} query texts"),
    "backgrounds": ("the background of 1 query", "the backgrounds of {:,} queries"),
    "subtopics": ("1 subtopic", "{:,} subtopics"),
    "passage texts": ("1 passage text", "{:,} passage texts"),
    "texts in no pool": (
        "1 text of a passage in no pool",
        "{:,} texts of passages in no pool",
    ),
    "rankings": ("1 ranking", "{:,} rankings"),
    "judgments": ("1 judgment", "{:,} judgments"),
    "official ranks": ("1 official rank", "{:,} official ranks"),
    "gold articles": ("1 gold article", "{:,} gold articles"),
    "title": ("the collection's title", ""),
    "threshold": ("the judgment from which a passage is relevant", ""),
    "guidelines": ("the guidelines for judges", ""),
    "kept questions": ("1 kept question", "{:,} kept questions"),
    "kept nuggets": ("1 kept nugget", "{:,} kept nuggets"),
    "proposed": ("1 proposed item", "{:,} proposed items"),
    "retired": ("1 retired item", "{:,} retired items"),
    "item texts": ("the text of 1 item", "the texts of {:,} items"),
    "choices": ("the choices of 1 item", "the choices of {:,} items"),
    "answers": ("the known answers of 1 item", "the known answers of {:,} items"),
    "provenance": ("where 1 item comes from", "where {:,} items come from"),
    "votes": ("1 vote", "{:,} votes"),
    "ideal answers": ("1 ideal answer", "{:,} ideal answers"),
    "verdicts": ("1 verdict on an answer", "{:,} verdicts on answers"),
    "done marks": ("1 done mark", "{:,} done marks"),
    "grades": ("grades of 1 grader", "grades of {:,} graders"),
    "direct grades": (
        "direct grades of 1 grader",
        "direct grades of {:,} graders",
    ),
    "graders": (
        "the exact prompt and model of 1 grader",
        "the exact prompts and models of {:,} graders",
    ),
    "grades of others": (
        "grades of 1 item that is not kept",
        "grades of {:,} items that are not kept",
    ),
    "responses": ("1 model's own words", "{:,} models' own words"),
    "vectors": ("the vectors of 1 text", "the vectors of {:,} texts"),
    "askings": (
        "1 asking of a model for questions",
        "{:,} askings of models for questions",
    ),
    "history": ("1 change in the history", "{:,} changes in the history"),
    "releases": ("1 release", "{:,} releases"),
}
"""By kind of thing, the words for one and for many; there is never a second title."""


@dataclass(frozen=True)
class Carried:
    """What a format carries: names of WORDS, and formats of extras.

    An extra is carried whose format is named, or whose ``format:entity`` is, or any
    where ``*`` is.
    """

    things: frozenset[str] = frozenset()
    extras: frozenset[str] = frozenset()


def carried(*things: str, extras: Iterable[str] = ()) -> Carried:
    """A line of ``CARRIES``."""
    unknown = set(things) - WORDS.keys()
    if unknown:
        raise KeyError(f"no such thing in WORDS: {sorted(unknown)}")
    return Carried(frozenset(things), frozenset(extras))


OF_FORM = {
    *("bank_form", "graded_form", "run_form", "stated_title"),
    *("query_form", "passage_form"),
}
"""Extras that say how a file was written: no other format wants to know."""

EVERYTHING = carried(*WORDS, extras=("*",))

_KEPT = ("kept questions", "kept nuggets", "item texts")
_ITEMS = (*_KEPT, "choices", "answers", "provenance")

CARRIES: dict[str, Carried] = {
    "bank": carried(
        *("query texts", "subtopics", *_ITEMS),
        extras=("autograder:bank_line", "autograder:question"),
    ),
    "autograder": carried(
        *("passage texts", "rankings", "judgments", "kept questions", "kept nuggets"),
        *("grades", "direct grades", "responses"),
        extras=(
            *("autograder:passage_record", "autograder:grade_record"),
            "autograder:ungraded_record",
        ),
    ),
    # Votes and provenance in part; the exporter says which not.
    "nuggetbank": carried(
        *("query texts", "backgrounds", *_KEPT, "answers", "provenance", "votes"),
        *("title",),
        extras=("nuggetbank",),
    ),
    "nuggetizer": carried(
        *("query texts", "kept nuggets", "item texts", "votes"),
        extras=("nuggetizer",),
    ),
    "bank.csv": carried("query texts", *_KEPT, "choices", "answers"),
    "qrels": carried(),
    "leaderboard": carried("official ranks"),
    "answers": carried("answers"),
    "queries": carried("query texts", "backgrounds", "subtopics", extras=("queries",)),
    "passages": carried("passage texts", "texts in no pool", extras=("passages",)),
    "runs": carried("rankings"),
    "judgments": carried("judgments"),
    "official": carried("official ranks"),
    # The exporter says which rankings and texts are of no report.
    "reports": carried(
        *("rankings", "passage texts", "texts in no pool"), extras=("reports",)
    ),
    "tqa": carried(
        *("query texts", "gold articles", "kept questions", "item texts"),
        *("choices", "answers"),
        extras=("tqa",),
    ),
    "gold": carried("gold articles", extras=("gold",)),
    # A page for people, of which nothing is read again, and a bundle of everything.
    "report": EVERYTHING,
    "bundle": EVERYTHING,
}
"""By kind of export, what its format carries."""


def losses(state: State, kind: str) -> tuple[str, ...]:
    """What an export of this kind has no place for: "12 votes", "3 subtopics"."""
    return lost(state.seen, kind)


def lost(
    state: State,
    kind: str,
    *,
    besides: Collection[str] = (),
) -> tuple[str, ...]:
    """What the workspace holds and the format of this kind has no place for.

    Each entry is a count and what it counts, such as "12 votes", in the order of WORDS;
    only what is there. ``besides`` are things of WORDS that this file happens to carry
    in full. A kind that is not in ``CARRIES`` carries nothing.
    """
    own = CARRIES.get(kind, Carried())
    there = _held(state)
    if "passage texts" not in own.things:
        there["texts in no pool"] = 0  # among the others
        if "gold articles" in own.things:
            there["passage texts"] -= texts_of_articles(state.connection)
    found = [
        one if there[thing] == 1 else many.format(there[thing])
        for thing, (one, many) in WORDS.items()
        if there[thing] and thing not in own.things and thing not in besides
    ]
    others = sum(
        number
        for (form, entity), number in extras_by_format(state.connection).items()
        if not {"*", form, f"{form}:{entity}"} & own.extras and entity not in OF_FORM
    )
    if others:
        found.append("the unknown fields of " + counted(others, "record"))
    return tuple(found)


def _held(state: State) -> dict[str, int]:
    """How many there are of everything in WORDS."""
    questions = list(state.bank)
    kept = [one for one in questions if one.state == "kept"]
    graders = graders_with_grades(state.connection)
    direct = sum(one.reading.kind == "direct" for one in graders)
    return counts(state.connection) | {
        "kept questions": _of_kind(kept, "question"),
        "kept nuggets": _of_kind(kept, "nugget"),
        "proposed": sum(one.state == "proposed" for one in questions),
        "retired": sum(one.state == "retired" for one in questions),
        "item texts": sum(one.text is not None for one in kept),
        "choices": sum(bool(one.choices) for one in kept),
        "answers": sum(bool(one.answers) for one in kept),
        "provenance": sum(one.provenance != "{}" for one in kept),
        "votes": sum(len(one.votes) for one in questions),
        "ideal answers": sum(map(len, state.bank.ideals.values())),
        "verdicts": sum(map(len, state.bank.verdicts.values())),
        "done marks": len(state.bank.done),
        "grades": len(graders) - direct,
        "direct grades": direct,
        # An imported grader is no more than what its file says of it.
        "graders": sum(one.reading.parser != AS_GIVEN for one in graders),
    }


def _of_kind(questions: Iterable[Question], kind: str) -> int:
    return sum(one.kind == kind for one in questions)
