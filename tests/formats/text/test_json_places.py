"""The line and the path at which a JSON document is wrong.

Every document here is written so that its lines can be counted by eye.
"""

import pytest

from curator.errors import InputFileError
from curator.formats.nuggets.banks import read_nuggetbank
from curator.formats.recognition import reader_of
from curator.formats.text.json_text import line_of
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
        (("a", 1), 3),
        (("a", 1, "b"), 3),
        (("a", 1, "cd"), 4),  # a key may be written with escapes
        (("f",), 7),  # of the key, as it may be what is wrong
        (("a", 1, "no"), 3),  # what is missing is missing where it should be
        (("f", "no"), 7),
    ],
)
def test_keys_lead_to_the_line_of_an_entry_or_of_what_should_hold_it(keys, line):
    assert line_of(TEXT, keys) == line


BANK = """{
 "query_id": "q1",
 "title_query": "tides",
 "nugget_bank": {
  "Why?": {
   "question": "Why?",
   "answers": {
    "moon": {"answer": "moon"}
   }}
 }}
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"q1"', '"q 1"', "line 2: query_id 'q 1' holds a blank"),
        (
            *('"answer": "moon"', '"answer": 3'),
            "line 8: answer of .* is 3.* At nugget_bank.'Why.'..answers.moon.answer.$",
        ),
    ],
)
def test_an_error_names_the_line_and_the_path(tmp_path, old, new, said):
    path = written(tmp_path, BANK.replace(old, new).encode())
    for reader in (read_nuggetbank, reader_of("bank")):
        with pytest.raises(InputFileError, match=f"^input.txt, {said}"):
            reader(path)
