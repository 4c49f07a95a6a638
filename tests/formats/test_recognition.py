"""Files given without an option are taken for what they look like, or for nothing."""

from __future__ import annotations

import json
import zipfile

import pytest

from curator.errors import InputFileError
from curator.formats.recognition import option_for
from curator.formats.registry import readers

RUN = "q Q0 p 1 0.5 sys\n"
REPORT = {"metadata": {"run_id": "r", "topic_id": "q"}, "responses": []}


@pytest.mark.parametrize(
    ("content", "family"),
    [
        ('["q", []]', "autograder"),
        ('{"query_id": "q", "query_text": "Q?", "items": []}', "bank"),
        ('{"query_id": "q", "title_query": "Q?", "nugget_bank": {}}', "bank"),
        ('{"query_id": "q", "text": "What?"}', "queries"),
        ('[{"query_id": "q", "question": "Why?"}]', "bank"),
        ('{"passage_id": "p", "text": "Words."}', "passages"),
        ('{"query_id": "q", "passage_id": "gold/q", "text": "Words."}', "gold"),
        (json.dumps(REPORT), "reports"),
        (RUN, "runs"),
        ("q 0 p -1\n", "judgments"),
        ('{"sys": 1, "other": 2.5}', "official"),
        ("method\texam\torig_TREC_leaderboard_rank\nsys\t0.5\t1\n", "official"),
    ],
)
def test_a_file_is_taken_for_what_its_first_lines_look_like(tmp_path, content, family):
    path = tmp_path / "file.txt"
    path.write_text(content)
    assert option_for(path) == family


@pytest.mark.parametrize(
    ("content", "options"),
    [
        ("q1\tWhat?\n", "--queries or --passages or --gold"),
        ("query_id\ttext\nq1\tWhat?\n", "--queries or --gold"),
        ("id\ttext\nx\tWords.\n", "--queries or --passages"),
        (
            json.dumps({"query_id": "q", "text": "word " * 51}) + "\n",
            "--queries or --gold",
        ),
    ],
)
def test_a_file_that_fits_several_is_refused_with_their_options(
    tmp_path, content, options
):
    path = tmp_path / "file.txt"
    path.write_text(content)
    with pytest.raises(
        InputFileError, match=f"file.txt: could be .*; give it by {options}."
    ):
        option_for(path)


RECORDS = [
    '{\n "run_id": 5,\n "rank": 2\n}',
]


@pytest.mark.parametrize(
    "content",
    ["Dear reader,\n", "[1, 2]\n", "[1, [2]]\n", "{}\n", "a b c\n", *RECORDS],
)
def test_a_file_of_no_kind_is_refused_with_every_option(tmp_path, content):
    path = tmp_path / "file.txt"
    path.write_text(content)
    with pytest.raises(InputFileError) as refused:
        option_for(path)
    assert all(f"--{option}" in str(refused.value) for option in readers())
    assert "\n" not in str(refused.value)


def test_a_bundle_is_recognised_by_its_hashes_and_another_zip_is_not(tmp_path):
    for name, members in {
        "a.zip": ["SHA256SUMS"],
        "b.zip": ["graded.jsonl", "x/manifest.json"],
        "c.zip": ["x/manifest.json", "x/SHA256SUMS"],
    }.items():
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for member in members:
                archive.writestr(member, "{}")
    assert option_for(tmp_path / "a.zip") == option_for(tmp_path / "c.zip") == "bundle"
    with pytest.raises(InputFileError, match="a ZIP archive; unpack it first"):
        option_for(tmp_path / "b.zip")
