"""Who else is at work, by what their browsers asked last."""

import pytest

from curator.web.components.presence import AWAY, OpenQuery, Presence, in_words

NAMES = {"q1": "Who is it?", "q2": "When was it?", "q3": "Where?"}


def test_others_are_there_until_they_have_not_asked_for_a_while():
    presence = Presence()
    ann, ben = OpenQuery("ann", "q1"), OpenQuery("ben", "q1")
    assert presence.others("tab 1", ann, 0.0) == []
    assert presence.others("tab 2", ben, 0.0) == [ann]
    assert presence.others("tab 2", ben, AWAY - 0.1) == [ann]
    assert presence.others("tab 2", ben, AWAY) == []


def test_who_goes_to_another_query_is_no_longer_here():
    presence = Presence()
    presence.others("tab 1", OpenQuery("ann", "q1"))
    presence.others("tab 1", OpenQuery("ann", "q2"))
    assert presence.others("tab 2", OpenQuery("ben", "q1")) == [OpenQuery("ann", "q2")]


def test_ones_own_other_tabs_are_nobody_else():
    presence = Presence()
    presence.others("tab 1", OpenQuery("ann", "q1"))
    assert presence.others("tab 2", OpenQuery("ann", "q1")) == []


def places(*given: tuple[str, str]) -> list[OpenQuery]:
    return [OpenQuery(*one) for one in given]


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ([], ""),
        ([("ann", "q1")], "ann is here too"),
        ([("ann", "q1"), ("bo", "q1")], "ann and bo are here too"),
        ([("ann", "q2")], "ann is on “When was it?”"),
        # With one tab here and one elsewhere somebody is here.
        ([("ann", "q1"), ("ann", "q2"), ("bo", "q3")], "ann is here too · bo is on “W"),
        ([("ann", "")], ""),  # on a page that is about no query
        ([("ann", "gone")], ""),
    ],
)
def test_it_is_said_in_a_line(others, said):
    line = in_words(places(*others), "q1", NAMES)
    assert line.startswith(said)
    assert said or not line


def test_at_most_three_are_named_elsewhere():
    others = places(*((f"judge {n}", "q2") for n in range(5)))
    assert in_words(others, "q1", NAMES).endswith("“When was it?” · 2 more on others")
