import pytest

from grading.ava import open_ava
from grading.ava.card import CURVE
from grading.errors import MissingModelError


def test_a_model_whose_training_has_not_ended_says_how_to_go_on(tmp_path):
    (tmp_path / CURVE).write_text("")
    with pytest.raises(MissingModelError, match="--resume"):
        open_ava(tmp_path)


def test_where_there_is_no_model_it_is_said_how_to_make_one(tmp_path):
    with pytest.raises(MissingModelError, match="curator ava train"):
        open_ava(tmp_path)
