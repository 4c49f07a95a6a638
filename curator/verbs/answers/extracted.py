"""Answers extracted from passages, and answers known to be correct or incorrect."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from curator.bank.marks.verdict import verdicts_on
from curator.bank.opinions import final_values
from curator.bank.questions import Bank, Question, active
from curator.errors import EvaluationError, UnknownNameError
from curator.formats.answer_selection import Candidate, SelectionQuestion
from curator.results import Rows
from curator.snapshot.gradebook import GraderRecord
from curator.snapshot.ideals import gold_answers
from curator.snapshot.snapshot import Snapshot
from curator.store import collection as store_collection
from curator.store import responses as store_answers
from curator.store.grades import responder_id_of
from curator.store.responses import StatedAnswer, answers_of
from curator.store.texts import item_of, stored_item_ids
from grading.answers import asks_true_or_false
from grading.ava.examples import AnsweredQuestion, same_text
from grading.ava.grader import candidate_text
from grading.highlight import locate
from grading.items import answer_texts
from grading.readings import answer_of

ANSWERING_KINDS = ("answered", "keyed")

Answers = Mapping[str, Mapping[str, str]]
"""By passage id, then by question id."""


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
        return AnsweredQuestion(self.text, self.correct, self.incorrect)

    def selection(self) -> SelectionQuestion:
        """Return the question with its candidates, correct ones first.

        A candidate's id is the question's with its number, from 0.
        """
        candidates = tuple(
            Candidate(f"{self.question_id}-{n}", text, n < len(self.correct))
            for n, text in enumerate((*self.correct, *self.incorrect))
        )
        return SelectionQuestion(self.question_id, self.text, candidates)


def answering_graders(snapshot: Snapshot) -> tuple[GraderRecord, ...]:
    """The workspace's answering graders, the first of each model's answers."""
    first: dict[str, GraderRecord] = {}
    for record in snapshot.gradebook.records:
        if record.spec.answers:
            first.setdefault(record.spec.responder.key, record)
    return tuple(first.values())


def answering_grader_of(record: GraderRecord) -> GraderRecord | None:
    """The grader whose answers the ratings depend on: itself or the one it checks.

    For people, who judge several graders' answers, the first of them. None for a grader
    that does not answer.
    """
    if record.spec.checks_answers or record.by_people:
        return record.parts[0] if record.parts else None
    return record if record.spec.answers else None


def questions_with_key(questions: Iterable[Question]) -> tuple[Question, ...]:
    """The kept questions with an answer key: those whose answers can be checked."""
    return tuple(
        question
        for question in questions
        if question.state == "kept" and question.answers
    )


def answer_sources(snapshot: Snapshot) -> tuple[str, ...]:
    """Names of the graders whose answers can be checked, most grades first.

    Of several that read the same responses only the first is listed.
    """

    def graded(record: GraderRecord) -> int:
        pools = snapshot.collection.pools
        return sum(
            int((snapshot.gradebook.graded(record, pools[q], keyed).ratings >= 0).sum())
            for q, questions in snapshot.bank.by_query.items()
            if (keyed := questions_with_key(questions)) and q in pools
        )

    def computed() -> tuple[str, ...]:
        records = sorted(answering_graders(snapshot), key=graded, reverse=True)
        return tuple(record.name for record in records)

    return snapshot.cached(("answer sources",), computed)


def resolve_source(snapshot: Snapshot, name: str | None) -> GraderRecord:
    """The answering grader of this name, by default the first of ``answer_sources``.

    Raises EvaluationError without a grader that answers questions, NoAnswerKeysError
    and UnknownNameError.
    """
    sources = answer_sources(snapshot)
    if not sources:
        raise EvaluationError(
            "No grader has answered questions here, so there are no answers to check. "
            "Extract some with `curator grade WORKSPACE --grader flan-t5-large/qa`, or "
            "import some with `curator import WORKSPACE --autograder FILE`."
        )
    if not any(map(questions_with_key, snapshot.bank.by_query.values())):
        raise NoAnswerKeysError(
            "No kept question has an answer key, so no answer can be checked. Import a "
            "bank with answer keys: `curator import WORKSPACE --bank FILE`."
        )
    if name is None:
        return snapshot.grader(sources[0])
    answering = [record for record in snapshot.gradebook.records if record.spec.answers]
    record = grader_among(snapshot, name, answering, "answers questions")
    key = record.spec.responder.key
    graders = answering_graders(snapshot)
    return next(grader for grader in graders if grader.spec.responder.key == key)


def grader_among(
    snapshot: Snapshot, name: str, records: Sequence[GraderRecord], role: str
) -> GraderRecord:
    """Find the grader that the name matches among ``records``, those with this role.

    Raises UnknownNameError where it matches none or several.
    """
    matching = snapshot.gradebook.match_graders(name, records)
    if len(matching) == 1:
        return matching[0]
    names = ", ".join(record.name for record in records) or "none yet"
    raise UnknownNameError(
        f"'{name}' does not name a grader that {role}. Available: {names}."
    )


def answers(
    snapshot: Snapshot, query_id: str, passage_ids: Sequence[str], name: str
) -> Answers:
    """Answers of a grader by passage and question; {} if it gives no answers.

    Includes retired questions; leaves out responses that state no answer. For a grader
    that checks another's answers, these answers. Raises UnknownNameError.
    """
    record = answering_grader_of(snapshot.grader(name))
    if record is None:
        return {}
    reading = record.spec.reading
    questions = snapshot.bank.questions_of(*snapshot.query_ids(query_id))
    ids = stored_item_ids(snapshot.connection, map(item_of, questions))
    by_item: defaultdict[int, list[Question]] = defaultdict(list)
    for question in questions:
        by_item[ids.get(item_of(question), 0)].append(question)  # 0 is no item's
    responder_id = responder_id_of(snapshot.connection, record.grader_id)
    pool = snapshot.collection.pools[query_id]
    homes = {  # an answer from a segment counts for its document
        pool.passage_ids[segment]: pool.passage_ids[document]
        for document, parts in pool.segments.items()
        for segment in parts
        if pool.passage_ids[document] in passage_ids
    }
    by_passage: dict[str, dict[str, str]] = {}
    for item_id, passage_id, answer, raw in answers_of(
        snapshot.connection, responder_id, list(by_item), [*passage_ids, *homes]
    ):
        # Imported responses may be stored without a parsed answer.
        response = answer or raw or ""
        for question in by_item[item_id]:
            words = answer_of(
                reading.kind,
                response,
                reading.parser,
                true_false=asks_true_or_false(question.answers, question.choices),
            )
            if words is not None:
                home = by_passage.setdefault(homes.get(passage_id, passage_id), {})
                home[question.question_id] = words
    return by_passage


def located_answers(
    snapshot: Snapshot, query_id: str, passage_ids: Sequence[str], name: str
) -> LocatedAnswers:
    """``answers`` with their positions in the passages."""
    extracted = answers(snapshot, query_id, passage_ids, name)
    texts = store_collection.passage_texts(snapshot.connection, [*extracted])
    return {
        passage_id: {
            question_id: LocatedAnswer(
                words, *(locate(words, texts.get(passage_id, "")) or (None, None))
            )
            for question_id, words in passage_answers.items()
        }
        for passage_id, passage_answers in extracted.items()
    }


def responses_in_pool(
    snapshot: Snapshot,
    source: GraderRecord,
    query_id: str,
    questions: Sequence[Question],
) -> dict[str, list[StatedAnswer | None]]:
    """An answering grader's responses in each pool passage, by question id.

    A response is the answer, 0 for "no answer", UNREADABLE, or None where it is not
    stated. Questions of a kind that the grader is not asked are absent.
    """
    connection, reading = snapshot.connection, source.spec.reading
    questions = active(questions, reading.item_kind)
    ids = stored_item_ids(connection, map(item_of, questions))
    responder_id = store_answers.responder_with_key(
        connection, source.spec.responder.key
    )
    # The file's pool may have grown since this snapshot was read.
    size = snapshot.collection.pools[query_id].size
    texts = [row[0] for row in store_collection.pool_texts(connection, query_id)[:size]]
    responses = {}
    for question in questions:
        stated = store_answers.stated_answers(
            connection, responder_id, ids.get(item_of(question), 0), reading.parser
        )
        responses[question.question_id] = [stated.get(text) for text in texts]
    return responses


def known_answers(
    snapshot: Snapshot, query_id: str | None = None
) -> Rows[KnownQuestion]:
    """Kept questions with the answers known to be correct or incorrect.

    Uses the verdicts that the viewer may see.
    """
    return Rows(known_questions(snapshot.bank, query_id))


def known_questions(
    bank: Bank, query_id: str | None = None
) -> tuple[KnownQuestion, ...]:
    """List the kept questions (of one query) with a known answer, in the bank's order.

    Correct are a question's gold answers and those that most judges or a decision call
    right. Incorrect are those called wrong and, for a multiple-choice question with a
    key, its other choices: the exam's authors wrote them to be wrong. A choice's letter
    is replaced by its text.
    """
    questions = bank if query_id is None else bank.questions_of(query_id)
    labelled = (
        _label_answers(bank, question)
        for question in questions
        if question.state == "kept" and question.text is not None
    )
    return tuple(each for each in labelled if each.correct or each.incorrect)


def _label_answers(bank: Bank, question: Question) -> KnownQuestion:
    gold = gold_answers(question)
    # Answer-checking models see a choice's text, so letters are replaced by it.
    judged = {"right": list(gold), "wrong": []}
    about = bank.decisions_of(question.query_id), bank.questions_of(question.query_id)
    verdicts = verdicts_on(bank, question)
    for (_, answer), value in final_values("verdict", verdicts, *about).items():
        judged[value].append(candidate_text(answer, question.choices))
    # Without a key any choice may be the right one.
    key = set(map(same_text, answer_texts(question.answers, question.choices)))
    others = [
        text for _, text in question.choices if key and same_text(text) not in key
    ]
    text = question.text or ""
    answered = AnsweredQuestion(
        text, tuple(judged["right"]), (*others, *judged["wrong"])
    )
    return KnownQuestion(
        question.question_id,
        question.query_id,
        text,
        answered.correct,
        answered.incorrect,
    )
