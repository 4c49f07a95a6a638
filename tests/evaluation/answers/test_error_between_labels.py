import math
import sys

import pytest

from curator.errors import EvaluationError
from curator.evaluation.answers.error import measure_agreement


def test_rmse_and_the_spread_of_the_absolute_error():
    found = measure_agreement("P@1", [0.5, 0.4, 0.9], [0.4, 0.6, 0.9])
    # by hand: errors .1, -.2, 0
    assert found.rmse == pytest.approx(math.sqrt((0.01 + 0.04 + 0) / 3))
    # by hand: |errors| .1, .2, 0, mean .1; mean square .05 / 3 less .01
    assert found.sigma == pytest.approx(math.sqrt(0.05 / 3 - 0.01))
    # by hand: gold orders 2 1 3, the model 1 2 3 of them: two of three pairs agree
    assert found.kendall == pytest.approx(1 / 3)


def test_without_scipy_there_is_a_line_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(EvaluationError, match=r'pip install "exam-curator\[ava\]"'):
        measure_agreement("P@1", [0.5, 0.4], [0.4, 0.6])


def test_fractions_that_are_equal_tie_however_they_were_summed():
    ours = [0.1 + 0.2, 0.3, 0.5]
    assert ours[0] != ours[1]
    found = measure_agreement("MAP", ours, [0.2, 0.2, 0.4])
    assert found.kendall == pytest.approx(1)  # by hand: the one tie is on both sides


@pytest.mark.parametrize(
    ("model", "gold", "said"),
    [
        ([0.5], [0.4], "two or more systems"),
        ([0.5, 0.5], [0.4, 0.6], "alike to the model"),
        ([0.5, 0.6], [0.4, 0.4], "alike to the gold labels"),
    ],
)
def test_without_an_order_there_is_no_tau_but_an_error(model, gold, said):
    found = measure_agreement("P@1", model, gold)
    assert found.kendall is None
    assert found.p is None
    assert said in found.note
    assert found.rmse is not None


def test_without_systems_nothing_is_defined():
    found = measure_agreement("P@1", [], [])
    assert (found.rmse, found.sigma, found.kendall) == (None, None, None)
