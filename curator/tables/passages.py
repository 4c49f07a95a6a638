"""A query's passages and its ideal answers, one a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from curator.evaluation.measures.rouge import NAMES, PARTS, REACH
from curator.formats.text.notices import counted
from curator.snapshot.ideals import NO_IDEALS
from curator.tables.settings import settings_json, settings_words
from curator.tables.table import Column, Table, record

if TYPE_CHECKING:
    from curator.evaluation.passage_agreement import PassageAgreement
    from curator.evaluation.settings import Settings
    from curator.results import Rows
    from curator.snapshot.ideals import IdealAnswer
    from curator.verbs.answers.extracted import LocatedAnswers
    from curator.verbs.passages.coverage import Coverage, CoveredPassage
    from curator.verbs.passages.highlights import WordAgreement
    from curator.verbs.passages.passage import PassageView
    from curator.verbs.passages.pool_depth import RetrievedPassage
    from curator.verbs.passages.pool_rows import PooledPassage
    from curator.verbs.passages.rouge_agreement import RougeAgreement

LEFT_OUT = ("segments", "by_edit", "citations")  # of JSON, where they say nothing
SOURCES = {"marked": "marked", "answers": "gold answer", "gold": "gold article"}


def pool_table(passages: Sequence[PooledPassage], *, compared: bool = False) -> Table:
    """A line per passage; labels before only where they are compared."""
    columns = [
        Column("passage", "passage_id"),
        *([Column("before", "label_before")] if compared else []),
        *(Column("label"), Column("judgment")),
        Column("answers", lambda one: _listed(one.answers)),
        Column("retrieved by", lambda one: _listed(one.ranks)),
    ]
    missing = sum(one.missing for one in passages)
    note = f"{missing:,} grades are missing; labels use only the others."
    return Table(columns, passages, notes=[note] if missing else [])


def passage_table(
    passages: Sequence[PooledPassage],
    settings: Settings,
    *,
    total: int,
    since: int | None,
    located: LocatedAnswers = MappingProxyType({}),
) -> Table:
    """The passages, of ``total``, under these settings.

    JSON has the ``located`` answers, by passage and question.
    """
    value = {
        "settings": settings_json(settings),
        "since": since,
        "pool": total,
        "passages": [
            {n: v for n, v in asdict(one).items() if v or n not in LEFT_OUT}
            | (
                {"extracted": {q: asdict(a) for q, a in extracted.items()}}
                if (extracted := located.get(one.passage_id))
                else {}
            )
            for one in passages
        ],
    }
    of = counted(total, "passage")
    caption = f"{settings_words(settings)} · {len(passages):,} of {of}"
    table = pool_table(passages, compared=since is not None)
    return replace(table, caption=caption, value=value)


def depth_table(passages: Rows[RetrievedPassage]) -> Table:
    """A line per passage within a depth: how many runs have it, and how high."""
    columns = [
        *(Column("query", "query_id"), Column("passage", "passage_id")),
        *(Column("runs"), Column("best rank", "best_rank")),
    ]
    value = [asdict(passage) for passage in passages]
    return Table(columns, passages, notes=passages.notes, value=value)


def coverage_table(found: Coverage) -> Table:
    """A line for every number of items, with the passages that answer so many."""
    of = found.query_id or counted(found.queries, "query", "queries")
    mean = "" if found.mean is None else f" · {found.mean:.2f} items on average"
    have = counted(found.ungraded, "passage has", "passages have")
    unsaid = found.min_relevance is None and any(
        one.judgment is not None for one in found.passages
    )
    notes = {
        f"{found.missing:,} grades are missing; counts use only the others.": (
            found.missing
        ),
        f"{have} no grade: left out.": found.ungraded,
        "No minimum relevance is set: give --min-relevance N.": unsaid,
    }
    lines = [asdict(one) for one in found.counts]
    columns = [
        Column("items answered", "answered"),
        Column("judged relevant", "relevant"),
        Column("judged not", "not_relevant"),
        *(Column("unjudged"), Column("passages")),
    ]
    return Table(
        columns,
        found.counts,
        f"{found.grader} · rating ≥ {found.min_rating} · "
        f"{counted(len(found.passages), 'passage')} of {of}{mean}",
        [note for note, there in notes.items() if there],
        {
            "settings": record(found, "grader", "min_rating", "label", "min_relevance"),
            "query": found.query_id,
            **record(found, "queries", "ungraded", "missing", "mean"),
            "counts": lines,
        },
    )


def covered_table(passages: Sequence[CoveredPassage]) -> Table:
    """A line per passage with how many of its query's items it answers."""
    columns = [
        *(Column("query", "query_id"), Column("passage", "passage_id")),
        *(Column("answered"), Column("items"), Column("missing")),
        *(Column("judgment"), Column("relevant")),
    ]
    return Table(columns, passages, value=[asdict(one) for one in passages])


def rated_table(passage: PassageView) -> Table:
    """A line per kept question with its rating of the passage."""
    columns = [
        *(Column("question", "question.question_id"), Column("rating")),
        *(Column("correct"), Column("text", "question.text")),
    ]
    return Table(columns, passage.rated, f"{passage.query_id} · {passage.passage_id}")


def _listed(numbers: Mapping[str, int]) -> str:
    """``run-a 3, run-b 7``; nothing for none."""
    return ", ".join(f"{name} {number}" for name, number in numbers.items())


def ideal_table(ideals: Sequence[IdealAnswer], query_id: str | None = None) -> Table:
    """Make a table of ideal answers with their sources and texts."""
    queries = len({one.query_id for one in ideals})
    highlights = [Column("judge", missing=""), Column("grade", missing="")]
    where = f"query {query_id}" if query_id else counted(queries, "query", "queries")
    return Table(
        [
            Column("query", "query_id"),
            Column("source", lambda one: SOURCES[one.source]),
            Column("from", _place),
            *(highlights if any(answer.judge for answer in ideals) else []),
            Column("text"),
        ],
        ideals,
        f"{counted(len(ideals), 'ideal answer')} · {where}",
        [] if ideals else [NO_IDEALS],
        {"query": query_id, "ideals": [asdict(one) for one in ideals]},
    )


def word_agreement_table(pairs: Sequence[WordAgreement]) -> Table:
    """A line for each two annotators: words highlighted and Cohen's kappa."""
    columns = [
        Column("annotator", "first", key="first"),
        Column("and", "second", key="second"),
        *(Column(name, key=name) for name in ("passages", "words")),
        Column("by first", "by_first", key="by_first"),
        Column("by second", "by_second", key="by_second"),
        Column("by both", "by_both", key="by_both"),
        Column("kappa", title="Cohen’s κ", key="kappa"),
    ]
    notes = [] if pairs else ["No query has highlights of two annotators."]
    table = Table(columns, pairs, "words highlighted", notes)
    return replace(table, value=table.records())


def _place(one: IdealAnswer) -> str | None:
    """``d01 [12:40]``, or the id of the question."""
    if one.passage_id is None:
        return one.question_id
    if one.end is None:
        return one.passage_id
    return f"{one.passage_id} [{one.start}:{one.end}]"


COEFFICIENTS = {"pearson": "Pearson's r", "spearman": "Spearman's rho",
                "kendall": "Kendall's tau b"}  # fmt: skip
LEVELS_OF = "rouge-su4-p"


def rouge_agreement_tables(
    found: RougeAgreement, *, coefficient: str = "pearson", measure: str = LEVELS_OF
) -> list[Table]:
    """Make the paper's table of one coefficient, of all, and of scores by judgment.

    The first one's value is all of it but the passages.
    """
    by_name = {one.measure: one for one in found.measures}
    level = "grade" if found.choice.highlights else "judgment"
    concepts = [
        (f"ROUGE-{concept.upper()}", {
            part: getattr(by_name[f"rouge-{concept}-{part}"], coefficient)
            for part in PARTS
        })
        for concept in REACH
    ]  # fmt: skip
    value = {
        "settings": asdict(found.choice),
        "passages": len(found.passages),
        **record(found, "queries", "ideals"),
        "measures": [asdict(one) for one in found.measures],
        "notes": found.notes,
    }
    paper = Table(
        [
            Column("measure", [0]),
            *(Column("precision", [1, "p"]), Column("recall", [1, "r"])),
            Column("F1", [1, "f1"]),
        ],
        concepts,
        f"{COEFFICIENTS[coefficient]} of ROUGE and {level}s · {rouge_words(found)}",
        found.notes,
        value,
    )
    every = Table(
        [
            *(Column("measure"), Column("r", "pearson"), Column("p of r", "pearson_p")),
            *(Column("rho", "spearman"), Column("p of rho", "spearman_p")),
            *(Column("tau", "kendall"), Column("p of tau", "kendall_p")),
            *(Column("tau by query", "kendall_by_query"), Column("AUC", "auc")),
        ],
        found.measures,
        _every_words(found.measures, found.choice.relevant_from),
    )
    levels = Table(
        [
            Column(level, "judgment"),
            Column("passages"),
            Column("lowest"),
            *(Column("1st quartile", "first_quartile"), Column("median")),
            *(Column("3rd quartile", "third_quartile"), Column("highest")),
            Column("mean"),
        ],
        by_name[measure].levels,
        f"{measure} by {level}",
    )
    return [paper, every, levels]


def rouge_words(agreement: RougeAgreement) -> str:
    """``120 passages of 3 queries · 14 ideal answers, the best counts``."""
    choice = agreement.choice
    noun = "highlight" if choice.highlights else "passage"
    words = [
        f"{counted(len(agreement.passages), noun)} of "
        f"{counted(agreement.queries, 'query', 'queries')}",
        f"{counted(agreement.ideals, 'ideal answer')}, "
        f"{'their mean' if choice.mean else 'the best counts'}",
    ]
    if choice.sample:
        judged = " and ".join(map(str, choice.sample))
        words.append(f"{choice.share:g} of those judged {judged}, seed {choice.seed}")
    if choice.from_judgment > 0:
        words.append(f"judged {choice.from_judgment} or more")
    return " · ".join([*words, *(["sets"] if choice.sets else [])])


def _every_words(
    measures: Sequence[PassageAgreement], relevant_from: int | None
) -> str:
    queries = counted(max(one.queries for one in measures), "query", "queries")
    said = "" if relevant_from is None else f" · AUC: judged {relevant_from} or more"
    return f"over all passages, p two-sided · tau by query: mean of {queries}{said}"


def scored_passage_table(found: RougeAgreement) -> Table:
    """Every passage compared: its judgment and all its ROUGE scores."""
    columns = [
        Column("query", "query_id", key="query_id"),
        Column("passage", "passage_id", key="passage_id"),
        Column("judgment", key="judgment"),
        *(Column(name, ["scores", at], key=name) for at, name in enumerate(NAMES)),
    ]
    table = Table(columns, found.passages, rouge_words(found), found.notes)
    return replace(table, value=table.records())
