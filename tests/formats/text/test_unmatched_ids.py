"""Ids that match none here are named, with the known id that each may mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.formats.text.notices import likely_ids

KNOWN = [f"q{number}" for number in range(1, 21)]


@pytest.mark.parametrize(
    "name",
    [
        "Q7",
        "7",
        "dl19-q7",
        "q7_1",
        "q7/history",
        "Q7.run.gz",
    ],
)
def test_an_id_in_another_spelling_means_the_one_here(name):
    assert likely_ids([name], KNOWN) == {name: "q7"}
    assert likely_ids(["q7"], [name, "other"]) == {"q7": name}


@given(
    st.sets(st.integers(1, 999), min_size=1),
    st.sampled_from([str.upper, "00{}".format, "dl19-{}".format, "{}_x".format]),
)
def test_one_spelling_for_all_is_found_for_each(numbers, spell):
    known = {str(number): f"topic{number}" for number in numbers}
    spelled = {spell(name): name for name in known.values()}
    found = likely_ids(spelled, known.values())
    assert found == spelled
