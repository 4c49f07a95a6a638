"""The workspace is made of themes; each method stands in one of them."""

from inspect import isroutine

from curator.workspace import Workspace


def test_no_method_hides_one_of_the_same_name_in_another_theme() -> None:
    stands_in: dict[str, list[str]] = {}
    for theme in Workspace.__mro__[:-1]:  # object is not ours
        for name, member in vars(theme).items():
            if isroutine(member) or isinstance(member, classmethod | property):
                stands_in.setdefault(name, []).append(theme.__name__)
    assert {name: in_ for name, in_ in stands_in.items() if len(in_) > 1} == {}
    assert stands_in["leaderboard"] == ["Leaderboards"]
