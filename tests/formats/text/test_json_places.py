"""The line of a JSON document at which something is wrong, once it is.

Every document here is written so that its lines can be counted by eye.
"""

import pytest

from curator.errors import InputFileError
from curator.formats.nuggetbank import read_nuggetbank
from curator.formats.nuggetizer import read_nuggetizer
from curator.formats.queries import read_queries
from curator.formats.recognition import option_for, reader_of, recognised
from curator.formats.text.json_text import (
    JsonDocument,
    beginning,
    first_value,
    is_document,
    line_at,
    place_of,
)
from curator.formats.tqa import read_tqa
from curator.formats.trec.official_ranks import read_official_ranks
from tests.samples.files import written

TEXT = """
{"a": [1,
  {"b": "}]",
   "c\\u0064": null}
 ],
 "e": {},
 "f":
  3
}"""


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ((), 2),
        (("a",), 2),
        (("a", 0), 2),
        (("a", 1), 3),
        (("a", 1, "b"), 3),
        (("a", 1, "cd"), 4),  # a key may be written with escapes
        (("e",), 6),
        (("f",), 7),  # of the key, as it may be what is wrong
        (("a", 1, "no"), 3),  # what is missing is missing where it should be
        (("a", 7), 2),
        (("no", "b"), 2),
        (("e", "no"), 6),
        (("f", "no"), 7),
    ],
)
def test_keys_lead_to_the_line_of_an_entry_or_of_what_should_hold_it(keys, line):
    assert line_at(TEXT, place_of(TEXT, keys)) == line
    assert line_at(TEXT, place_of(TEXT + " rubbish", keys)) == line


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{\n"a": 1,\n"b": 2,\n"a": 3}', "line 4: names 'a' twice"),
        (
            b'[{"a": 1,\n"b": {"a": 2}},\n{"a": "a",\n"a": 3}]',
            "line 4: names 'a' twice",
        ),
        (b'[{"a": ["a", "a"],\n"\\u0061": 3}]', "line 2: names 'a' twice"),
        (b'[1,\n"NaN",\nNaN]', "line 3: holds NaN"),
        (b"[1,\n-Infinity, NaN]", "line 2: holds -Infinity"),
        (b"[1,\n" + b"9" * 5000 + b"]", "line 2: holds a number of thousands"),
        (b"[1,\n[2],\n" + b"[" * 100_000, "line 3: nests"),
        (b'["\\\\u0000",\n"a\\u0000"]', "line 2: 'a\\\\x00' holds a NUL"),
        (b'{"a": 1,\n"b\\ud800": 2}', "line 2: .* half a character"),
        (b'{"a": 1\n"b": 2}', "line 1: is not JSON at its end: Expecting ','"),
        (b'{"a"\n\n"b": 2}', "line 1: is not JSON at its end: Expecting ':'"),
        (b'{"a": 1,\n]', "line 2: is not JSON at column 1: .* before '\\]'"),
        (b'{"a": 1}\n}', "line 2: is not JSON at column 1: Extra data"),
        (b'{"a": 1,\n"b": "c,\n' + b" " * 30 + b'"d": 2}', "line 2: .* close the text"),
        (
            b'{"a": 1,\n"b": [2,\n\n',
            "line 2: is not JSON: it breaks off after column 8; it may be cut",
        ),
    ],
)
def test_what_is_no_json_is_refused_with_its_line(tmp_path, content, said):
    document = JsonDocument(written(tmp_path, content), content.decode())
    with pytest.raises(InputFileError, match=f"^input.txt, {said}"):
        document.value()


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ('{"a":\n{"b": 1}}', True),
        ('{"a":\n{"b": 1}\n}', True),
        ('[\n{"a": 1}\n]', True),
        ('{\n"a": 1}', True),
        ('{\n"a" 1}', True),
        ('{"a": 1}\n{"a": 2}', False),
        ('{"a": 1}', False),
        ('{"a":\n{"a": 2}\n{"a": 3}', False),  # the first of three objects is cut
        ('{"a": 1\n{"a": 2}', False),
        ('{"a": "tex\n{"a": 2}', False),
        ('{"a" 1\n}', False),  # its first line is wrong however it is read
    ],
)
def test_a_document_begins_with_a_line_that_is_right_as_far_as_it_goes(text, whole):
    assert is_document(text) is whole


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1, "b": [2, {"c": 3, "d"', {"a": 1, "b": [2, {"c": 3}]}),
        (
            '[{"globalID": "L", "topics": {"T": {"x" 1}}}, 2]',
            [{"globalID": "L", "topics": {"T": {}}}],
        ),
        ('[1, {"a": 2}', [1, {"a": 2}]),
        ("{", {}),
        ("", None),
        ("3", 3),
    ],
)
def test_the_beginning_of_a_damaged_value_is_what_can_be_read(text, found):
    assert beginning(text) == found


TQA = """[
 {"globalID": "L_1",
  "lessonName": "tides",
  "questions": {"nonDiagramQuestions": {
   "N_1": {
    "beingAsked": {"processedText": "Why?"},
    "answerChoices": {
     "a": {"processedText": "sun"}},
    "correctAnswer": {"processedText": "a"}}}}},
 {"globalID": "L_2",
  "topics": {
   "T_1": {"content":
    {"text": "Rain falls."}}}}
]
"""
NUGGETS = """{
 "query_id": "q1",
 "title_query": "tides",
 "nugget_bank": {
  "Why?": {
   "question": "Why?",
   "answers": {
    "moon": {"answer": "moon"}
   }},
  "When?": {"question": "When?", "question_id": "w",
   "query_id": "q1"}
 }}
"""


def damaged(text, old, new):
    assert text.count(old) == 1
    return text.replace(old, new).encode()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"lessonName": "tides"', '"lessonName": 3', "line 3: .*lessonName is 3"),
        ('"Why?"', "3", "line 6: lesson 'L_1', question 'N_1': processedText of"),
        ('"sun"', "[]", "line 8: lesson 'L_1', question 'N_1': .* a list of 0"),
        ('"processedText": "a"', '"processedText": 5', "line 9: .*correctAnswer is 5"),
        ('"L_2"', '"L_1"', "line 10: lesson 'L_1': occurs twice"),
        ('"Rain falls."', "7", "line 13: lesson 'L_2', topic 'T_1': text is 7"),
        ('"N_1": {', '"N_1": {"beingAsked": {},', "line 6: names 'beingAsked' twice"),
        ('"globalID": "L_2"', '"globalID" "L_2"', "line 10: is not JSON at column 14"),
        ('"globalID": "L_1"', '"globalID" "L_1"', "line 2: is not JSON at column 14"),
        ("\n]\n", "\n", "line 13: is not JSON: .*it may be cut"),
    ],
)
def test_a_lesson_that_is_wrong_is_named_with_the_line_of_what_is(
    tmp_path, old, new, said
):
    path = written(tmp_path, damaged(TQA, old, new))
    for read in (read_tqa, reader_of("bank")):
        with pytest.raises(InputFileError, match=f"^input.txt, {said}"):
            read(path)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"q1",\n "title', '"q 1",\n "title', "line 2: query_id 'q 1' holds a blank"),
        ('"tides"', "3", "line 3: title_query is 3"),
        ('"question": "Why?"', '"question": "Who?"', "line 6: .*they must agree"),
        ('"answer": "moon"', '"answer": 3', "line 8: answer of .* is 3"),
        ('"w"', '"w w"', "line 10: question_id 'w w' holds a blank"),
        ('"q1"}', '"q2"}', "line 11: .* names query_id 'q2'"),
        ('"query_id": "q1",', '"query_id" "q1",', "line 2: is not JSON at column 13"),
        ('"moon"}', "NaN}", "line 8: holds NaN"),
    ],
)
def test_a_nuggetbank_over_many_lines_that_is_wrong_is_named_with_the_line(
    tmp_path, old, new, said
):
    path = written(tmp_path, damaged(NUGGETS, old, new))
    for read in (read_nuggetbank, reader_of("bank")):
        with pytest.raises(InputFileError, match=f"^input.txt, {said}"):
            read(path)


SPREAD_TQA = """[{
 "lessonName": "tides",
 "globalID": "L_1",
 "topics": {"T_1": {
  "content": {
   "text": "Rain."}}},
 "questions": {"nonDiagramQuestions": {"N_1": {
  "answerChoices": {
   "a": {
    "processedText": "sun"},
   "b": {
    "processedText": "moon"}},
  "correctAnswer": {
   "processedText": "a"}}}}},
 {
 "globalID": "L_2"}]"""
SPREAD_NUGGETS = """{
 "metadata": {
  "topic_id": "q1"},
 "nugget_bank": {
  "Why?": {
   "question": "Why?",
   "answers": {
    "moon": {
     "answer": "moon"}},
   "sub_nuggets": [],
   "importance": "vital",
   "creator": [
    {
     "is_human": true},
    {
     "is_human": false,
     "llm_model": "m",
     "creation_date": "May"}
   ]}}}"""
SPREAD_NUGGETIZER = """{
 "query": "tides",
 "qid": "q1",
 "nuggets": [
  {
   "text": "a",
   "nugget_id": "n1"},
  {
   "importance": "vital",
   "assignment": "support",
   "text": "b",
   "nugget_id": "n2"}]}"""
SPREAD_QUERY = """{
 "title": "tides",
 "query_id": "q1",
 "background": "b",
 "subtopics": [
  {
   "text": "a",
   "subtopic_id": "s1"},
  {
   "subtopic_id": "s2",
   "text": "c"}]}"""


@pytest.mark.parametrize(
    ("read", "text", "old", "new", "said"),
    [
        (read_tqa, SPREAD_TQA, '"L_2"', '"L_1"', "line 16: .* occurs twice"),
        (read_tqa, SPREAD_TQA, '"Rain."', "3", "line 6: .* text is 3"),
        (read_tqa, SPREAD_TQA, '"b"', '" "', "line 11: .* pairs ' ' with 'moon'"),
        (read_tqa, SPREAD_TQA, '"moon"', "[]", "line 12: .* choice 'b' is a list"),
        (read_tqa, SPREAD_TQA, '"a"}', "7}", "line 14: .* correctAnswer is 7"),
        (read_nuggetbank, SPREAD_NUGGETS, '"q1"', '"q 1"', "line 3: topic_id 'q 1'"),
        (
            read_nuggetbank,
            SPREAD_NUGGETS,
            '"Why?",',
            '"",',
            "line 6: .* without a text",
        ),
        (read_nuggetbank, SPREAD_NUGGETS, '"Why?",', '"W",', "line 6: .* must agree"),
        (read_nuggetbank, SPREAD_NUGGETS, '"moon"}', '"m"}', "line 9: .* must agree"),
        (read_nuggetbank, SPREAD_NUGGETS, "[],", "3,", "line 10: sub_nuggets of .* 3"),
        (read_nuggetbank, SPREAD_NUGGETS, "false", "0", "line 16: is_human of .* is 0"),
        (read_nuggetbank, SPREAD_NUGGETS, '"m"', "3", "line 17: llm_model of .* is 3"),
        (read_nuggetbank, SPREAD_NUGGETS, '"m"', '" m"', "line 17: creator .* ' m'"),
        (read_nuggetbank, SPREAD_NUGGETS, '"May"', "5", "line 18: creation_date of"),
        (read_nuggetizer, SPREAD_NUGGETIZER, '"tides"', "3", "line 2: query is 3"),
        (read_nuggetizer, SPREAD_NUGGETIZER, '"q1"', "null", "line 3: qid is null"),
        (read_nuggetizer, SPREAD_NUGGETIZER, '"vital"', "3", "line 9: importance of"),
        (read_nuggetizer, SPREAD_NUGGETIZER, '"support"', "3", "line 10: assignment"),
        (read_nuggetizer, SPREAD_NUGGETIZER, '"b"', "3", "line 11: text of a nugget"),
        (read_nuggetizer, SPREAD_NUGGETIZER, '"b"', '""', "line 11: .* no words"),
        (read_nuggetizer, SPREAD_NUGGETIZER, '"n2"', '"n 2"', "line 12: .*'n 2'"),
        (read_nuggetizer, SPREAD_NUGGETIZER, '"n2"', '"n1"', "line 12: .* two texts"),
        (read_queries, SPREAD_QUERY, '"tides"', '" "', "line 2: .* has no text"),
        (read_queries, SPREAD_QUERY, '"q1"', '"q 1"', "line 3: query id 'q 1' holds"),
        (read_queries, SPREAD_QUERY, '"b"', "3", "line 4: background of .* is 3"),
        (read_queries, SPREAD_QUERY, '"s2"', '"s1"', "line 10: .* occurs twice"),
        (read_queries, SPREAD_QUERY, '"s2"', '"s 2"', "line 10: subtopic_id 's 2'"),
        (read_queries, SPREAD_QUERY, '"c"', "[]", "line 11: text of subtopic 's2' is"),
    ],
)
def test_of_a_field_that_is_wrong_the_line_is_its_own(
    tmp_path, read, text, old, new, said
):
    path = written(tmp_path, damaged(text, old, new))
    with pytest.raises(InputFileError, match=f"^input.txt, {said}"):
        read(path)


@pytest.mark.parametrize(
    ("read", "content", "said"),
    [
        (read_official_ranks, b'{"a": 1,\n "b": "A"}', "line 2: rank of 'b' is 'A'"),
        (read_official_ranks, b'{"a": 1,\n "b": 0}', "line 2: rank of 'b' is 0"),
        (read_official_ranks, b'{"a": 1,\n " b": 1}', "line 2: system ' b' is not"),
        (read_official_ranks, b"\n[1]", "line 2: the file is a list of 1"),
        (read_official_ranks, b'\xff\xfe{\0"\0', "line 1: this is UTF-16 text"),
        (read_queries, b'{"q1": "a",\n"q2": 3}', "line 2: the text of query 'q2' is 3"),
        (read_queries, b'{"q1": "a",\n"q 2": "b"}', "line 2: query id 'q 2' holds"),
        (
            read_queries,
            b'{"q1": "a"}\n{"docid": 3}',
            "line 2: is not JSON .*Extra data",
        ),
        (
            read_queries,
            b'{"id": "q1", "text": \n{"id": "q2", "text": "b"}\n{"id": "q3"}',
            "line 1: is not JSON: .*it may be cut",
        ),
    ],
)
def test_whole_documents_are_refused_with_the_line_of_the_entry(
    tmp_path, read, content, said
):
    with pytest.raises(InputFileError, match=f"^input.txt, {said}"):
        read(written(tmp_path, content))


@pytest.mark.parametrize(
    ("text", "family"),
    [(TQA, "bank"), (NUGGETS, "bank"), ('{"a": 1,\n"b": 2\n"c": 3}', "official")],
)
def test_a_damaged_document_is_taken_for_what_it_begins_as(tmp_path, text, family):
    path = written(tmp_path, text.rstrip()[:-1].encode())
    assert recognised(path) == family


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"a": 1,\n"b" 2,\n"c": 3}', "line 2: is not JSON at column 5"),
        (b'{"a": 1,\n"b": 2,\n"c": \0}', "line 3: holds a NUL"),
        (b'{"a": [],\n"b": []}', "line 1: the kind of file is not recognised"),
    ],
)
def test_a_document_of_no_known_kind_is_refused_with_the_line_of_its_damage(
    tmp_path, content, said
):
    with pytest.raises(InputFileError, match=f"^input.txt, {said}"):
        option_for(written(tmp_path, content.replace(b"1", b"[1]")))


def test_a_document_in_which_a_line_is_no_text_has_no_first_value(tmp_path):
    path = written(tmp_path, TQA.replace("sun", "\0").encode())
    assert first_value(path) is None
    with pytest.raises(InputFileError, match="line 8: holds a NUL"):
        reader_of("bank")(path)
