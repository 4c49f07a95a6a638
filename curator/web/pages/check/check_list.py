"""The middle of the Check page: a batch of pairs, answered in the browser.

The component under ``checks/check_list.js`` gets the whole batch as data, so that the
next pair is there at once. Of a pair without an answer there is no word in it of what
anybody says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from curator.bank.edits.check import ANSWERS, UNSURE
from curator.verbs.checks.batch import COUNT, CheckBatch, PairToCheck
from curator.web.components import words
from curator.web.components.channel import Component

CHECKS = Component(
    *("check_list", "components/drafts", "components/edits", "components/look_timer"),
    "pages/check/check_list",
)
GRADERS = 5  # whose ratings are shown beside an answer
ASKS = {
    "question": "Does the passage answer it?",
    "nugget": "Does the passage hold it?",
    "query": "How relevant is the passage?",
}
TITLES = {
    "yes": "Yes, it does",
    "no": "No, it does not",
    UNSURE: "I cannot tell: this decides nothing",
}


def list_data(
    batch: CheckBatch,
    kinds: Mapping[str, str],
    labels: Mapping[str, str],
    numbers: Mapping[str, int],
) -> dict[str, Any]:
    """Return all that the component shows, as JSON.

    ``kinds`` and ``numbers`` are those of questions by their ids, ``labels`` the short
    names of graders.
    """
    found = Counter(said.grader for one in batch.pairs for said in one.grader_labels)
    graders = [(name, labels.get(name, name)) for name in found][:GRADERS]
    rows = [
        row_data(pair, place, kinds, batch.grades, numbers)
        for place, pair in enumerate(batch.pairs)
    ]
    return {
        "of": batch.of,
        "draw": batch.at,
        "rows": rows,
        "graders": graders,
        "noun": "query" if batch.of == "passages" else "question",
        "summary": summary(batch),
        "another": f"Another {COUNT}",
    }


def row_data(
    pair: PairToCheck,
    place: int,
    kinds: Mapping[str, str],
    grades: Sequence[str],
    numbers: Mapping[str, int],
) -> dict[str, Any]:
    """A pair as it is asked; ``mine`` is "" without my answer."""
    drawn, mine = pair.drawn, pair.mine
    kind = kinds.get(drawn.question_id, "question") if drawn.question_id else "query"
    return {
        "place": place,
        "words": pair.words,
        "number": numbers.get(drawn.question_id or ""),
        "query": pair.query,
        "passage": drawn.passage_id,
        "text": pair.text,
        "asks": ASKS[kind],
        "answers": answers(grades if drawn.item is None else None),
        "reason": drawn.reason,
        "gone": pair.outdated,
        "mine": mine.answer if mine else "",
        "said": {
            one.grader: (
                one.label,
                None not in (one.yes, pair.yes) and one.yes != pair.yes,
            )
            for one in pair.grader_labels
        },
        "others": ", ".join(f"{one.judge}: {one.answer}" for one in pair.others),
        "disputed": any(mine and one.answer != mine.answer for one in pair.others),
    }


def answers(grades: Sequence[str] | None) -> list[tuple[str, str, str | None, str]]:
    """What can be answered: the answer, its label, its key, what it says."""
    if grades is None:
        return [(one, one.capitalize(), one[0], TITLES[one]) for one in ANSWERS]
    of_grades = [
        (one, one, one if len(one) == 1 else None, f"Grade {one}") for one in grades
    ]
    return [*of_grades, (UNSURE, "Unsure", "u", TITLES[UNSURE])]


def summary(batch: CheckBatch) -> list[str]:
    """What the batch came to, a sentence each."""
    mine = [one.mine for one in batch.pairs if one.mine]
    counts = Counter(one.answer for one in mine)
    order = (*ANSWERS[:2], *batch.grades, UNSURE)
    said = ", ".join(f"{counts[one]} {one}" for one in order if counts[one])
    looked = sum(one.seconds or 0.0 for one in mine)
    lines = [f"{said}, in {words.count(round(looked), 'second')}."]
    pairs = [one for one in batch.pairs if one.others and one.mine]
    if pairs:
        same = sum(
            all(other.answer == one.mine.answer for other in one.others if one.mine)
            for one in pairs
        )
        lines.append(f"Others say the same of {same} of {len(pairs)} that they saw.")
    return lines
