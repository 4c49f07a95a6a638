"""What came of a grading."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from curator.results import Result

Progress = Callable[[int, int], None]
"""Called with (grades kept, grades kept and missing), first with 0 kept."""


@dataclass(frozen=True)
class GradeSummary(Result["GradeSummary"], table="grading.graded_table"):
    """What a grading run found missing and did, or would do on a dry run.

    ``asked`` counts (question, passage) pairs that lacked a grade, ``texts`` the texts
    that a model of vectors has to read for them, ``prompts`` what a model that answers
    was asked, of which ``cut`` with a passage that was too long for it and
    ``unreadable`` with a response that states no rating. Tokens are the model's own
    count, on a dry run an estimate; ``dollars`` None without prices. ``without_text``
    and ``without_key`` are questions that cannot be graded, because their text is not
    published, or because they have no answer key that an answer could be checked by.

    Of a grader that checks another's answers, ``asked`` counts both graders' grades,
    ``answers`` are the distinct answers to be scored, as far as they are known,
    ``without_answer`` the pairs of which the other has said nothing, and ``unreadable``
    those of which it has said nothing that could be read, newly asked or not.

    ``left_out`` are grades that could be asked for and that a budget leaves out.
    ``nuggets`` are kept and not graded by one of vectors that a workspace has had since
    before these were asked about nuggets. ``restricted`` queries are left out of
    what is sent to another machine. ``languages`` is a sentence on texts in languages
    that the grader does not read, "" otherwise.
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
    tokens_in: int = 0
    tokens_out: int = 0
    dollars: float | None = None
    answers: int = 0
    without_answer: int = 0
    left_out: int = 0
    nuggets: int = 0
    restricted: int = 0
    languages: str = ""
