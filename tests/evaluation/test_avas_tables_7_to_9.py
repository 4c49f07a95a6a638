"""The paper's Table 7 comes out of its Table 8.

Figures from Vu & Moschitti 2020, Tables 7, 8 and 9. What is printed there has three
decimals, so an error may be off by .001 and what is printed of it by .0005 more.
"""

import pytest

from curator.evaluation.answer_checking import measure_agreement

HALF_A_DIGIT = 0.0005
TWO_DIGITS_AND_A_HALF = 0.0015

TABLE_8 = {  # gold, then AVA; systems M1 to M6
    ("TREC-QA-Test", "P@1"): (
        ".596 .885 .904 .962 .712 .788",
        ".635 .904 .962 .981 .712 .827",
    ),
    ("TREC-QA-Test", "MAP"): (
        ".661 .873 .894 .904 .771 .801",
        ".639 .845 .896 .886 .680 .789",
    ),
    ("TREC-QA-Test", "MRR"): (
        ".763 .933 .945 .976 .820 .869",
        ".764 .936 .981 .990 .793 .880",
    ),
    ("WikiQA-Test", "P@1"): (
        ".563 .844 .781 .688 .813 .781",
        ".625 .781 .719 .656 .719 .656",
    ),
    ("WikiQA-Test", "MAP"): (
        ".634 .778 .753 .746 .834 .820",
        ".660 .750 .687 .683 .705 .704",
    ),
    ("WikiQA-Test", "MRR"): (
        ".746 .917 .876 .833 .906 .883",
        ".732 .820 .783 .741 .791 .762",
    ),
}

TABLE_7 = {  # tau, p, RMSE, sigma
    ("TREC-QA-Test", "P@1"): (1.000, 0.003, 0.034, 0.018),
    ("TREC-QA-Test", "MAP"): (0.867, 0.017, 0.041, 0.029),
    ("TREC-QA-Test", "MRR"): (1.000, 0.003, 0.020, 0.012),
    ("WikiQA-Test", "P@1"): (0.889, 0.017, 0.079, 0.030),
    ("WikiQA-Test", "MAP"): (0.733, 0.056, 0.081, 0.040),
    ("WikiQA-Test", "MRR"): (0.867, 0.017, 0.095, 0.035),
}


def numbers(printed):
    return [float(one) for one in printed.split()]


@pytest.mark.parametrize("row", TABLE_8, ids=" ".join)
def test_table_7_comes_out_of_table_8(row):
    gold, ava = map(numbers, TABLE_8[row])
    tau, p, rmse, sigma = TABLE_7[row]
    found = measure_agreement(row[1], ava, gold)
    assert found.systems == 6
    assert found.kendall == pytest.approx(tau, abs=HALF_A_DIGIT)
    assert found.p == pytest.approx(p, abs=HALF_A_DIGIT)
    assert found.rmse == pytest.approx(rmse, abs=TWO_DIGITS_AND_A_HALF)
    assert found.sigma == pytest.approx(sigma, abs=TWO_DIGITS_AND_A_HALF)


def test_tau_and_rmse_of_table_9_come_out_of_its_systems_and_sigma_does_not():
    ads = numbers(".218 .282 .234 .379 .309 .315 .261 .319")
    ava = numbers(".215 .278 .220 .369 .285 .294 .283 .355")
    found = measure_agreement("P@1", ava, ads)
    assert found.kendall == pytest.approx(0.929, abs=HALF_A_DIGIT)
    assert found.p == pytest.approx(0.0004, abs=0.00005)
    assert found.rmse == pytest.approx(0.0198, abs=TWO_DIGITS_AND_A_HALF)
    # Printed .012, which is no standard deviation of these errors: population or
    # sample, absolute or not, they are .0104, .0112, .0196 and .0210.
    assert found.sigma == pytest.approx(0.0104, abs=0.00005)
