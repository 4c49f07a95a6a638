"""What graders answered in the passages, and which answers are known right or wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from curator.bank.edits.adjudicate import counted_answers
from curator.bank.edits.verdict import verdicts_on
from curator.bank.questions import Bank, Question, active
from curator.engine.gradebook import GraderRecord
from curator.engine.ideals import gold_answers
from curator.engine.settings import grader_name
from curator.engine.state import State
from curator.errors import EvaluationError, UnknownNameError
from curator.formats.answer_selection import Candidate, SelectionQuestion
from curator.results import Rows
from curator.store import collection as store_collection
from curator.store import responses as store_answers
from curator.store.grades import responder_id_of
from curator.store.responses import StatedAnswer, answers_of
from curator.store.texts import item_of, stored_item_ids
from grading.answers import asks_true_or_false
from grading.ava.examples import AnsweredQuestion, same_text
from grading.ava.grader import candidate_text
from grading.items import answer_texts
from grading.readings import answer_of
from grading.spans import locate

ANSWERING = ("answered", "keyed")
_PASSAGES = 200  # in one statement, beside a query's questions

Answers = Mapping[str, Mapping[str, str]]
"""By passage id, then by question id."""


class NoAnswersError(EvaluationError):
    """No grader of the workspace answers questions, so there is nothing to check."""


class NoAnswerKeysError(EvaluationError):
    """No kept question has an answer key, so there is nothing to check answers by."""


@dataclass(frozen=True, slots=True)
class LocatedAnswer:
    """An extracted answer and its characters in the passage.

    ``end`` is not included; both are None where the passage does not say these words.
    """

    answer: str
    start: int | None = None
    end: int | None = None


LocatedAnswers = Mapping[str, Mapping[str, LocatedAnswer]]
"""By passage id, then by question id."""


@dataclass(frozen=True, slots=True)
class KnownQuestion:
    """A kept question with answers known to be correct or incorrect.

    No text is in both: one that the key calls correct and most judges wrong, or the
    other way round, is in neither.
    """

    question_id: str
    query_id: str
    text: str
    correct: tuple[str, ...]
    incorrect: tuple[str, ...]

    def answered(self) -> AnsweredQuestion:
        """The same without ids, to make examples of."""
        return AnsweredQuestion(self.text, self.correct, self.incorrect)

    def selection(self) -> SelectionQuestion:
        """The same as a question with candidates, the correct ones first.

        A candidate's id is the question's with its number, from 0.
        """
        labelled = [(text, True) for text in self.correct]
        labelled += [(text, False) for text in self.incorrect]
        candidates = tuple(
            Candidate(f"{self.question_id}-{number}", text, correct)
            for number, (text, correct) in enumerate(labelled)
        )
        return SelectionQuestion(self.question_id, self.text, candidates)


def answering_graders(state: State) -> tuple[GraderRecord, ...]:
    """The workspace's answering graders, of those that read one model's answers one."""
    first: dict[str, GraderRecord] = {}
    for record in state.gradebook.records:
        if record.spec.answers:
            first.setdefault(record.spec.responder.key, record)
    return tuple(first.values())


def answering_grader_of(record: GraderRecord) -> GraderRecord | None:
    """Whose answers the grader's ratings rest on: its own, or those that it checks.

    Of people, who judge several graders' answers, the first one. None for a grader that
    does not answer.
    """
    if record.spec.checks_answers or record.by_people:
        return record.parts[0] if record.parts else None
    return record if record.spec.answers else None


def questions_with_key(questions: Iterable[Question]) -> tuple[Question, ...]:
    """The kept questions with an answer key: those whose answers can be checked."""
    return tuple(one for one in questions if one.state == "kept" and one.answers)


def answer_sources(state: State) -> tuple[str, ...]:
    """The graders whose answers can be checked; the one with most grades first.

    Of several that read the same responses the first stands for all.
    """

    def graded(record: GraderRecord) -> int:
        pools = state.collection.pools
        return sum(
            int((state.gradebook.graded(record, pools[q], asked).ratings >= 0).sum())
            for q, questions in state.bank.by_query.items()
            if (asked := questions_with_key(questions)) and q in pools
        )

    def computed() -> tuple[str, ...]:
        records = sorted(answering_graders(state), key=graded, reverse=True)
        return tuple(record.name for record in records)

    return state.cached(("answer sources",), computed)


def resolve_source(state: State, name: str | None) -> GraderRecord:
    """The answering grader of this name, by default the first of ``answer_sources``.

    Raises NoAnswersError and NoAnswerKeysError where there is nothing to check, and
    UnknownNameError.
    """
    sources = answer_sources(state)
    if not sources:
        raise NoAnswersError(
            "No grader here answers questions, so there are no answers to check: "
            "`curator grade WORKSPACE --grader flan-t5-large/qa` extracts some, "
            "`curator import WORKSPACE --autograder FILE` brings some."
        )
    if not any(map(questions_with_key, state.bank.by_query.values())):
        raise NoAnswerKeysError(
            "No kept question has an answer key, so no answer can be checked: import a "
            "bank with answer keys by `curator import WORKSPACE --bank FILE`."
        )
    if name is None:
        return state.grader(sources[0])
    answering = [one for one in state.gradebook.records if one.spec.answers]
    record = grader_among(state, name, answering)
    for one in map(state.grader, sources):
        if one.spec.responder.key == record.spec.responder.key:
            return one
    raise UnknownNameError(
        f"Grader '{record.name}' does not answer questions, so it has no answers to "
        f"check. Those that do: {', '.join(sources)}."
    )


def grader_among(
    state: State, name: str, records: Sequence[GraderRecord]
) -> GraderRecord:
    """The one of these that the name can mean, else of all graders.

    An AVA grader's name holds that of the grader whose answers it checks.
    """
    in_full = any(record.name == name for record in state.gradebook.records)
    matching = () if in_full else state.gradebook.meant(name, records)
    return matching[0] if len(matching) == 1 else state.grader(grader_name(state, name))


def answers(
    state: State, query_id: str, passage_ids: Sequence[str], name: str
) -> Answers:
    """What an answering grader answered, by passage and question; {} for others.

    Retired questions too. Responses that say there is no answer are none. Of a grader
    that checks another's answers these. {} for a grader that does not answer. Raises
    UnknownNameError.
    """
    record = answering_grader_of(state.grader(name))
    if record is None:
        return {}
    reading = record.spec.reading
    questions = state.bank.of_query(*state.query_ids(query_id))
    ids = stored_item_ids(state.connection, map(item_of, questions))
    by_item: dict[int, list[Question]] = {}
    for question in questions:
        if (item_id := ids.get(item_of(question))) is not None:
            by_item.setdefault(item_id, []).append(question)
    responder_id = responder_id_of(state.connection, record.grader_id)
    pool = state.collection.pools[query_id]
    homes = {  # an answer from a segment is one of its document
        pool.passage_ids[segment]: pool.passage_ids[document]
        for document, parts in pool.segments.items()
        for segment in parts
        if pool.passage_ids[document] in passage_ids
    }
    passage_ids = [*passage_ids, *homes]
    by_passage: dict[str, dict[str, str]] = {}
    for start in range(0, len(passage_ids), _PASSAGES):
        for item_id, passage_id, answer, raw in answers_of(
            state.connection,
            responder_id,
            list(by_item),
            passage_ids[start : start + _PASSAGES],
        ):
            # Responses that came with a file may stand there as they were given.
            response = answer or raw or ""
            home = homes.get(passage_id, passage_id)
            for question in by_item[item_id]:
                words = answer_of(
                    reading.kind,
                    response,
                    reading.parser,
                    true_false=asks_true_or_false(question.answers, question.choices),
                )
                if words is not None:
                    of_passage = by_passage.setdefault(home, {})
                    of_passage[question.question_id] = words
    return by_passage


def located_answers(
    state: State, query_id: str, passage_ids: Sequence[str], name: str
) -> LocatedAnswers:
    """``answers`` with the characters of the passage that say the same."""
    extracted = answers(state, query_id, passage_ids, name)
    texts = store_collection.passage_texts(state.connection, [*extracted])
    return {
        passage_id: {
            question_id: LocatedAnswer(
                words, *(locate(words, texts.get(passage_id, "")) or (None, None))
            )
            for question_id, words in of_passage.items()
        }
        for passage_id, of_passage in extracted.items()
    }


def responses_in_pool(
    state: State, source: GraderRecord, query_id: str, questions: Sequence[Question]
) -> list[list[StatedAnswer | None]]:
    """What an answering grader said of each pool passage, for each of these questions.

    An answer, 0 for that there is none, UNREADABLE, or None where no words are known.
    [] for a question of a kind that it is not asked.
    """
    asked = active(questions, source.spec.reading.item_kind)
    ids = stored_item_ids(state.connection, map(item_of, asked))
    responder_id = store_answers.responder_with_key(
        state.connection, source.spec.responder.key
    )
    parser = source.spec.reading.parser
    texts = [row[0] for row in store_collection.pool_texts(state.connection, query_id)]
    # The pool that is known here: in the file it may have grown since.
    texts = texts[: state.collection.pools[query_id].size]
    by_question: dict[str, list[StatedAnswer | None]] = {}
    for question in asked:
        stated = store_answers.stated_answers(
            state.connection, responder_id, ids.get(item_of(question), 0), parser
        )
        by_question[question.question_id] = [stated.get(text) for text in texts]
    return [by_question.get(one.question_id, []) for one in questions]


def known_answers(state: State, query_id: str | None = None) -> Rows[KnownQuestion]:
    """Kept questions with the answers known to be correct or incorrect.

    Of everybody's verdicts, whichever whoever asks may see.
    """
    return Rows(known_questions(state.bank, query_id))


def known_questions(
    bank: Bank, query_id: str | None = None
) -> tuple[KnownQuestion, ...]:
    """The kept questions (of one query) with a known answer, in the bank's order.

    Correct are a question's gold answers and what most judges call right, or was
    decided to be. Incorrect is what they call wrong, and of a multiple-choice question
    with a key its other choices: the exam's authors wrote them to be wrong. A choice's
    letter stands for its text.
    """
    questions = bank if query_id is None else bank.of_query(query_id)
    known = (_known(bank, one) for one in questions if one.state == "kept")
    return tuple(one for one in known if one and (one.correct or one.incorrect))


def _known(bank: Bank, question: Question) -> KnownQuestion | None:
    if question.text is None:
        return None
    gold = gold_answers(question)
    # An answer may be a choice's letter, as a model sees it that checks answers.
    judged = {"right": list(gold), "wrong": []}
    about = bank.decisions_of(question.query_id), bank.of_query(question.query_id)
    verdicts = verdicts_on(bank, question)
    for (_, answer), value in counted_answers(verdicts, *about).items():
        judged[value].append(candidate_text(answer, question.choices))
    # Without a key every choice may be the right one.
    key = set(map(same_text, answer_texts(question.answers, question.choices)))
    others = [
        text for _, text in question.choices if key and same_text(text) not in key
    ]
    answered = AnsweredQuestion(
        question.text, tuple(judged["right"]), (*others, *judged["wrong"])
    )
    return KnownQuestion(
        question.question_id,
        question.query_id,
        question.text,
        answered.correct,
        answered.incorrect,
    )
