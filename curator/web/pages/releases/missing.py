"""Why a release or a file is not made."""

from __future__ import annotations

from curator.formats.codec import Exports
from curator.verbs.releases import Readiness

NO_GRADES = "Closed until there are grades."
NO_LABELS = "{} compares texts and gives no labels to freeze; choose another measure."
NO_QUESTIONS = "No question is kept, so there is nothing to freeze."
NO_RELEASE = "This file is made of a release, and there is none yet."
INCOMPLETE = "Closed while something is missing; “Freeze and export anyway” allows it."
BLIND = "System names are hidden while judging is blind; only organizers can export it."
UNSEEN = "It has votes and proposals that you may not see yet; an organizer exports it."


def why_not_freeze(readiness: Readiness, *, allow_partial: bool) -> str:
    """Return why nothing can be frozen now, or ""."""
    if readiness.settings and not (readiness.kept or readiness.needed):
        return NO_QUESTIONS
    return _why_no_numbers(readiness, labels=True, allow_partial=allow_partial)


def why_not_export(
    kind: Exports,
    readiness: Readiness,
    release: str,
    *,
    allow_partial: bool,
    blind: bool,
) -> str:
    """Return why this file is not made, of a release or of the bank as it is, or ""."""
    if blind and (kind.tells_systems or (release and kind.kind == "leaderboard")):
        return BLIND
    if kind.tells_votes and (readiness.unseen or readiness.closed):
        return UNSEEN
    if kind.only_released and not release:
        return NO_RELEASE
    if release or not kind.of_numbers:
        return ""
    labels = kind.kind.endswith("qrels")
    return _why_no_numbers(readiness, labels=labels, allow_partial=allow_partial)


def _why_no_numbers(readiness: Readiness, *, labels: bool, allow_partial: bool) -> str:
    if readiness.settings is None:
        return NO_GRADES
    if labels and not readiness.settings.grader:
        return NO_LABELS.format(readiness.settings.measure)
    return "" if readiness.complete or allow_partial else INCOMPLETE
