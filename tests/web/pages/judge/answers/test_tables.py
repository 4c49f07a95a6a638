"""A saved report in a model's card on the Answers tab."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from curator.evaluation.answer_checking import Confusion, MeasureAgreement
from curator.verbs.answers.ava_grader import AvaModel
from curator.verbs.answers.ava_report import SavedPoints, SavedReport, SavedSplit
from curator.web.pages.judge.answers.tables import card_html
from grading.ava.card import Card
from tests.samples.ava_samples import DATA

REPORT = SavedReport(
    "others",
    0.325,
    "<i>dev",
    SavedPoints("<b>test", 0.5, 17, Confusion(3, 1, 3, 9)),
    (
        SavedSplit(
            "test", 16, (MeasureAgreement("P@1", 4, 0.9134, 0.0833, 0.0509, 0.0261),)
        ),
        SavedSplit(
            "other", 16, (MeasureAgreement("MRR", 1, None, None, 0.125, 0, "One."),)
        ),
    ),
)
MODEL = AvaModel("g", Path("m"), 0.5, Card("m", "linear", DATA), report=REPORT)


def test_a_report_is_shown_in_the_models_card_with_its_thresholds() -> None:
    html = card_html(MODEL)
    assert "right above .50" in html
    # by hand: of four called right three are, of six right ones three were called so
    assert "<td>.750</td><td>.500</td><td>.600</td>" in html
    assert "<td>P@1</td><td>4</td><td>.913</td><td>.083</td>" in html
    assert "<td>.051 ± .026</td>" in html
    assert "<td>MRR</td><td>1</td><td>–</td><td>–</td><td>.125 ± .000</td>" in html


def test_names_of_data_are_shown_and_never_run() -> None:
    html = card_html(MODEL)
    assert "&lt;b&gt;test" in html
    assert "tuned on &lt;i&gt;dev" in html
    assert "<i>dev" not in html
    assert "<b>test" not in html


def test_without_a_report_there_is_no_table_and_a_bad_one_is_told() -> None:
    assert "<table" not in card_html(replace(MODEL, report=None))
    bad = replace(MODEL, report=None, report_problem="'m/report.json' is <not> one.")
    html = card_html(bad)
    assert "is &lt;not&gt; one." in html
    assert "Kind" in html


def test_a_report_without_pairs_or_systems_shows_what_there_is() -> None:
    alone = replace(REPORT, points=None)
    html = card_html(replace(MODEL, report=alone))
    assert "Report: answers" not in html
    html = card_html(replace(MODEL, report=replace(REPORT, splits=())))
    assert "Report: systems" not in html
