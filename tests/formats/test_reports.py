"""Generated reports are read as runs whose passages were cut from each response."""

import json
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.collection.citations import CITATIONS, CitedSpan, split_spans
from curator.errors import InputFileError
from curator.formats.reports import read_reports
from tests.samples.files import as_jsonl, report_lines, written


def read(folder, lines):
    return read_reports(written(folder, as_jsonl(lines)))


def response(run_id, topic_id, *texts, **fields):
    return {
        "metadata": {"run_id": run_id, "topic_id": topic_id},
        "responses": [{"text": text} for text in texts],
    } | fields


def test_a_run_is_a_system_a_topic_a_query_and_places_are_ranks(tmp_path):
    # by hand: a sentence has 4 words and a mark, so 80 fill a passage of 400
    parsed = read(tmp_path, [response("r", 7, *["Here are four words."] * 100)])
    (ranking,) = parsed.rankings
    assert (ranking.system, ranking.query_id) == ("r", "7")
    assert [(slot.passage_id, slot.score) for slot in ranking.slots] == [
        (passage_id, 1 / rank)
        for rank, passage_id in enumerate(parsed.passages, start=1)
    ]
    assert [one[0] + one[-2:] for one in parsed.passages] == ["7/1", "7/2"]
    first, second = parsed.passages.values()
    assert (len(first.split()), len(second.split())) == (320, 80)
    assert first + second == " ".join(["Here are four words."] * 100)


def test_the_three_spellings_are_read_and_what_was_taken_is_said(tmp_path):
    parsed = read(tmp_path, report_lines())
    assert [(r.system, r.query_id, len(r.slots)) for r in parsed.rankings] == [
        ("run a", "q1", 1),
        ("run a", "2", 1),
        ("b", "q1", 0),
    ]
    assert list(parsed.passages.values()) == [
        "Tides follow the moon. Æbler: 20 % 🍏",
        "Rain falls.",
    ]
    assert parsed.notices == [
        "1 line read by the field narrative_id, as there is no topic_id.",
        "1 line read by the field request_id, as there is no topic_id.",
        "1 line read by the field answer, as there is no responses.",
        "1 response without text, answering nothing and scored 0: b on q1.",
    ]
    assert "passages of up to 400 tokens of 'words'" in parsed.taken_for


def test_a_topic_answered_twice_by_a_run_is_refused_with_both_places(tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    written(folder, as_jsonl([response("a", 1, "A.")]), "a.jsonl")
    written(folder, as_jsonl([response("b", 1, "B."), response("a", "1", "C.")]), "b")
    with pytest.raises(InputFileError) as error:
        read_reports(folder)
    assert str(error.value) == (
        "b, line 2: run 'a' answers topic '1' here and in a.jsonl, line 1; keep one, "
        "or give the runs two names."
    )


def cited(parsed):
    """What is kept of citations, by topic and run."""
    kept = parsed.extras.items()
    found = {key: json.loads(text) for (of, key, _), text in kept if of == CITATIONS}
    return {key: one["passages"] for key, one in found.items()}


def citing(run_id, *entries, **fields):
    pairs = [{"text": text, "citations": of} for text, of in entries]
    return {"run_id": run_id, "topic_id": "q", "answer": pairs} | fields


def test_citations_are_read_in_their_three_forms_with_places_of_sentences(tmp_path):
    lines = [
        citing("rag", ("One. ", [1, 0, 1]), ("Two.", [2, -1]), references=["a", "b"]),
        citing("ragtime", ("One.", {"a": 0.5, "b": 1}), ("Two.", None)),
        citing("neuclir", (" ", ["z"]), ("One.", []), (" Two. ", ["c", "a"])),
        citing("none", ("One.", [])),
    ]
    parsed = read(tmp_path, lines)
    # by hand: "One. Two." has its sentences at 0 to 4 and 5 to 9
    assert cited(parsed) == {
        "q\trag": [[[0, 4, ["b", "a"]]]],
        "q\tragtime": [[[0, 4, ["a", "b"]]]],
        "q\tneuclir": [[[5, 9, ["c", "a"]]]],
    }
    assert parsed.notices[-1] == (
        "2 citations of positions that references does not have, ignored."
    )


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 2, st.booleans()), max_size=8),
       st.lists(st.integers(1, 6), max_size=8))  # fmt: skip
def test_a_stretch_cites_in_every_passage_that_has_some_of_it(entries, lengths):
    end, stretches = 0, []
    for gap, length, cites in entries:
        start, end = end + gap, end + gap + length
        stretches.append(CitedSpan(start, end, ("d",) * cites))
    found = split_spans(stretches, ["x" * one for one in lengths])
    borders = [*accumulate(lengths, initial=0)]
    assert [[one[:2] for one in here] for here in found] == [
        [
            (max(one.start, low) - low, min(one.end, high) - low)
            for one in stretches
            if one.cited and max(one.start, low) < min(one.end, high)
        ]
        for low, high in pairwise(borders)
    ]
