"""Every format of banks goes out as it came in, except for what was edited."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from curator.bank.edits import Add, Retire, Reword, SetKey
from curator.bank.questions import Bank, Question
from curator.collection.pools import Query
from curator.errors import EvaluationError, InputFileError
from curator.formats.autograder.bank import BANK_OPTION
from curator.formats.nuggets.banks import (
    read_ragtime,
)
from curator.formats.parsed_import import ParsedImport
from curator.formats.registry import codecs
from curator.workspace import Workspace
from grading.ratings import NOT_ASKED
from tests.formats.test_mutated_files import swapped
from tests.samples.files import (
    READERS,
    as_jsonl,
    content_of,
    md5,
    nuggetbank_lines,
    nuggetizer_lines,
    ragtime_lines,
    sample,
    written,
)

BANKS = [
    name
    for name, codec in codecs().items()
    if codec.exports and codec.imports and codec.imports.option is BANK_OPTION
]
DOCUMENTS = ("tqa", "nugget_docs")
WHERE = "Where does rain fall?"


def questions_of(parsed: ParsedImport) -> list[Question]:
    """The questions with the file's votes, as a workspace has them."""
    votes = defaultdict(list)
    for (question_id, judge), vote in parsed.votes.items():
        votes[question_id].append((judge, vote))
    questions = []
    for question in parsed.questions.values():
        fields = {name: getattr(question, name) for name in Question.__slots__}
        fields["votes"] = tuple(votes[question.question_id])
        questions.append(Question(**fields))
    return questions


def exported(
    kind: str,
    folder: Path,
    parsed: ParsedImport,
    questions: list[Question] | None = None,
    **fields: Any,
) -> bytes:
    """What an export of these questions writes; the parsed ones for None."""
    by_query: dict[str, tuple[Question, ...]] = {}
    for question in questions_of(parsed) if questions is None else questions:
        by_query[question.query_id] = (*by_query.get(question.query_id, ()), question)
    contents = {
        "title": "",
        "queries": [*parsed.queries.values()],
        "bank": Bank(by_query),
        "extras": lambda: parsed.extras,
        "authors": dict,
        "in_full": list,
    }
    exports = codecs()[kind].exports
    assert exports
    assert exports.write
    exports.write(SimpleNamespace(**contents | fields), folder / "out.json")  # type: ignore[arg-type]
    return (folder / "out.json").read_bytes()


def lines_out(
    kind: str,
    folder: Path,
    parsed: ParsedImport,
    questions: list[Question] | None = None,
    **fields: Any,
) -> list[Any]:
    content = exported(kind, folder, parsed, questions, **fields)
    return [json.loads(line) for line in content.splitlines()]


def from_elsewhere(*questions: Question) -> ParsedImport:
    parsed = ParsedImport("", "", queries={"q": Query("q", "tides")})
    parsed.questions = {question.question_id: question for question in questions}
    return parsed


def read(kind: str, folder: Path, lines: Any) -> ParsedImport:
    return READERS[kind](written(folder, as_jsonl(lines), "bank.jsonl"))  # type: ignore[no-any-return]


# For all formats


@pytest.mark.parametrize("kind", BANKS)
def test_a_file_goes_out_as_it_came_and_comes_back_equal(
    kind: str, tmp_path: Path
) -> None:
    parsed = READERS[kind](written(tmp_path, sample(kind)))
    content = exported(kind, tmp_path, parsed)
    if kind not in ("bank", "nuggetizer"):  # lines in the order of queries
        came, out = (
            [json.loads(text)] if kind in DOCUMENTS else [*map(json.loads, lines)]
            for text in (sample(kind), content)
            for lines in [text.splitlines()]
        )
        assert json.dumps(out) == json.dumps(came)  # the order of keys, too
    again = READERS[kind](written(tmp_path, content))
    assert exported(kind, tmp_path, again) == content


@pytest.mark.parametrize("kind", BANKS)
def test_whatever_is_read_is_written_and_read_the_same(
    kind: str, tmp_path: Path
) -> None:
    chance = random.Random(f"{kind} comes back")
    whole = kind in DOCUMENTS
    values = [json.loads(sample(kind))] if whole else None
    rounds = 0
    while rounds < 25:
        lines = swapped(
            values or [json.loads(line) for line in sample(kind).splitlines()], chance
        )
        if not isinstance(lines, list):
            continue
        try:
            parsed = READERS[kind](written(tmp_path, as_jsonl(lines)))
            content = exported(kind, tmp_path, parsed)
        except (InputFileError, EvaluationError):
            continue
        again = READERS[kind](written(tmp_path, content))
        facts, facts_again = content_of(parsed), content_of(again)
        if kind in ("bank", "nuggetizer"):
            # Retired items stay; lines are written query by query.
            facts = {name: facts[name] for name in ("queries", "votes", "ideals")}
            facts_again = {name: facts_again[name] for name in facts}
        assert facts_again == facts
        assert exported(kind, tmp_path, again) == content
        rounds += 1


CHOICES = (("a", "the wind"), ("b", "the moon"), ("c", "the sun"))
KEYS = (  # answers, choices, aggregator
    (("zinc", "copper"), (), "OR"),
    (("copper", "zinc"), (), "AND"),
    (("the moon",), CHOICES, "OR"),
    ((), (("x", "sun"), ("y", "moon")), "OR"),
    ((), (), "OR"),
)


def items(workspace: Workspace, kind: str) -> dict[str | None, tuple[object, ...]]:
    """What the format of ``kind`` carries of each kept item, by the item's text."""
    exports = codecs()[kind].exports
    assert exports
    carries = exports.carries.things

    def facts(item: Question) -> tuple[object, ...]:
        keyed = "answers" in carries and item.kind == "question"
        return (
            item.query_id,
            item.choices if "choices" in carries else None,
            item.answers[: 1 if kind == "tqa" else None] if keyed else None,
            item.aggregator if "aggregators" in carries and keyed else None,
        )

    return {
        item.text: facts(item)
        for item in workspace.bank()
        if item.state == "kept" and f"kept {item.kind}s" in carries
    }


def assert_comes_back(workspace: Workspace, kind: str, folder: Path) -> None:
    file = folder / "bank.json"
    workspace.export(kind, file)
    with Workspace.open(folder / "again.db", create=True) as again:
        again.import_(bank=file)
        assert items(again, kind) == items(workspace, kind) != {}
    (folder / "again.db").unlink()


@pytest.mark.parametrize("kind", BANKS)
def test_what_was_edited_is_exported_as_it_is_now(kind: str, tmp_path: Path) -> None:
    came = written(tmp_path, sample(kind), "came.json")
    with Workspace.open(tmp_path / "a.db", create=True, judge="ann") as workspace:
        workspace.import_(bank=came)
        (unchanged,) = workspace.import_(bank=came)
        assert not unchanged.changed
        for answers, choices, aggregator in KEYS:
            edits = [
                SetKey(item.question_id, answers, choices, aggregator=aggregator)
                for item in workspace.bank()
                if item.text is not None
                and (item.answers, item.choices, item.aggregator)
                != (answers, choices, aggregator)
            ]
            workspace.apply(edits)
            assert_comes_back(workspace, kind, tmp_path)
        first, *_, last = workspace.bank()
        key = {"answers": ("tin",), "choices": (("a", "iron"), ("b", "tin"))}
        workspace.apply(Reword(first.question_id, "Which metal?", **key))
        workspace.apply(Add(first.query_id, "Which other?", first.kind, **key))
        workspace.apply(Retire(last.question_id))
        assert_comes_back(workspace, kind, tmp_path)


# NuggetBank v3


def test_questions_are_questions_and_claims_are_nuggets(tmp_path: Path) -> None:
    parsed = read("nuggetbank", tmp_path, nuggetbank_lines())
    assert parsed.queries == {
        "q1": Query("q1", "tides", "What makes tides? Æbler 🍏"),
        "q2": Query("q2", "rain"),
    }
    where, why, claim, again = parsed.questions.values()
    assert where == Question(
        f"q1/{md5(WHERE)}",
        "q1",
        WHERE,
        answers=("in Bergen", "à Paris"),
        provenance='{"created":[{"at":"2025-05-01","by":"ann"},{"model":"m"}]}',
        aggregator="AND",
    )
    assert (why.question_id, again.question_id) == ("q1/7", f"q2/{md5(WHERE)}")
    assert claim.kind == "nugget"
    # By the first creator who is named; the importance 1 of "Why?" is no vote.
    assert parsed.votes == {
        (where.question_id, "ann"): "vital",
        (claim.question_id, "m"): "okay",
    }
    assert parsed.notices == ["1 sub-nugget kept for exports, not asked here."]
    # what an export writes anyway is not kept
    assert [key[:2] for key in parsed.extras] == [
        ("nuggetbank_question", where.question_id),
        ("nuggetbank_question", "q1/7"),
        ("nuggetbank_question", claim.question_id),
        ("nuggetbank_line", "q1"),
    ]


@pytest.mark.parametrize(
    ("votes", "importance"),
    [("", None), ("v", "vital"), ("vo", "okay"), ("vvo", "vital")],
)
def test_the_importance_is_what_more_than_half_of_the_votes_say(
    tmp_path: Path, votes: str, importance: str | None
) -> None:
    words = {"v": "vital", "o": "okay"}
    cast = tuple((f"judge {n}", words[vote]) for n, vote in enumerate(votes))
    question = Question("q/a", "q", "Why?", votes=cast)  # type: ignore[arg-type]
    (line,) = lines_out("nuggetbank", tmp_path, from_elsewhere(question), [question])
    assert line["nugget_bank"]["Why?"].get("importance") == importance


def test_items_from_elsewhere_get_the_md5_of_their_text(tmp_path: Path) -> None:
    how = Question("q/f/b", "q", "How?", subtopic_id="f", answers=("So", "Thus"))
    how = replace(how, aggregator="AND", choices=(("A", "So"),))
    questions = [
        Question(f"q/{md5('Why?')}", "q", "Why?"),
        how,
        Question("q/c", "q", "It is", "nugget"),
        Question("q/d", "q", "Why?", subtopic_id="f"),  # the words of the first
        Question("q/e", "q", "What?", state="retired"),
        Question("q/g", "q", None),
    ]
    (line,) = lines_out(
        "nuggetbank",
        tmp_path,
        from_elsewhere(*questions),
        questions,
        authors=lambda: {"q/f/b": ("bob", "May")},
    )
    assert [*line["nugget_bank"]] == ["Why?", "How?"]
    assert line["nugget_bank"]["Why?"]["question_id"] == md5("Why?")
    assert line["nugget_bank"]["How?"] == {
        "question": "How?",
        "question_id": "q/f/b",
        "query_id": "q",
        "answers": {"So": {"answer": "So"}, "Thus": {"answer": "Thus"}},
        "aggregator_type": "AND",
        "metadata": {"facet_id": "f", "choices": {"A": "So"}},
        "creator": [
            {"is_human": True, "assessor_id": "bob", "creation_date": "May"},
        ],
    }
    assert line["claim_bank"]["It is"]["claim_id"] == "q/c"
    back = read("nuggetbank", tmp_path, [line]).questions["q/f/b"]
    assert back == replace(how, provenance='{"created":[{"at":"May","by":"bob"}]}')


# nuggetizer

MOON, DAY, YEAR = "The moon pulls 🌕", "Twice a day", "Once a year"


def test_the_nuggets_of_a_querys_lines_are_united_and_go_out_on_each(
    tmp_path: Path,
) -> None:
    first, second, third = nuggetizer_lines()
    parsed = read("nuggetizer", tmp_path, [first, second, third])
    assert list(parsed.questions) == [
        f"1/{md5(MOON)}",
        f"1/{md5(DAY)}",
        f"q2/{md5(MOON)}",
        f"1/{md5(YEAR)}",
    ]
    # "failed" and no importance are no votes
    assert parsed.votes == {
        (f"1/{md5(MOON)}", "nuggetizer"): "vital",
        (f"q2/{md5(MOON)}", "nuggetizer"): "okay",
    }
    assert lines_out("nuggetizer", tmp_path, parsed) == [first, third, second]


def retrieval_line(docid: str, *assignments: tuple[str, str | None]) -> dict[str, Any]:
    nuggets = [{"text": text, "assignment": word} for text, word in assignments]
    text = f"Text of {docid}"
    line = {"text": "tides", "qid": "q1", "candidate_text": text, "docid": docid}
    return line | {"nuggets": nuggets}


RETRIEVAL = [
    retrieval_line("p1", (MOON, "support"), (DAY, "partial_support")),
    retrieval_line("p2", (MOON, "not_support"), (DAY, "failed"), (YEAR, None)),
]


def test_assignments_to_passages_are_grades_of_a_grader(tmp_path: Path) -> None:
    path = written(tmp_path, as_jsonl(RETRIEVAL), "assigned.jsonl")
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        (summary,) = workspace.import_(bank=path)
        assert summary.new == {
            **{"queries": 1, "passages": 2, "pooled passages": 2},
            **{"nuggets": 3, "grades": 3},
        }
        graded = workspace.current_snapshot().matrices(
            "nuggetizer", workspace.bank(), ["q1"]
        )
        ratings = dict(zip(graded["q1"].item_ids, graded["q1"].ratings, strict=True))
        assert {one: row.tolist() for one, row in ratings.items()} == {
            f"q1/{md5(MOON)}": [5, 0],
            f"q1/{md5(DAY)}": [3, NOT_ASKED],
            f"q1/{md5(YEAR)}": [NOT_ASKED, NOT_ASKED],
        }
        (again,) = workspace.import_(bank=path)
        assert again.new == {}
        workspace.export("nuggetizer", tmp_path / "out.jsonl")
        lines = (tmp_path / "out.jsonl").read_text().splitlines()
        assert [*map(json.loads, lines)] == RETRIEVAL


# RAGTIME and nuggets with documents


def test_answers_are_all_needed_or_any_and_documents_are_ideal(tmp_path: Path) -> None:
    parsed = read_ragtime(written(tmp_path, as_jsonl(ragtime_lines())))
    first, *others = parsed.questions.values()
    assert first == Question(
        f"r1/{md5('Which metals?')}",
        "r1",
        "Which metals?",
        answers=("zinc", "copper"),
        aggregator="AND",
        provenance="{}",
    )
    assert {question.aggregator for question in others} == {"OR"}
    assert list(parsed.ideals) == [("r1", "d2"), ("r1", "d1"), ("r1", "d3")]
    assert set(parsed.votes.values()) == {"vital"}
    assert others[-1].subtopic_id == "r2/time"
