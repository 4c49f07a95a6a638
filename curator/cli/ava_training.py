"""``ava train``, ``ava show`` and ``ava explain``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from curator.cli.ava import ava
from curator.cli.figures import check_ending, write_figure
from curator.cli.options import format_option, opened
from curator.cli.progress import progress_bar

if TYPE_CHECKING:
    from curator.ava import Answered
    from curator.verbs.answers.ava_training import Order
    from grading.ava.card import Progress

FILE = click.Path(path_type=Path)
MODEL = click.argument("model", type=FILE, metavar="MODEL")
LINEAR = "linear"
# What says nothing of the other kind, and would be passed over.
OF_TRANSFORMERS = (
    *("encoder", "epochs", "learning_rate", "batch_size", "max_tokens"),
    *("checkpoint_every", "resume"),
)
OF_LINEAR = ("inclusion",)


@ava.command()
@MODEL
@click.option("--data", "files", type=FILE, multiple=True, metavar="FILE.tsv",
              help="Answers to train on, as WikiQA or TREC-QA publish them; again for "
              "each.")  # fmt: skip
@click.option("--dev", "dev_files", type=FILE, multiple=True, metavar="FILE.tsv",
              help="Answers to check on; again for each. [a share of the questions]"
              )  # fmt: skip
@click.option("--workspace", "workspaces", type=FILE, multiple=True,
              metavar="WORKSPACE",
              help="Train on its gold answers and people's verdicts; again for each."
              )  # fmt: skip
@click.option("--kind", default=LINEAR, show_default=True,
              help="linear, or what a transformer reads: a0, a1:r,qt+t,qr, a2 …"
              )  # fmt: skip
@click.option("--encoder", default="roberta-base", show_default=True,
              help="What a transformer starts from: a name, or a folder.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True,
              help="Of everything that is drawn by lot.")  # fmt: skip
@click.option("--epochs", type=int, default=2, show_default=True,
              help="How often a transformer sees the pairs.")  # fmt: skip
@click.option("--learning-rate", type=float, default=1e-6, show_default=True,
              help="Of AdamW.")  # fmt: skip
@click.option("--batch-size", type=int, default=32, show_default=True,
              help="Pairs in a step.")  # fmt: skip
@click.option("--max-tokens", type=int, default=128, show_default=True,
              help="How long two texts may be together.")  # fmt: skip
@click.option("--dev-share", type=float, default=0.2, show_default=True,
              help="The share of the questions that is set aside without --dev."
              )  # fmt: skip
@click.option("--inclusion", type=click.Choice(("printed", "reverse")),
              default="printed", show_default=True,
              help="The linear model's first feature: the reference in the short "
              "answer, as printed, or the short answer in the reference.")  # fmt: skip
@click.option("--checkpoint-every", type=int, default=250, show_default=True,
              metavar="STEPS",
              help="How much may be lost if it is killed.")  # fmt: skip
@click.option("--resume", is_flag=True,
              help="Go on from the last checkpoint of the same command.")  # fmt: skip
@format_option
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

    The linear model wants scikit-learn and seconds. A transformer wants torch, an
    encoder that is on this machine, and time, or better a GPU; stopped with Ctrl-C, it
    goes on with --resume, and `curator ava show MODEL` shows how far it is. Settings
    are the paper's unless you say otherwise. Two correct answers to a question make a
    reference and a right candidate, so questions with fewer are left out.

    \b
    Kinds, by the texts that are read together (q question, r reference, t candidate):
      linear        four features of shared words
      a0            q,r  r,t  q,t in one model; or one of them: a0:r,t
      a1            q,rt  r,qt  t,qr in one model; or one or two: a1:r,qt+t,qr
      a2            the paper's best, a2:r,qt+t,qr: two, each read again beside the
                    other; also a2:q,rt+t,qr and a2:r,qt+q,rt

    \b
    Example:
      curator ava train models/linear --data data/demo/answers.tsv
    """
    from curator.ava import answered
    from curator.tables import answers
    from curator.tables.table import show as show_tables
    from curator.verbs.answers import ava_training
    from curator.verbs.answers.ava_questions import parted

    _refuse_of_the_other_kind(kind)
    order = _order(kind, **options)
    ava_training.refuse_taken(model, order, resume=resume)
    questions = _read(files) + _known(workspaces)
    parts = parted(
        answered(questions),
        answered(_read(dev_files)) if dev_files else None,
        dev_share=dev_share,
        seed=order.settings.seed,
        needs_dev=kind != LINEAR,
    )
    for line in answers.training_words(parts):
        click.echo(line, err=True)
    sources = [*(file.name for file in (*files, *workspaces)),
               *(f"{file.name} (dev)" for file in dev_files)]  # fmt: skip
    step = 0

    def follow(at: Progress) -> None:
        nonlocal step
        step = at.step
        bar(at.step, at.steps)

    stopped = False
    with progress_bar("Training") as bar:
        try:
            ava_training.train(
                model, parts, order, sources=sources, resume=resume, progress=follow
            )
        except KeyboardInterrupt:
            if kind == LINEAR:  # seconds, and nothing to go on with
                raise
            stopped = True
    if stopped:
        click.echo(
            f"Stopped at step {step}. The same command with --resume goes on from the "
            "last checkpoint, or begins anew where none was written yet.",
            err=True,
        )
        click.get_current_context().exit(1)
    found = ava_training.training_in(model)
    value = answers.card_json(found)
    show_tables(form, *answers.training_tables(found), value=value)


@ava.command()
@MODEL
@click.option("--figure", type=click.Path(path_type=Path, dir_okay=False),
              metavar="FILE.svg|png", help="Draw how its training went.")  # fmt: skip
@click.option("--dark", is_flag=True, help="The figure on dark, for slides.")
@format_option
def show(model: Path, figure: Path | None, dark: bool, form: str) -> None:
    """What a model is, on what it was trained, and how that went.

    Of a training that has not ended, how it went so far.

    \b
    Example:
      curator ava show models/linear
    """
    from curator.tables import answers
    from curator.tables.table import show as show_tables
    from curator.verbs.answers.ava_training import training_in

    if figure is not None:
        check_ending(figure)
    found = training_in(model)
    if figure is not None:
        from curator.tables.figures import training_figure

        write_figure(training_figure(found, dark=dark), figure)
    show_tables(form, *answers.card_tables(found))


@ava.command()
@MODEL
@click.argument("question")
@click.argument("reference")
@click.argument("candidate")
@click.option("--short-answer", help="The part of the reference that answers.")
@format_option
def explain(
    model: Path,
    question: str,
    reference: str,
    candidate: str,
    short_answer: str | None,
    form: str,
) -> None:
    """The score of one candidate; of a linear model, the sum that it comes from.

    \b
    Example:
      curator ava explain models/linear "When was the Eiffel Tower built?" \\
        "It was built from 1887 to 1889." "The tower was built in 1889."
    """
    from curator.tables.answers import explained_table
    from curator.tables.table import show as show_tables
    from curator.verbs.answers import ava_training
    from grading.ava.model import Triple

    triple = Triple(question, reference, candidate, short_answer)
    found = ava_training.explain(model, triple)
    show_tables(form, explained_table(found))


def _read(files: Sequence[Path]) -> list[Answered]:
    from curator.formats.answer_selection import read_answers

    return [question for file in files for question in read_answers(file)]


def _known(workspaces: Sequence[Path]) -> list[Answered]:
    found: list[Answered] = []
    for path in workspaces:
        with opened(path) as workspace:
            found += workspace.known_answers()
    return found


def _order(
    kind: str, *, encoder: str, inclusion: str, checkpoint_every: int, **settings: Any
) -> Order:
    from curator.verbs.answers.ava_training import Order
    from grading.ava.configurations import TrainingSettings

    order = Order(
        kind,
        encoder,
        inclusion,
        TrainingSettings(checkpoint_every=checkpoint_every, **settings),
    )
    order.check()  # before any file is read
    return order


def _refuse_of_the_other_kind(kind: str) -> None:
    """Raise UsageError for an option that would be passed over in silence."""
    context = click.get_current_context()
    one, others = ("linear", OF_TRANSFORMERS) if kind == LINEAR else (kind, OF_LINEAR)
    for option in others:
        if context.get_parameter_source(option) is ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"--{option.replace('_', '-')} says nothing of --kind {one}."
            )
