"""A query's pool as pages of passages: who is shown, filters and their counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from curator.collection.pools import Collection
from curator.collection.queries import Query
from curator.verbs.curate.question_rows import QuestionLine
from curator.verbs.passages.pool_rows import ON_JUDGMENTS, PooledPassage, Show, shown

PAGE = 20  # passages
HIGHLIGHTED = 4  # questions whose sentence is marked in one passage

Passages = Sequence[PooledPassage]


@dataclass(frozen=True, slots=True)
class Choice:
    """A filter of the pool, and how many passages it leaves."""

    show: Show
    name: str
    count: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class AskedRow:
    """A kept question and how many passages of the pool answer it.

    The count is not known where it has not been graded, and ``by`` another grader
    than the selected where that one stands in. ``bar`` is its share of the largest.
    """

    number: int
    question_id: str
    text: str
    count: int
    known: bool
    by: str
    bar: float
    chosen: bool


@dataclass(frozen=True, slots=True)
class AskedGroup:
    """The kept questions of one subtopic; no heading where the query has none."""

    heading: str
    rows: tuple[AskedRow, ...]


@dataclass(frozen=True, slots=True)
class PageOfPool:
    """One page: ``first`` passages stand before it, ``total`` on all pages.

    ``found`` of them match the filters; ``before`` and ``after`` are next to the
    current one.
    """

    passages: tuple[PooledPassage, ...]
    first: int
    number: int
    pages: int
    found: int
    total: int
    current: PooledPassage | None
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class StandIn:
    """What another grader says of questions that the selected one cannot grade.

    ``answers`` maps passage ids to ratings by question id.
    """

    grader: str
    question_ids: frozenset[str]
    answers: Mapping[str, Mapping[str, int]]

    @classmethod
    def of(
        cls, grader: str, question_ids: frozenset[str], passages: Passages
    ) -> StandIn:
        """From the pool under that other grader."""
        return cls(
            grader,
            question_ids,
            {
                one.passage_id: {
                    question_id: rating
                    for question_id, rating in one.answers.items()
                    if question_id in question_ids
                }
                for one in passages
            },
        )

    def beside(self, passages: Passages) -> Passages:
        """The passages with these answers too; labels and verdicts stay as they are."""
        return tuple(
            replace(one, answers={**one.answers, **more}) if more else one
            for one in passages
            for more in (self.answers[one.passage_id],)
        )


NOBODY = StandIn("", frozenset(), {})


def choices(
    passages: Passages,
    show: Show,
    *,
    question_id: str | None,
    system: str | None,
    direct: bool = False,
) -> tuple[Choice, ...]:
    """The filters that make sense here, counted under the other two."""
    yes, no = answered_words(direct=direct)
    names: dict[Show, str] = {
        "all": "all",
        "changed": "changed",
        "relevant-unanswered": f"judged relevant, {no}",
        "nonrelevant-answered": f"judged non-relevant, {yes}",
    }
    if not direct:
        names["uncovered"] = "no question covers"
    judged = any(one.relevant is not None for one in passages)
    return tuple(
        Choice(
            one,
            name,
            len(shown(passages, one, question_id=question_id, system=system)),
            one == show,
        )
        for one, name in names.items()
        if judged or one not in ON_JUDGMENTS
    )


def answered_words(*, direct: bool) -> tuple[str, str]:
    """What a label says of a passage: relevant, and not relevant.

    A direct grader asks no question, so nothing is answered under it.
    """
    return (
        ("graded relevant", "not graded so") if direct else ("answered", "unanswered")
    )


def why_no_judgments(passages: Passages, collection: Collection) -> str:
    """Why nothing is compared with judgments, or ""."""
    if collection.blind:
        return "Judging is blind: neither judgments nor systems’ names are shown."
    if any(one.relevant is not None for one in passages) or not passages:
        return ""
    if all(one.judgment is None for one in passages):
        return "Without judgments of this query, labels are not compared with any."
    if collection.min_relevance is None:
        return "Nobody has said from which judgment on a passage is relevant."
    return ""


def page_of(
    passages: Passages, matching: Passages, *, passage_id: str | None, page: int
) -> PageOfPool:
    """The page with the passage selected, else the page asked for or the nearest.

    The selected passage stays in its place when it matches no longer, so that an edit
    does not take away what the judge is reading. Without one the first is current.
    """
    wanted = {one.passage_id for one in matching} | {passage_id}
    rows = [one for one in passages if one.passage_id in wanted]
    ids = [one.passage_id for one in rows]
    pages = max(1, -(-len(rows) // PAGE))
    number = min(max(page, 1), pages)
    at = (number - 1) * PAGE
    if passage_id in ids:
        at = ids.index(passage_id)
        number = at // PAGE + 1
    first = (number - 1) * PAGE
    return PageOfPool(
        passages=tuple(rows[first : first + PAGE]),
        first=first,
        number=number,
        pages=pages,
        found=len(matching),
        total=len(rows),
        current=rows[at] if rows else None,
        before=ids[at - 1] if at else None,
        after=ids[at + 1] if at + 1 < len(ids) else None,
    )


def asked_groups(
    lines: Sequence[QuestionLine],
    query: Query,
    passages: Passages,
    numbers: Mapping[str, int],
    *,
    kind: str,
    selected: str | None,
    ungraded: frozenset[str] = frozenset(),
    stand_in: StandIn = NOBODY,
) -> tuple[AskedGroup, ...]:
    """The kept questions of this kind by subtopic, with what they reach."""
    kept = [
        line.question
        for line in lines
        if line.question.state == "kept" and line.question.kind == kind
    ]
    counts = dict.fromkeys((q.question_id for q in kept), 0)
    for one in passages:
        for question_id in one.answers:
            if question_id in counts:
                counts[question_id] += 1
    most = max(counts.values(), default=0)
    names = {s.subtopic_id: s.text or s.subtopic_id for s in query.subtopics}
    grouped: dict[str | None, list[AskedRow]] = {}
    for question in sorted(kept, key=lambda q: numbers[q.question_id]):
        count = counts[question.question_id]
        grouped.setdefault(question.subtopic_id, []).append(
            AskedRow(
                number=numbers[question.question_id],
                question_id=question.question_id,
                text=question.title,
                count=count,
                known=question.question_id not in ungraded,
                by=stand_in.grader
                if question.question_id in stand_in.question_ids
                else "",
                bar=count / most if most else 0.0,
                chosen=question.question_id == selected,
            )
        )
    return tuple(
        AskedGroup(
            "" if subtopic_id is None else names.get(subtopic_id, subtopic_id),
            tuple(rows),
        )
        for subtopic_id, rows in grouped.items()
    )


def to_highlight(
    one: PooledPassage, titles: Mapping[str, str], selected: str | None
) -> dict[str, str]:
    """Text by id of the questions whose sentence is marked, the selected one first."""
    answered = [question_id for question_id in one.answers if question_id in titles]
    ordered = sorted(answered, key=lambda question_id: question_id != selected)
    return {question_id: titles[question_id] for question_id in ordered[:HIGHLIGHTED]}
