"""``report``: everything a published page says of a workspace, as one frozen value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from curator.collection.pools import UNJUDGED
from curator.engine.gradebook import GraderRecord
from curator.engine.settings import Options, report_settings
from curator.engine.state import State
from curator.evaluation.settings import Settings
from curator.store import counts as store_activity
from curator.verbs.curate.question_rows import QuestionLine, question_lines
from curator.verbs.files.report import boards as report_boards
from curator.verbs.files.report import examples
from curator.verbs.files.report.contents import (
    Authors,
    BankLine,
    BankOfQuery,
    CollectionFigures,
    GraderDescription,
    Health,
    ReleaseLine,
    Report,
)
from curator.verbs.proposals import decisions
from curator.verbs.releases import release
from curator.verbs.setup.status import GraderState, graders
from curator.version import VERSION

STILL = 1e-12  # a change of a score that is none
READ_MS_MARCO = "all-minilm"  # in the names of models that were trained on it


def report(
    state: State, /, settings: Settings | None = None, **options: Options
) -> Report:
    """Everything the published page says, as one value; ``export`` writes it.

    Also of a workspace without grades; what is missing says why. Rests on what whoever
    asks may see of the file alone: no clock, no model, nothing random.
    """
    state = state.seen
    settings = settings or report_settings(state, options)
    collection, bank = state.collection, state.bank
    history = store_activity.activity(state.connection)
    graded = settings if settings is not None and settings.grader else None
    lines = question_lines(state, settings)
    frozen = release.freeze(state, graded, scores=False) if graded else None
    labels = Counter(frozen.labels().values()) if frozen else Counter[int]()
    labelled = sum(
        len(query.passage_ids)
        for query in (frozen.queries if frozen else ())
        if next(query.rated(), None)
    )
    ranked = report_boards.ranked(state, settings)
    alike = report_boards.correlated(state, ranked.boards)
    agreed = report_boards.agreed(state, graded)
    shown = examples.examples(state, graded)
    kept = [question for question in bank if question.state == "kept"]
    return Report(
        title=collection.title,
        version=VERSION,
        as_of=history.latest,
        began=history.began,
        edits=history.edits,
        imported=history.imported,
        settings=settings,
        collection=_figures(state),
        states={
            one: sum(question.state == one for question in bank)
            for one in ("kept", "proposed", "retired")
        },
        kinds=dict(sorted(Counter(question.kind for question in kept).items())),
        done=len({query_id for query_id, _ in bank.done}),
        authors=_authors(state),
        bank=_bank(state, lines),
        per_query=_per_query(state, graded),
        health=_health(state, settings, lines),
        graders=_graders(state),
        labels=dict(sorted(labels.items(), reverse=True)),
        unlabelled=labelled - sum(labels.values()),
        boards=ranked.boards,
        no_board=ranked.missing,
        tiers=ranked.tiers,
        tier_note=ranked.tier_note,
        official=dict(collection.official),
        correlations=alike.rows,
        no_correlation=alike.missing,
        agreement=agreed.tables,
        agreement_note=agreed.note,
        kappas=agreed.kappas,
        no_agreement=agreed.missing,
        examples=shown.examples,
        no_example=shown.missing,
        sha256=frozen.sha256 if frozen else "",
        releases=_releases(state),
    )


def _figures(state: State) -> CollectionFigures:
    collection = state.collection
    pools = collection.pools.values()
    return CollectionFigures(
        queries=len(collection.queries),
        subtopics=sum(len(query.subtopics) for query in collection.queries),
        passages=len({one for pool in pools for one in pool.without_gold}),
        pairs=sum(len(pool.without_gold) for pool in pools),
        systems=len(collection.systems),
        depth=collection.depth,
        judged=sum(int((pool.judgments != UNJUDGED).sum()) for pool in pools),
        min_relevance=collection.min_relevance,
        official=len(collection.official),
        blind=collection.blind and not collection.mask_salt,
    )


def _authors(state: State) -> Authors:
    share = decisions.decisions(state).bank
    return Authors(
        written=share.written,
        imported=share.imported,
        as_proposed=share.unedited,
        reworded=share.reworded,
        dropped=share.dropped,
        undecided=share.undecided,
    )


def _bank(state: State, lines: Sequence[QuestionLine]) -> tuple[BankOfQuery, ...]:
    by_query: dict[str, list[BankLine]] = {}
    for line in lines:
        if line.question.state == "kept":
            one, reach = line.question, line.influence
            by_query.setdefault(one.query_id, []).append(
                BankLine(one)
                if reach is None
                else BankLine(one, reach.passages, reach.systems)
            )
    return tuple(
        BankOfQuery(query_id, state.queries[query_id].name, tuple(of_query))
        for query_id, of_query in by_query.items()
    )


def _per_query(state: State, graded: Settings | None) -> dict[int, int]:
    """How many queries have 0, 1, 2, … kept questions of the grader's kind.

    All kinds together where nothing is graded, or a passage is graded as a whole.
    """
    kind = ""
    if graded is not None:
        kind = state.grader(graded.grader).spec.reading.item_kind
    counts: Counter[int] = Counter()
    for query_id in state.query_ids():
        questions = state.bank.of_query(query_id)
        counts[
            sum(
                one.state == "kept" and kind in ("", "query", one.kind)
                for one in questions
            )
        ] += 1
    return dict(sorted(counts.items()))


def _health(
    state: State, settings: Settings | None, lines: Sequence[QuestionLine]
) -> Health | None:
    """None where no grader asks the questions of the bank."""
    found = [line.influence for line in lines if line.influence is not None]
    if settings is None or not found:
        return None
    systems = len(state.collection.systems)
    moves = systems and state.measure(settings).rests_on != "texts"
    return Health(
        active=len(found),
        unanswered=tuple(one.question_id for one in found if not one.passages),
        answered_by_all=tuple(
            one.question_id for one in found if one.systems == systems
        )
        if systems
        else None,
        moving_nothing=tuple(
            one.question_id
            for one in found
            if one.influence is not None and one.influence <= STILL
        )
        if moves
        else None,
        sole=sum(one.influence is None for one in found) if moves else 0,
    )


def _graders(state: State) -> tuple[GraderDescription, ...]:
    states = graders(state)
    return tuple(
        _told(record, counts)
        for record, counts in zip(state.gradebook.records, states, strict=True)
    )


def _told(record: GraderRecord, counts: GraderState) -> GraderDescription:
    responder, reading = record.spec.responder, record.spec.reading
    return GraderDescription(
        name=record.name,
        kind=reading.kind,
        item_kind=reading.item_kind,
        model=responder.model,
        revision=responder.revision,
        prompt=responder.prompt,
        decoding=responder.decoding,
        parser=reading.parser,
        thresholds=reading.thresholds,
        key=record.spec.key,
        known=counts.known,
        needed=counts.needed,
        unreadable=counts.unreadable,
        parts=tuple(part.name for part in record.parts),
        saw_ms_marco=_read_ms_marco(record),
    )


def _read_ms_marco(record: GraderRecord) -> bool:
    return READ_MS_MARCO in record.spec.responder.model.lower() or any(
        map(_read_ms_marco, record.parts)
    )


def _releases(state: State) -> tuple[ReleaseLine, ...]:
    return tuple(
        ReleaseLine(
            one.record.name,
            one.record.at,
            one.record.by,
            one.record.why,
            one.record.sha256,
            Settings(
                one.record.grader,
                one.record.measure,
                one.record.min_rating,
                one.record.k,
            ),
            one.record.questions,
            one.record.labels,
            len(one.labels),
        )
        for one in release.release_drifts(state)
    )
