"""Results of a grading run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from curator.results import IF_ANY, Result
from grading.costs import Prices, cost
from grading.models.protocol import Response

MIN_ANSWERS = 20  # answers before an estimate or a warning is made of them

Progress = Callable[[int, int], None]
"""Called with (grades kept, grades kept and missing), first with 0 kept."""

Announce = Callable[[str], None]
"""Called with the host that texts go to, before the first is sent."""


@dataclass
class RunCounts:
    """Counts of prompts, responses and tokens of a grading run.

    Of the ``unreadable`` responses, ``unfinished`` were cut off at the limit of tokens
    and ``refused`` by the server, a filter or the model. ``uncounted`` are those whose
    tokens the server did not report. ``warning`` describes a current problem, ""
    without one.
    """

    cut: int = 0
    unreadable: int = 0
    unfinished: int = 0
    refused: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    uncounted: int = 0
    # Declared last but incremented first, so a reader in another thread never sees more
    # cut passages than prompts.
    prompts: int = 0
    warning: str = field(default="", compare=False)

    @property
    def counts(self) -> dict[str, int]:
        counts = asdict(self)
        del counts["warning"]
        return counts

    @property
    def reported(self) -> dict[str, Any]:
        """The counts of a summary; tokens are None where not all were reported."""
        counts: dict[str, Any] = {**self.counts}
        if counts.pop("uncounted"):
            counts |= {"tokens_in": None, "tokens_out": None}
        return counts

    def cost(self, prices: Prices | None) -> float | None:
        """Return the dollars; None without prices or where tokens are unknown."""
        if prices is None or self.uncounted:
            return None
        return cost(self.tokens_in, self.tokens_out, prices)

    def since(self, before: RunCounts) -> RunCounts:
        """Subtract the counts in ``before``."""
        earlier = before.counts
        later: dict[str, Any] = {
            name: count - earlier[name] for name, count in self.counts.items()
        }
        return RunCounts(**later)

    def count(self, response: Response, *, unreadable: bool) -> None:
        self.prompts += 1
        self.cut += response.cut
        self.unreadable += unreadable
        self.unfinished += response.unfinished
        self.refused += bool(response.fault) and not response.unfinished
        self.tokens_in += response.tokens_in or 0
        self.tokens_out += response.tokens_out or 0
        self.uncounted += response.tokens_in is None or response.tokens_out is None


@dataclass(frozen=True)
class GradeSummary(Result["GradeSummary"], table="grading.graded_table"):
    """Missing grades and results of a run, or an estimate on a dry run.

    ``asked`` counts (question, passage) pairs that lacked a grade, ``prompts`` the
    prompts of a model that answers; of these ``cut`` had a passage too long for the
    model and ``unreadable`` a response without a rating, ``unfinished`` of them because
    it was cut off at ``max_tokens`` and ``refused`` by the server, a filter or the
    model.
    Tokens are the server's count, None where it did not report all of them, and on a
    dry run an estimate; ``dollars`` is None without prices or tokens. ``without_text``
    and ``without_key`` are questions that cannot be graded, because their text is not
    published, or because they have no answer key.

    For a grader that checks another's answers, ``asked`` counts the grades of both,
    ``answers`` the distinct answers to score, as far as they are known,
    ``without_answer`` the pairs without a response of the other grader, and
    ``unreadable`` those with an unreadable response of it, new or old.

    ``left_out`` counts the grades that the budget leaves out. ``nuggets`` are kept
    nuggets that an older embedding grader of the workspace does not grade.
    ``restricted`` queries are not sent to another machine. ``languages`` is a warning
    about texts in languages that the grader does not read, "" otherwise. ``host`` is
    where prompts are sent, "" where none leave this process. ``missing_model`` is, on a
    dry run, the reason why the run could not start on this machine.
    """

    grader: str
    queries: int = 0
    asked: int = 0
    without_text: int = 0
    dry_run: bool = False
    without_key: int = 0
    prompts: int = 0
    cut: int = 0
    unreadable: int = 0
    tokens_in: int | None = 0
    tokens_out: int | None = 0
    dollars: float | None = None
    answers: int = 0
    without_answer: int = 0
    left_out: int = field(default=0, metadata=IF_ANY)
    nuggets: int = field(default=0, metadata=IF_ANY)
    restricted: int = field(default=0, metadata=IF_ANY)
    unfinished: int = 0
    refused: int = 0
    max_tokens: int | None = None
    host: str = field(default="", metadata=IF_ANY)
    missing_model: str = field(default="", metadata=IF_ANY)
    languages: str = field(default="", metadata=IF_ANY)

    @classmethod
    def from_parts(
        cls, grader: str, parts: Sequence[GradeSummary], *, dry_run: bool
    ) -> GradeSummary:
        """Add the counts of the graders on which a grader depends."""
        counts = ("asked", *RunCounts().reported)
        dollars = [part.dollars for part in parts if part.prompts]
        return cls(
            grader,
            queries=max((part.queries for part in parts), default=0),
            without_text=max((part.without_text for part in parts), default=0),
            restricted=max((part.restricted for part in parts), default=0),
            dry_run=dry_run,
            dollars=_sum(dollars) if dollars else None,
            max_tokens=max((part.max_tokens or 0 for part in parts), default=0) or None,
            host=next((part.host for part in parts if part.host), ""),
            missing_model=next(filter(None, (p.missing_model for p in parts)), ""),
            **{name: _sum([getattr(part, name) for part in parts]) for name in counts},
        )


def _sum(numbers: Sequence[Any]) -> Any:
    """Return the sum; None if a number is unknown."""
    return None if None in numbers else sum(numbers)
