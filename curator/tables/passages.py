"""A query's passages and its ideal answers, one a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from curator.evaluation.measures.rouge import NAMES, PARTS, REACH
from curator.formats.text.notices import counted
from curator.results import to_json
from curator.snapshot.ideals import NO_IDEALS
from curator.tables.settings import settings_words
from curator.tables.table import Column, Table, columns_of, record

if TYPE_CHECKING:
    from curator.evaluation.passage_agreement import PassageAgreement
    from curator.evaluation.settings import Settings
    from curator.snapshot.ideals import IdealAnswer
    from curator.verbs.answers.extracted import LocatedAnswers
    from curator.verbs.passages.coverage import Coverage
    from curator.verbs.passages.pool_rows import PooledPassage
    from curator.verbs.passages.rouge_agreement import RougeAgreement

SOURCES = {"marked": "marked", "answers": "gold answer", "gold": "gold article"}


def pool_table(passages: Sequence[PooledPassage], *, compared: bool = False) -> Table:
    """A line per passage; labels before only where they are compared."""
    before = "before=label_before " if compared else ""
    spec = f"passage_id {before}label judgment answers retrieved_by=ranks"
    missing = sum(passage.missing for passage in passages)
    note = f"{missing:,} grades are missing; labels use only the others."
    return Table.from_rows(passages, spec, notes=[note] if missing else [])


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
        "settings": settings.to_json(),
        "since": since,
        "pool": total,
        "passages": [
            to_json(one)
            | (
                {"extracted": to_json(extracted)}
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
    return Table(
        columns_of(type(found.counts[0])) if found.counts else [],
        found.counts,
        f"{found.grader} · rating ≥ {found.min_rating} · "
        f"{counted(len(found.passages), 'passage')} of {of}{mean}",
        [note for note, there in notes.items() if there],
        {
            "settings": record(found, "grader", "min_rating", "label", "min_relevance"),
            "query": found.query_id,
            **record(found, "queries", "ungraded", "missing", "mean"),
            "counts": to_json(found.counts),
        },
    )


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
        {"query": query_id, "ideals": to_json(ideals)},
    )


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
        "settings": to_json(found.choice),
        "passages": len(found.passages),
        **record(found, "queries", "ideals"),
        "measures": to_json(found.measures),
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
        columns_of(type(found.measures[0])),
        found.measures,
        _every_words(found.measures, found.choice.relevant_from),
    )
    levels = Table(
        columns_of(type(by_name[measure].levels[0]), level=level),
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
