"""Commands ``ava``: train, test and use models that judge extracted answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator.cli.files import check_ending, write_figure
from curator.cli.options import (
    FORMATS,
    PATH,
    file_given,
    flag,
    format_option,
    in_workspace,
    opened,
    printed,
    progress_bar,
    refuse_given,
    shown,
)
from curator.cli.program import main
from curator.tables.terminal import echo

if TYPE_CHECKING:
    from curator.results import Tabular
    from curator.verbs.answers.ava_training import TrainingQuestions
    from curator.workspace import Workspace
    from grading.ava.card import Progress
    from grading.ava.examples import Answered

MODEL = click.argument("model", type=PATH, metavar="MODEL")
MODEL_DATA = (
    "questions with judged candidates in WikiQA or TREC-QA format, plain or gzipped."
)
paths = partial(file_given, multiple=True)
LINEAR = "linear"
# What says nothing of the other kind, and would be passed over.
OF_TRANSFORMERS = (
    *("encoder", "epochs", "learning_rate", "batch_size", "max_tokens"),
    *("checkpoint_every", "resume"),
)
OF_LINEAR = ("inclusion",)


@main.group()
def ava() -> None:
    """Train and test models that tell right answers from wrong ones (AVA).

    \b
    Example:
      curator ava --help
    """


@ava.command()
@MODEL
@paths("--data", "files", metavar="FILE.tsv",
       help="Training answers in WikiQA or TREC-QA format; repeat for several."
       )  # fmt: skip
@paths("--dev", "dev_files", metavar="FILE.tsv",
       help="Dev answers in the same formats; repeat for several. [a share of the "
            "questions]"
       )  # fmt: skip
@paths("--workspace", "workspaces", metavar="WORKSPACE",
       help="Train on its gold answers and people's verdicts; repeat for several."
       )  # fmt: skip
@shown("--kind", default=LINEAR,
       help="linear, or what a transformer reads: a0, a1:r,qt+t,qr, a2 …")  # fmt: skip
@shown("--encoder", default="roberta-base",
       help="Encoder that a transformer starts from: a name or a folder.")  # fmt: skip
@shown("--seed", default=0, help="Random seed.")
@shown("--epochs", default=2, help="Passes of a transformer over the training pairs.")
@shown("--learning-rate", default=1e-6, help="Learning rate of AdamW.")
@shown("--batch-size", default=32, help="Pairs per step.")
@shown(
    "--max-tokens",
    default=128,
    help="Longest input of a transformer, two texts together.",
)
@shown("--dev-share", default=0.2,
       help="Share of the questions used as dev data without --dev.")  # fmt: skip
@shown("--inclusion", type=click.Choice(("printed", "reverse")), default="printed",
       help="First feature of the linear model. printed: the reference in the short "
            "answer, as in the paper; reverse: the short answer in the reference."
)  # fmt: skip
@shown("--checkpoint-every", default=250, metavar="STEPS",
       help="Steps between checkpoints.")  # fmt: skip
@flag("--resume", help="Continue from the last checkpoint of the same command.")
@format_option(FORMATS, "Output format.")
def train(
    model: Path,
    files: tuple[Path, ...],
    dev_files: tuple[Path, ...],
    workspaces: tuple[Path, ...],
    kind: str,
    dev_share: float,
    resume: bool,
    form: str,
    **options: Any,
) -> None:
    """Train a model on answers known to be right or wrong, and save it as MODEL.

    The linear model needs scikit-learn and takes seconds. A transformer needs torch, an
    encoder on this machine, and time or a GPU. Ctrl-C stops the training, --resume
    continues it, and `curator ava show MODEL` shows its progress. The default settings
    are the paper's. Two correct answers to a question make a reference and a right
    candidate, so questions with fewer are left out.

    \b
    Kinds, by the texts that are read together (q question, r reference, t candidate):
      linear        four features of shared words
      a0            q,r  r,t  q,t in one model; or one of them: a0:r,t
      a1            q,rt  r,qt  t,qr in one model; or one or two: a1:r,qt+t,qr
      a2            the paper's best, a2:r,qt+t,qr: two, each read again with the
                    other; also a2:q,rt+t,qr and a2:r,qt+q,rt

    \b
    Example:
      curator ava train models/linear --data data/demo/answers.tsv
    """
    from curator.tables import answers
    from curator.tables.table import show as show_tables
    from curator.verbs.answers import ava_training
    from grading.ava.configurations import TrainingSettings

    one, others = ("linear", OF_TRANSFORMERS) if kind == LINEAR else (kind, OF_LINEAR)
    refuse_given(others, f"does not apply to --kind {one}")
    encoder, inclusion = options.pop("encoder"), options.pop("inclusion")
    step: int | None = None

    def found(questions: TrainingQuestions) -> None:
        nonlocal step
        step = 0
        for line in answers.training_words(questions):
            echo(line, err=True)

    def follow(at: Progress) -> None:
        nonlocal step
        step = at.step
        bar(at.step, at.steps)

    with progress_bar("Training") as bar:
        try:
            ava_training.train(
                model,
                _questions(files, workspaces),
                dev=_questions(dev_files) if dev_files else None,
                kind=kind,
                encoder=encoder,
                inclusion=inclusion,
                settings=TrainingSettings(**options),
                dev_share=dev_share,
                sources=[
                    *(file.name for file in (*files, *workspaces)),
                    *(f"{file.name} (dev)" for file in dev_files),
                ],
                resume=resume,
                report_questions=found,
                progress=follow,
            )
            step = None
        except KeyboardInterrupt:
            # A linear model takes seconds, and has nothing to go on with.
            if kind == LINEAR or step is None:
                raise
    if step is not None:
        echo(
            f"Stopped at step {step}. The same command with --resume continues from "
            "the last checkpoint, or starts again if there is none.",
            err=True,
        )
        click.get_current_context().exit(1)
    trained = ava_training.show(model)
    show_tables(
        form, *answers.training_tables(trained), value=answers.card_json(trained)
    )


@ava.command()
@MODEL
@click.option("--figure", type=click.Path(path_type=Path, dir_okay=False),
              metavar="FILE.svg|png|pdf",
              help="Draw the training curve.")  # fmt: skip
@flag("--dark", help="Draw on a dark background, for slides.")
@printed
def show(model: Path, figure: Path | None, dark: bool) -> Sequence[Tabular]:
    """Show a model's kind, its training data and how the training went.

    While a model is trained, shows the progress so far.

    \b
    Example:
      curator ava show models/linear
    """
    from curator.tables.answers import card_tables
    from curator.verbs.answers.ava_training import show as training_in

    if figure is not None:
        check_ending(figure)
    found = training_in(model)
    if figure is not None:
        from curator.tables.figures import training_figure

        write_figure(training_figure(found, dark=dark), figure)
    return card_tables(found)


@ava.command()
@MODEL
@click.argument("question")
@click.argument("reference")
@click.argument("candidate")
@click.option("--short-answer", help="Part of the reference that answers the question.")
@printed
def explain(model: Path, **texts: Any) -> Tabular:
    """Print the score of one candidate; for a linear model, also its terms.

    \b
    Example:
      curator ava explain models/linear "When was the Eiffel Tower built?" \\
        "It was built from 1887 to 1889." "The tower was built in 1889."
    """
    from curator.tables.answers import explained_table
    from curator.verbs.answers import ava_training
    from grading.ava.model import Triple

    return explained_table(ava_training.explain(model, Triple(**texts)))


@ava.command()
@MODEL
@paths("--data", required=True, help=f"Test data: {MODEL_DATA} Repeat for several.")
@click.option("--threshold", type=float,
              help="Lowest score of a right answer. [from the model's card]"
)  # fmt: skip
@flag("--pairs", help="List every pair with its score instead; for a linear model also "
                      "what each feature adds.")  # fmt: skip
@printed
def evaluate(
    model: Path, data: tuple[Path, ...], threshold: float | None, pairs: bool
) -> Tabular:
    """Print precision, recall and F1 of a model and of the string check.

    Each correct answer of a question is compared with every other correct answer, which
    makes a right pair, and with every incorrect one, which makes a wrong pair.

    \b
    Example:
      curator ava evaluate models/linear --data test.tsv
    """
    from curator.tables.answers import evaluation_table, pair_table
    from curator.verbs.answers.ava_evaluation import evaluate as evaluated

    questions = list(_questions(data))
    found = evaluated(model, questions, threshold=threshold, pairs=pairs)
    return pair_table(found) if pairs else evaluation_table(found)


@ava.command()
@click.argument("models", type=PATH, nargs=-1, required=True, metavar="MODEL...")
@file_given("--data", "test", required=True, help=f"Test data: {MODEL_DATA}")
@file_given("--dev", help="Dev data in the same formats, to tune the threshold on the "
                          "systems' P@1.")  # fmt: skip
@paths("--runs", help="TREC runs of candidate ids, a file or a folder; repeat for "
                      "several.")  # fmt: skip
@paths("--dev-runs", help="Runs for the dev questions, if dev and test share ids. "
                          "[--runs]")  # fmt: skip
@shown("--references", type=click.Choice(["others", "all"]), default="others",
       help="Compare a correct answer with the other ones, or with all of them and "
            "itself, as the paper literally says.")  # fmt: skip
@shown("--examples", type=click.IntRange(min=0), default=5,
       help="Number of candidates to show on which model and string check differ."
       )  # fmt: skip
@click.option("--baseline", metavar="SYSTEM",
              help="Compare this system's own scores of its first answers, from 0 to "
                   "1, with the model's.")  # fmt: skip
@flag("--save", help="Save each model's figures in its folder, for `curator ava show` "
                     "and Settings › Grading.")  # fmt: skip
@flag("--save-threshold", help="Write the tuned threshold into each model's card.")
@printed
def report(
    models: tuple[Path, ...],
    test: Path,
    dev: Path | None,
    save: bool,
    save_threshold: bool,
    **options: Any,
) -> Sequence[Tabular]:
    """Report how well models replace people, on answers and on whole systems.

    Prints the tables of the paper: F1 by model, Kendall's tau and error of P@1, MAP and
    MRR over systems, the values of every system, and answers on which the string check
    disagrees.

    \b
    Example:
      curator ava report models/linear --data test.tsv --dev dev.tsv --runs runs
    """
    from curator.formats.answer_selection import read_answers
    from curator.tables.answers import report_tables
    from curator.verbs.answers import ava_report as verb

    found = verb.report(
        models,
        read_answers(test),
        dev=None if dev is None else read_answers(dev),
        names=(_name(test), _name(dev) if dev else ""),
        **options,
    )
    for folder, one in zip(models, found.models, strict=True):
        if save_threshold:
            verb.save_threshold(folder, one, dev=_name(dev) if dev else "")
        if save:
            verb.save_report(folder, one, found)
    return report_tables(found)


@ava.command("compare")
@in_workspace
@click.option("--source", metavar="GRADER",
              help="Grader that extracted the answers; the start of its name is "
                   "enough. [the one with most answers]")  # fmt: skip
@click.option("--grader", "graders", metavar="GRADER", multiple=True,
              help="AVA grader; repeat for several. [all]")  # fmt: skip
@click.option("--query", "query_id", metavar="ID",
              help="List only disagreements in this query.")  # fmt: skip
@shown("--limit", type=click.IntRange(min=0), default=20,
       help="Number of disagreements to list.")  # fmt: skip
@printed
def compare_checks(
    workspace: Workspace,
    source: str | None,
    graders: tuple[str, ...],
    **of_listed: Any,
) -> Sequence[Tabular]:
    """Compare string matching, AVA models and people's verdicts.

    All are compared on the same answers: every distinct answer that an answering grader
    extracted for a question with an answer key. The workspace needs such answers:
    `curator grade WORKSPACE --grader flan-t5-large/qa` extracts some, and `curator
    grade WORKSPACE --grader ava:FOLDER` scores them with a model.

    \b
    Example:
      curator ava compare answered.db --limit 5
    """
    from curator.tables.answers import answer_check_tables

    found = workspace.answer_checks(source, graders or None)
    total, listed = found.list_answers(found.differing(), **of_listed)
    return answer_check_tables(found, total, listed)


def _questions(
    files: Sequence[Path], workspaces: Sequence[Path] = ()
) -> Iterator[Answered]:
    from curator.formats.answer_selection import read_answers

    for file in files:
        yield from read_answers(file)
    for path in workspaces:
        with opened(path) as workspace:
            known = workspace.known_answers()
        yield from known


def _name(path: Path) -> str:
    """The file's name without its ending: ``WikiQA-dev`` of ``WikiQA-dev.tsv.gz``."""
    return Path(path.name.removesuffix(".gz")).stem
