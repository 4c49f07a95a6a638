"""Plain words for a page that people read who have never seen Curator."""

from __future__ import annotations

import re

from curator.evaluation.measures import meaning, measure_type
from curator.evaluation.settings import Settings
from curator.formats.text.notices import counted
from curator.tables.settings import passages_looked_at
from curator.verbs.files.report.contents import (
    Example,
    GraderDescription,
    Highlight,
    Report,
)

ITEMS = {"question": "questions", "nugget": "nuggets", "query": "passages as a whole"}
MS_MARCO = (
    "The grader rests on all-MiniLM-L6-v2, which saw MS MARCO, the passages of TREC "
    "Deep Learning, in training, and its thresholds were set on TREC DL 2019: on these "
    "collections its agreement is better than it would be elsewhere."
)
READINGS = {
    "rated": "It rates from 0 to 5 how well a passage answers.",
    "answered": "It answers from the passage, or says that it cannot; answers are "
    "not checked.",
    "keyed": "It answers from the passage, and the answer is checked against the "
    "question’s answer key.",
    "direct": "It grades the passage for the query as a whole and asks no question.",
}
MARKS: dict[Highlight, str] = {
    "answer": "marked: the grader’s answer",
    "key": "marked: an answer of the answer key",
    "answer words": "marked: the sentence that shares most words with the question and "
    "its answer, which does not stand there word for word",
    "words": "marked: the sentence that shares most words with the question",
    "none": "nothing is marked, for no sentence has enough of the question’s words",
}
CITED = {
    "exam": "D. P. Sander and L. Dietz. EXAM: How to Evaluate Retrieve-and-Generate "
    "Systems for Users Who Do Not (Yet) Know What They Want. DESIRES 2021.",
    "cover": "N. Farzi and L. Dietz. An Exam-based Evaluation Approach Beyond "
    "Traditional Relevance Judgments. 2024.",
    "ava": "T. Vu and A. Moschitti. AVA: an Automatic eValuation Approach to Question "
    "Answering Systems. 2020.",
    "tests": "M. D. Smucker, J. Allan and B. Carterette. A Comparison of Statistical "
    "Significance Tests for Information Retrieval Evaluation. CIKM 2007.",
    "holm": "S. Holm. A Simple Sequentially Rejective Multiple Test Procedure. "
    "Scandinavian Journal of Statistics, 1979.",
    "kendall": "M. G. Kendall. The Treatment of Ties in Ranking Problems. Biometrika, "
    "1945.",
    "tau_ap": "E. Yilmaz, J. A. Aslam and S. Robertson. A New Rank Correlation "
    "Coefficient for Information Retrieval. SIGIR 2008.",
    "kappa": "J. Cohen. A Coefficient of Agreement for Nominal Scales. Educational "
    "and Psychological Measurement, 1960.",
}

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]"
)


def plain(text: str) -> str:
    """The text without control characters and without marks that turn its direction."""
    return _HIDDEN.sub("", text)


def moment(at: str) -> str:
    """``2026-03-01 09:30 UTC`` of a time as the history keeps it."""
    return f"{at[:16].replace('T', ' ')} UTC" if at else ""


def capital(text: str) -> str:
    """The text with its first letter a capital, unless it is a name like nDCG."""
    return text[:1].upper() + text[1:] if text[1:2].islower() else text


def measure_means(settings: Settings) -> str:
    """What the settings' measure is and how deep it looks, in a clause."""
    return meaning(settings.measure).format(first=passages_looked_at(settings))


def reading_words(grader: GraderDescription) -> str:
    """What a grader does, in a sentence or two."""
    words = READINGS.get(grader.kind, "")
    if steps := grader.thresholds:
        edges = ", ".join(f"{edge:g}" for edge in steps)
        words += f" Ratings 1 to {len(steps)} begin at a nearness of {edges}."
    return words


def sources(report: Report) -> list[str]:
    """The papers whose methods the page's numbers rest on."""
    keys = []
    if any(told.name.startswith("ava:") for told in report.its_graders):
        keys.append("ava")
    if report.tiers:
        keys += ["tests", "holm"]
    if report.correlations:
        keys += ["kendall", "tau_ap"]
    if report.agreement:
        keys.append("kappa")
    of_measure = measure_type(report.settings.measure).cited if report.settings else ""
    first = [CITED["exam"], CITED["cover"], *([of_measure] if of_measure else [])]
    return [*first, *(CITED[key] for key in keys)]


def example_words(one: Example) -> str:
    """What an example shows, under it."""
    others = counted(one.reach, "passage answers it", "passages answer it")
    if one.reach == 1:
        others = "no other passage answers it"
    return f"rated {one.rating}; {others}; {MARKS[one.how]}"
