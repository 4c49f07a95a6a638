"""The command line: one command per verb, each a thin shell around the workspace.

Results go to stdout, progress and warnings to stderr. A user's error is one line and
exit status 1, a misuse of the command line is 2. Nothing heavy is imported until a
command needs it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator import __version__
from curator.errors import CuratorError
from grading.errors import GradingError

if TYPE_CHECKING:
    from curator.verbs.importing import ImportSummary
    from curator.workspace import Workspace

FORMATS = ("table", "json", "tsv")
WORKSPACE = click.argument(
    "workspace", type=click.Path(path_type=Path), metavar="WORKSPACE"
)
Function = Callable[..., Any]


class OneLineErrors(click.Group):
    """A group whose commands end a user's error with one line and exit status 1."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (CuratorError, GradingError) as error:
            click.echo(f"Error: {' '.join(str(error).split())}", err=True)
            ctx.exit(1)
        except BrokenPipeError:
            # The reader of our output, such as `head`, has seen enough.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)


@click.group(
    cls=OneLineErrors, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="curator")
def main() -> None:
    """Judge search and RAG systems by exam questions that people curate."""


@main.command()
@click.option("--port", default=8501, show_default=True, help="Port to serve on.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@click.option("--fresh", is_flag=True, help="Build the demo workspace anew.")
@click.option(
    "--build-only", is_flag=True, help="Build the demo workspace and say where it is."
)
def demo(port: int, no_browser: bool, fresh: bool, build_only: bool) -> None:
    """Build the demo workspace if needed, and serve it.

    \b
    Example:
      curator demo --build-only
    """
    from curator.demo import build_demo

    with progress_bar("Grading the demo") as progress:
        path = build_demo(fresh=fresh, progress=progress)
    if build_only:
        click.echo(path)
        return
    start_server(path, "127.0.0.1", port, open_browser=not no_browser)


@main.command()
@WORKSPACE
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to serve on."
)
@click.option("--port", default=8501, show_default=True, help="Port to serve on.")
@click.option("--open-browser", is_flag=True, help="Open a browser.")
def serve(workspace: Path, host: str, port: int, open_browser: bool) -> None:
    """Serve the app on a workspace, made empty if there is none.

    \b
    Example:
      curator serve demo.db
    """
    with opened(workspace, create=True):
        pass  # a file that is no workspace is refused here, in one line
    start_server(workspace, host, port, open_browser=open_browser)


FILES: dict[str, Any] = {
    "multiple": True,
    "type": click.Path(path_type=Path),
    "metavar": "FILE",
}


@main.command("import")
@WORKSPACE
@click.option("--queries", **FILES, help="Queries: JSON, TSV or JSONL.")
@click.option("--passages", **FILES, help="Passage texts: JSONL or TSV.")
@click.option("--bank", **FILES, help="Question bank, in any of Autograder's forms.")
@click.option("--autograder", **FILES, help="Graded passages, Autograder interchange.")
@click.option("--runs", **FILES, help="TREC run, or a folder of runs.")
@click.option("--judgments", **FILES, help="TREC qrels.")
@click.option("--official", **FILES, help="Official leaderboard: JSON {system: rank}.")
@click.option(
    "--min-relevance",
    type=int,
    help="The judgment from which a passage counts as relevant.",
)
@click.option("--title", help="What the collection is called.")
@click.option("--format", "form", type=click.Choice(FORMATS[:2]), default="table")
def import_(
    workspace: Path,
    min_relevance: int | None,
    title: str | None,
    form: str,
    **files: tuple[Path, ...],
) -> None:
    """Read files into a workspace, made if there is none; all of them or nothing.

    Gzipped files are read as they are. Importing a file again changes nothing.

    \b
    Example:
      curator import leaves.db --queries data/demo/queries.jsonl \\
        --passages data/demo/passages.jsonl --bank data/demo/questions.jsonl
    """
    from curator.store.connection import remove_workspace
    from curator.verbs.importing import refuse_unreadable

    refuse_unreadable(files)  # before a workspace is made for nothing
    options = {"min_relevance": min_relevance, "title": title}
    if not workspace.exists():
        # Made beside its place, so that a failed import leaves nothing there.
        part = workspace.with_name(f".{workspace.name}.{os.getpid()}.part")
        try:
            summaries = imported(part, files, options)
            os.link(part, workspace)
        except FileExistsError:  # someone else has made it meanwhile
            summaries = imported(workspace, files, options)
        finally:
            remove_workspace(part)
    else:
        summaries = imported(workspace, files, options)
    if form == "json":
        from curator.rendering import import_json

        echo_json(import_json(summaries))
        return
    for summary in summaries:
        new = ", ".join(f"{count:,} {what}" for what, count in summary.new.items())
        click.echo(f"{summary.source}: {summary.taken_for}; new: {new or 'nothing'}")
        for notice in summary.notices:
            click.echo(f"  note: {notice}", err=True)


@main.command()
@WORKSPACE
@click.option("--format", "form", type=click.Choice(FORMATS), default="table")
def status(workspace: Path, form: str) -> None:
    """Where the workspace stands: the six steps, counts, graders, what is missing.

    \b
    Example:
      curator status demo.db
    """
    from curator import rendering

    with opened(workspace) as one:
        rendering.show(rendering.status(one.status()), form)


@main.command()
@WORKSPACE
@click.option("--grader", default="embedding", show_default=True, help="Who grades.")
@click.option("--query", "query_id", help="Only this query.")
@click.option("--dry-run", is_flag=True, help="Say what is missing and stop.")
@click.option("--format", "form", type=click.Choice(FORMATS[:2]), default="table")
def grade(
    workspace: Path, grader: str, query_id: str | None, dry_run: bool, form: str
) -> None:
    """Ask a grader for every grade that is missing, and for no other.

    What is graded is stored as it comes: stopped, it goes on where it was.

    \b
    Example:
      curator grade demo.db --grader embedding --dry-run
    """
    from curator import rendering

    with opened(workspace) as one, progress_bar("Grading") as progress:
        summary = one.grade(
            grader, query_id=query_id, dry_run=dry_run, progress=progress
        )
    rendering.show(rendering.graded(summary), form)


def board_options(function: Function) -> Function:
    """The options that make settings, in the order in which help shows them."""
    options = [
        click.option("--measure", "-m", default="cover", show_default=True,
                     help='cover, or any ir-measures name such as "P@20".'),
        click.option("--grader", help="Whose grades; may be cut short. [the first]"),
        click.option("--min-rating", type=int, default=4, show_default=True,
                     help="The rating from which a question counts as answered."),
        click.option("-k", "k", type=int, default=20, show_default=True,
                     help="How many passages of a ranking Cover looks at."),
    ]  # fmt: skip
    for option in reversed(options):
        function = option(function)
    return function


def format_option(function: Function) -> Function:
    """``--format table|json|tsv``."""
    return click.option(
        "--format", "form", type=click.Choice(FORMATS), default="table",
        show_default=True, help="How results are printed.",
    )(function)  # fmt: skip


@main.command()
@WORKSPACE
@board_options
@click.option("--query", "query_id", help="The board of this query alone.")
@click.option("--subtopic", "subtopic_id", help="On this subtopic's questions alone.")
@format_option
def leaderboard(
    workspace: Path,
    query_id: str | None,
    subtopic_id: str | None,
    form: str,
    **options: Any,
) -> None:
    """Every system's score, standard error and rank.

    \b
    Example:
      curator leaderboard demo.db --measure P@10
    """
    from curator import rendering

    with opened(workspace) as one:
        board = one.leaderboard(query_id=query_id, subtopic_id=subtopic_id, **options)
        rendering.show(rendering.board(board), form)


@main.command()
@WORKSPACE
@board_options
@click.option("--by", type=click.Choice(["query", "subtopic"]), default="query")
@click.option("--format", "form", type=click.Choice(["table", "json", "tsv"]),
              default="table")  # fmt: skip
def scores(workspace: Path, by: str, form: str, **options: Any) -> None:
    """One line per system and query, as trec_eval -q prints, means last.

    \b
    Example:
      curator scores demo.db --measure P@10
    """
    from curator import rendering

    with opened(workspace) as one:
        table = one.scores(by=by, **options)
        rendering.show(rendering.scores(table), form)


@main.command()
@WORKSPACE
@board_options
@click.option("--against", default="official", show_default=True,
              help="official, or judgments:<measure>.")  # fmt: skip
@click.option("--ties", type=click.Choice(["average", "random"]), default="average",
              help="random: Sander & Dietz 2021, 4.1.1.")  # fmt: skip
@format_option
def correlate(
    workspace: Path, against: str, ties: str, form: str, **options: Any
) -> None:
    """How alike the board is to a reference: Spearman, Kendall and tau AP.

    \b
    Example:
      curator correlate demo.db --measure P@10
    """
    from curator import rendering

    with opened(workspace) as one:
        settings = one.settings(**options)
        found = one.correlate(settings, against=against, ties=ties)
        rendering.show(rendering.correlation(found, settings, against), form)


@main.command()
@WORKSPACE
@click.option("--grader", help="Whose grades; may be cut short. [the first]")
@click.option("--min-rating", type=int, default=4, show_default=True,
              help="The rating from which a label counts as relevant.")  # fmt: skip
@click.option("--min-relevance", type=int,
              help="The judgment from which a passage does.")  # fmt: skip
@format_option
def agreement(
    workspace: Path,
    grader: str | None,
    min_rating: int,
    min_relevance: int | None,
    form: str,
) -> None:
    """Derived labels against official judgments: a 2x2 table and Cohen's kappa.

    \b
    Example:
      curator agreement demo.db
    """
    from curator import rendering

    with opened(workspace) as one:
        found = one.agreement(
            grader=grader, min_rating=min_rating, min_relevance=min_relevance
        )
        settings = one.settings(grader=grader, measure="P@20", min_rating=min_rating)
        relevance = min_relevance
        if relevance is None:
            relevance = one.collection().min_relevance
        rendering.show(rendering.agreement(found, settings, relevance), form)


@main.command()
@WORKSPACE
@click.option("--retire", multiple=True, metavar="ID", help="Without this question.")
@click.option("--restore", multiple=True, metavar="ID", help="With it again.")
@click.option("--reword", nargs=2, multiple=True, metavar="ID TEXT",
              help="With another text.")  # fmt: skip
@click.option("--add", nargs=2, multiple=True, metavar="QUERY TEXT",
              help="With a new question.")  # fmt: skip
@click.option(
    "--since", type=int, metavar="EVENT", help="What changed since this event."
)
@click.option("--query", "query_id", help="Scores and ranks in this query alone.")
@board_options
@format_option
def impact(
    workspace: Path,
    retire: tuple[str, ...],
    restore: tuple[str, ...],
    reword: tuple[tuple[str, str], ...],
    add: tuple[tuple[str, str], ...],
    since: int | None,
    query_id: str | None,
    form: str,
    **options: Any,
) -> None:
    """What an edit would change, or what changed; the workspace stays as it is.

    Several edits are taken together, in the order restore, reword, add, retire.

    \b
    Example:
      curator impact demo.db --since 0
    """
    from curator import rendering

    edits = edits_from(retire=retire, restore=restore, reword=reword, add=add)
    if bool(edits) == (since is not None):
        raise click.UsageError("Give edits, or --since EVENT.")
    with opened(workspace) as one:
        found = one.impact(edits, since=since, query_id=query_id, **options)
        rendering.show(rendering.impact(found), form)


@main.command()
@WORKSPACE
@click.option("--query", "query_id", help="Only this query's.")
@board_options
@format_option
def questions(workspace: Path, query_id: str | None, form: str, **options: Any) -> None:
    """The bank, with each question's reach and influence.

    \b
    Example:
      curator questions demo.db --query autumn-leaves
    """
    from curator import rendering

    with opened(workspace) as one:
        lines = one.questions(query_id=query_id, **options)
        rendering.show(rendering.questions(lines), form)


@main.command()
@WORKSPACE
@click.option("--retire", multiple=True, metavar="ID", help="Take a question out.")
@click.option("--restore", multiple=True, metavar="ID", help="Keep it again.")
@click.option(
    "--reword", nargs=2, multiple=True, metavar="ID TEXT", help="Change its text."
)
@click.option(
    "--add", nargs=2, multiple=True, metavar="QUERY TEXT", help="Add a question."
)
@click.option("--subtopic", "subtopic_id", help="The subtopic of what --add adds.")
@click.option("--done", multiple=True, metavar="QUERY", help="Mark a query finished.")
@click.option("--reason", help="Why it is retired; kept in the history.")
@click.option("--undo", is_flag=True, help="Take back my latest edit.")
@click.option("--redo", is_flag=True, help="Make it again.")
@click.option("--query", "query_id", help="Undo or redo in this query only.")
@click.option("--event", type=int, help="Undo the edit of this event.")
@click.option("--judge", help="Who edits. [CURATOR_USER, else the system's user]")
@click.option("--format", "form", type=click.Choice(FORMATS[:2]), default="table")
def edit(
    workspace: Path,
    retire: tuple[str, ...],
    restore: tuple[str, ...],
    reword: tuple[tuple[str, str], ...],
    add: tuple[tuple[str, str], ...],
    subtopic_id: str | None,
    done: tuple[str, ...],
    reason: str | None,
    undo: bool,
    redo: bool,
    query_id: str | None,
    event: int | None,
    judge: str | None,
    form: str,
) -> None:
    """Change the bank. What is given together is one edit and undoes as one.

    \b
    Example:
      curator edit demo.db --add autumn-leaves "Why do larches lose their needles?"
    """
    from curator import rendering

    edits = edits_from(
        retire=retire,
        restore=restore,
        reword=reword,
        add=add,
        done=done,
        reason=reason,
        subtopic_id=subtopic_id,
    )
    if bool(edits) + undo + redo != 1:
        raise click.UsageError("Give edits, or --undo, or --redo.")
    if event is not None and not undo:
        raise click.UsageError("--event goes with --undo.")
    with opened(workspace, judge=judge) as one:
        if undo:
            batch = one.undo(query_id, event=event)
        elif redo:
            batch = one.redo(query_id)
        else:
            batch = one.apply(edits)
    rendering.show(rendering.batch(batch), form)


@main.command()
@WORKSPACE
@click.option("--query", "query_id", help="Only this query's.")
@click.option("--limit", type=int, default=50, show_default=True, help="How many.")
@format_option
def history(workspace: Path, query_id: str | None, limit: int, form: str) -> None:
    """What people changed, when and who; the latest first.

    \b
    Example:
      curator history demo.db
    """
    from curator import rendering

    with opened(workspace) as one:
        rendering.show(
            rendering.history(one.history(query_id=query_id, limit=limit)), form
        )


TARGET: dict[str, Any] = {"type": click.Path(path_type=Path), "metavar": "FILE"}


@main.command()
@WORKSPACE
@click.option("--bank", **TARGET, help="The kept questions, Autograder form.")
@click.option("--qrels", **TARGET, help="Labels for trec_eval.")
@click.option("--autograder", **TARGET, help="Graded passages, Autograder interchange.")
@click.option("--leaderboard", **TARGET, help="The board as TSV.")
@click.option("--binary", is_flag=True, help="Qrels of 1 and 0 by --min-rating.")
@click.option("--allow-partial", is_flag=True, help="Though grades are missing.")
@board_options
def export(
    workspace: Path,
    bank: Path | None,
    qrels: Path | None,
    autograder: Path | None,
    leaderboard: Path | None,
    binary: bool,
    allow_partial: bool,
    **options: Any,
) -> None:
    """Write the bank, qrels, graded passages or a board to files.

    A file whose name ends in .gz is gzipped.

    \b
    Example:
      curator export demo.db --bank bank.jsonl --qrels labels.qrels
    """
    targets = {
        "bank": bank,
        "qrels": qrels,
        "autograder": autograder,
        "leaderboard": leaderboard,
    }
    if not any(targets.values()):
        raise click.UsageError(
            f"Give at least one of {', '.join(f'--{kind}' for kind in targets)}."
        )
    named = [target.resolve() for target in targets.values() if target is not None]
    if len(set(named)) < len(named):
        raise click.UsageError("Each export needs a file of its own.")
    with opened(workspace) as one:
        for kind, target in targets.items():
            if target is None:
                continue
            written = one.export(
                kind, target, binary=binary, allow_partial=allow_partial, **options
            )
            click.echo(f"{target}: {written.written:,} {written.what}")
            for notice in written.notices:
                click.echo(f"  note: {notice}", err=True)


@main.command()
@WORKSPACE
@click.option("--format", "form", type=click.Choice(FORMATS[:2]), default="table")
def verify(workspace: Path, form: str) -> None:
    """Re-hash every text and rebuild every rating from what it came from.

    Exit status 1 if anything is not as it was stored.

    \b
    Example:
      curator verify demo.db
    """
    from curator import rendering

    with opened(workspace) as one:
        found = one.verify()
    rendering.show(rendering.verification(found), form)
    if found.problems:
        sys.exit(1)


# What the commands share


@contextmanager
def opened(
    path: Path, *, create: bool = False, judge: str | None = None
) -> Iterator[Workspace]:
    """The workspace at ``path`` for the length of a block."""
    from curator.workspace import Workspace

    with Workspace.open(path, create=create, judge=judge) as workspace:
        yield workspace


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """A (done, total) callback that draws on stderr, where that is a terminal."""
    bar: Any = None

    def report(done: int, total: int) -> None:
        nonlocal bar
        if not sys.stderr.isatty():
            return
        if bar is None:
            bar = click.progressbar(length=total, label=label, file=sys.stderr)
            bar.__enter__()
        bar.length = total
        bar.update(done - bar.pos)

    try:
        yield report
    finally:
        if bar is not None:
            bar.__exit__(None, None, None)


def imported(
    path: Path, files: Mapping[str, Any], options: Mapping[str, Any]
) -> tuple[ImportSummary, ...]:
    """Import into the workspace at ``path``, made if there is none."""
    with opened(path, create=True) as one, progress_bar("Reading") as progress:
        return one.import_(**files, **options, progress=progress)


def edits_from(
    *,
    retire: tuple[str, ...] = (),
    restore: tuple[str, ...] = (),
    reword: tuple[tuple[str, str], ...] = (),
    add: tuple[tuple[str, str], ...] = (),
    done: tuple[str, ...] = (),
    reason: str | None = None,
    subtopic_id: str | None = None,
) -> list[Any]:
    """The edits that the options ask for."""
    from curator.bank.edits import Add, Done, Restore, Retire, Reword

    return [
        *(Restore(question_id) for question_id in restore),
        *(Reword(question_id, text) for question_id, text in reword),
        *(Add(query_id, text, subtopic_id=subtopic_id) for query_id, text in add),
        *(Retire(question_id, reason=reason) for question_id in retire),
        *(Done(query_id) for query_id in done),
    ]


def echo_json(value: object) -> None:
    """Print a JSON value, one line a level."""
    import json

    click.echo(json.dumps(value, ensure_ascii=False, indent=1))


def start_server(path: Path, host: str, port: int, *, open_browser: bool) -> None:
    """Become the Streamlit server, so that whoever ends this process ends it."""
    import subprocess

    from curator.ui.server import require_free_port, serve_command, serve_environment

    require_free_port(host, port)
    url = f"http://localhost:{port}"
    click.echo(f"Curator on {url} · Ctrl+C ends it", err=True)
    if open_browser:
        later = (
            "import sys, time, webbrowser; time.sleep(3); webbrowser.open(sys.argv[1])"
        )
        subprocess.Popen([sys.executable, "-c", later, f"http://localhost:{port}"])
    command = serve_command(path, host, port)
    os.execve(command[0], command, serve_environment(path))
