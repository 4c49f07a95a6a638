"""Releases in words: what one rests on, and what has become of it since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from curator.bank.wording import shortened
from curator.edit_words import RETIRE
from curator.evaluation.releases import FrozenItem, ReleaseDifference
from curator.store.releases import ReleaseRecord
from curator.web.components import words
from curator.web.components.words import Part, Sentence, move

LISTED = 8  # differences of a kind; the command lists all
SAME = "Nothing differs: questions, labels and board are as they were frozen."
BLIND = "System names are hidden while judging is blind, so there is no board here."

Changed = tuple[str, Sentence, str]
"""What it is about, how it differs, and in which query."""


def drift_words(number: int) -> str:
    """``12 labels have changed since``; "" for none."""
    if not number:
        return ""
    have = "has" if number == 1 else "have"
    return f"{words.count(number, 'label')} {have} changed since"


def rests_on(record: ReleaseRecord) -> str:
    """``8 questions · 16 labels · 215 of 430 grades``."""
    return (
        f"{words.count(record.questions, 'question')} · "
        f"{words.count(record.labels, 'label')} · "
        f"{record.known:,} of {words.count(record.needed, 'grade')}"
    )


def changed_lists(
    found: ReleaseDifference, names: Mapping[str, str]
) -> list[tuple[str, Sequence[Changed], int, bool]]:
    """(heading, its first lines, how many more, whether each fits on one line).

    Of the questions, labels and systems that differ; ``names`` are those of queries.
    """

    def question(query_id: str, item: FrozenItem, said: str) -> Changed:
        return _text(item), (Part(said),), names.get(query_id, query_id)

    questions = [
        *(
            question(query_id, old, f"{RETIRE.past} since")
            for query_id, old in found.removed
        ),
        *(
            question(
                query_id,
                old,
                "other key, choices or subtopic"
                if old.text == new.text
                else f"now: {shortened(_text(new), 100)}",
            )
            for query_id, old, new in found.reworded
        ),
        *(question(query_id, item, "new since") for query_id, item in found.added),
    ]
    labels: list[Changed] = [
        (
            one.passage_id,
            (Part(words.label_change(one.before, one.after, "none")),),
            names.get(one.query_id, one.query_id),
        )
        for one in found.labels
    ]
    systems: list[Changed] = [
        (
            one.system,
            (
                Part(
                    f"{words.score(one.score_before)} → {words.score(one.score_after)}"
                ),
                *((Part(" "), move(one.places)) if one.places else ()),
            ),
            "",
        )
        for one in sorted(found.moved, key=lambda m: (-abs(m.places), m.system))
    ]
    return [
        (words.count(len(lines), noun), lines[:LISTED], len(lines[LISTED:]), short)
        for lines, noun, short in (
            *((questions, "question", False), (labels, "label", True)),
            (systems, "system", True),
        )
        if lines
    ]


def _text(item: FrozenItem) -> str:
    return f"text not in the file · {item.item_id}" if item.text is None else item.text


def changes_words(found: ReleaseDifference) -> str:
    """One sentence on what differs now from the release."""
    if found.is_empty:
        return SAME
    if not found.same_settings:
        return "The settings differ, so labels and boards are not compared."
    counts = {
        "question": found.questions,
        "label": len(found.labels),
        "system": len(found.moved),
    }
    *first, last = [words.count(many, noun) for noun, many in counts.items() if many]
    differs = "differs" if sum(counts.values()) == 1 else "differ"
    return f"{', '.join(first)}{' and ' if first else ''}{last} {differs}."


def restore_words(found: ReleaseDifference) -> str:
    """``3 retired, 1 kept again, 2 reworded``; "" where the bank is that already."""
    counts = (
        (found.added, RETIRE.past),
        (found.removed, "kept again"),
        (found.reworded, "set back to the words of then"),
    )
    return ", ".join(f"{len(those):,} {done}" for those, done in counts if those)
