"""A passage opened: its text in pieces, its judgment, what it answers, who found it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from curator.ui.shared import words
from curator.verbs.passages.passage import PassageView, Rated

SHOWN_SYSTEMS = 6
LONGEST_ANSWER = 64  # characters of an answer that are quoted
ELSEWHERE = "answered, but these words are not in the passage"


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text, and the numbers of the questions it answers.

    ``ideal`` where people marked it as an ideal answer; it ``goes_on`` where the next
    piece belongs to the same answer.
    """

    text: str
    answers: tuple[int, ...] = ()
    ideal: bool = False
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class Opened:
    """The reader's words."""

    passage_id: str
    label: str
    judgment: str
    verdict: str
    pieces: tuple[Piece, ...]
    answers: str
    systems: str


def opened(
    view: PassageView,
    numbers: Mapping[str, int],
    spans: Mapping[str, tuple[int, int]],
    *,
    min_rating: int,
    min_relevance: int | None,
    depth: int,
    answers: Mapping[str, str] | None = None,
) -> Opened:
    """The passage in words. ``spans`` maps question_id to its answering stretch.

    ``answers`` are the words of a grader that answers, by question; None for one that
    rates.
    """
    return Opened(
        passage_id=view.passage_id,
        label=_label(view),
        judgment="unjudged" if view.judgment is None else f"official {view.judgment}",
        verdict=_verdict(view, min_rating, min_relevance),
        pieces=pieces(view.text, {numbers[q]: span for q, span in spans.items()}),
        answers=_answers(view, numbers, answers, spans),
        systems=_systems(view.ranks, depth),
    )


def pieces(text: str, spans: Mapping[int, tuple[int, int]]) -> tuple[Piece, ...]:
    """The text cut where spans begin and end; together they are the text."""
    cuts = sorted({0, len(text), *(end for span in spans.values() for end in span)})
    found = []
    for start, end in pairwise(cuts):
        numbers = tuple(
            sorted(n for n, (low, high) in spans.items() if low <= start < high)
        )
        found.append(Piece(text[start:end], numbers))
    return tuple(found)


def to_highlight(view: PassageView, selected: str | None) -> list[Rated]:
    """The questions it answers: the selected one, then the others kept.

    A retired question that the passage answered is shown while it is selected, or
    where no kept question is answered. Where nothing is answered nothing is marked.
    """
    answered = [rated for rated in view.rated if rated.correct]
    retired = [rated for rated in view.retired if rated.correct]
    chosen = [r for r in (*answered, *retired) if r.question.question_id == selected]
    rest = [r for r in (answered or retired) if r not in chosen]
    return [r for r in (*chosen, *rest) if r.question.text is not None][:4]


THROUGH = {"changed": "changed", "answers": "answer it", "pool": "in pool"}


@dataclass(frozen=True, slots=True)
class Browsed:
    """What the reader goes through: how many each way holds, and this one's place."""

    through: str
    counts: Mapping[str, int]
    place: str
    before: str | None
    after: str | None


def browsed(
    passage_id: str, ways: Mapping[str, Sequence[str]], wished: str | None
) -> Browsed:
    """The way wished for if it holds anything, else the first that does.

    ``ways`` maps each way to go through passages to their ids, the preferred first.
    """
    counts = {name: len(ids) for name, ids in ways.items() if ids}
    through = wished if wished in counts else next(iter(counts), "pool")
    ids = ways[through]
    at, before, after = neighbours(ids, passage_id)
    place = f"{at} of {len(ids):,}" if at else ""
    return Browsed(through, counts, place, before, after)


def neighbours(
    ids: Sequence[str], current: str | None
) -> tuple[int, str | None, str | None]:
    """Its place (from 1, 0 for nowhere), the passage before it, the one after."""
    if current not in ids:
        return 0, None, ids[0] if ids else None
    at = ids.index(current)
    before = ids[at - 1] if at else None
    after = ids[at + 1] if at + 1 < len(ids) else None
    return at + 1, before, after


def _verdict(view: PassageView, min_rating: int, min_relevance: int | None) -> str:
    if view.judgment is None or view.label is None or min_relevance is None:
        return ""
    judged, labelled = view.judgment >= min_relevance, view.label >= min_rating
    if not labelled and _ungraded(view):
        return "relevant" if judged else "not relevant"
    said = "relevant" if judged else "not relevant"
    return said if judged == labelled else f"{said}: the label disagrees"


def _label(view: PassageView) -> str:
    """A label may still rise while a question's grade is missing."""
    if view.label is None:
        return "no label"
    return f"label {view.label}{' so far' if _ungraded(view) else ''}"


def _ungraded(view: PassageView) -> int:
    return sum(rated.rating is None for rated in view.rated)


def _answers(
    view: PassageView,
    numbers: Mapping[str, int],
    answers: Mapping[str, str] | None,
    spans: Mapping[str, tuple[int, int]],
) -> str:
    kept = [rated for rated in view.rated if rated.correct]
    gone = [rated for rated in view.retired if rated.correct]
    if answers is None:
        said = [_rated(rated, numbers) for rated in kept]
        once = [f"{_rated(rated, numbers)}, retired" for rated in gone]
    else:
        said = _quoted(kept, numbers, answers, spans)
        once = [f"{one}, retired" for one in _quoted(gone, numbers, answers, spans)]
    missing = _ungraded(view)
    open_still = [words.missing_grades(missing)] if missing else []
    if said:
        return " · ".join([*said, *once, *open_still])
    if missing and missing == len(view.rated):
        return " · ".join([*once, "not graded yet"])
    return " · ".join([*once, "no kept question", *open_still])


def _quoted(
    rated: Sequence[Rated],
    numbers: Mapping[str, int],
    answers: Mapping[str, str],
    spans: Mapping[str, tuple[int, int]],
) -> list[str]:
    """``4 answered “epidermis”`` for each; together those whose words are not there."""
    found, elsewhere = [], []
    for one in rated:
        name = one.question.question_id
        number, answer = numbers.get(name, 0), answers.get(name, "")
        quoted = f"“{words.shortened(answer, LONGEST_ANSWER)}”"
        if not answer:
            found.append(f"{number} answered")
        elif name in spans:
            found.append(f"{number} answered {quoted}")
        else:
            elsewhere.append(f"{number} {quoted}")
    return [*found, f"{ELSEWHERE}: {', '.join(elsewhere)}"] if elsewhere else found


def correct_ids(view: PassageView) -> list[str]:
    """The questions it answers, those retired too."""
    return [r.question.question_id for r in (*view.rated, *view.retired) if r.correct]


def _rated(rated: Rated, numbers: Mapping[str, int]) -> str:
    return f"{numbers.get(rated.question.question_id, 0)} rated {rated.rating}"


def _systems(ranks: Mapping[str, int], depth: int) -> str:
    if not ranks:
        return f"no system among its first {depth}" if depth else "no runs imported"
    best = sorted(ranks.items(), key=lambda found: (found[1], found[0]))
    said = ", ".join(f"{system} at {rank}" for system, rank in best[:SHOWN_SYSTEMS])
    more = len(best) - SHOWN_SYSTEMS
    return f"{said} and {more} more" if more > 0 else said


def shortened(text: str) -> str:
    """The beginning of a passage, for a list that cuts it to its width."""
    return words.shortened(text, 120)
