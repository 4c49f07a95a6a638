"""The configurations of Vu & Moschitti 2020, Tables 5 and 6."""

import pytest

from grading.ava.configurations import (
    BEST,
    CONFIGURATIONS,
    configuration_named,
    texts_read,
)
from grading.ava.model import Triple
from grading.errors import InvalidSpecError

# Table 6's rows after the linear classifier, top to bottom.
TABLE_6 = [
    ("a0:q,r", [("q", "r")]),
    ("a0:r,t", [("r", "t")]),
    ("a0:q,t", [("q", "t")]),
    ("a0", [("q", "r"), ("r", "t"), ("q", "t")]),
    ("a1:q,rt", [("q", "rt")]),
    ("a1:r,qt", [("r", "qt")]),
    ("a1:t,qr", [("t", "qr")]),
    ("a1:q,rt+t,qr", [("q", "rt"), ("t", "qr")]),
    ("a1:r,qt+t,qr", [("r", "qt"), ("t", "qr")]),
    ("a1:r,qt+q,rt", [("r", "qt"), ("q", "rt")]),
    ("a1", [("q", "rt"), ("r", "qt"), ("t", "qr")]),
    ("a2:r,qt+t,qr", [("r", "qt"), ("t", "qr")]),
]


@pytest.mark.parametrize(("name", "parts"), TABLE_6)
def test_every_row_of_table_6_has_a_name(name, parts):
    found = configuration_named(name)
    assert found.name == name
    assert list(found.parts) == parts
    assert found.peer_attention is name.startswith("a2")


def test_there_are_the_rows_of_table_6_and_peer_attention_for_the_other_pairs():
    others = {"a2:q,rt+t,qr", "a2:r,qt+q,rt"}
    assert set(CONFIGURATIONS) == {name for name, _ in TABLE_6} | others
    assert all(len(CONFIGURATIONS[name].parts) == 2 for name in others)


def test_a2_alone_is_the_papers_best():
    assert configuration_named("a2").name == BEST == "a2:r,qt+t,qr"


def test_blanks_in_a_name_do_not_matter():
    assert configuration_named("a1:r, qt + t, qr").name == "a1:r,qt+t,qr"


def test_an_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(InvalidSpecError, match=r"Did you mean 'a1:r,qt'\?.*linear"):
        configuration_named("A1:r,tq")


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("a0:q,r", (("q", "r"),)),
        ("a0:r,t", (("r", "t"),)),
        ("a0:q,t", (("q", "t"),)),
        ("a0", (("q", "r"), ("r", "t"), ("q", "t"))),
        ("a1:q,rt", (("q", "r t"),)),
        ("a1:r,qt", (("r", "q t"),)),
        ("a1:t,qr", (("t", "q r"),)),
        ("a2:r,qt+t,qr", (("r", "q t"), ("t", "q r"))),
    ],
)
def test_a_configuration_names_the_texts_that_are_read_together(
    name: str, texts: tuple[tuple[str, str], ...]
) -> None:
    # As section 4.2 lists them; two texts in one are joined by a blank.
    assert texts_read(configuration_named(name), Triple("q", "r", "t", "s")) == texts
