"""Commands ``ava``: train, test and use models that judge extracted answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator.cli.files import check_ending, write_figure
from curator.cli.program import command, main, opened, progress_bar
from curator.tables.terminal import echo

if TYPE_CHECKING:
    from curator.verbs.answers.ava_training import TrainingQuestions
    from curator.workspace import Workspace
    from grading.ava.examples import Answered

LINEAR = "linear"


@main.group()
def ava() -> None:
    """Train and test models that tell right answers from wrong ones (AVA).

    \b
    Example:
      curator ava --help
    """


@command(
    group=ava,
    verb="curator.verbs.answers.ava_training.train "
    "grading.ava.configurations.TrainingSettings",
)
def train(
    model: Path,
    *,
    files: Sequence[Path] = (),
    dev_files: Sequence[Path] = (),
    workspaces: Sequence[Path] = (),
    **options: Any,
) -> Any:
    """Train a model on answers known to be right or wrong, and save it as MODEL.

    The linear model needs scikit-learn and takes seconds. A transformer needs torch, an
    encoder on this machine, and time or a GPU. Ctrl-C stops the training, and
    `curator ava show MODEL` shows its progress. docs/ava.md describes the kinds of
    models and the files.

    Example:
      curator ava train models/linear --data data/demo/answers.tsv

    Args:
        files (--data FILE.tsv): Answers in WikiQA or TREC-QA format; repeatable.
        dev_files (--dev FILE.tsv): Dev answers. [a share of the questions]
        workspaces (--workspace WORKSPACE): Train on its gold answers and verdicts.
    """
    from curator.tables import answers
    from curator.verbs.answers import ava_training
    from grading.ava.configurations import TrainingSettings

    kind = options.get("kind", LINEAR)
    names = options.keys() & {field.name for field in fields(TrainingSettings)}
    of_transformers = (names | {"encoder", "resume"}) - {"seed"}
    for name in options.keys() & (of_transformers if kind == LINEAR else {"inclusion"}):
        option = name.replace("_", "-")
        raise click.UsageError(f"--{option} does not apply to --kind {kind}.")
    settings = TrainingSettings(**{name: options.pop(name) for name in names})

    def report_questions(questions: TrainingQuestions) -> None:
        for line in answers.training_words(questions):
            echo(line, err=True)

    try:
        with progress_bar("Training") as bar:
            ava_training.train(
                model,
                read_questions(files, workspaces),
                dev=read_questions(dev_files) if dev_files else None,
                settings=settings,
                sources=[
                    *(file.name for file in (*files, *workspaces)),
                    *(f"{file.name} (dev)" for file in dev_files),
                ],
                report_questions=report_questions,
                progress=bar,
                **options,
            )
    except KeyboardInterrupt:
        if kind == LINEAR:
            raise
        echo(
            "Stopped. The same command with --resume continues from the last "
            "checkpoint, or starts again if there is none.",
            err=True,
        )
        click.get_current_context().exit(1)
    return answers.training_tables(ava_training.show(model))


@command(group=ava)
def show(model: Path, *, figure: Path | None = None, dark: bool = False) -> Any:
    """Show a model's kind, its training data and how the training went.

    While a model is trained, shows the progress so far.

    Example:
      curator ava show models/linear

    Args:
        figure (FILE.svg|png|pdf): Draw the training curve.
        dark: Draw on a dark background, for slides.
    """
    from curator.verbs.answers import ava_training

    if figure is not None:
        check_ending(figure)
    result = ava_training.show(model)
    if figure is not None:
        from curator.tables.figures import training_figure

        write_figure(training_figure(result, dark=dark), figure)
    return result


@command(group=ava)
def explain(
    model: Path,
    question: str,
    reference: str,
    candidate: str,
    *,
    short_answer: str | None = None,
) -> Any:
    """Print the score of one candidate; for a linear model, also its terms.

    Example:
      curator ava explain models/linear "When was the Eiffel Tower built?" \\
        "It was built from 1887 to 1889." "The tower was built in 1889."

    Args:
        short_answer (TEXT): Part of the reference that answers the question.
    """
    from curator.verbs.answers import ava_training
    from grading.ava.model import Triple

    triple = Triple(question, reference, candidate, short_answer=short_answer)
    return ava_training.explain(model, triple)


@command(group=ava)
def evaluate(
    model: Path,
    *,
    data: Sequence[Path],
    threshold: float | None = None,
    pairs: bool = False,
) -> Any:
    """Print precision, recall and F1 of a model and of the string check.

    Each correct answer of a question is compared with every other correct answer, which
    makes a right pair, and with every incorrect one, which makes a wrong pair.

    Example:
      curator ava evaluate models/linear --data test.tsv

    Args:
        data (FILE): Questions with judged candidates in WikiQA or TREC-QA format, plain
            or gzipped; repeat for several.
        threshold (X): Lowest score of a right answer. [from the model's card]
        pairs: List every pair with its score instead; for a linear model also what each
            feature adds.
    """
    from curator.verbs.answers import ava_evaluation

    return ava_evaluation.evaluate(
        model, read_questions(data), threshold=threshold, pairs=pairs
    )


@command(group=ava, verb="curator.verbs.answers.ava_report.report")
def report(
    models: Sequence[Path],
    *,
    test: Path,
    dev: Path | None = None,
    save: bool = False,
    save_threshold: bool = False,
    **options: Any,
) -> Any:
    """Report how well models replace people, on answers and on whole systems.

    Prints the tables of the paper: docs/ava.md.

    Example:
      curator ava report models/linear --data test.tsv --dev dev.tsv --runs runs

    Args:
        models (MODEL...): Folders of models.
        test (--data FILE): Questions with judged candidates in WikiQA or TREC-QA
            format, plain or gzipped.
        dev (FILE): Dev data in the same formats, to tune the threshold on P@1.
        save: Save each model's figures in its folder, for `curator ava show`.
        save_threshold: Write the tuned threshold into each model's card.
    """
    from curator.formats.answer_selection import read_answers
    from curator.verbs.answers import ava_report as verb

    result = verb.report(
        models,
        read_answers(test),
        dev=None if dev is None else read_answers(dev),
        names=(data_name(test), data_name(dev) if dev else ""),
        **options,
    )
    for folder, model in zip(models, result.models, strict=True):
        if save_threshold:
            verb.save_threshold(folder, model)
        if save:
            verb.save_report(folder, model, result)
    return result


@command("compare", group=ava)
def compare_checks(
    workspace: Workspace,
    *,
    source: str | None = None,
    graders: Sequence[str] = (),
    query_id: str | None = None,
    limit: int = 20,
) -> Any:
    """Compare string matching, AVA models and people's verdicts.

    All are compared on every distinct answer that an answering grader extracted for a
    question with an answer key. `curator grade WORKSPACE --grader flan-t5-large/qa`
    extracts some, and `--grader ava:FOLDER` scores them with a model.

    Example:
      curator ava compare answered.db --limit 5

    Args:
        source (GRADER): Grader that extracted the answers; the start of its name is
            enough. [the one with most answers]
        graders (GRADER): AVA grader; repeat for several. [all]
        query_id (ID): List only disagreements in this query.
        limit (N): Number of disagreements to list.
    """
    from curator.tables.answers import answer_check_tables

    result = workspace.answer_checks(source, graders or None)
    query_ids = workspace.current_snapshot().query_ids(query_id)
    differing = [
        answer for answer in result.differing() if answer.question.query_id in query_ids
    ]
    return answer_check_tables(result, differing, limit)


def read_questions(
    files: Sequence[Path], workspaces: Sequence[Path] = ()
) -> Iterator[Answered]:
    """Yield questions with answers known to be right or wrong."""
    from curator.formats.answer_selection import read_answers

    for file in files:
        yield from read_answers(file)
    for path in workspaces:
        with opened(path) as workspace:
            answers = workspace.known_answers()
        yield from answers


def data_name(path: Path) -> str:
    """Return a file's name without endings: ``WikiQA-dev`` of ``WikiQA-dev.tsv.gz``."""
    return Path(path.name.removesuffix(".gz")).stem
