"""What came of a grading."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from curator.results import Result
from grading.models.protocol import Response

ENOUGH = 20  # answers that say something of those to come

Progress = Callable[[int, int], None]
"""Called with (grades kept, grades kept and missing), first with 0 kept."""

Announce = Callable[[str], None]
"""Called with the host that texts go to, before the first is sent."""


@dataclass
class Tally:
    """Counts of what a model was asked, and of what came of it.

    Of the ``unreadable`` responses, ``unfinished`` were cut off at the limit of tokens
    and ``refused`` by the server, a filter or the model. ``uncounted`` are those whose
    tokens the server did not report. ``warning`` says what looks wrong now, "" where
    nothing does.
    """

    cut: int = 0
    unreadable: int = 0
    unfinished: int = 0
    refused: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    uncounted: int = 0
    # Last, and counted first: who reads it from another thread meanwhile never sees
    # more passages cut than prompts.
    prompts: int = 0
    warning: str = field(default="", compare=False)

    @property
    def counts(self) -> dict[str, int]:
        """Every count by name."""
        return {name: n for name, n in asdict(self).items() if name != "warning"}

    @property
    def reported(self) -> dict[str, Any]:
        """The counts of a summary; tokens are None where not all were reported."""
        counts: dict[str, Any] = {**self.counts}
        if counts.pop("uncounted"):
            counts |= {"tokens_in": None, "tokens_out": None}
        return counts

    def since(self, before: Tally) -> Tally:
        """Counts of all that came after ``before``."""
        earlier = before.counts
        later: dict[str, Any] = {n: c - earlier[n] for n, c in self.counts.items()}
        return Tally(**later)

    def count(self, response: Response, *, unreadable: bool) -> None:
        """Count one response."""
        self.prompts += 1
        self.cut += response.cut
        self.unreadable += unreadable
        self.unfinished += response.unfinished
        self.refused += bool(response.fault) and not response.unfinished
        self.tokens_in += response.tokens_in or 0
        self.tokens_out += response.tokens_out or 0
        self.uncounted += response.tokens_in is None or response.tokens_out is None


def expected_tokens(
    prompts: int, tokens_in: int | None, tokens_out: int | None, missing: int
) -> int | None:
    """Tokens in all, in and out, once ``missing`` more prompts are answered like these.

    None where fewer than ``ENOUGH`` are, or where tokens are unknown.
    """
    if prompts < ENOUGH or tokens_in is None or tokens_out is None:
        return None
    return round((tokens_in + tokens_out) * (1 + missing / prompts))


@dataclass(frozen=True)
class GradeSummary(Result["GradeSummary"], table="grading.graded_table"):
    """What a grading run found missing and did, or would do on a dry run.

    ``asked`` counts (question, passage) pairs that lacked a grade, ``texts`` the texts
    that a model of vectors has to read for them, ``prompts`` what a model that answers
    was asked, of which ``cut`` with a passage that was too long for it and
    ``unreadable`` with a response that states no rating, ``unfinished`` of them because
    it was cut off at ``max_tokens`` and ``refused`` by the server, a filter or the
    model. Tokens are the server's count, None where it did not report all of them, and
    on a dry run an estimate; ``dollars`` None without prices or tokens.
    ``without_text`` and ``without_key`` are questions that cannot be graded, because
    their text is not published, or because they have no answer key that an answer could
    be checked by.

    Of a grader that checks another's answers, ``asked`` counts both graders' grades,
    ``answers`` are the distinct answers to be scored, as far as they are known,
    ``without_answer`` the pairs of which the other has said nothing, and ``unreadable``
    those of which it has said nothing that could be read, newly asked or not.

    ``left_out`` are grades that could be asked for and that a budget leaves out.
    ``nuggets`` are kept and not graded by one of vectors that a workspace has had since
    before these were asked about nuggets. ``restricted`` queries are left out of
    what is sent to another machine. ``languages`` is a sentence on texts in languages
    that the grader does not read, "" otherwise. ``host`` is where prompts are sent, ""
    where none leave this process. ``missing_model`` says, on a dry run, why the grading
    could not begin on this machine.

    With a depth, ``judged_only`` counts the passages that are within the budget because
    they are judged.
    """

    grader: str
    queries: int = 0
    asked: int = 0
    texts: int = 0
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
    left_out: int = 0
    nuggets: int = 0
    restricted: int = 0
    unfinished: int = 0
    refused: int = 0
    max_tokens: int | None = None
    host: str = ""
    missing_model: str = ""
    judged_only: int = 0
    languages: str = ""
