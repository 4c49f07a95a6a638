"""Who else is at work, by what their browsers asked last."""

from curator.web.components.presence import AWAY, OpenQuery, Presence


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
