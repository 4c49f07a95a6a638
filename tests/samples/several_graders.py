"""Three systems with one passage a query, graded by people twice and by a model."""

from __future__ import annotations

from pathlib import Path

from curator.workspace import Workspace
from tests.samples.workspaces import graded_file, graded_passage

MODEL = "both:human+model/Rated"
# Names that a colon or a plus sign parts, of which one begins as another does.
RATINGS = {
    "human": {"q1": (5, 4, 0), "q2": (5, 0, 0)},
    "human:strict": {"q1": (5, 0, 4), "q2": (0, 0, 4)},
    "both:human+model": {"q1": (4, 0, 0), "q2": (3, 4, 0)},
}


def graders_side_by_side(folder: Path) -> Workspace:
    """A new workspace of the three graders. By hand, Cover at rating 4 of a, b and c:

    human 1, 1/2 and 0; human:strict 1/2, 0 and 1; both:human+model 1/2, 1/2 and 0.
    """
    workspace = Workspace.open(folder / "sides.db", create=True)
    for number, (name, by_query) in enumerate(RATINGS.items()):
        passages = {
            query: [
                graded_passage(
                    *(f"{query}-{system}", query, {f"{query}/x": rating}),
                    ranks={system: 1},
                    llm=name,
                )
                for system, rating in zip("abc", ratings, strict=True)
            ]
            for query, ratings in by_query.items()
        }
        path = graded_file(folder / f"sides-{number}.jsonl", passages)
        workspace.import_(autograder=path)
    return workspace
