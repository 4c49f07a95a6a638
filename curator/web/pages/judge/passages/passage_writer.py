"""Beneath the selected passage: a question written from it, marks, the reader.

The same component hears the page's filters, so that one listener serves them all.
"""

from __future__ import annotations

from typing import cast, get_args

from curator.collection.pools import Query
from curator.verbs.passages.order import Order
from curator.verbs.passages.pool_rows import Show
from curator.web.components import session, words
from curator.web.components.channel import Component, handles
from curator.web.pages.judge import proposing
from curator.web.pages.judge.passages.page_state import SavedOrder
from curator.web.pages.judge.proposal_rows import gate_words

LONGEST_SEARCH = 200  # characters

WRITER = Component(
    "passage_writer",
    "components/drafts",
    "components/edits",
    "components/conflict",
    "components/drawn",
    "pages/judge/passages/ideals",
    "pages/judge/answers/verdicts",
    "pages/judge/passages/passage_writer",
    verb="apply",
)


def passage_writer(
    query: Query,
    passage_id: str | None,
    said: str,
    *,
    noun: str = "question",
    ideal: bool = False,
) -> None:
    """The buttons and the form; nothing but the listener without a passage.

    ``noun`` is what is written here: a question, or a nugget; ``ideal`` says whether
    the passage, or words in it, are marked as an ideal answer.
    """
    view = session.view()
    WRITER.draw(
        why_not=words.why_withheld(query),
        query=query.query_id,
        passage=passage_id,
        noun=noun,
        subtopics=[[s.subtopic_id, s.text or s.subtopic_id] for s in query.subtopics],
        said=said,
        sight=[
            passage_id,
            view.page,
            view.show,
            view.question,
            view.system,
            view.words,
        ],
        ideal=ideal,
    )


@handles("open")
def open_in_curate(*, passage: str | None) -> None:
    """Open the passage beside its query's questions."""
    session.look(passage=passage)
    session.current().go_to = "Judge"


@handles("propose")
def propose(*, query: str, passage: str) -> None:
    """Have the model ask what this passage answers; where none can be, say why."""
    with session.drawing() as workspace:
        request = workspace.default_request()
        gate = workspace.gate(query)
        pool = workspace.collection().pools.get(query)
    if pool is None or passage not in pool.passage_ids:
        return  # the page itself says what is wrong
    wanting = gate_words(gate.remaining) if gate.closed else ""
    wanting = wanting or proposing.wanting(request)
    if wanting:
        session.note(wanting, error=True)
    else:
        session.ask(query, passage_id=passage)


@handles("filter")
def choose(*, name: str) -> None:
    """Take one filter, from its first page on; a question chosen again is let go."""
    which, _, value = name.partition(":")
    if which == "show" and value in get_args(Show):
        session.look(show=cast("Show", value), page=1, passage=None)
    elif which == "question":
        again = value == session.view().question
        session.look(question=None if again else value, page=1, passage=None)
    elif which == "system":
        session.look(system=value or None, page=1, passage=None)
    elif which == "words":
        session.look(words=value[:LONGEST_SEARCH].strip(), page=1, passage=None)
    elif which == "sort" and value in get_args(Order):
        session.look(sort=cast("Order", value), reverse=False, page=1, passage=None)
    elif which == "reverse":
        session.look(reverse=not session.view().reverse, page=1, passage=None)
    elif which == "again":
        session.drop(SavedOrder)
        session.look(page=1, passage=None)
