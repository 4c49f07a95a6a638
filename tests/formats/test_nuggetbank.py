"""NuggetBanks v3 in and out: what maps where, and that nothing is lost on the way."""

import io
import json
import random
from dataclasses import replace

import pytest

from curator.bank.questions import Question
from curator.collection.pools import Query
from curator.errors import InputFileError
from curator.formats.nuggets.banks import read_nuggetbank
from curator.formats.nuggets.items import writable
from curator.formats.nuggets.read import V3
from curator.formats.nuggets.write import bank_lines
from curator.formats.recognition import reader_of
from curator.formats.text.json_text import json_line
from tests.formats.test_mutated_files import swapped
from tests.samples.files import as_jsonl, content_of, md5, nuggetbank_lines, written

WHERE = "Where does rain fall?"


def write_nuggetbank(stream, queries, questions, **options):
    for _, line in bank_lines(V3, queries, questions, **options):
        stream.write(json_line(line))


def read(tmp_path, lines):
    return read_nuggetbank(written(tmp_path, as_jsonl(lines), "bank.jsonl"))


def with_votes(parsed):
    """The questions with the file's votes, as a workspace has them."""
    votes = {}
    for (question_id, judge), vote in parsed.votes.items():
        votes.setdefault(question_id, []).append((judge, vote))
    for one in parsed.questions.values():
        fields = {name: getattr(one, name) for name in Question.__slots__}
        fields["votes"] = tuple(votes.get(one.question_id, ()))
        yield Question(**fields)


def text_written(parsed, **options):
    stream = io.StringIO()
    queries, questions = parsed.queries.values(), writable(with_votes(parsed))
    extras = parsed.extras
    write_nuggetbank(stream, queries, questions, extras=extras, **options)
    return stream.getvalue()


def one_entry(**fields):
    """A file of one query and one question, changed."""
    entry = {"question": "Why?", "query_id": "q"} | fields
    return [{"query_id": "q", "nugget_bank": {"Why?": entry}}]


def test_questions_are_questions_and_claims_are_nuggets(tmp_path):
    parsed = read(tmp_path, nuggetbank_lines())
    assert parsed.queries == {
        "q1": Query("q1", "tides", "What makes tides? Æbler 🍏"),
        "q2": Query("q2", "rain"),
    }
    assert list(parsed.questions.values()) == [
        Question(
            f"q1/{md5(WHERE)}",
            "q1",
            WHERE,
            answers=("in Bergen", "à Paris"),
            provenance='{"created":[{"at":"2025-05-01","by":"ann"},{"model":"m"}]}',
            aggregator="AND",
        ),
        Question("q1/7", "q1", "Why?"),
        Question(
            f"q1/{md5('Twice a day')}",
            "q1",
            "Twice a day",
            "nugget",
            provenance='{"created":[{"model":"m"}]}',
        ),
        Question(f"q2/{md5(WHERE)}", "q2", WHERE),
    ]
    # By the first creator who is named; the importance 1 of "Why?" is no vote.
    assert parsed.votes == {
        (f"q1/{md5(WHERE)}", "ann"): "vital",
        (f"q1/{md5('Twice a day')}", "m"): "okay",
    }
    assert parsed.notices == ["1 sub-nugget kept for exports, not asked here."]


def test_a_bank_goes_out_as_it_came_unknown_fields_and_their_order_too(tmp_path):
    lines = nuggetbank_lines()
    parsed = read(tmp_path, lines)
    text = text_written(parsed)
    assert text == "".join(json.dumps(x, ensure_ascii=False) + "\n" for x in lines)
    again = read_nuggetbank(written(tmp_path, text.encode()))
    assert content_of(again) == content_of(parsed)


def test_what_an_export_writes_anyway_is_not_kept_beside(tmp_path):
    extras = read(tmp_path, nuggetbank_lines()).extras
    assert [key[:2] for key in extras] == [
        ("nuggetbank_question", f"q1/{md5(WHERE)}"),
        ("nuggetbank_question", "q1/7"),
        ("nuggetbank_question", f"q1/{md5('Twice a day')}"),
        ("nuggetbank_line", "q1"),
    ]


def test_lists_stay_lists_and_one_bank_may_stand_over_many_lines(tmp_path):
    bank = {
        "test_collection": "demo",
        "query_id": 301,
        "nugget_bank": [
            {"question": "Why?", "answers": [{"answer": "So", "references": ["d1"]}]},
            {"question": "How?"},
        ],
    }
    parsed = reader_of("bank")(written(tmp_path, json.dumps(bank, indent=2).encode()))
    assert list(parsed.queries) == ["301"]
    assert [one.text for one in parsed.questions.values()] == ["Why?", "How?"]
    assert parsed.questions[f"301/{md5('Why?')}"].answers == ("So",)
    assert [json.loads(x) for x in text_written(parsed).splitlines()] == [bank]


def test_a_query_without_an_id_is_known_by_its_title_as_autojudge_does(tmp_path):
    line = {"title_query": "tides", "nugget_bank": {}}
    assert list(read(tmp_path, [line]).queries) == [md5("tides")]


@pytest.mark.parametrize(
    ("own", "question_id", "back"),
    [
        (None, f"q/{md5('Why?')}", None),
        ("7", "q/7", "7"),
        (7, "q/7", 7),
        ("q/f/7", "q/f/7", "q/f/7"),
        ("p/7", "q/p/7", "p/7"),
    ],
)
def test_our_ids_begin_with_the_query_and_theirs_go_out(
    tmp_path, own, question_id, back
):
    parsed = read(tmp_path, one_entry(question_id=own))
    assert list(parsed.questions) == [question_id]
    (line,) = map(json.loads, text_written(parsed).splitlines())
    assert line["nugget_bank"]["Why?"]["question_id"] == back


@pytest.mark.parametrize(
    ("creator", "judge"),
    [
        (None, "nuggetbank"),
        ([{"is_human": True}], "nuggetbank"),
        ([{"is_human": True, "assessor_id": "ann", "llm_model": "m"}], "ann"),
        ([{"is_human": False, "assessor_id": "ann", "llm_model": "m"}], "m"),
        ([{"is_human": False, "llm_model": "m"}, {"assessor_id": "ann"}], "m"),
    ],
)
def test_an_importance_is_a_vote_of_the_first_creator_who_is_named(
    tmp_path, creator, judge
):
    parsed = read(tmp_path, one_entry(importance="okay", creator=creator))
    assert list(parsed.votes) == [(f"q/{md5('Why?')}", judge)]


def test_items_from_elsewhere_get_the_md5_of_their_text(tmp_path):
    questions = [
        Question(f"q/{md5('Why?')}", "q", "Why?", votes=(("ann", "vital"),)),
        Question("q/f/b", "q", "How?", subtopic_id="f", answers=("So",)),
        Question("q/c", "q", "It is", "nugget"),
        Question("q/d", "q", "Why?", subtopic_id="f"),  # the words of the first
        Question("q/e", "q", "What?", state="retired"),
        Question("q/g", "q", None),
    ]
    stream = io.StringIO()
    queries = [Query("q", "tides"), Query("none", "empty")]
    write_nuggetbank(
        stream,
        queries,
        writable(questions),
        authors={"q/f/b": ("bob", "2025-05-01T00:00:00Z")},
        test_collection="demo",
    )
    by_bob = {
        "is_human": True,
        "assessor_id": "bob",
        "creation_date": "2025-05-01T00:00:00Z",
    }
    assert [json.loads(line) for line in stream.getvalue().splitlines()] == [
        {
            "query_id": "q",
            "title_query": "tides",
            "test_collection": "demo",
            "format_version": "v3",
            "nugget_bank": {
                "Why?": {
                    "question": "Why?",
                    "question_id": md5("Why?"),
                    "query_id": "q",
                    "importance": "vital",
                },
                "How?": {
                    "question": "How?",
                    "question_id": "q/f/b",
                    "query_id": "q",
                    "answers": {"So": {"answer": "So"}},
                    "metadata": {"facet_id": "f"},
                    "creator": [by_bob],
                },
            },
            "claim_bank": {
                "It is": {"claim": "It is", "claim_id": "q/c", "query_id": "q"}
            },
        }
    ]


@pytest.mark.parametrize(
    ("votes", "importance"),
    [
        ("", None),
        ("v", "vital"),
        ("o", "okay"),
        ("vo", "okay"),  # not more than half
        ("vvo", "vital"),
    ],
)
def test_the_importance_is_what_more_than_half_of_the_votes_say(
    tmp_path, votes, importance
):
    words = {"v": "vital", "o": "okay"}
    said = tuple((f"judge {n}", words[vote]) for n, vote in enumerate(votes))
    stream = io.StringIO()
    write_nuggetbank(stream, [Query("q")], [Question("q/a", "q", "Why?", votes=said)])
    entry = json.loads(stream.getvalue())["nugget_bank"]["Why?"]
    assert entry.get("importance") == importance


def test_another_version_of_this_shape_is_read_and_noticed(tmp_path):
    parsed = read(tmp_path, [one_entry()[0] | {"format_version": "v4"}])
    assert parsed.notices == ["1 other format_version, read as v3 is: 'v4'."]


def test_another_version_of_another_shape_is_refused_by_its_version(tmp_path):
    line = {"query_id": "q", "format_version": "v4", "nugget_bank": "no"}
    with pytest.raises(InputFileError) as error:
        read(tmp_path, [line])
    assert str(error.value) == (
        "bank.jsonl, line 1: nugget_bank is 'no'; expected an object by text, or a "
        "list. The bank's format_version is 'v4', and v3 is what is read here: convert "
        "it with autojudge-base."
    )


def test_whatever_is_read_is_written_and_read_the_same(tmp_path):
    chance = random.Random("nuggetbank comes back")
    read_again = 0
    while read_again < 40:
        lines = swapped(nuggetbank_lines(), chance)
        if not isinstance(lines, list):
            continue
        try:
            parsed = read_nuggetbank(written(tmp_path, as_jsonl(lines)))
        except InputFileError:
            continue
        text = text_written(parsed)
        again = read_nuggetbank(written(tmp_path, text.encode()))
        assert content_of(again) == content_of(parsed)
        assert text_written(again) == text
        read_again += 1


def same_words(**claim):
    """A bank whose claim has its question's words, and so mostly its id."""
    return {
        "query_id": "q",
        "nugget_bank": {"Tides": {"question": "Tides", "question_id": md5("Tides")}},
        "claim_bank": {"Tides": {"claim": "Tides"} | claim},
    }


@pytest.mark.parametrize("claim", [{}, {"claim_id": md5("Tides")}])
def test_a_claim_in_a_questions_words_is_an_item_of_its_own(tmp_path, claim):
    parsed = read(tmp_path, [same_words(**claim)])
    assert {one.question_id: one.kind for one in parsed.questions.values()} == {
        f"q/{md5('Tides')}": "question",
        f"q/claim/{md5('Tides')}": "nugget",
    }
    text = text_written(parsed)
    assert json.loads(text) == same_words(**claim)
    assert content_of(read(tmp_path, [json.loads(text)])) == content_of(parsed)


@pytest.mark.parametrize("claim", [{}, {"claim_id": md5("Tides")}])
def test_such_a_claim_keeps_its_id_when_the_question_is_gone(tmp_path, claim):
    parsed = read(tmp_path, [same_words(**claim)])
    del parsed.questions[f"q/{md5('Tides')}"]
    line = json.loads(text_written(parsed))
    assert line["claim_bank"]["Tides"]["claim_id"] == f"q/claim/{md5('Tides')}"
    assert list(read(tmp_path, [line]).questions) == [f"q/claim/{md5('Tides')}"]


def with_answers(*answers, **fields):
    return one_entry(answers=[{"answer": one} for one in answers], **fields)


@pytest.mark.parametrize(
    ("lines", "aggregator"),
    [
        (with_answers("a", "b", aggregator_type="AND"), "AND"),
        (with_answers("a", "b", aggregator_type="OR"), "OR"),
        (with_answers("a", "b", aggregator_type="SUM"), "OR"),
        (with_answers("a", "b"), "OR"),
        # of a single answer there is nothing to say, and it goes out as it came
        (with_answers("a", aggregator_type="AND"), "OR"),
    ],
)
def test_an_aggregator_says_how_many_answers_are_needed(tmp_path, lines, aggregator):
    parsed = read(tmp_path, lines)
    (question,) = parsed.questions.values()
    assert question.aggregator == aggregator
    assert [json.loads(text_written(parsed))] == lines
    noted = [one for one in parsed.notices if "other than AND and OR" in one]
    assert len(noted) == ("SUM" in str(lines))


def test_an_aggregator_that_was_changed_here_is_written(tmp_path):
    parsed = read(tmp_path, with_answers("a", "b", aggregator_type="AND"))
    (question,) = parsed.questions.values()
    parsed.questions[question.question_id] = replace(question, aggregator="OR")
    (entry,) = json.loads(text_written(parsed))["nugget_bank"].values()
    assert entry["aggregator_type"] == "OR"
    fresh = Question("q/1", "q", "Why?", answers=("a", "b"), aggregator="AND")
    stream = io.StringIO()
    write_nuggetbank(stream, [Query("q")], [fresh])
    assert read(tmp_path, [json.loads(stream.getvalue())]).questions["q/1"] == fresh
