"""What an answering grader answered, to be shown in the passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from curator.engine.state import State
from curator.store.grades import responder_id_of
from curator.store.responses import answers_of
from curator.store.texts import item_of, stored_item_ids
from curator.verbs.answers.sources import source_of
from grading.readings import answer_of

ANSWERING = ("answered", "keyed")
_PASSAGES = 200  # in one statement, beside a query's questions

Answers = Mapping[str, Mapping[str, str]]
"""By passage id, then by question id."""


def answers(
    state: State, query_id: str, passage_ids: Sequence[str], name: str
) -> Answers:
    """What an answering grader answered, by passage and question; {} for others.

    Retired questions too. Responses that say there is no answer are none. Of a grader
    that checks another's answers these. {} for a grader that does not answer. Raises
    UnknownNameError.
    """
    record = source_of(state.grader(name))
    if record is None:
        return {}
    kind = record.spec.reading.kind
    questions = state.bank.of_query(*state.query_ids(query_id))
    ids = stored_item_ids(state.connection, map(item_of, questions))
    asked: dict[int, list[str]] = {}
    for question in questions:
        if (item_id := ids.get(item_of(question))) is not None:
            asked.setdefault(item_id, []).append(question.question_id)
    responder_id = responder_id_of(state.connection, record.grader_id)
    found: dict[str, dict[str, str]] = {}
    for start in range(0, len(passage_ids), _PASSAGES):
        for item_id, passage_id, answer, raw in answers_of(
            state.connection,
            responder_id,
            list(asked),
            passage_ids[start : start + _PASSAGES],
        ):
            # Responses that came with a file may stand there as they were said.
            said = answer_of(kind, answer or raw or "")
            if said is not None:
                of_passage = found.setdefault(passage_id, {})
                of_passage.update(dict.fromkeys(asked[item_id], said))
    return found
