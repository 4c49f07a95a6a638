"""AVA from Python: train, check and use models that know right answers from wrong.

>>> from curator import ava
>>> model = ava.train("models/linear", ava.read_answers("train.tsv"))
>>> found = ava.evaluate(model, ava.read_answers("test.tsv"))

What ``curator ava`` does on the command line, these functions do; its ``compare``,
which is about a workspace, is ``Workspace.answer_checks``. Importing them loads neither
torch nor scikit-learn; a model does when it is trained or scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from curator.formats.answer_selection import SelectionQuestion, read_answers
from grading.ava import open_ava
from grading.ava.configurations import LINEAR, TrainingSettings
from grading.ava.examples import AnsweredQuestion
from grading.ava.linear import PRINTED
from grading.ava.model import Ava, Triple
from grading.ava.transformer import DEFAULT_ENCODER

if TYPE_CHECKING:
    from curator.verbs.answers.ava_candidates import References
    from curator.verbs.answers.ava_evaluate import Evaluated
    from curator.verbs.answers.ava_report import ModelReport, Report
    from curator.verbs.answers.ava_training import Explained, Training
    from grading.ava.card import Progress

__all__ = [
    "AnsweredQuestion",
    "SelectionQuestion",
    "TrainingSettings",
    "Triple",
    "evaluate",
    "explain",
    "open_model",
    "read_answers",
    "report",
    "save_report",
    "save_threshold",
    "show",
    "train",
]

DEV_SHARE = 0.2
AS_PUBLISHED = TrainingSettings()


class Answered(Protocol):
    """Anything that knows right and wrong answers to a question.

    What ``read_answers`` reads and ``Workspace.known_answers`` gives.
    """

    def answered(self) -> AnsweredQuestion:
        """The question as AVA sees it: texts alone."""
        ...


Questions = Iterable[AnsweredQuestion | Answered]


def train(
    folder: str | Path,
    questions: Questions,
    *,
    dev: Questions | None = None,
    kind: str = LINEAR,
    encoder: str = DEFAULT_ENCODER,
    inclusion: str = PRINTED,
    settings: TrainingSettings = AS_PUBLISHED,
    dev_share: float = DEV_SHARE,
    sources: Sequence[str] = (),
    resume: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> Ava:
    """The model that was trained on these questions, saved in ``folder``.

    ``kind`` is ``linear``, or what a transformer that starts from ``encoder`` reads,
    such as ``a2:r,qt+t,qr``. Without ``dev``, ``dev_share`` of the questions is set
    aside to check on. ``settings`` hold the seed of either kind, and epochs, learning
    rate and the like of a transformer. The model's ``card`` says all of this, and
    from which ``sources`` the questions came.

    Raises TrainingError for questions that give nothing to learn, a folder that is
    taken or cannot be written or settings out of range, MissingModelError without the
    libraries or the encoder, InvalidSpecError for an unknown kind or inclusion.
    """
    from curator.verbs.answers import ava_training
    from curator.verbs.answers.ava_questions import parted

    order = ava_training.Order(kind, encoder, inclusion, settings)
    order.check()
    ava_training.refuse_taken(Path(folder), order, resume=resume)
    parts = parted(
        answered(questions),
        None if dev is None else answered(dev),
        dev_share=dev_share,
        seed=settings.seed,
        needs_dev=kind != LINEAR,
    )
    return ava_training.train(
        Path(folder), parts, order, sources=sources, resume=resume, progress=progress
    )


def open_model(folder: str | Path) -> Ava:
    """The trained model in this folder; its weights are loaded when it scores.

    Raises MissingModelError where there is none.
    """
    return open_ava(Path(folder))


def show(folder: str | Path) -> Training:
    """What is known of the training in this folder: its card, once it has ended.

    Raises MissingModelError where there is none.
    """
    from curator.verbs.answers.ava_training import training_in

    return training_in(Path(folder))


def explain(folder: str | Path, triple: Triple) -> Explained:
    """The score of this triple under the model in the folder.

    For a linear model also what each feature adds to it. Raises InvalidScoreError for
    a model that gives none.
    """
    from curator.verbs.answers import ava_training

    return ava_training.explain(Path(folder), triple)


def evaluate(
    model: Ava | str | Path,
    questions: Questions,
    *,
    threshold: float | None = None,
    pairs: bool = False,
) -> Evaluated:
    """How well the model, or the one in this folder, tells these answers apart.

    Precision, recall and F1 over (reference, candidate) pairs, and those of string
    matching beside them. ``threshold`` None is the card's; with ``pairs`` every pair
    is listed too. Questions of the same text are put together, as in training.

    Raises EvaluationError where no question has two correct answers, and for a
    threshold outside [0, 1]; InvalidScoreError.
    """
    from curator.verbs.answers import ava_evaluate

    return ava_evaluate.evaluate(
        _opened(model), answered(questions), threshold=threshold, pairs=pairs
    )


def report(
    models: Sequence[Ava | str | Path],
    test: Sequence[SelectionQuestion],
    *,
    dev: Sequence[SelectionQuestion] | None = None,
    runs: Sequence[str | Path] = (),
    dev_runs: Sequence[str | Path] = (),
    references: References = "others",
    examples: int = 5,
    names: tuple[str, str] = ("test", "dev"),
) -> Report:
    """The paper's tables for these models: answer by answer, and by system.

    ``runs`` are TREC runs of candidate ids, files or folders; those of the dev
    questions, on which thresholds are tuned, may stand among them or be ``dev_runs``.
    With ``dev`` and runs each model's threshold is tuned on dev, else it is the card's.
    ``references`` "all" holds a correct answer against itself too. ``examples`` is how
    many answers to list on which model and string check differ, ``names`` what test
    and dev are called.

    Raises EvaluationError where nothing can be reported, InvalidScoreError,
    InputFileError for a run.
    """
    from curator.verbs.answers import ava_report

    return ava_report.report(
        [_opened(model) for model in models],
        test,
        dev=dev,
        runs=[Path(run) for run in runs],
        dev_runs=[Path(run) for run in dev_runs],
        references=references,
        examples=examples,
        names=names,
        folders=[Path(one) if isinstance(one, str | Path) else None for one in models],
    )


def save_threshold(folder: str | Path, found: ModelReport, *, dev: str) -> None:
    """Write a report's tuned threshold into the model's card, tuned on this dev set.

    Raises EvaluationError where none was tuned, TrainingError where the card cannot be
    written.
    """
    from curator.verbs.answers import ava_report

    ava_report.save_threshold(Path(folder), found, dev=dev)


def save_report(folder: str | Path, found: ModelReport, within: Report) -> None:
    """Keep the model's part of a report in its folder, where ``show`` finds it.

    Raises TrainingError where the folder cannot be written.
    """
    from curator.verbs.answers import ava_saved_report

    ava_saved_report.save_report(Path(folder), found, within)


def answered(questions: Questions) -> list[AnsweredQuestion]:
    """The questions as AVA sees them, whoever knows the answers."""
    return [
        one if isinstance(one, AnsweredQuestion) else one.answered()
        for one in questions
    ]


def _opened(model: Ava | str | Path) -> Ava:
    return open_model(model) if isinstance(model, str | Path) else model
