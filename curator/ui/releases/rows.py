"""Releases in words: the table, and what has become of one since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from curator.bank.wording import shortened
from curator.evaluation.releases import Difference, FrozenItem
from curator.evaluation.settings import Settings
from curator.store.releases import ReleaseRecord
from curator.ui.shared import words
from curator.ui.shared.settings import settings_words
from curator.ui.shared.words import Part, Sentence, move
from curator.verbs.setup.status import GraderState

SHORT = 12  # digits of a hash that people compare by eye
LISTED = 8  # differences of a kind; the command lists all
NO_RELEASE = (
    "No release yet. One freezes the kept bank with its settings and labels: whatever "
    "is graded or edited later, its qrels stay as they are."
)
SAME = "Nothing differs: questions, labels and board are as they were frozen."
BLIND = "System names are hidden while judging is blind, so there is no board here."


@dataclass(frozen=True, slots=True)
class ReleaseRow:
    """A release as a line of the table; ``drift`` is "" where no label drifted."""

    name: str
    when: str
    by: str
    why: str
    settings: str
    questions: str
    labels: str
    short: str
    sha256: str
    drift: str
    opened: bool


@dataclass(frozen=True, slots=True)
class Changed:
    """One line of what differs: what it is about, and how it differs."""

    about: str
    said: Sentence
    where: str = ""


@dataclass(frozen=True, slots=True)
class ChangedList:
    """Differences of one kind: a heading, the first of them, how many more."""

    heading: str
    rows: tuple[Changed, ...]
    more: int = 0
    short: bool = False  # each fits on one line


def release_rows(
    records: Sequence[ReleaseRecord],
    drifted: Mapping[str, int],
    graders: Sequence[GraderState],
    zone: tzinfo | None,
    opened: str | None,
) -> tuple[ReleaseRow, ...]:
    """The releases in the order given; ``drifted`` labels by name."""
    return tuple(
        ReleaseRow(
            one.name,
            words.day_and_time(one.at, zone),
            one.by,
            one.why,
            settings_words(settings_of(one), graders),
            f"{one.questions:,}",
            f"{one.labels:,}",
            one.sha256[:SHORT],
            one.sha256,
            drift_words(drifted.get(one.name, 0)),
            one.name == opened,
        )
        for one in records
    )


def settings_of(record: ReleaseRecord) -> Settings:
    """The settings that were frozen."""
    return Settings(record.grader, record.measure, record.min_rating, record.k)


def drift_words(number: int) -> str:
    """``12 labels are others by now``; "" for none."""
    if not number:
        return ""
    be = "is another" if number == 1 else "are others"
    return f"{words.count(number, 'label')} {be} by now"


def rests_on(record: ReleaseRecord) -> str:
    """``8 questions · 16 labels · 215 of 430 grades``."""
    return " · ".join(
        (
            words.count(record.questions, "question"),
            words.count(record.labels, "label"),
            f"{record.known:,} of {words.count(record.needed, 'grade')}",
        )
    )


def changed_lists(found: Difference, names: Mapping[str, str]) -> list[ChangedList]:
    """Questions, labels and systems that differ now; those lists that are not empty."""
    questions = [
        *(_question("retired since", q, old, names) for q, old in found.removed),
        *(_reworded(q, old, new, names) for q, old, new in found.reworded),
        *(_question("new since", q, item, names) for q, item in found.added),
    ]
    labels = [
        Changed(
            one.passage_id, _fell(one.before, one.after), _name(one.query_id, names)
        )
        for one in found.labels
    ]
    moved = [
        Changed(
            one.system,
            (
                Part(
                    f"{words.score(one.score_before)} → {words.score(one.score_after)}"
                ),
                *((Part(" "), move(one.places)) if one.places else ()),
            ),
        )
        for one in sorted(found.moved, key=lambda m: (-abs(m.places), m.system))
    ]
    lists = (
        _listed(questions, "question", short=False),
        _listed(labels, "label", short=True),
        _listed(moved, "system", short=True),
    )
    return [one for one in lists if one.rows]


def changes_words(found: Difference) -> str:
    """One sentence on what differs now from the release."""
    if found.is_empty:
        return SAME
    if not found.same_settings:
        return "The settings differ, so labels and boards are not compared."
    counts = (
        (len(found.added) + len(found.removed) + len(found.reworded), "question"),
        (len(found.labels), "label"),
        (len(found.moved), "system"),
    )
    said = [words.count(number, noun) for number, noun in counts if number]
    differs = "differs" if sum(number for number, _ in counts) == 1 else "differ"
    return (
        f"{' and '.join([', '.join(said[:-1]), said[-1]][len(said) == 1 :])} {differs}."
    )


def restore_words(found: Difference) -> str:
    """``3 retired, 1 kept again, 2 reworded``; "" where the bank is that already."""
    counts = (
        (len(found.added), "retired"),
        (len(found.removed), "kept again"),
        (len(found.reworded), "set back to the words of then"),
    )
    return ", ".join(f"{number:,} {done}" for number, done in counts if number)


def _listed(rows: Sequence[Changed], noun: str, *, short: bool) -> ChangedList:
    heading = words.count(len(rows), noun)
    return ChangedList(heading, tuple(rows[:LISTED]), max(0, len(rows) - LISTED), short)


def _question(
    said: str, query_id: str, item: FrozenItem, names: Mapping[str, str]
) -> Changed:
    return Changed(_text(item), (Part(said),), _name(query_id, names))


def _reworded(
    query_id: str, old: FrozenItem, new: FrozenItem, names: Mapping[str, str]
) -> Changed:
    if old.text == new.text:
        said: Sentence = (Part("other key, choices or subtopic"),)
    else:
        said = (Part(f"now: {shortened(_text(new), 100)}"),)
    return Changed(_text(old), said, _name(query_id, names))


def _text(item: FrozenItem) -> str:
    return (
        item.text if item.text is not None else f"text not in the file · {item.item_id}"
    )


def _fell(before: int | None, after: int | None) -> Sentence:
    return (Part(f"{_label(before)} → {_label(after)}"),)


def _label(value: int | None) -> str:
    return "none" if value is None else str(value)


def _name(query_id: str, names: Mapping[str, str]) -> str:
    return names.get(query_id, query_id)
