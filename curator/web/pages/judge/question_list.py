"""The middle column: the query and its questions, drawn and edited in the browser.

The component under ``curate/question_list.js`` gets everything as data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from curator.bank.answer_keys import key_lines, key_words
from curator.bank.edits import REASONS
from curator.bank.marks import Note
from curator.bank.near_duplicates import near_duplicates
from curator.bank.questions import RESTRICTED, Question, kind_of_new
from curator.collection.pools import Query
from curator.edit_words import RETIRE, STATES
from curator.evaluation.impact import SystemMove
from curator.evaluation.influence import Influence
from curator.formats.guidelines import first_sentence
from curator.verbs.curate.question_rows import QuestionLine, numbers_of
from curator.verbs.history.history import Retirement, Rewording
from curator.web.components import session, words
from curator.web.components.channel import Component
from curator.web.components.words import Sentence
from curator.web.pages.judge import impact_words, proposal_rows, weighing
from curator.web.pages.judge.explanations import figures_mean, reason_means
from curator.web.pages.judge.page_state import PageState
from curator.web.pages.judge.proposal_rows import Proposals
from curator.web.pages.judge.query_list import done_words
from curator.web.pages.judge.votes import row_votes
from curator.web.pages.judge.what_next import next_data
from curator.workspace import Workspace


def question_groups(
    lines: Sequence[QuestionLine],
    query: Query,
    *,
    systems: int,
    judge: str = "",
    changes: Mapping[str, Retirement | Rewording] | None = None,
    proposals: Proposals | None = None,
    would: Mapping[str, dict[str, Any]] | None = None,
    item_kind: str = "any",
    votes: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[dict[str, Any]]:
    """Rows by subtopic as JSON, in the query's order; those without one last.

    Within one, proposals stand last; no heading where the query has no subtopics.
    ``would`` is what deciding on a question would do, by its id, ``item_kind`` what
    the grader is asked about.
    """
    known = proposals or Proposals()
    largest = max((_influence(line, known) or 0.0 for line in lines), default=0.0)
    near = near_duplicates(tuple(line.question for line in lines))
    names = {s.subtopic_id: s.text or s.subtopic_id for s in query.subtopics}
    number = numbers_of(lines)

    def row(line: QuestionLine) -> dict[str, Any]:
        question_id = line.question.question_id
        like = number.get(near.get(question_id, ""))
        value = _influence(line, known)
        if line.question.state == "proposed":
            own = _proposed(line.question, known, systems, like, number)
        else:
            last = (changes or {}).get(question_id)
            own = _decided(line, systems, like, last, judge)
            if asks_others(line.question, item_kind):
                own["meta"] = " · ".join([own["meta"], NOT_COUNTED]).strip(" ·")
        influence = words.influence(value)
        retired = line.question.state == "retired"
        return {
            "id": question_id,
            "number": line.number,
            "text": line.question.title,
            "state": line.question.state,
            "revision": line.question.revision,
            "subtopic": line.question.subtopic_id,
            "editable": line.question.text is not None,
            "key": key_lines(line.question),
            "answer": key_words(line.question),
            "influence": f"would be {influence}"
            if retired and influence
            else influence,
            # Its share of the query's largest, in percent.
            "bar": round(100 * min(value / largest, 1.0), 1) if value else None,
            **note_data(line.notes, judge),
            "what": (would or {}).get(question_id),
            **NOT_SAID,
            **(votes or {}).get(question_id, {}),
            **own,
            "means": reason_means(own["reason"]),
        }

    return [
        {
            "heading": "" if subtopic is None else names.get(subtopic, subtopic),
            "rows": [row(line) for line in group],
        }
        for subtopic, group in _grouped(lines, query).items()
        if group
    ]


# ``reason`` is why a judge may want to look at a question, ``why`` what it was retired
# or reworded for and ``by`` whom, "" for me, where ``mine`` says so, ``passage`` the
# one it was proposed from, ``reach`` the systems reached and all systems. Of a
# proposal, ``model`` has written it, ``near`` and
# ``unanswered`` say that it is a near-duplicate, that nothing answers.
NOT_SAID = {
    **dict.fromkeys(("by", "why", "model", "passage", "vote", "others_votes"), ""),
    **dict.fromkeys(("mine", "near", "unanswered", "disputed"), False),
    "reach": None,
}


def summary(lines: Sequence[QuestionLine]) -> tuple[str, str]:
    """``9 kept`` and ``2 proposed · 1 retired``, the latter empty without any."""
    states = [line.question.state for line in lines]
    others = [
        f"{states.count(state)} {STATES[state]}"
        for state in ("proposed", "retired")
        if state in states
    ]
    return f"{states.count('kept')} kept", " · ".join(others)


def _grouped(
    lines: Sequence[QuestionLine], query: Query
) -> dict[str | None, list[QuestionLine]]:
    groups: dict[str | None, list[QuestionLine]] = {
        subtopic.subtopic_id: [] for subtopic in query.subtopics
    }
    for line in lines:
        groups.setdefault(line.question.subtopic_id, []).append(line)
    for group in groups.values():
        group.sort(key=lambda line: line.question.state == "proposed")
    return groups


def _decided(
    line: QuestionLine,
    systems: int,
    like: int | None,
    last: Retirement | Rewording | None,
    judge: str,
) -> dict[str, Any]:
    """What there is to say of a question that is kept or retired."""
    data: dict[str, Any] = {
        "meta": _meta(line.question, line.influence),
        "reason": _reason(line.influence, systems, like, line.question.kind),
        "reach": None if line.influence is None else [line.influence.systems, systems],
        "passage": proposal_rows.passage_of(line.question),
    }
    if last is not None:
        data["why"] = last.reason or ""
        data["mine"] = last.by == judge
        data["by"] = "" if data["mine"] else last.by
    return data


def _proposed(
    question: Question,
    known: Proposals,
    systems: int,
    like: int | None,
    number: Mapping[str, int],
) -> dict[str, Any]:
    """What there is to say of a proposal."""
    if_kept = known.if_kept.get(question.question_id)
    near = proposal_rows.near_words(known.near.get(question.question_id), like, number)
    model, passage_id = known.origins.get(question.question_id, ("", ""))
    kind = ["nugget"] if question.kind == "nugget" else []
    return {
        "meta": " · ".join([*kind, proposal_rows.reach(if_kept)]),
        "reason": proposal_rows.reason(if_kept, near, systems, question.kind),
        "model": model,
        "passage": passage_id,
        "near": bool(near),
        "unanswered": bool(if_kept and not if_kept.missing and not if_kept.passages),
    }


def note_data(notes: Sequence[Note], judge: str) -> dict[str, Any]:
    """My note on a question and whether I flagged it, and what others say."""
    mine = [one for one in notes if one.judge == judge]
    others = [one for one in notes if one.judge != judge]
    return {
        "note": mine[0].text if mine else "",
        "flagged": bool(mine) and mine[0].flagged,
        "others_flagged": any(one.flagged for one in others),
        "others_note": " · ".join(
            f"{one.judge}: {one.text}" if one.text else f"{one.judge} flagged it"
            for one in others
        ),
    }


NOT_COUNTED = "does not count under this grader"


def asks_others(question: Question, item_kind: str) -> bool:
    """Whether a grader of items of one kind is not asked about this kept one."""
    kinds = {"question", "nugget"} - {question.kind}
    return question.state == "kept" and item_kind in kinds


def _meta(question: Question, influence: Influence | None) -> str:
    parts = ["nugget"] if question.kind == "nugget" else []
    if influence is not None and influence.known:
        parts.append(words.count(influence.passages, "passage"))
        parts.append(words.count(influence.systems, "system"))
        if influence.nonrelevant_share is not None:
            share = words.percent(influence.nonrelevant_share)
            parts.append(f"{share} judged non-relevant")
    elif influence is not None:
        parts.append("not graded" if influence.needed else "no passages yet")
    if question.choices:
        parts.append(words.count(len(question.choices), "choice"))
    return " · ".join(parts)


def _reason(
    influence: Influence | None, systems: int, like: int | None, kind: str
) -> str:
    """The one reason that says most, or ""."""
    if influence is None:
        return ""
    if influence.known < influence.needed:
        if not influence.known:
            return ""  # said in its place
        return words.missing_grades(influence.needed - influence.known)
    if not influence.passages:
        return f"nothing {words.answers_it(kind)}"
    if like is not None:
        return f"near-duplicate of {like}"
    if influence.nonrelevant_share == 1:
        return f"only non-relevant passages {words.answer_it(kind)}"
    if systems > 1 and influence.systems == systems:
        return f"every system {words.answers_it(kind)}"
    return ""


def _influence(line: QuestionLine, known: Proposals) -> float | None:
    if line.question.state == "proposed":
        if_kept = known.if_kept.get(line.question.question_id)
        return None if if_kept is None else if_kept.influence
    if line.influence is None:
        return line.influence_if_kept
    return line.influence.influence if line.influence.known else None


EMPTY = "No questions yet. Type one, paste a list, or generate."

MOVERS = 4  # that are named; the others are counted

LIST = Component(
    "question_list",
    "components/drafts",
    "components/edits",
    "pages/judge/preview",
    "components/conflict",
    "pages/judge/writing",
    "components/look_timer",
    "components/drawn",
    "pages/judge/question_row",
    "pages/judge/question_words",
    "pages/judge/question_filter",
    "pages/judge/question_adder",
    "pages/judge/what_next",
    "pages/judge/passages/verdicts",
    "pages/judge/passages/reader",
    "pages/judge/question_list",
    verb="apply",
)


def question_list(
    page: PageState, workspace: Workspace, asking: Mapping[str, Any]
) -> None:
    """Title, questions, editor and drafts; one element, whatever the query holds.

    ``asking`` is whom the page asks for questions, and what became of it.
    """
    query, view, judge = page.query, session.view(), workspace.judge
    restricted = RESTRICTED if query.query_id in page.collection.restricted else ""
    restricting = ""
    if workspace.standing().role == "organizer":  # listed as one
        restricting = "lift" if restricted else "restrict"
    kept, others = summary(page.lines)
    votes = row_votes(page.bank, query.query_id, judge)
    if voted := sum(bool(row["vote"]) for row in votes.values()):
        others = " · ".join(filter(None, [others, f"{voted} voted on"]))
    lines, known = page.lines, page.proposals or Proposals()
    if page.collection.human_first:
        lines = proposal_rows.shuffled(lines, judge)
    would = {}
    for what_if in page.what_ifs:
        words_of = impact_words.what_if_sentence(
            what_if, page.by, ungraded=page.ungraded
        )
        would[what_if.question_id] = would_data(
            f"If {RETIRE.past}", words_of, what_if.movers
        )
    for question_id, if_kept in known.if_kept.items():
        words_of = impact_words.if_kept_sentence(if_kept, known.by or page.by)
        would[question_id] = would_data("If kept", words_of, if_kept.movers)
    LIST.draw(
        latest=page.baselines.latest,  # the last event
        query=query.query_id,
        title=query.name,
        background=" · ".join(filter(None, (restricted, query.background))),
        restricting=restricting,
        why_not=words.why_withheld(query),
        guidelines=first_sentence(page.collection.guidelines or ""),
        done=(query.query_id, judge) in page.bank.done,
        marked=done_words(page.done_marks.get(query.query_id, ()), judge),
        finished=all_done(page, judge),
        kept=kept,
        others=others,
        measure=influence_on(page),
        by=known.by or page.by,
        means=figures_mean(
            page.settings, known.by or page.by, judged=bool(page.judgments)
        ),
        empty=EMPTY,
        selected=view.question,
        solo=view.solo,
        reasons=REASONS,
        kind=kind_of_new(page.item_kind, (line.question for line in page.lines)),
        subtopics=[[s.subtopic_id, s.text or s.subtopic_id] for s in query.subtopics],
        groups=question_groups(
            lines,
            query,
            systems=len(page.collection.systems),
            judge=judge,
            changes={
                **workspace.rewordings(query.query_id),
                **workspace.retirements(query.query_id),
            },
            proposals=known,
            would=would,
            item_kind=page.item_kind,
            votes=votes,
        ),
        asking=asking,
        weighed=weighing.load(workspace, page),
        reach=weighing.reach_of_new(workspace, page),
        next=next_data(workspace, page),
    )


def all_done(page: PageState, judge: str) -> bool:
    """Whether this judge has marked every query done."""
    queries = (query.query_id for query in page.collection.queries)
    return all((query_id, judge) in page.bank.done for query_id in queries)


def influence_on(page: PageState) -> str:
    """``cover``, with the grader where it is not the selected one; "" without any."""
    under = page.shown_settings
    if under is None:
        return ""
    return f"{under.measure}, by {page.by}" if page.by else under.measure


def would_data(
    label: str, sentence: Sentence, movers: Sequence[SystemMove] | None
) -> dict[str, Any]:
    """A sentence, and the systems that would move."""
    movers = movers or ()
    more = len(movers) - MOVERS
    return {
        "label": label,
        "sentence": [asdict(part) for part in sentence],
        "movers": [
            {
                "rank": str(one.rank_after),
                "move": asdict(words.move(one.places)),
                "system": one.system,
                "score": words.score(one.score_after),
                "change": words.change(one.change),
            }
            for one in movers[:MOVERS]
        ],
        "more": words.count(more, "more system", "more systems") if more > 0 else "",
    }
