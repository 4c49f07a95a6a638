"""A small workspace with a query whose every text holds one word, to be looked for.

Queries q1 and q2 have two passages each; one answers a question of each, system one
ranks it first and system two second. Everything that can be said of q1 is said.
"""

from __future__ import annotations

from pathlib import Path

from curator.bank.edits import (
    Add,
    CheckPair,
    Dismiss,
    JudgeAnswer,
    Propose,
    Retire,
    Reword,
    Vote,
    WriteNote,
)
from curator.workspace import Workspace
from tests.samples.workspaces import (
    collection_files,
    copied,
    graded_passage,
    write_lines,
)

SECRET = "quetzalcoatlus"
GRADER, ANSWERS = "fake-llm/Rated", "fake-llm/Answers"


def secretive_workspace(folder: Path) -> Path:
    """A copy of the workspace, in which nothing is restricted yet."""
    copied(make_secretive, folder)
    return folder / "secret.db"


def make_secretive(folder: Path) -> None:
    """Make the workspace ``secret.db`` and the files it is imported from."""
    query = {
        "query_id": "q1",
        "text": f"What is {SECRET}?",
        "background": f"Background of {SECRET}.",
        "narrative": f"Narrative of {SECRET}.",
        "subtopics": [{"subtopic_id": "wings", "text": f"{SECRET} wings"}],
    }
    first = {
        one: f"Is {SECRET} {what}?"
        for one, what in {"q1/a": "a bird", "q1/b": "big", "q1/r": "gone"}.items()
    }

    def passage(
        name: str, query_id: str, rating: int, text: str, answer: str
    ) -> dict[str, object]:
        """A passage that two graders saw: one rates it, one answers from it."""
        items = [*first] if query_id == "q1" else ["q2/c"]
        said = f"4: it says {SECRET}" if query_id == "q1" else str(rating)
        return graded_passage(
            name,
            query_id,
            dict.fromkeys(items, rating),
            text=text,
            raws=dict.fromkeys(items, said),
            answers=dict.fromkeys(items, answer),
        )

    files = collection_files(
        folder,
        queries=[query, {"query_id": "q2", "text": "Who is it?"}],
        questions={"q1": first, "q2": {"q2/c": "Who?"}},
        answers={"q1/a": [f"no {SECRET}"]},
        graded={
            "q1": [
                passage("p1", "q1", 4, f"Here is {SECRET}.", f"a {SECRET}"),
                passage("p2", "q1", 0, f"No {SECRET} here.", f"no {SECRET}"),
            ],
            "q2": [
                passage("p3", "q2", 5, "It is Ann.", "Ann"),
                passage("p4", "q2", 0, "It is nobody.", "nobody"),
            ],
        },
        runs={
            "one": {"q1": ["p1", "p2"], "q2": ["p3", "p4"]},
            "two": {"q1": ["p2", "p1"], "q2": ["p4", "p3"]},
        },
        judgments="q1 0 p1 2\nq1 0 p2 0\nq2 0 p3 2\nq2 0 p4 0\n",
    )
    files["gold"] = write_lines(
        folder / "gold.jsonl", [{"query_id": "q1", "text": f"An article on {SECRET}."}]
    )
    cited = {"q1": (f"It is {SECRET}.", "p1"), "q2": ("It is Ann, they say.", "p3")}
    files["reports"] = write_lines(
        folder / "reports.jsonl",
        [
            {
                "metadata": {"run_id": "three", "topic_id": query_id},
                "responses": [{"text": text, "citations": [passage_id]}],
                "references": [passage_id],
            }
            for query_id, (text, passage_id) in cited.items()
        ],
    )
    with Workspace.open(folder / "secret.db", create=True, judge="owner") as workspace:
        workspace.import_(**files, min_relevance=2)
        workspace.grade("lexical")
        workspace.add_people("olga", "organizer")
        workspace.add_people("ann", "judge")
        workspace.add_people("vic", "viewer")
        workspace.apply(Propose("q1", f"Does {SECRET} fly?", '{"generation": 1}'))
        workspace.apply(Reword("q1/b", f"How big is {SECRET}?"))
        workspace.undo()
        workspace.apply(Retire("q1/r", f"{SECRET} again"))
        workspace.apply(
            Dismiss("q1", "near-duplicate q1/a q1/b", "", f"{SECRET} twice")
        )
        for judge in ("ann", "bo"):
            workspace.apply(
                [
                    WriteNote("q1/a", f"On {SECRET}."),
                    JudgeAnswer("q1/a", f"no {SECRET}", "right"),
                    CheckPair("q1", "q1/a", "p1", "yes"),
                    CheckPair("q2", "q2/c", "p3", "yes"),
                    Vote("q1/a", "vital"),
                ],
                by=judge,
            )
        workspace.mark_ideals("q1", "p1")
        workspace.mark_ideals("q2", "p3")
        norming = workspace.open_norming(items=[("q1", "q1/a", "p2")])
        workspace.reveal_norming()
        number = norming.round.round_id
        workspace.comment_norming(number, 1, f"About {SECRET}.")
        settings = workspace.settings(measure="cover", grader=GRADER)
        workspace.release("v1", settings=settings, allow_partial=True)
        workspace.apply(Add("q1", f"Why {SECRET}?"))
