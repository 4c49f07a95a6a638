"""Resolution of chosen settings to settings with full names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, cast, get_args

from curator.errors import EvaluationError, UnknownNameError
from curator.evaluation.leaderboard import relevant_from
from curator.evaluation.measures import (
    Measure,
    accepts_label,
    compares_texts,
    offered,
    uses_k,
)
from curator.evaluation.measures.measure import Need
from curator.evaluation.settings import (
    DEFAULT_K,
    DEFAULT_LABEL,
    DEFAULT_MEASURE,
    DEFAULT_MIN_ANSWERED,
    FIRST_GRADER,
    FIRST_MEASURE,
    HIGHEST_LABEL,
    JUDGMENTS,
    OFFICIAL,
    By,
    Label,
    LabelRule,
    Settings,
    default_min_rating,
    judged_measure,
)
from curator.snapshot.languages import can_read, languages
from curator.snapshot.question_groups import with_questions
from curator.snapshot.snapshot import Snapshot
from grading.ratings import HIGHEST
from grading.readings import HIGHEST_GRADE, prompt_parser

MAX_K = 100_000
GRADER = "grader:"  # prefix of a grader whose board is the reference

MeasureOrName = str | Measure
"""A measure, also one of ``ir_measures``, or its name."""
BoardChoice = Settings | MeasureOrName
"""A choice of a board: settings, or a measure with default settings."""
OptionValue = MeasureOrName | int | None
"""A value of one of the options of ``settings``."""


def settings(
    snapshot: Snapshot,
    grader: str | None = None,
    measure: MeasureOrName | None = None,
    min_rating: int | None = None,
    k: int = DEFAULT_K,
    min_answered: int = DEFAULT_MIN_ANSWERED,
    label: str | None = None,
) -> Settings:
    """Resolve settings to full names; a unique part of a grader's name is enough.

    Missing values are the workspace's defaults: the grader and measure of its first
    board, labels by the best rating, and the grader's own threshold.

    Raises UnknownNameError for an unknown grader or measure, EvaluationError for
    thresholds out of range, a workspace without grades or, opened as a judge, for
    hidden votes of another judge.
    """
    if min_rating is not None and not 0 <= min_rating <= HIGHEST:
        raise EvaluationError(f"min-rating is {min_rating}; ratings go from 0 to 5.")
    if not 1 <= k <= MAX_K:
        raise EvaluationError(f"k is {k}; expected 1 to {MAX_K} passages.")
    if not 1 <= min_answered <= MAX_K:
        raise EvaluationError(
            f"min-answered is {min_answered}; expected 1 to {MAX_K} items."
        )
    measure = (
        default_measure(snapshot, grader) if measure is None else measure_name(measure)
    )
    rule = parse_label_rule(label or DEFAULT_LABEL, min_answered)
    if is_official(measure):
        return official_settings(snapshot, measure)
    if measure.startswith(f"{JUDGMENTS}:"):
        return judgment_settings(snapshot, measure)
    if compares_texts(measure) and grader is None and not default_grader(snapshot):
        # Measures of texts need no grades.
        resolved = snapshot.measure(Settings("", measure, k=k))
        return Settings("", resolved.name, k=k)
    name = grader_name(snapshot, grader)
    kind = snapshot.grader(name).spec.reading.kind
    if min_rating is None:
        min_rating = default_min_rating(kind)
    elif min_rating > (highest := highest_rating(snapshot, name)):
        raise EvaluationError(
            f"min-rating is {min_rating}; {name} gives ratings from 0 to {highest}."
        )
    if kind == "direct":  # the query is its only item
        min_answered = DEFAULT_MIN_ANSWERED
    chosen = Settings(name, measure, min_rating, k, min_answered, label=rule)
    resolved = snapshot.measure(chosen)  # refuses a measure that does not exist
    snapshot.viewer.refuse_measure(resolved)
    if uses_k(resolved.name):
        return replace(chosen, measure=resolved.name)
    # The cut-off is in the measure's name; another k would be wrong.
    return replace(chosen, k=resolved.depth or DEFAULT_K)


def highest_rating(snapshot: Snapshot, grader: str) -> int:
    """Return the highest rating that the grader of this full name gives."""
    reading = snapshot.grader(grader).spec.reading
    if reading.kind != "direct":
        return HIGHEST_LABEL[reading.kind]
    if (highest := HIGHEST_GRADE.get(prompt_parser(reading.parser))) is not None:
        return highest

    def highest_stored() -> int:
        matrices = snapshot.matrices(
            grader, snapshot.bank, snapshot.query_ids()
        ).values()
        highest = (int(graded.ratings.max(initial=1)) for graded in matrices)
        return max(highest, default=1)

    return snapshot.cached(("highest rating", grader), highest_stored)


def fitting_rating(
    snapshot: Snapshot, grader: str | None, min_rating: int | None
) -> int | None:
    """Return the minimum rating if the grader gives such a rating, else None."""
    if min_rating is None:
        return None
    highest = highest_rating(snapshot, grader_name(snapshot, grader))
    return min_rating if min_rating <= highest else None


def transferred_rating(
    snapshot: Snapshot, settings: Settings, grader: str
) -> int | None:
    """Return the minimum rating for another grader if both rate 0 to 5, else None."""
    if settings.grader == grader:
        return settings.min_rating
    if settings.grader in ("", JUDGMENTS, OFFICIAL):
        return None
    kinds = {
        snapshot.grader(name).spec.reading.kind for name in (settings.grader, grader)
    }
    return settings.min_rating if kinds == {"rated"} else None


def default_instant_grader(snapshot: Snapshot) -> str | None:
    """Return the name of the instant grader if it is the default; else None.

    It must have graded every query that counts, and read the language of the texts. One
    that graded only new text, next to another grader's board, is no default.
    """

    def compute() -> str | None:
        book, bank = snapshot.gradebook, snapshot.bank
        query_ids = [
            query_id
            for query_id in snapshot.collection.pools
            if any(question.state == "kept" for question in bank.questions_of(query_id))
        ]
        names = (
            record.name
            for record in book.records
            if record.spec.computed and record.name.startswith(FIRST_GRADER)
            if can_read(snapshot, record)
            if query_ids
            and all(book.has_graded(record, query_id) for query_id in query_ids)
        )
        return next(names, None)

    return snapshot.cached(("first grader",), compute)


def default_grader(snapshot: Snapshot) -> str | None:
    """Return the name of the grader of the default board.

    None without grades, and if no grader reads the language of the texts.
    """
    if (first := default_instant_grader(snapshot)) is not None:
        return first
    records = [
        record
        for record in snapshot.gradebook.records
        if not record.spec.learned and can_read(snapshot, record)
    ]
    kinds = {record.name: record.spec.reading.item_kind for record in records}
    question_graders = (name for name in kinds if kinds[name] in ("question", "any"))
    return next(question_graders, next(iter(kinds), None))


def default_measure(snapshot: Snapshot, grader: str | None) -> str:
    """Return the default measure of a grader.

    Cover for a grader of nuggets, or of any item where most kept items are nuggets;
    nDCG@10 for all others. docs/validity.md says how well they agree with judgments.
    """
    reading = snapshot.grader(grader_name(snapshot, grader)).spec.reading
    if reading.kind == "direct" or reading.item_kind == "question":
        return FIRST_MEASURE
    if reading.item_kind == "nugget":
        return DEFAULT_MEASURE
    kinds = [question.kind for question in snapshot.bank if question.state == "kept"]
    mostly_nuggets = 2 * kinds.count("nugget") > len(kinds)
    return DEFAULT_MEASURE if mostly_nuggets else FIRST_MEASURE


def parse_label_rule(label: str, min_answered: int = DEFAULT_MIN_ANSWERED) -> Label:
    """Return this name of a label rule. Raises EvaluationError if unknown or unfit."""
    rule: Label | None = next((name for name in get_args(Label) if name == label), None)
    if rule is None:
        raise EvaluationError(
            f"label is '{label}'; a passage's label is one of "
            f"{', '.join(get_args(Label))}."
        )
    if min_answered != DEFAULT_MIN_ANSWERED and LabelRule(rule).fractional:
        raise EvaluationError(
            f"min-answered is {min_answered}, but the label '{label}' is a mean of "
            "ratings and does not count items; leave out min-answered, or use the "
            "label max or answered."
        )
    return rule


def is_official(measure: str) -> bool:
    """Return True for the names ``official`` and ``official:NAME``."""
    return measure.partition(":")[0] == OFFICIAL


def official_settings(snapshot: Snapshot, measure: str) -> Settings:
    """Return the settings of an official board. Raises UnknownNameError."""
    if snapshot.collection.official_board(measure) is None:
        names = ", ".join(
            f"{OFFICIAL}:{name}" for name in snapshot.collection.official_boards
        )
        raise UnknownNameError(
            f"No official board '{measure}' in this workspace. Available: "
            f"{', '.join(filter(None, (OFFICIAL, names)))}."
        )
    return Settings(OFFICIAL, measure)


def judgment_settings(snapshot: Snapshot, measure: str) -> Settings:
    """Return the settings of ``judgments:<measure>``, a board of judgments.

    ``min_rating`` is the lowest relevant judgment. The board is by subtopic if
    subtopics are judged: over the topics of the qrels. Raises EvaluationError if the
    lowest relevant judgment is unknown, and to judges who must not see judgments.
    """
    judged = judged_measure(measure)
    if judged is None:
        raise EvaluationError(
            f"A board is compared against 'official', 'judgments:<measure>', such as "
            f"judgments:nDCG@10, or '{GRADER}<name>'; not against '{measure}'."
        )
    if snapshot.viewer.is_judge and snapshot.collection.blind:
        raise EvaluationError("Judges do not see official judgments in this workspace.")
    lowest_relevant = relevant_from(snapshot.collection, judged)
    judged_by: By = "subtopic" if snapshot.collection.judged_subtopics else "query"
    chosen = Settings(JUDGMENTS, measure, lowest_relevant, by=judged_by)
    return replace(chosen, k=snapshot.measure(chosen).depth or DEFAULT_K)


def reference_settings(
    snapshot: Snapshot,
    settings: Settings,
    against: str,
    options: Mapping[str, OptionValue] = MappingProxyType({}),
    by: str | None = None,
) -> Settings:
    """Return the settings of the reference of a board under ``settings``.

    ``against`` is ``official``, ``official:<name>``, ``judgments:<measure>``,
    ``grader:<name>`` or ``grader:<name>:<measure>``; raises EvaluationError for
    anything else. The name can be a part of a grader's, and the default measure is the
    board's. ``options`` are those of the board; their ``min_rating`` holds for the
    reference if its grader gives such a rating.
    """
    if is_official(against):
        return official_settings(snapshot, against)
    if not against.startswith(GRADER):
        return board_settings(snapshot, {}, judgment_settings(snapshot, against), by)
    name, measure = _grader_and_measure(snapshot, against.removeprefix(GRADER))
    board_measure = judged_measure(settings.measure) or settings.measure
    needs_grades = not (is_official(board_measure) or compares_texts(board_measure))
    if measure is None and not needs_grades:
        raise EvaluationError(
            f"{board_measure} uses no grades, so '{against}' has no such board; name a "
            f"measure, such as {GRADER}{name}:P@10."
        )
    rating = fitting_rating(
        snapshot, name, cast("int | None", options.get("min_rating"))
    )
    if rating is None:
        rating = transferred_rating(snapshot, settings, name)
    reference_options: dict[str, Any] = {
        "k": settings.k if uses_k(settings.measure) else DEFAULT_K,
        "min_answered": settings.min_answered,
        "label": settings.label,
        **{
            option: value
            for option, value in options.items()
            if value is not None and option != "questions"
        },
        "min_rating": rating,
        "grader": name,
        "measure": measure or board_measure,
    }
    if not accepts_label(reference_options["measure"], reference_options["label"]):
        reference_options["label"] = DEFAULT_LABEL
    reference = settings_from(snapshot, reference_options)
    return board_settings(snapshot, {}, reference, by or settings.by)


def reference_name(snapshot: Snapshot, against: str) -> str:
    """Return the name of a board's reference, with the full name of a grader."""
    if not against.startswith(GRADER):
        return against
    name, measure = _grader_and_measure(snapshot, against.removeprefix(GRADER))
    return GRADER + ":".join(filter(None, (name, measure)))


def _grader_and_measure(snapshot: Snapshot, reference: str) -> tuple[str, str | None]:
    """Split into a grader's full name and the measure after it, None without one.

    Both can contain colons; the longest beginning that matches a grader is its name.
    """
    parts = reference.split(":")
    for end in range(len(parts), 0, -1):
        name, measure = ":".join(parts[:end]), ":".join(parts[end:])
        if name and snapshot.gradebook.match_graders(name):
            return grader_name(snapshot, name), measure or None
    if not reference:
        raise EvaluationError(
            f"'{GRADER}' names no grader; expected {GRADER}NAME or "
            f"{GRADER}NAME:MEASURE."
        )
    return grader_name(snapshot, reference), None  # raises with the available names


def measures(snapshot: Snapshot) -> tuple[str, ...]:
    """List the measures to offer here; any other can still be requested by name."""

    def computed() -> tuple[str, ...]:
        gold = any(pool.gold for pool in snapshot.collection.pools.values())
        kept = [question for question in snapshot.bank if question.state == "kept"]
        has: dict[Need, bool] = {
            "grades": True,
            "gold": gold,
            "votes": any(question.votes for question in snapshot.full.bank),
            "ideals": gold
            or any(map(snapshot.bank.ideals_of, snapshot.collection.pools))
            or any(question.answers for question in kept),
            "citations": any(
                len(pool.citations) for pool in snapshot.collection.pools.values()
            ),
        }
        return offered([need for need, available in has.items() if available])

    return snapshot.cached(("measures",), computed)


def settings_from(
    snapshot: Snapshot,
    options: Mapping[str, OptionValue],
    chosen_board: BoardChoice | None = None,
) -> Settings:
    """Resolve settings, or keyword options as in the command line.

    A given measure is added to the other options. Raises TypeError for an unknown
    option, or for two measures, EvaluationError for settings of a board by subtopic,
    which ``board_settings`` resolves.
    """
    if isinstance(chosen_board, Settings):
        return require_by_query(chosen_board)
    chosen: dict[str, Any] = {k: v for k, v in options.items() if v is not None}
    if chosen_board is not None and "measure" in chosen:
        raise TypeError(f"two measures: {chosen_board} and {chosen['measure']}")
    if chosen_board is not None:
        chosen["measure"] = chosen_board
    return settings(snapshot, **chosen)


def default_settings(
    snapshot: Snapshot,
    options: Mapping[str, OptionValue],
    chosen: BoardChoice | None = None,
) -> Settings | None:
    """Resolve as ``settings_from``.

    None if no grader is named or the default, and the measure needs grades.
    """
    measure = measure_name(chosen or options.get("measure") or DEFAULT_MEASURE)
    has_board = isinstance(chosen, Settings) or options.get("grader") is not None
    if has_board or compares_texts(measure) or default_grader(snapshot) is not None:
        return settings_from(snapshot, options, chosen)
    return None


def require_by_query(settings: Settings) -> Settings:
    """Return the settings. Raises EvaluationError for those of a board by subtopic."""
    if settings.questions:
        raise EvaluationError(
            "Only boards, scores, comparisons, correlations and stability can be "
            "limited to a group of questions; questions, labels and files cannot."
        )
    if settings.by != "query" and settings.grader != JUDGMENTS:
        raise EvaluationError(
            "Only boards, scores, comparisons, correlations and agreement can be by "
            "subtopic; questions, labels and files cannot."
        )
    return settings


def board_settings(
    snapshot: Snapshot,
    options: Mapping[str, OptionValue],
    chosen_board: BoardChoice | None = None,
    by: str | None = None,
) -> Settings:
    """Resolve settings that may be by subtopic; ``by`` sets it, None keeps it.

    The option ``questions`` names the group of questions that counts. Raises
    EvaluationError also for anything but "query" and "subtopic".
    """
    chosen = chosen_board
    group = options.get("questions")
    if not isinstance(chosen, Settings):
        others = {name: value for name, value in options.items() if name != "questions"}
        chosen = settings_from(snapshot, others, chosen)
    if group is not None:
        chosen = with_questions(snapshot, chosen, str(group))
    if by is None or chosen.grader == OFFICIAL:
        return chosen
    if by not in get_args(By):
        raise EvaluationError(
            f"Boards and scores are by {' or by '.join(get_args(By))}, not by '{by}'."
        )
    return replace(chosen, by=cast(By, by))


def measure_list(
    measures: MeasureOrName | Sequence[BoardChoice],
) -> tuple[BoardChoice, ...]:
    """Return the measures of a list, or a single measure as a tuple."""
    if isinstance(measures, Sequence) and not isinstance(measures, str):
        return tuple(measures)
    return (measures,)


def measure_name(measure: object) -> str:
    """Return the name of a measure, ours or of ``ir_measures``, or the name itself."""
    return measure.name if isinstance(measure, Measure) else str(measure)


def grader_name(snapshot: Snapshot, name: str | None) -> str:
    """Return the full name of the matching grader, by default the workspace's first."""
    names = [record.name for record in snapshot.gradebook.records]
    if not names:
        grader = "" if languages(snapshot).english else " --grader chat:MODEL"
        raise EvaluationError(
            "No grades in this workspace yet. Grade with `curator grade "
            f"WORKSPACE{grader}`, or import grades with `curator import WORKSPACE "
            "--autograder FILE`."
        )
    if name is None:
        if (default := default_grader(snapshot)) is not None:
            return default
        raise EvaluationError(
            f"{languages(snapshot).note} To use such a grader, name it."
        )
    matches = snapshot.gradebook.match_graders(name)
    if len(matches) == 1:
        return matches[0].name
    if matches:
        raise UnknownNameError(
            f"'{name}' can mean {' or '.join(record.name for record in matches)}; "
            "give more of the name."
        )
    if snapshot.gradebook.learned:
        snapshot.gradebook.learned.record(name)  # raises with the possible parts
    near = get_close_matches(name, names, n=3)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    raise UnknownNameError(
        f"No grader '{name}' has grades here.{hint} Available: {', '.join(names)}."
    )
