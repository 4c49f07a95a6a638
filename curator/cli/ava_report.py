"""``ava evaluate`` and ``ava report``."""

from __future__ import annotations

from pathlib import Path

import click

from curator.cli.ava import ava
from curator.cli.options import format_option

PATH = click.Path(path_type=Path)
MODEL_DATA = (
    "Questions with judged candidates, in WikiQA's form or TREC-QA's; plain or gzipped."
)


@ava.command()
@click.argument("model", type=PATH, metavar="MODEL")
@click.option("--data", "data", type=PATH, multiple=True, required=True,
              help=f"{MODEL_DATA} Again for each file.")  # fmt: skip
@click.option("--threshold", type=float,
              help="An answer is right above this score. [the card's]")  # fmt: skip
@click.option("--pairs", "list_pairs", is_flag=True,
              help="List every pair with its score instead, and what each feature "
              "adds to a linear model's decision.")  # fmt: skip
@format_option
def evaluate(
    model: Path,
    data: tuple[Path, ...],
    threshold: float | None,
    list_pairs: bool,
    form: str,
) -> None:
    """Precision, recall and F1 of a model, next to those of the string check.

    Every correct answer of a question is held against each other one, which is right,
    and against each incorrect one, which is wrong.

    \b
    Example:
      curator ava evaluate models/linear --data test.tsv
    """
    from curator.formats.answer_selection import read_answers
    from curator.tables.answers import evaluation_table, pair_table
    from curator.tables.table import show
    from curator.verbs.answers.ava_evaluate import evaluate as evaluated
    from grading.ava import open_ava

    questions = [one.answered() for path in data for one in read_answers(path)]
    found = evaluated(open_ava(model), questions, threshold=threshold, pairs=list_pairs)
    show(form, pair_table(found) if list_pairs else evaluation_table(found))


@ava.command()
@click.argument("models", type=PATH, nargs=-1, required=True, metavar="MODEL...")
@click.option("--data", "test", type=PATH, required=True,
              help=f"Test: {MODEL_DATA}")  # fmt: skip
@click.option("--dev", type=PATH,
              help="Dev, in the same forms: tunes the threshold so that the systems' "
              "P@1 comes out right.")  # fmt: skip
@click.option("--runs", "runs", type=PATH, multiple=True,
              help="Systems as TREC runs of candidate ids, a file or a folder; again "
              "for each.")  # fmt: skip
@click.option("--dev-runs", "dev_runs", type=PATH, multiple=True,
              help="Their answers to the dev questions, where test has the same ids. "
              "[among --runs]")  # fmt: skip
@click.option("--references", type=click.Choice(["others", "all"]), default="others",
              show_default=True,
              help="Hold a correct answer against the other ones, or against itself "
              "too, as the paper is read literally.")  # fmt: skip
@click.option("--examples", type=click.IntRange(min=0), default=5, show_default=True,
              help="How many candidates to show on which model and string check "
              "differ.")  # fmt: skip
@click.option("--save", is_flag=True,
              help="Keep each model's figures in its folder, for `curator ava show` "
              "and the Answers page.")  # fmt: skip
@click.option("--save-threshold", is_flag=True,
              help="Write the tuned threshold into each model's card.")  # fmt: skip
@format_option
def report(
    models: tuple[Path, ...],
    test: Path,
    dev: Path | None,
    runs: tuple[Path, ...],
    dev_runs: tuple[Path, ...],
    references: str,
    examples: int,
    save: bool,
    save_threshold: bool,
    form: str,
) -> None:
    """How well models stand in for people: on answers, and on whole systems.

    Prints the tables of the paper: F1 by model, Kendall's tau and error of P@1, MAP
    and MRR over systems, every system's values, and answers that the string check
    sees otherwise.

    \b
    Example:
      curator ava report models/linear --data test.tsv --dev dev.tsv --runs runs
    """
    from curator.formats.answer_selection import read_answers
    from curator.tables.answers import report_tables
    from curator.tables.table import show
    from curator.verbs.answers import ava_report as verb
    from curator.verbs.answers.ava_saved_report import save_report
    from grading.ava import open_ava

    found = verb.report(
        [open_ava(one) for one in models],
        read_answers(test),
        dev=None if dev is None else read_answers(dev),
        runs=runs,
        dev_runs=dev_runs,
        references="all" if references == "all" else "others",
        examples=examples,
        names=(_name(test), "" if dev is None else _name(dev)),
        folders=models,
    )
    if save_threshold:
        for folder, one in zip(models, found.models, strict=True):
            verb.save_threshold(folder, one, dev=_name(dev) if dev else "")
    if save:
        for folder, one in zip(models, found.models, strict=True):
            save_report(folder, one, found)
    show(form, *report_tables(found))


def _name(path: Path) -> str:
    """The file's name without its ending: ``WikiQA-dev`` of ``WikiQA-dev.tsv.gz``."""
    return Path(path.name.removesuffix(".gz")).stem
