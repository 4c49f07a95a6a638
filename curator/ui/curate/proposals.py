"""What a page shows of a query's proposals, asked of the workspace in one place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from curator.bank.questions import Question
from curator.evaluation.settings import Settings
from curator.ui.curate.proposal_rows import Proposals, origin_of
from curator.workspace import Workspace


def load(
    workspace: Workspace,
    query_id: str,
    questions: Iterable[Question],
    settings: Settings | None,
    labels: Mapping[str, str],
) -> Proposals | None:
    """What is known of the query's proposals; None, and nothing asked, without any.

    ``labels`` are short names of graders.
    """
    proposals = [one for one in questions if one.state == "proposed"]
    if not proposals:
        return None
    models = {
        asked.generation_id: asked.model
        for asked in workspace.generations(query_id=query_id)
    }
    origins = {one.question_id: origin_of(one, models) for one in proposals}
    near = workspace.near(query_id)
    if settings is None:
        return Proposals(near=near, origins=origins)
    found = workspace.if_kept(query_id, settings)
    grader = found.settings.grader
    return Proposals(
        if_kept={one.question_id: one for one in found.proposals},
        near=near,
        origins=origins,
        by="" if grader == settings.grader else labels.get(grader, grader),
    )
