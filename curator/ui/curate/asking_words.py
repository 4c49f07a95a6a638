"""What a page says of asking a model: whom, about what, what went wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from curator.background.tasks import CommandResult
from curator.collection.queries import Query
from curator.store.generations import Generation
from curator.ui.shared import words
from curator.verbs.curate.question_rows import QuestionLine
from curator.verbs.proposals.request import GenerateSummary

ENDPOINT = "set OPENAI_BASE_URL (and OPENAI_API_KEY)"
MODEL = "choose a model on Proposals"
UNREAD_SHOWN = 3  # the Proposals page shows them all
LONGEST_SHOWN = 20_000  # characters of a response


@dataclass(frozen=True, slots=True)
class Said:
    """A line on an asking, and whether it can be asked again."""

    line: str
    error: bool = False
    again: bool = True


@dataclass(frozen=True, slots=True)
class Unread:
    """A response from which nothing could be read, as it came."""

    line: str
    raw: str
    subtopic_id: str | None
    passage_id: str | None


def wanting(*, model: str, endpoint: bool) -> str:
    """What has to be set up before a model can be asked; "" for nothing."""
    steps = [] if endpoint else [ENDPOINT]
    steps += [] if model else [MODEL]
    return f"To have questions proposed, {', and '.join(steps)}." if steps else ""


def first_without_questions(lines: Sequence[QuestionLine], query: Query) -> str | None:
    """The query's first subtopic that nobody asks about; None without one."""
    asked = {
        line.question.subtopic_id for line in lines if line.question.state != "retired"
    }
    return next(
        (s.subtopic_id for s in query.subtopics if s.subtopic_id not in asked), None
    )


def result_said(result: CommandResult | None, model: str) -> Said | None:
    """What there is to say of an asking that has ended; None for nothing."""
    if result is None:
        return None
    if result.line:
        return Said(f"{result.line.rstrip('.')}.", error=True)
    return None if result.asked is None else _summary_said(result.asked, model)


def _summary_said(summary: GenerateSummary, model: str) -> Said | None:
    name = summary.model or model
    if not summary.asked and summary.elsewhere:
        return Said(f"{name} is being asked about this already.", again=False)
    if not summary.asked and summary.had:
        return Said(f"{name} has been asked about this before.")
    if summary.cut:
        return Said(f"The answer of {name} breaks off; what was whole is proposed.")
    if summary.asked and not summary.proposed and summary.repeated:
        stand = "stand" if summary.repeated > 1 else "stands"
        texts = words.count(summary.repeated, "text")
        return Said(f"{name} said nothing new: {texts} {stand} here already.")
    if summary.unreadable:
        return Said(f"{name} answered without a list of questions.")
    if summary.asked and not summary.proposed:
        return Said(f"{name} had nothing to propose.")
    return None


def unread(asked: Sequence[Generation], query: Query) -> tuple[Unread, ...]:
    """The latest responses that could not be read, with what each was about."""
    names = {s.subtopic_id: s.text or s.subtopic_id for s in query.subtopics}
    came = [one for one in asked if one.raw.strip()]
    return tuple(
        Unread(
            _why_unread(one, names),
            one.raw[:LONGEST_SHOWN],
            one.subtopic_id,
            one.passage_id,
        )
        for one in came[:UNREAD_SHOWN]
    )


def _why_unread(asked: Generation, names: Mapping[str, str]) -> str:
    about = ""
    if asked.passage_id is not None:
        about = f" about passage {words.shortened(asked.passage_id)}"
    elif asked.subtopic_id is not None:
        about = f" about {words.shortened(names.get(asked.subtopic_id, ''))}"
    why = f" {asked.error}" if asked.error else ""
    return f"Not to be read: what {asked.model} said{about}.{why}"
