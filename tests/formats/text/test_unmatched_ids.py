"""Ids that match none here are named, with the known id that each may mean."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from curator.formats.text.notices import likely_ids


@given(
    st.sets(st.integers(1, 999), min_size=1),
    st.sampled_from([str.upper, "00{}".format, "dl19-{}".format, "{}_x".format]),
)
def test_one_spelling_for_all_is_found_for_each(numbers, spell):
    known = {str(number): f"topic{number}" for number in numbers}
    spelled = {spell(name): name for name in known.values()}
    found = likely_ids(spelled, known.values())
    assert found == spelled
