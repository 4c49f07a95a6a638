"""Per-topic scores as ``trec_eval -q`` prints them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from curator.errors import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curator.verbs.leaderboard.score_tables import ScoreTable

# trec_eval's name of a measure by ours, without and with a cut-off.
_WHOLE = {
    "AP": "map",
    "Bpref": "bpref",
    "nDCG": "ndcg",
    "NumRel": "num_rel",
    "NumRelRet": "num_rel_ret",
    "NumRet": "num_ret",
    "RR": "recip_rank",
    "Rprec": "Rprec",
    "SetAP": "set_map",
    "SetF": "set_F",
    "SetP": "set_P",
    "SetR": "set_recall",
    "infAP": "infAP",
}
_CUT = {
    "AP": "map_cut",
    "P": "P",
    "R": "recall",
    "Success": "success",
    "nDCG": "ndcg_cut",
}
# The threshold is no part of trec_eval's names: there it is the option -l.
_NAMED = re.compile(r"(?P<family>[A-Za-z]+)(?:\(rel=\d+\))?(?:@(?P<k>\d+))?")


def trec_eval_name(measure: str) -> str:
    """``P@20`` as ``P_20``, ``RR`` as ``recip_rank``; others in trec_eval's letters.

    A measure that trec_eval does not have keeps its name, with ``_`` for every
    character but letters, digits, ``_``, ``.`` and ``-``.
    """
    named = _NAMED.fullmatch(measure)
    if named and named["k"] and named["family"] in _CUT:
        return f"{_CUT[named['family']]}_{int(named['k'])}"
    if named and not named["k"] and named["family"] in _WHOLE:
        return _WHOLE[named["family"]]
    recall = re.fullmatch(r"IPrec(?:\(rel=\d+\))?@(0?\.\d+|[01]\.0*|[01])", measure)
    if recall:
        return f"iprec_at_recall_{float(recall[1]):.2f}"
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", measure).strip("_")


def trec_eval_lines(found: ScoreTable) -> Iterator[str]:
    """Measure, topic and score of one system, topics by name, their mean last.

    Raises EvaluationError for scores of several systems: the format has no place for
    their names.
    """
    if len(found.systems) > 1:
        raise EvaluationError(
            f"trec_eval's format holds one system, and there are {len(found.systems)}: "
            f"name one, such as --system {found.systems[0]}."
        )
    if not found.scores:
        raise EvaluationError(
            "There are no scores to print: a score takes runs and kept questions. "
            "`curator status WORKSPACE` says what is missing."
        )
    own = {topic: score for (_, topic), score in found.scores.items()}
    name = trec_eval_name(found.settings.measure)
    for topic in sorted(own, key=str.encode):  # as trec_eval sorts them
        yield trec_eval_line(name, topic, own[topic])
    yield trec_eval_line(name, "all", sum(own.values()) / len(own))


def trec_eval_line(name: str, topic: str, score: float) -> str:
    """``%-22s\\t%s\\t%6.4f``, the line that trec_eval prints."""
    return f"{name:<22}\t{topic}\t{score:6.4f}"
