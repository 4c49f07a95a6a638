"""``leaderboard`` and ``scores``: boards summed from per-query rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

import numpy as np

from curator.bank.questions import Bank, Kind, active
from curator.boards import Boards, Sheet
from curator.errors import EvaluationError, UnknownNameError
from curator.evaluation.cover import Cover
from curator.evaluation.grades import GradedQuery
from curator.evaluation.leaderboard import Leaderboard, leaderboard
from curator.evaluation.measures import Measure
from curator.evaluation.n_exam import (
    ExamRow,
    NExam,
    NExamUndefinedError,
    over_gold,
)
from curator.evaluation.rouge.measure import Rouge
from curator.evaluation.rouge.names import is_rouge
from curator.evaluation.rows import Row
from curator.evaluation.score_matrix import unknown_system
from curator.evaluation.settings import (
    DEFAULT_K,
    DEFAULT_MEASURE,
    DEFAULT_MIN_RATING,
    Settings,
    correct_from,
    looks_at_k,
)

MAX_K = 100_000


def settings(
    boards: Boards,
    grader: str | None = None,
    measure: str = DEFAULT_MEASURE,
    min_rating: int = DEFAULT_MIN_RATING,
    k: int = DEFAULT_K,
) -> Settings:
    """Settings with full names; the grader's may be cut short where that is unique.

    Raises UnknownNameError for a grader or measure there is not, EvaluationError for
    thresholds out of range or a workspace without grades.
    """
    if not 0 <= min_rating <= 5:
        raise EvaluationError(f"min-rating is {min_rating}; ratings go from 0 to 5.")
    if not 1 <= k <= MAX_K:
        raise EvaluationError(f"k is {k}; expected 1 to {MAX_K} passages.")
    if is_rouge(measure) and grader is None and not boards.gradebook.records:
        # Texts are compared with texts: nobody has to grade anything.
        named = boards.measure(Settings("", measure, min_rating, k))
        return Settings("", named.name, min_rating, k)
    name = grader_name(boards, grader)
    # Where ratings decide nothing, no threshold is said but the one that holds.
    min_rating = correct_from(boards.grader(name).spec.reading.kind, min_rating)
    chosen = Settings(name, measure, min_rating, k)
    named = boards.measure(chosen)  # refuses a measure that does not exist
    if looks_at_k(named.name):
        return Settings(chosen.grader, named.name, min_rating, k)
    # What a measure looks at is in its own name; k would say something untrue.
    return Settings(chosen.grader, measure, min_rating, named.depth or DEFAULT_K)


def settings_from(boards: Boards, options: Mapping[str, str | int | None]) -> Settings:
    """Settings from keyword options, as the command line has them."""
    unknown = set(options) - {"grader", "measure", "min_rating", "k"}
    if unknown:
        raise TypeError(f"unexpected option {', '.join(sorted(unknown))}")
    grader = options.get("grader")
    return settings(
        boards,
        None if grader is None else str(grader),
        str(options.get("measure") or DEFAULT_MEASURE),
        int(_given(options, "min_rating", DEFAULT_MIN_RATING)),
        int(_given(options, "k", DEFAULT_K)),
    )


def grader_name(boards: Boards, name: str | None) -> str:
    """The full name of the grader meant; without a name the workspace's first."""
    names = [record.name for record in boards.gradebook.records]
    if not names:
        raise EvaluationError(
            "No grades in this workspace yet: `curator grade WORKSPACE --grader "
            "embedding` makes some, `curator import WORKSPACE --autograder FILE` "
            "brings them."
        )
    if name is None:
        on_questions = [
            record.name
            for record in boards.gradebook.records
            if record.spec.reading.item_kind == "question"
        ]
        return (on_questions or names)[0]
    found = boards.gradebook.meant(name)
    if len(found) == 1:
        return found[0].name
    if found:
        raise UnknownNameError(
            f"'{name}' can mean {' or '.join(one.name for one in found)}; "
            "say more of the name."
        )
    near = get_close_matches(name, names, n=3)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    raise UnknownNameError(
        f"No grader '{name}' has grades here.{hint} There are: {', '.join(names)}."
    )


def board(
    boards: Boards,
    settings: Settings,
    bank: Bank | None = None,
    *,
    query_id: str | None = None,
    subtopic_id: str | None = None,
) -> Leaderboard:
    """The board of this bank (the workspace's own by default) under these settings."""
    bank = boards.bank if bank is None else bank
    if subtopic_id is not None:
        return subtopic_board(boards, settings, bank, query_id, subtopic_id)
    if bank is not boards.bank:
        return board_of(boards, settings, bank, query_id)
    standing = boards.standing.get((settings, query_id))
    if standing is None:
        standing = board_of(boards, settings, bank, query_id)
        boards.standing[settings, query_id] = standing
    return standing


def board_of(
    boards: Boards, settings: Settings, bank: Bank, query_id: str | None
) -> Leaderboard:
    """The board of this bank, summed anew from its queries' rows."""
    measure = boards.measure(settings)
    scored = scored_queries(boards, settings, bank, query_id)
    pools = boards.collection.pools
    sentences = notes(boards, settings, measure, scored.rows, query_id)
    if scored.notes and not scored.rows:
        sentences = ()  # why there is no board is said; nothing else matters then
    summed = leaderboard(
        settings,
        boards.collection.systems,
        scored.rows,
        {q: pools[q] for q in scored.rows},
        needed=scored.needed,
        known=scored.known,
        depth=measure.depth,
        notes=(*scored.notes, *sentences),
        overall=scored.overall,
        starred=isinstance(measure, NExam),
    )
    return replace(
        summed, questions=scored.questions, questions_graded=scored.questions_graded
    )


@dataclass(frozen=True)
class ScoredQueries:
    """The row of every query that counts, and what the rows rest on.

    ``needed`` and ``known`` count grades; ``questions`` the active items (0 where the
    grader asks none), ``questions_graded`` those of which every grade is known;
    ``notes`` are sentences about what was left out.
    """

    rows: dict[str, Row]
    needed: int = 0
    known: int = 0
    questions: int = 0
    questions_graded: int = 0
    overall: float | None = None
    notes: tuple[str, ...] = ()


def scored_queries(
    boards: Boards, settings: Settings, bank: Bank, query_id: str | None = None
) -> ScoredQueries:
    """Every query's row under these settings: what all boards are summed from."""
    measure = boards.measure(settings)
    if isinstance(measure, Rouge):
        from curator.verbs.rouge_rows import rouge_rows

        found, sentences = rouge_rows(boards, measure, bank, query_id)
        return ScoredQueries(found, notes=sentences)
    sheets = boards.sheets(settings.grader, bank, boards.query_ids(query_id))
    if isinstance(measure, NExam):
        return against_gold(settings, measure, sheets)
    no_board, note = left_out(measure, [one.graded for one in sheets.values()])
    if no_board:
        return ScoredQueries({}, notes=(note,))
    sheets = {q: one for q, one in sheets.items() if not leaves(measure, one.graded)}
    rows = {q: sheet.row(settings, measure) for q, sheet in sheets.items()}
    overall = None
    if isinstance(measure, Cover) and sheets:
        overall = float(np.mean([sheet.overall(measure) for sheet in sheets.values()]))
    asks = boards.grader(settings.grader).spec.reading.item_kind != "query"
    return ScoredQueries(
        rows,
        needed=sum(sheet.needed for sheet in sheets.values()),
        known=sum(sheet.known for sheet in sheets.values()),
        questions=asks * sum(len(one.graded.item_ids) for one in sheets.values()),
        questions_graded=asks * sum(sheet.whole_items for sheet in sheets.values()),
        overall=overall,
        notes=(note,) if note else (),
    )


def leaves(measure: Measure, graded: GradedQuery) -> bool:
    """Whether the measure leaves this query out of its mean."""
    asked = getattr(measure, "leaves", None)
    return asked is not None and bool(asked(graded))


def left_out(measure: Measure, queries: Iterable[GradedQuery]) -> tuple[bool, str]:
    """Whether the measure has no board at all, and a sentence on what it leaves out."""
    asked = getattr(measure, "left_out", None)
    found: tuple[bool, str] = (False, "") if asked is None else asked(queries)
    return found


def against_gold(
    settings: Settings, measure: NExam, sheets: Mapping[str, Sheet]
) -> ScoredQueries:
    """n-EXAM's rows: of the queries with a gold article, as multiples of it.

    None, with a note that says why, where n-EXAM is undefined.
    """
    exams = {q: one.row(settings, measure) for q, one in sheets.items()}
    with_gold = [row for row in exams.values() if isinstance(row, ExamRow)]
    without = len(sheets) - len(with_gold)
    have = "has" if without == 1 else "have"
    note = f"{without} of {len(sheets)} queries {have} no gold article: "
    note += "not in the mean."
    rows: dict[str, Row] = {}
    try:
        rows = over_gold(exams)
    except NExamUndefinedError as error:
        note = str(error)
    return ScoredQueries(
        rows,
        needed=sum(row.needed for row in with_gold),
        known=sum(row.known for row in with_gold),
        questions=sum(row.denominator for row in with_gold),
        questions_graded=sum(row.whole for row in with_gold),
        notes=(note,) if without or not rows else (),
    )


def subtopic_board(
    boards: Boards,
    settings: Settings,
    bank: Bank,
    query_id: str | None,
    subtopic_id: str,
) -> Leaderboard:
    """The board on one subtopic's questions, over the queries that have them."""
    measure = boards.measure(settings)
    refuse_texts(measure)
    record = boards.grader(settings.grader)
    graded = {
        q: boards.graded(record, q, bank.of_query(q), subtopic_id=subtopic_id)
        for q in boards.query_ids(query_id)
    }
    graded = {q: one for q, one in graded.items() if one.item_ids}
    if not graded:
        raise UnknownNameError(
            f"No active question is in subtopic '{subtopic_id}'. "
            "`curator questions WORKSPACE` lists the subtopics."
        )
    no_board, note = left_out(measure, graded.values())
    graded = {
        q: one for q, one in graded.items() if not no_board and not leaves(measure, one)
    }
    rows = {q: measure.row(one) for q, one in graded.items()}
    grades = [(one.needed, one.known) for one in graded.values()]
    if isinstance(measure, NExam):
        exams = [row for row in rows.values() if isinstance(row, ExamRow)]
        rows, grades = over_gold(rows), [(row.needed, row.known) for row in exams]
    return leaderboard(
        settings,
        boards.collection.systems,
        rows,
        boards.collection.pools,
        needed=sum(needed for needed, _ in grades),
        known=sum(known for _, known in grades),
        depth=measure.depth,
        notes=(
            *([note] if note else []),
            *notes(boards, settings, measure, rows, query_id),
        ),
        starred=isinstance(measure, NExam),
    )


def notes(
    boards: Boards,
    settings: Settings,
    measure: Measure,
    rows: Mapping[str, Row],
    query_id: str | None,
) -> tuple[str, ...]:
    """Sentences to stand beside the board: what it does not rest on."""
    said = []
    collection = boards.collection
    if not collection.systems:
        said.append(
            "No runs imported: ranks appear after `curator import WORKSPACE --runs`."
        )
    by_texts = isinstance(measure, Rouge)  # which says for itself whom it leaves out
    if not (rows or by_texts or hasattr(measure, "left_out")) and not isinstance(
        measure, NExam
    ):
        kind = boards.grader(settings.grader).spec.reading.item_kind
        said.append(
            f"Query '{query_id}' has no kept {kind}, so it leaves every measure."
            if query_id is not None
            else f"No kept {kind} in the bank, so there is nothing to score."
        )
    if measure.depth is None and collection.depth:
        said.append(
            f"{settings.measure} looks at whole rankings, but the runs here are stored "
            f"to rank {collection.depth}; what lies below counts as empty."
        )
    elif measure.depth is not None and 0 < collection.depth < measure.depth:
        said.append(
            f"{settings.measure} looks {measure.depth} deep, but the runs here are "
            f"stored to rank {collection.depth}; what lies below "
            f"{'is not compared' if by_texts else 'counts as empty'}."
        )
    if any(row.upper is None for row in rows.values()):
        said.append(
            f"{settings.measure} is provisional: grades are missing, and it has no "
            "bounds."
        )
    return tuple(said)


@dataclass(frozen=True)
class ScoreTable:
    """Scores by (system, query or ``query/subtopic``), with the measure's name."""

    settings: Settings
    scores: Mapping[tuple[str, str], float]
    systems: tuple[str, ...]

    def of_system(self, system: str) -> ScoreTable:
        """The scores of one system. Raises UnknownNameError."""
        if system not in self.systems:
            raise UnknownNameError(unknown_system(system, self.systems))
        own = {at: score for at, score in self.scores.items() if at[0] == system}
        return ScoreTable(self.settings, own, (system,))


def score_table(boards: Boards, settings: Settings, *, by: str = "query") -> ScoreTable:
    """One score per system and query, or per system and (query, subtopic)."""
    if by == "query":
        scored = scored_queries(boards, settings, boards.bank)
        rows = scored.rows
        if not rows or not boards.collection.systems:
            measure = boards.measure(settings)
            why = notes(boards, settings, measure, rows, None)
            raise EvaluationError((*scored.notes, *why)[0])
    elif by == "subtopic":
        rows = subtopic_rows(boards, settings, boards.measure(settings))
    else:
        raise EvaluationError(f"Scores are by query or by subtopic, not by '{by}'.")
    return ScoreTable(
        settings,
        {
            (system, topic): float(row.score[i])
            for i, system in enumerate(boards.collection.systems)
            for topic, row in rows.items()
        },
        boards.collection.systems,
    )


def subtopic_rows(
    boards: Boards, settings: Settings, measure: Measure
) -> dict[str, Row]:
    """A row per ``query/subtopic`` with an active item."""
    refuse_texts(measure)
    record = boards.grader(settings.grader)
    kind: Kind = "nugget" if record.spec.reading.item_kind == "nugget" else "question"
    rows = {}
    asked = []
    for query_id in boards.query_ids():
        questions = boards.bank.of_query(query_id)
        for subtopic_id in subtopics_of(q.subtopic_id for q in active(questions, kind)):
            graded = boards.graded(record, query_id, questions, subtopic_id=subtopic_id)
            asked += [graded] if graded.item_ids else []
            if graded.item_ids and not leaves(measure, graded):
                rows[f"{query_id}/{subtopic_id}"] = measure.row(graded)
    if not asked:
        raise EvaluationError("No kept question of this bank belongs to a subtopic.")
    no_board, note = left_out(measure, asked)
    if no_board or not rows:
        raise EvaluationError(note)
    return over_gold(rows) if isinstance(measure, NExam) else rows


def refuse_texts(measure: Measure) -> None:
    """Raise EvaluationError for ROUGE: texts stand in no subtopic."""
    if isinstance(measure, Rouge):
        measure.refuse()


def subtopics_of(ids: Iterable[str | None]) -> list[str]:
    """The distinct subtopic ids, in order of appearance."""
    return [one for one in dict.fromkeys(ids) if one is not None]


def _given(options: Mapping[str, str | int | None], name: str, default: int) -> int:
    value = options.get(name)
    return default if value is None else int(value)
