"""The configurations of Vu & Moschitti 2020, Tables 5 and 6."""

import pytest

from grading.ava.configurations import (
    BEST,
    CONFIGURATIONS,
    configuration_named,
    texts_read,
)
from grading.ava.model import Triple

# Table 6's rows after the linear classifier, top to bottom, and the texts that each
# reads together, as section 4.2 lists them; two texts in one are joined by a blank.
TABLE_6 = [
    ("a0:q,r", [("q", "r")]),
    ("a0:r,t", [("r", "t")]),
    ("a0:q,t", [("q", "t")]),
    ("a0", [("q", "r"), ("r", "t"), ("q", "t")]),
    ("a1:q,rt", [("q", "r t")]),
    ("a1:r,qt", [("r", "q t")]),
    ("a1:t,qr", [("t", "q r")]),
    ("a1:q,rt+t,qr", [("q", "r t"), ("t", "q r")]),
    ("a1:r,qt+t,qr", [("r", "q t"), ("t", "q r")]),
    ("a1:r,qt+q,rt", [("r", "q t"), ("q", "r t")]),
    ("a1", [("q", "r t"), ("r", "q t"), ("t", "q r")]),
    ("a2:r,qt+t,qr", [("r", "q t"), ("t", "q r")]),
]


@pytest.mark.parametrize(("name", "texts"), TABLE_6)
def test_every_row_of_table_6_has_a_name_and_its_texts(name, texts):
    found = configuration_named(name)
    assert found.name == name
    assert list(texts_read(found, Triple("q", "r", "t", "s"))) == texts
    assert found.peer_attention is name.startswith("a2")


def test_there_are_the_rows_of_table_6_and_peer_attention_for_the_other_pairs():
    others = {"a2:q,rt+t,qr", "a2:r,qt+q,rt"}
    assert set(CONFIGURATIONS) == {name for name, _ in TABLE_6} | others
    assert all(len(CONFIGURATIONS[name].parts) == 2 for name in others)


def test_a2_alone_is_the_papers_best():
    assert configuration_named("a2").name == BEST == "a2:r,qt+t,qr"
