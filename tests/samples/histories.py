"""Workspaces as Hypothesis draws them: a small collection, then edits of every kind.

Edits are found in the modules of ``curator.bank.edits``, verbs in ``Workspace``. Their
arguments are drawn by the names of their parameters; one without a default whose name
``values_of`` does not know fails, so that no new edit or verb is left out unnoticed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import is_dataclass, replace
from importlib import import_module
from itertools import product
from pathlib import Path
from pkgutil import iter_modules
from random import Random
from typing import Any, get_args

from curator.bank import edits, marks
from curator.bank.edits import Add, Retire
from curator.bank.marks import Ideal
from curator.bank.questions import Question
from curator.errors import CuratorError
from curator.evaluation.settings import Label
from curator.snapshot.methods import LazyVerb
from curator.verbs.files.figure import KINDS as FIGURES
from curator.workspace import Workspace
from grading.errors import GradingError
from tests.samples.workspaces import (
    collection_files,
    graded_passage,
    question_bank,
)

Values = Mapping[str, Sequence[Any]]

REFUSALS = (CuratorError, GradingError)
OWNER, PEOPLE = "owner", {"olga": "organizer", "jay": "judge", "vic": "viewer"}
VERBS = {
    name: verb for name, verb in vars(Workspace).items() if isinstance(verb, LazyVerb)
}
READING = sorted(name for name, verb in VERBS.items() if verb.reads)
NOT_DRAWN = {
    *("start_job", "pause_job", "resume_job", "stop_job"),  # other processes
    *("generate", "start_generation", "recover", "reparse"),  # a model's answers
    *("import_", "import_bundle", "export", "backup", "verify", "repair", "status"),
}
WRITING = sorted(VERBS.keys() - READING - NOT_DRAWN - {"apply"})
MODULES = [
    import_module(f"{package.__name__}.{module.name}")
    for package in (edits, marks)
    for module in iter_modules(package.__path__)
]
EDITS = sorted(
    {
        found
        for module in MODULES
        for found in vars(module).values()
        if is_dataclass(found) and callable(getattr(found, "change", None))
    },
    key=lambda edit: edit.__name__,
)


def build(folder: Path, random: Random) -> Path:
    """Make a workspace of a random shape, of which each part may be missing."""

    def number() -> int:
        return random.choice([2, 2, 2, 2, 1, 1, 1, 0])

    queries = [f"q{i}" for i in range(number())]
    passages = [f"p{i}" for i in range(number())]
    items = {kind: range(number()) for kind in ("question", "nugget")}
    systems, subtopics = range(number()), [{"subtopic_id": "s", "text": "Where"}]
    graders = {kind for kind in ("Rated", "Answers", "Direct") if random.random() < 0.7}
    judged = random.random() < 0.7
    bank = {
        (query, kind): {f"{query}/{kind}{i}": f"Which {kind} {i}?" for i in numbers}
        for query in queries
        for kind, numbers in items.items()
    }

    def passage(query: str, passage_id: str, place: int) -> dict[str, Any]:
        asked = [*bank[query, "question"]]
        return graded_passage(
            passage_id,
            query,
            dict.fromkeys(asked, 5 - place) if "Rated" in graders else {},
            direct=2 if "Direct" in graders else None,
            judgment=place if judged else None,
            ranks={f"system{i}": place + 1 for i in systems},
            answers=dict.fromkeys(asked, "Because") if "Answers" in graders else None,
        )

    lines = [
        {
            "query_id": query,
            "text": f"On {query}",
            "subtopics": random.choice([[], subtopics]),
        }
        for query in queries
    ]
    graded = {
        query: [passage(query, p, place) for place, p in enumerate(passages)]
        for query in queries
        if passages
    }
    ranked = bool(graded and systems)
    files: dict[str, Any] = collection_files(
        folder,
        queries=lines,
        graded=graded,
        runs={"other": {"q0": passages[:1]}} if ranked else None,
        official={"other": 1, "system0": 2} if ranked else None,
    )
    files["bank"] = [
        question_bank(
            folder / f"{query}-{kind}.jsonl",
            {query: texts},
            kind=kind,
            answers={"q0/question0": ["Because"]},
        )
        for (query, kind), texts in bank.items()
        if texts
    ]
    path = folder / "drawn.db"
    with Workspace.open(path, create=True, judge=OWNER) as workspace:
        if queries:
            workspace.import_(**files, min_relevance=1)
        workspace.set_up(blind=random.random() < 0.2, human_first=random.choice([0, 1]))
        if random.random() < 0.7:
            for name, role in PEOPLE.items():
                workspace.add_people(name, role)
    return path


def values_of(workspace: Workspace) -> dict[str, Sequence[Any]]:
    """List the values of each parameter in a workspace as it is now, by its name."""
    bank, collection = workspace.bank(), workspace.collection()
    pools = collection.pools
    queries = [*pools] or ["gone"]
    questions = [question.question_id for question in bank] or ["gone"]
    passages = sorted({p for pool in pools.values() for p in pool.passage_ids})
    systems = [*collection.systems] or ["gone"]
    graders = [grader.name for grader in workspace.graders()] or ["people"]
    measures = [*workspace.measures(), "judgments:P@1"]
    releases = [found.name for found in workspace.releases()] or ["v1"]
    keys = [found.place.key for found in workspace.adjudication().differences]
    events = range(workspace.baselines().latest + 2)
    with suppress(*REFUSALS):
        keys += [step.key for step in workspace.next_steps()]
    settings = []
    for grader, measure in product(graders[:1], measures):
        with suppress(*REFUSALS):
            settings.append(workspace.settings(grader, measure))
    for grader, label in product(graders, (None, "mean")):
        with suppress(*REFUSALS):
            settings.append(workspace.settings(grader, "P@20", label=label))
    named: dict[str, Sequence[Any]] = {
        "query_id": queries,
        "query_ids": [queries, queries[:1]],
        "question_id": questions,
        **dict.fromkeys(("retire", "restore", "keep"), questions),
        "passage_id": passages or ["gone"],
        "passage_ids": [passages],
        "system": systems,
        "leave_out": systems,
        "between": [(systems[0], systems[-1])],
        "grader": [*graders, f"checked:{graders[0]}"],  # of all but the usual parts
        "source": graders,
        "graders": [graders[:2], graders[-1:]],
        "measure": measures,
        "measures": [measures[:2], *([measure] for measure in measures)],
        "settings": settings,
        "label": get_args(Label),
        "min_rating": [1, 4],
        "k": [1, 20],
        "depth": [1, 20],
        "min_answered": [1, 2],
        "by": ["query", "subtopic"],
        "history.by": [None, *PEOPLE],
        "against": ["official", "judgments:P@1", f"grader:{graders[0]}"],
        "name": releases,
        "release": releases,
        "other": releases,
        "lags_behind_edits.name": graders,
        "unreadable.name": graders,
        "answers.name": graders,
        "grader_agreement.against": graders,
        "text": ["Why?", "Where is it, and when?"],
        "words": ["Why?"],
        "reason": ["too easy"],
        "why": ["As planned"],
        "kind": ["question", "nugget"],
        "dropped.kind": ["bank"],
        "figure.kind": [*FIGURES],
        "subtopic_id": ["s"],
        "answers": [(), ("Because",), ("A", "B")],
        "choices": [(), (("A", "Because"), ("B", "Why not"))],
        "provenance": ['{"generation": 1}'],
        "question": [*bank, Question("q0/gone", "q0", "Was it there?")],
        "ideal": [Ideal(p, 0, end) for p in passages or ["gone"] for end in (None, 4)],
        "vote": ["vital", "okay", None],
        "value": ["right", "wrong", None],
        "answer": ["yes", "yes", "no", "no", "unsure", "2", "vital", None],
        "JudgeAnswer.answer": ["Because"],
        "key": keys or [f"vote {questions[0]}"],
        "Decide.value": ["yes", "vital", "right", "1"],
        "decide.value": ["yes", "vital", "right", "1", None],
        "edits": [*([Retire(one)] for one in questions), [Add(queries[0], "Why?")]],
        "checks": [
            [{"query_id": query, "item_id": item, "passage_id": "p0", "answer": answer}]
            for query in queries
            for item, answer in ((questions[0], "yes"), (None, "2"))
        ],
        "names": [["bo"], ["vic"], ["jay"]],
        "role": [*PEOPLE.values()],
        "judge": [*PEOPLE],
        "judges": [[*PEOPLE], ["jay"]],
        "to": [*PEOPLE],
        "work": ["curate", "votes", "checks"],
        "of": ["pairs", "passages", "votes", "assigned"],
        "at": [workspace.check_batch().at],
        "place": [0, 1],
        "item": [1, 2],
        "mark_gold.pairs": [
            [{"query": query, "question": question, "passage": "p0", "answer": "no"}]
            for query, question in zip(queries, questions, strict=False)
        ],
        "record_norming.answers": [[{"item": 1, "answer": "yes"}]],
        "record_ideals.highlights": [
            [{"query_id": queries[0], "passage_id": passage, "grade": 2}]
            for passage in passages or ["gone"]
        ],
        "votes": [[{"question_id": questions[0], "vote": "vital"}]],
        "round_id": [1, 2],
        "count": [1, 3, 10],
        "limit": [0, 3],
        "seed": [1],
        "since": events,
        "edit": events,
        "event": events,
        "event_ids": [events],
        "named": events,
        "human_first": [0, 1],
        "min_relevance": [1, 2],
        "title": ["Drawn"],
        "guidelines": ["Read this."],
        "bootstrap": [0, 3],
        "samples": [3],
        "draws": [3],
        "grade.grader": ["lexical"],
    }
    return {name: values or [None] for name, values in named.items()}


def arguments(
    random: Random, called: Callable[..., Any], values: Values, name: str
) -> dict[str, Any]:
    """Choose the arguments of a call, of those with a default some."""
    chosen = {}
    for parameter in inspect.signature(called).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        full_name = f"{name}.{parameter.name}"
        possible = values.get(full_name, values.get(parameter.name))
        if isinstance(parameter.default, bool):
            possible = (True, False)
        needed = parameter.default is parameter.empty or full_name in values
        if needed and possible is None:
            raise KeyError(full_name)
        if needed or (possible is not None and random.random() < 0.4):
            chosen[parameter.name] = random.choice(possible)
    return chosen


def step(random: Random, workspace: Workspace) -> None:
    """Make edits of one kind, or call another verb that writes."""
    values = values_of(workspace)
    if random.random() < 0.3:
        verb = random.choice(WRITING)
        given = arguments(random, getattr(workspace, verb), values, verb)
        print(f"{workspace.judge}: {verb} {given}")
        getattr(workspace, verb)(**given)
        return
    kind = random.choice(EDITS)
    many = [kind(**arguments(random, kind, values, kind.__name__)) for _ in range(5)]
    if "question_id" in inspect.signature(kind).parameters and random.random() < 0.3:
        many = [replace(many[0], question_id=one) for one in values["question_id"]]
    for edit in many[: random.choice([1, len(many)])]:
        print(f"{workspace.judge}: {edit}")
        with suppress(*REFUSALS):
            workspace.apply(edit)


def make_history(random: Random, folder: Path, steps: int) -> Path:
    """Make a workspace and change it; what is refused changes nothing."""
    path = build(folder, random)
    for _ in range(random.choice([steps // 20, steps // 2, steps])):
        judge, as_judge = random.choice([OWNER, *PEOPLE]), random.random() < 0.2
        with (
            suppress(*REFUSALS),
            Workspace.open(path, judge=judge, as_judge=as_judge) as workspace,
        ):
            step(random, workspace)
    with Workspace.open(path, judge=OWNER) as workspace:
        queries = random.choice([[], *([q] for q in workspace.collection().pools)])
        queries = random.choice([queries, [*workspace.collection().pools]])
        for question in workspace.bank() if random.random() < 0.5 else ():
            if question.query_id in queries and question.state != "retired":
                workspace.apply(Retire(question.question_id))
        if queries and random.random() < 0.2:
            workspace.restrict(queries)
    return path
