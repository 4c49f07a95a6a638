"""P@1, MAP and MRR of systems that rank answers, from labels by question.

Source: Vu & Moschitti 2020, section 6.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MEASURES = ("P@1", "MAP", "MRR")

Labels = Mapping[str, Mapping[str, bool]]
"""Whether each candidate is right, by question id and candidate id."""

Rankings = Mapping[str, Sequence[str | None]]
"""One system's candidate ids by question id, best first; None at an empty rank."""


@dataclass(frozen=True, slots=True)
class SystemMeasures:
    """Means over all questions. ``map`` and ``mrr`` are None without rankings."""

    p_at_1: float
    map: float | None
    mrr: float | None

    def value(self, measure: str) -> float | None:
        """The value of one of ``MEASURES``."""
        return {"P@1": self.p_at_1, "MAP": self.map, "MRR": self.mrr}[measure]


def gives_one_answer(rankings: Rankings) -> bool:
    """Whether the system gives one answer a question, and so has no ranking."""
    return all(
        sum(one is not None for one in ranking) < 2 for ranking in rankings.values()
    )


def system_measures(rankings: Rankings, labels: Labels) -> SystemMeasures:
    """The measures over every question of ``labels``, computed by ``ir-measures``.

    Ranks are taken as given. A question that the system skipped counts 0, and so does
    one none of whose candidates is right. A candidate without a label keeps its place
    and is not right. ``labels`` is not empty.
    """
    import ir_measures

    by_name = {
        "P@1": ir_measures.P @ 1,
        "MAP": ir_measures.AP,
        "MRR": ir_measures.RR,
    }
    asked = ["P@1"] if gives_one_answer(rankings) else list(MEASURES)
    names = {by_name[name]: name for name in asked}
    # By number: an id of theirs might look like one of the placeholders.
    numbers = {
        question_id: {one: str(i) for i, one in enumerate(candidates)}
        for question_id, candidates in labels.items()
    }
    qrels = {
        question_id: {numbers[question_id][c]: int(right) for c, right in known.items()}
        for question_id, known in labels.items()
    }
    run = {
        question_id: _by_rank(rankings[question_id], numbers[question_id])
        for question_id in labels
        if rankings.get(question_id)
    }
    sums = dict.fromkeys(asked, 0.0)
    if run:
        for metric in ir_measures.iter_calc(list(names), qrels, run):
            sums[names[metric.measure]] += metric.value
    means = {name: total / len(labels) for name, total in sums.items()}
    return SystemMeasures(means["P@1"], means.get("MAP"), means.get("MRR"))


def _by_rank(
    ranking: Sequence[str | None], numbers: Mapping[str, str]
) -> dict[str, float]:
    """{candidate's number: −rank}, a placeholder where there is no known candidate."""
    return {
        numbers.get(one or "", f"empty-{rank}"): -float(rank)
        for rank, one in enumerate(ranking, start=1)
    }
