"""The passages whose label changed, each with the sentence that the edit is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from curator.evaluation.impact import Impact
from curator.formats.templates import macro
from curator.store.history import Event
from curator.ui.curate.page_state import PageState
from curator.ui.passages.reader import highlighter
from curator.ui.shared.words import shortened

SHOWN = 10
EDITED = "edited"
LISTED = 40  # a list of them all is on the Passages page


def changed_html(page: PageState, texts: Mapping[str, str], opened: str | None) -> str:
    """The changed passages of this query, the largest fall first; nothing for none.

    A click opens one in the reader. An answering sentence is shown where it is known
    already, and the beginning of the passage elsewhere, so that nobody waits for the
    model.
    """
    impact = page.shown_impact
    if impact is None or not impact.labels:
        return ""
    # A label rests on every grade: with some missing none is known to have fallen.
    summary, sentences = "known once the missing grades are", dict(texts)
    if not (impact.missing or impact.missing_before):
        summary = changed_summary(page, impact)
        asked = asked_of(page, texts)
        found = highlighter().spans_of(list(asked.values()), ask=False)
        for passage_id, spans in zip(asked, found, strict=True):
            if spans:
                sentences[passage_id] = texts[passage_id][spans[EDITED][0] :]
    return macro("curate/impact.html", "changed")(
        *(page.changed, page.judgments, opened, summary, sentences),
        *(SHOWN, LISTED, partial(shortened, length=120)),
    )


def changed_summary(page: PageState, impact: Impact) -> str:
    """``56 of 62 fall below 4: 33 judged non-relevant``."""
    assert page.settings is not None
    own, minimum = page.changed, page.settings.min_rating
    fell = [
        label.passage_id
        for label in own
        if label.before is not None and label.before >= minimum > (label.after or 0)
    ]
    parts = [f"{len(fell)} of {len(own)} fall below {minimum}"] if own else []
    relevant_from = page.collection.min_relevance
    if fell and relevant_from is not None:
        wrong = sum(
            page.judgments.get(one, relevant_from) < relevant_from for one in fell
        )
        parts[0] += f": {wrong} judged non-relevant"
    if len(impact.labels) > len(own):
        parts.append(f"{len(impact.labels) - len(own)} in other queries")
    said = " · ".join(parts)
    if impact.settings.grader == page.settings.grader:
        return said
    return f"by {page.labels[impact.settings.grader]} · {said}"


def find_sentences(page: PageState, texts: Mapping[str, str]) -> None:
    """Have the sentences of the rows seen at once found, beside the page."""
    pairs = list(asked_of(page, texts).values())
    if not all(highlighter().spans_of(pairs, ask=False)):
        highlighter().prepare(pairs)


def asked_of(
    page: PageState, texts: Mapping[str, str]
) -> dict[str, tuple[str, Mapping[str, str]]]:
    """Text and edited question by passage id, of the rows that are seen at once."""
    asked = edited_question(page.edits, page.query.query_id)
    if asked is None:
        return {}
    seen = (label.passage_id for label in page.changed[:SHOWN])
    return {one: (texts[one], {EDITED: asked}) for one in seen if texts.get(one)}


def edited_question(edits: Sequence[Event], query_id: str) -> str | None:
    """The text of the question last edited in this query; the old one of a rewording.

    Passages fall because they answered that one. None where it has no text.
    """
    for event in sorted(edits, key=lambda one: one.event_id, reverse=True):
        question = event.change.before or event.change.after
        if question is not None and event.change.query_id == query_id:
            return question.text
    return None
