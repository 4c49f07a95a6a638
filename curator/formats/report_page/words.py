"""Plain words for a page that people read who have never seen Curator."""

from __future__ import annotations

import math
import re

from curator.evaluation.measures import looks_at_k, meaning, measure_type, title
from curator.evaluation.settings import Settings
from curator.formats.report_page.contents import Example, GraderTold, Highlight, Report
from curator.formats.text.notices import counted

UNKNOWN = "–"
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


def decimals(value: float | None, places: int = 3) -> str:
    """A number, never NaN: a dash where there is none."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    return f"{value:z.{places}f}"


def rank(value: float | None) -> str:
    """An official rank, ``3`` or ``3.5``; a dash where there is none."""
    return UNKNOWN if value is None else f"{value:g}"


def moment(at: str) -> str:
    """``2026-03-01 09:30 UTC`` of a time as the history keeps it."""
    return f"{at[:16].replace('T', ' ')} UTC" if at else ""


def capital(text: str) -> str:
    """The text with its first letter a capital, unless it is a name like nDCG."""
    return text[:1].upper() + text[1:] if text[1:2].islower() else text


def depth_said(settings: Settings) -> str:
    """``Cover of the first 20 passages``, ``P@20``."""
    measure = title(settings.measure)
    if not looks_at_k(settings.measure):
        return measure
    return f"{measure} of the first {counted(settings.k, 'passage')}"


def said(settings: Settings, grader: GraderTold | None = None) -> str:
    """The settings in words, as they stand beside every number."""
    if not settings.grader:
        return f"{depth_said(settings)}, texts compared with ideal answers"
    if grader is not None and grader.kind == "direct":
        return f"{depth_said(settings)}, graded by {settings.grader}"
    from_rating = f", from rating {settings.min_rating}"
    if grader is not None and grader.kind != "rated":
        from_rating = ""
    return f"{depth_said(settings)}, graded by {settings.grader}{from_rating}"


def measure_means(settings: Settings) -> str:
    """What the settings' measure is and how deep it looks, in a clause."""
    return meaning(settings.measure).format(first=first_said(settings))


def first_said(settings: Settings) -> str:
    """The passages that the measure looks at: ``the first 20 passages``."""
    depth = re.search(r"@(\d+)$", settings.measure)
    if looks_at_k(settings.measure):
        number = settings.k
    elif depth:
        number = int(depth[1])
    else:
        return "all passages ranked"
    return "the first passage" if number == 1 else f"the first {number} passages"


def reading_said(told: GraderTold) -> str:
    """What a grader does, in a sentence or two."""
    said = READINGS.get(told.kind, "")
    if told.thresholds:
        edges = ", ".join(f"{edge:g}" for edge in told.thresholds)
        said += f" Ratings 1 to {len(told.thresholds)} begin at a nearness of {edges}."
    return said


def sources(report: Report) -> list[str]:
    """The papers whose methods the page's numbers rest on."""
    keys = []
    if any(told.name.startswith("ava:") for told in report.told_of):
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


def example_said(one: Example) -> str:
    """What an example shows, under it."""
    others = counted(one.reach, "passage answers it", "passages answer it")
    if one.reach == 1:
        others = "no other passage answers it"
    return f"rated {one.rating}; {others}; {MARKS[one.how]}"
