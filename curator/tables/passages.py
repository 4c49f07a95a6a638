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
    from curator.evaluation.settings import Settings
    from curator.snapshot.ideals import IdealAnswer
    from curator.verbs.answers.extracted import LocatedAnswers
    from curator.verbs.passages.pool_rows import PooledPassage
    from curator.verbs.passages.rouge_agreement import RougeAgreement

SOURCES = {"marked": "marked", "answers": "gold answer", "gold": "gold article"}


def pool_table(passages: Sequence[PooledPassage], *, compared: bool = False) -> Table:
    """A line per passage; labels before only where they are compared."""
    before = "before=label_before " if compared else ""
    spec = f"passage_id {before}label judgment answers retrieved_by=ranks"
    missing = sum(passage.missing for passage in passages)
    note = f"{missing:,} grades are missing; labels use only the others."
    columns = columns_of(type(passages[0]) if passages else None, spec)
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
    rows = to_json(passages)
    for row in rows:
        if answers := located.get(row["passage_id"]):
            row["extracted"] = to_json(answers)
    value = {
        "settings": settings.to_json(),
        "since": since,
        "pool": total,
        "passages": rows,
    }
    of = counted(total, "passage")
    caption = f"{settings_words(settings)} · {len(passages):,} of {of}"
    table = pool_table(passages, compared=since is not None)
    return replace(table, caption=caption, value=value)


def ideal_table(ideals: Sequence[IdealAnswer], query_id: str | None = None) -> Table:
    """Make a table of ideal answers with their sources and texts."""
    queries = len({row.query_id for row in ideals})
    where = f"query {query_id}" if query_id else counted(queries, "query", "queries")
    layout = [
        Column("query", "query_id"),
        Column("source", lambda row: SOURCES[row.source]),
        Column("from", _place),
        Column("text"),
    ]
    if any(answer.judge for answer in ideals):
        layout[3:3] = [Column("judge", missing=""), Column("grade", missing="")]
    caption = f"{counted(len(ideals), 'ideal answer')} · {where}"
    value = {"query": query_id, "ideals": to_json(ideals)}
    return Table(layout, ideals, caption, [] if ideals else [NO_IDEALS], value)


def _place(row: IdealAnswer) -> str | None:
    """``d01 [12:40]``, or the id of the question."""
    if row.passage_id is None:
        return row.question_id
    if row.end is None:
        return row.passage_id
    return f"{row.passage_id} [{row.start}:{row.end}]"


COEFFICIENTS = {"pearson": "Pearson's r", "spearman": "Spearman's rho",
                "kendall": "Kendall's tau b"}  # fmt: skip
LEVELS_OF = "rouge-su4-p"


def rouge_agreement_tables(
    found: RougeAgreement, *, coefficient: str = "pearson", measure: str = LEVELS_OF
) -> list[Table]:
    """Make the paper's table of one coefficient, of all, and of scores by judgment.

    The first one's value is all of it but the passages.
    """
    by_name = {entry.measure: entry for entry in found.measures}
    level = "grade" if found.choice.highlights else "judgment"
    concepts = []
    for concept in REACH:
        values = (by_name[f"rouge-{concept}-{part}"] for part in PARTS)
        row = [getattr(agreement, coefficient) for agreement in values]
        concepts.append([f"ROUGE-{concept.upper()}", *row])
    paper = Table.of(
        ["measure", "precision", "recall", "F1"],
        concepts,
        f"{COEFFICIENTS[coefficient]} of ROUGE and {level}s · {rouge_words(found)}",
        found.notes,
        {
            "settings": to_json(found.choice),
            "passages": len(found.passages),
            **record(found, "queries", "ideals", "notes"),
            "measures": to_json(found.measures),
        },
    )
    queries = max(agreement.queries for agreement in found.measures)
    every = Table(
        columns_of(type(found.measures[0])),
        found.measures,
        "over all passages, p two-sided · tau by query: mean of "
        f"{counted(queries, 'query', 'queries')}",
    )
    if found.choice.relevant_from is not None:
        auc = f" · AUC: judged {found.choice.relevant_from} or more"
        every = replace(every, caption=every.caption + auc)
    levels = by_name[measure].levels
    by_level = columns_of(type(levels[0]), level=level)
    return [paper, every, Table(by_level, levels, f"{measure} by {level}")]


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
