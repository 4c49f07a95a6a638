"""Nuggets of nuggetizer in and out: united here, on their own lines again outside."""

import io
import json
import random

import pytest

from curator.bank.questions import Question
from curator.collection.pools import Query
from curator.errors import InputFileError
from curator.formats.nuggets.nuggetizer import (
    nuggetizer_lines as lines_out,
)
from curator.formats.nuggets.nuggetizer import (
    read_nuggetizer,
    writable_nuggets,
)
from curator.formats.recognition import reader_of
from curator.formats.text.json_text import json_line
from curator.workspace import Workspace
from grading.ratings import NOT_ASKED
from tests.formats.test_mutated_files import swapped
from tests.formats.test_nuggetbank import with_votes
from tests.samples.files import (
    as_jsonl,
    bank_lines,
    content_of,
    md5,
    nuggetbank_lines,
    nuggetizer_lines,
    written,
)

MOON, DAY, YEAR = "The moon pulls 🌕", "Twice a day", "Once a year"


def write_nuggetizer(stream, queries, nuggets, **options):
    for _, line in lines_out(queries, nuggets, **options):
        stream.write(json_line(line))


def read(tmp_path, lines):
    return read_nuggetizer(written(tmp_path, as_jsonl(lines), "nuggets.jsonl"))


def text_written(parsed, questions=None):
    stream = io.StringIO()
    nuggets = writable_nuggets(with_votes(parsed) if questions is None else questions)
    write_nuggetizer(stream, parsed.queries.values(), nuggets, extras=parsed.extras)
    return stream.getvalue()


def lines_written(parsed, questions=None):
    return [json.loads(x) for x in text_written(parsed, questions).splitlines()]


def test_the_nuggets_of_a_querys_lines_are_united(tmp_path):
    parsed = read(tmp_path, nuggetizer_lines())
    assert parsed.queries == {"1": Query("1", "tides"), "q2": Query("q2", "rain")}
    assert list(parsed.questions.values()) == [
        Question(f"1/{md5(MOON)}", "1", MOON, "nugget"),
        Question(f"1/{md5(DAY)}", "1", DAY, "nugget"),
        Question(f"q2/{md5(MOON)}", "q2", MOON, "nugget"),
        Question(f"1/{md5(YEAR)}", "1", YEAR, "nugget"),
    ]
    # "failed" and no importance are no votes
    assert parsed.votes == {
        (f"1/{md5(MOON)}", "nuggetizer"): "vital",
        (f"q2/{md5(MOON)}", "nuggetizer"): "okay",
    }
    assert parsed.notices == [
        "2 assignments of a nugget to a response: kept for exports, not as a grade, "
        "because only passages have grades."
    ]


def test_every_line_goes_out_as_it_came_beside_the_others_of_its_query(tmp_path):
    first, second, third = nuggetizer_lines()
    parsed = read(tmp_path, [first, second, third])
    text = text_written(parsed)
    in_order = [first, third, second]
    assert text == "".join(json.dumps(x, ensure_ascii=False) + "\n" for x in in_order)
    again = read_nuggetizer(written(tmp_path, text.encode()))
    assert text_written(again) == text


def test_what_an_export_writes_anyway_is_not_kept_beside(tmp_path):
    extras = read(tmp_path, nuggetizer_lines()).extras
    assert list(extras) == [
        ("nuggetizer_line", "1\tsys\t0", "nuggetizer"),
        ("nuggetizer_line", "1\tother\t0", "nuggetizer"),
    ]


def test_what_was_changed_here_changes_on_every_line(tmp_path):
    parsed = read(tmp_path, nuggetizer_lines())
    moon, day, rain, year = with_votes(parsed)
    new = Question("1/n", "1", "New", "nugget")
    reworded = Question(day.question_id, "1", "Twice daily", "nugget")
    okay = Question(
        moon.question_id, "1", MOON, "nugget", votes=(("ann", "okay"), *moon.votes)
    )
    lines = lines_written(parsed, [okay, reworded, rain, new])  # year is retired
    assert [line.get("run_id") for line in lines] == ["sys", "other", None]
    assert lines[0]["nuggets"] == [
        {
            "text": MOON,
            "importance": "okay",
            "assignment": "support",
            "z_nugget": {"b": 1, "a": 2},
        },
        {
            "text": "Twice daily",
            "importance": "failed",
            "assignment": None,
            "nugget_id": f"1/{md5(DAY)}",  # by which it is known again
        },
        {"text": "New", "nugget_id": "1/n"},
    ]
    assert [one["text"] for one in lines[1]["nuggets"]] == [MOON, "New"]
    again = read(tmp_path, lines)
    assert list(again.questions) == [
        moon.question_id,
        day.question_id,
        "1/n",
        rain.question_id,
    ]
    assert year.question_id not in again.questions


def test_a_retrieval_line_says_text_for_query_and_names_a_document(tmp_path):
    line = {
        "text": "tides",
        "qid": "q",
        "candidate_text": "The moon.",
        "docid": "d1",
        "nuggets": [{"text": DAY, "importance": "okay", "assignment": "support"}],
    }
    parsed = read(tmp_path, [line, line | {"docid": "d2"}])
    assert parsed.queries["q"].title == "tides"
    assert [key for _, key, _ in parsed.extras] == ["q\td1\t0", "q\td2\t0"]
    assert lines_written(parsed) == [line, line | {"docid": "d2"}]


def test_a_nugget_that_stands_twice_counts_once_and_goes_out_twice(tmp_path):
    nuggets = [{"text": DAY, "importance": "okay"}] * 2
    line = {"query": "tides", "qid": "q", "nuggets": nuggets}
    parsed = read(tmp_path, [line])
    assert len(parsed.questions) == 1
    assert parsed.notices == [
        "1 nugget with the same text as another of the line, counted once."
    ]
    assert lines_written(parsed) == [line]


def test_later_lines_that_say_otherwise_are_noticed_and_kept(tmp_path):
    lines = [
        {"query": title, "qid": "q", "nuggets": [{"text": DAY, "importance": vote}]}
        for title, vote in (("tides", "vital"), ("ebb", "okay"))
    ]
    parsed = read(tmp_path, lines)
    assert parsed.queries["q"].title == "tides"
    assert parsed.votes == {(f"q/{md5(DAY)}", "nuggetizer"): "vital"}
    assert parsed.notices == [
        "1 nugget with another importance than on an earlier line, which counts as the "
        "vote.",
        "1 line with another text of the query than an earlier line, whose text is "
        "kept.",
    ]
    out = lines_written(parsed)
    assert [line["nuggets"][0]["importance"] for line in out] == ["vital", "okay"]


def test_ids_that_are_not_the_md5_of_the_text_come_back(tmp_path):
    nugget = Question("q/f/x", "q", DAY, "nugget", subtopic_id="f")
    stream = io.StringIO()
    write_nuggetizer(stream, [Query("q", "tides"), Query("none")], [nugget])
    assert json.loads(stream.getvalue()) == {
        "query": "tides",
        "qid": "q",
        "nuggets": [{"text": DAY, "nugget_id": "q/f/x"}],
    }
    again = read_nuggetizer(written(tmp_path, stream.getvalue().encode()))
    assert list(again.questions) == ["q/f/x"]
    assert again.extras == {}


@pytest.mark.parametrize(
    ("lines", "taken_for"),
    [
        (nuggetizer_lines(), "nuggets of nuggetizer"),
        (nuggetbank_lines(), "a NuggetBank (v3)"),
        (bank_lines(), "a question bank"),
        ([{"qid": "q/a", "question": "Why?", "query_id": "q"}], "a question bank"),
    ],
)
def test_each_family_of_banks_is_told_by_its_first_record(tmp_path, lines, taken_for):
    path = written(tmp_path, b"\n" + as_jsonl(lines))
    assert reader_of("bank")(path).taken_for == taken_for


def test_whatever_is_read_is_written_and_read_the_same(tmp_path):
    chance = random.Random("nuggetizer comes back")
    read_again = 0
    while read_again < 40:
        lines = swapped(nuggetizer_lines(), chance)
        if not isinstance(lines, list):
            continue
        try:
            parsed = read_nuggetizer(written(tmp_path, as_jsonl(lines)))
        except InputFileError:
            continue
        text = text_written(parsed)
        again = read_nuggetizer(written(tmp_path, text.encode()))
        facts, facts_again = content_of(parsed), content_of(again)
        # Lines are written query by query, so they stand elsewhere.
        del facts["extras"], facts_again["extras"]
        assert facts_again == facts
        assert text_written(again) == text
        read_again += 1


def test_a_full_query_is_the_background_and_goes_out_as_it_came(tmp_path):
    nugget = {"text": "Twice a day.", "reasoning": "So it says.", "trace": {"m": 1}}
    lines = [
        {
            "query": "tides",
            "qid": "q1",
            "full_query": "Why tides?",
            "nuggets": [nugget],
        },
        {"query": "rain", "qid": "q2", "full_query": {"x": 1}, "nuggets": [nugget]},
    ]
    file = written(tmp_path, as_jsonl(lines), "v4.jsonl")
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(bank=file)
        queries = workspace.collection().queries
        assert [one.background for one in queries] == ["Why tides?", None]
        workspace.export("nuggetizer", tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_bytes() == file.read_bytes()


def retrieval_line(docid, *assignments):
    nuggets = [{"text": text, "assignment": word} for text, word in assignments]
    text = f"Text of {docid}"
    line = {"text": "tides", "qid": "q1", "candidate_text": text, "docid": docid}
    return line | {"nuggets": nuggets}


RETRIEVAL = [
    retrieval_line("p1", (MOON, "support"), (DAY, "partial_support")),
    retrieval_line("p2", (MOON, "not_support"), (DAY, "failed"), (YEAR, None)),
]


def test_assignments_to_passages_are_grades_of_a_grader(tmp_path):
    path = written(tmp_path, as_jsonl(RETRIEVAL), "assigned.jsonl")
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        (summary,) = workspace.import_(bank=path)
        assert summary.new == {
            **{"queries": 1, "passages": 2, "pooled passages": 2},
            **{"nuggets": 3, "grades": 3},
        }
        assert summary.notices == (
            "1 assignment other than support, partial_support, not_support: unknown.",
        )
        graded = workspace.current_snapshot().matrices(
            "nuggetizer", workspace.bank(), ["q1"]
        )
        assert graded["q1"].pool.passage_ids == ("p1", "p2")
        ratings = dict(zip(graded["q1"].item_ids, graded["q1"].ratings, strict=True))
        unknown = NOT_ASKED
        assert {one: row.tolist() for one, row in ratings.items()} == {
            f"q1/{md5(MOON)}": [5, 0],
            f"q1/{md5(DAY)}": [3, unknown],
            f"q1/{md5(YEAR)}": [unknown, unknown],
        }
        (again,) = workspace.import_(bank=path)
        assert again.new == {}
        workspace.export("nuggetizer", tmp_path / "out.jsonl")
        exported = (tmp_path / "out.jsonl").read_text().splitlines()
        assert [json.loads(line)["docid"] for line in exported] == ["p1", "p2"]


def test_one_text_has_one_assignment_and_one_id_one_text(tmp_path):
    same = retrieval_line("p3", (MOON, "not_support")) | {
        "candidate_text": "Text of p1"
    }
    parsed = read(tmp_path, [*RETRIEVAL, same])
    (grades,) = parsed.grades
    assert "p3" not in grades.passage_ids
    assert any("differs from an earlier" in notice for notice in parsed.notices)
    other = RETRIEVAL[0] | {"candidate_text": "Another text"}
    with pytest.raises(InputFileError, match="line 3: passage 'p1' has two texts"):
        read(tmp_path, [*RETRIEVAL, other])
