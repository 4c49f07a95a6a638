"""The queue of the Check page as JSON: norming items, disagreements, and pairs.

The browser gets all items, so that the next one is there at once. An item without the
judge's answer has nothing in it of what graders and others say.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from curator.bank.marks import GOLD, is_gold
from curator.bank.marks.check import ANSWERS, UNSURE
from curator.edit_words import RETIRE, STATES
from curator.tables.checks import said_in_words
from curator.verbs.adjudication import Difference
from curator.verbs.checks.batch import CheckBatch, PairToCheck
from curator.verbs.norming import Norming
from curator.web.components import words
from curator.web.components.view import View
from curator.workspace import Workspace

GRADERS = 5  # whose labels are shown beside an answer
ASKS = {
    "question": "Does the passage answer it?",
    "nugget": "Does the passage hold it?",
    "query": "How relevant is the passage?",
}
ASKS_IN_ROUND = {
    "pairs": ASKS["question"],
    "passages": ASKS["query"],
    "votes": "How important is the question?",
}
TITLES = {
    "yes": "Yes, it does",
    "no": "No, it does not",
    UNSURE: "I cannot tell: this decides nothing",
}
KIND_WORDS = {
    "question": f"kept or {RETIRE.past}",
    "wording": "words",
    "vote": "importance",
    "check": "does the passage answer",
    "grade": "how relevant the passage is",
    "verdict": "is the answer right",
}
BLIND = (" · others’ answers are shown once it is revealed", "")

Row = dict[str, Any]
Opinion = tuple[str, str, bool]
"""Who says what, and whether that contradicts the judge."""


def pair_rows(
    workspace: Workspace, batch: CheckBatch, labels: Mapping[str, str]
) -> list[Row]:
    """List the drawn pairs; those of a changed question only once they are answered."""
    kinds = {question.question_id: question.kind for question in workspace.bank()}
    marks_gold = workspace.standing().can_call("mark_gold")
    numbers: dict[str, int] = {}
    for query_id in {pair.drawn.query_id for pair in batch.pairs}:
        numbers |= workspace.question_numbers(query_id)
    rows, draw = [], {"of": batch.of, "draw": batch.at}
    for place, pair in enumerate(batch.pairs):
        question_id = pair.drawn.question_id
        kind = kinds.get(question_id, "question") if question_id else "query"
        number = f" · {kind} {numbers[question_id]}" if question_id in numbers else ""
        rows.append(
            {
                "id": f"pair {place + 1}",
                "source": "pairs",
                "title": pair.words,
                "about": f"{pair.query}{number}" if question_id else "",
                "text": pair.text,
                "asks": ASKS[kind],
                "choices": choices(ANSWERS if question_id else (*batch.grades, UNSURE)),
                # Not the passage's id: it may tell which system wrote it.
                "why": f"Asked because: {pair.drawn.reason}",
                "open": not pair.outdated,
                "mine": pair.mine.answer if pair.mine else "",
                "said": _opinions(pair, labels),
                "gold": _gold_label(pair, workspace.judge) if marks_gold else "",
                "save": draw | {"type": "check", "place": place},
            }
        )
    return [row for row in rows if row["open"] or row["mine"]]


def _opinions(pair: PairToCheck, labels: Mapping[str, str]) -> list[Opinion]:
    opinions: list[Opinion] = []
    for grader in pair.grader_labels[:GRADERS]:
        differs = None not in (grader.yes, pair.yes) and grader.yes != pair.yes
        name = labels.get(grader.grader, grader.grader)
        opinions.append((name, str(grader.label), differs))
    for check in pair.others:
        name = "known answer" if is_gold(check.judge) else check.judge
        differs = pair.mine is not None and check.answer != pair.mine.answer
        opinions.append((name, check.answer, differs))
    return opinions


def _gold_label(pair: PairToCheck, judge: str) -> str:
    """Label of the button that makes my answer a gold item, "" without a button."""
    if pair.mine is None or pair.mine.answer not in ("yes", "no") or pair.outdated:
        return ""
    is_mine = any(check.judge == f"{GOLD}{judge}" for check in pair.others)
    return "No longer gold" if is_mine else "Make it gold"


def choices(answers: Sequence[str]) -> list[tuple[str, str, str | None, str]]:
    """List the answers, each with its label, key and title."""
    return [
        (
            *(answer, answer.capitalize()),
            answer[0] if len(answer) == 1 or not answer.isdecimal() else None,
            TITLES.get(answer, f"Answer {answer}"),
        )
        for answer in answers
    ]


def batch_summary(batch: CheckBatch) -> list[str]:
    """Summarize the judge's answers to the batch in one or two sentences."""
    answered = [(pair.mine, pair.others) for pair in batch.pairs if pair.mine]
    counts = Counter(mine.answer for mine, _ in answered)
    order = (*ANSWERS[:2], *batch.grades, UNSURE)
    answers = ", ".join(f"{counts[name]} {name}" for name in order if counts[name])
    seconds = sum(mine.seconds or 0.0 for mine, _ in answered)
    lines = [f"{answers}, in {words.count(round(seconds), 'second')}."]
    shared = [
        all(other.answer == mine.answer for other in others)
        for mine, others in answered
        if others
    ]
    if shared:
        lines.append(f"Others agree on {sum(shared)} of {len(shared)} that they saw.")
    return lines


def shown_rounds(workspace: Workspace, view: View) -> list[Norming]:
    """Load the rounds in the queue: those that wait for answers.

    On Norming alone the round that the view names, or without any that waits the last.
    """
    rounds = workspace.norming_rounds()
    chosen = [round_ for round_ in rounds if round_.is_blind]
    if view.queue == "norming":
        number = (view.answer or "").partition("/")[0]
        named = [round_ for round_ in rounds if str(round_.round_id) == number]
        chosen = named or chosen or list(rounds[:1])
    return [workspace.norming(round_.round_id) for round_ in chosen]


def norming_rows(norming: Norming) -> list[Row]:
    """List the items of a round, in its order, or once revealed by disagreement."""
    round_, revealed = norming.round, norming.all_visible
    is_open = round_.closed is None
    rows = []
    for answered in norming.items:
        item = answered.item
        # A passage's id may tell which system wrote it.
        query, passage_id = item.query if item.question else "", item.passage_id or ""
        about = [f"Item {item.place + 1}", query, passage_id if revealed else ""]
        rows.append(
            {
                "id": f"{round_.round_id}/{item.place}",
                "source": "norming",
                "title": item.question or item.query,
                "about": " · ".join(filter(None, [*about, answered.changed])),
                "text": item.passage or "",
                "asks": ASKS_IN_ROUND[round_.of],
                "choices": choices(round_.choices) if is_open else [],
                "why": f"Round {round_.round_id}, {round_.status}{BLIND[revealed]}",
                "open": round_.is_blind,
                "mine": answered.mine or "",
                "said": [
                    (answer.judge, said_in_words(answer), False)
                    for answer in answered.answers
                    if revealed
                ],
                "notes": [(c.judge, c.text) for c in answered.comments if revealed],
                "remark": "comment" if revealed and is_open else "",
                "remarkTitle": f"item {item.place + 1} of round {round_.round_id}",
                "save": {"type": "norm", "about": round_.round_id, "place": item.place},
            }
        )
    return rows


def difference_rows(
    workspace: Workspace, differences: Sequence[Difference], *, names: bool
) -> list[Row]:
    """List places where judges differ, with buttons for who may decide.

    ``names`` shows who says what.
    """
    may = workspace.standing().can_call("decide")
    queries = workspace.collection().names
    passages = [d.place.passage_id for d in differences if d.place.passage_id]
    texts = workspace.passage_texts(passages)
    rows = []
    for difference in differences:
        place, decision, decided = difference.place, difference.decision, ""
        why = "" if may else "The organizer decides."
        if decision is not None:
            reason = f", “{decision.reason}”" if decision.reason else ""
            why = f"{difference.status.capitalize()}{reason}"
        options, opinions, notes = [], [], []
        for number, side in enumerate(difference.sides, 1):
            label, key = STATES.get(side.value, side.value), str(number)
            options.append((key, label, key, f"Decide: {label}"))
            judges = ", ".join(side.judges) if names else str(side.how_many)
            opinions.append((label, judges, False))
            for note in side.reasons:
                who = f"{label}, {note.judge}" if names else label
                notes.append((who, note.words))
            if decision and difference.decided and decision.value == side.value:
                decided = key
        rows.append(
            {
                "id": f"{place.query_id}/{place.key}",
                "source": "disagreements",
                "title": place.title,
                "about": f"{queries[place.query_id]} · {KIND_WORDS[place.kind]}",
                "text": place.answer or texts.get(place.passage_id or "") or "",
                "asks": "What holds?",
                "choices": options[:9] if may else [],
                "why": why,
                "open": may,
                "mine": decided,
                "said": opinions,
                "notes": notes,
                "remark": "reason" if may else "",
                "save": {"type": "decide", "name": difference_name(difference)},
            }
        )
    return rows


def difference_name(difference: Difference) -> str:
    """Hash the place and who says what there: another word makes another name."""
    key = f"{difference.place.query_id}\0{difference.place.key}\0{difference.state}"
    return hashlib.sha256(key.encode()).hexdigest()[:16]
