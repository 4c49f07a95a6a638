"""Arguments and options of a command, from the signature of its function or verb.

A parameter without a default is an argument, one with a default an option. The section
``Args`` of the docstring has the help, and in parentheses what differs from the name:
``marked (--mark QUERY PASSAGE): …``. A metavar in brackets makes an optional argument.
A parameter without help is only for Python. ``SHARED`` describes those that many verbs
have; ``**options: OptionValue`` are the settings of a board.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import NoneType, SimpleNamespace, UnionType
from typing import (
    Any,
    Literal,
    NamedTuple,
    TextIO,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import click

from curator.evaluation.settings import Label

LINE = re.compile(r"(\w+)(?: \((.+?)\))?: (.+)")
NAMES = {"Sequence": Sequence, "Iterable": Iterable, "Path": Path, "Literal": Literal}
BOARD = ("measure", "grader", "min_rating", "label", "min_answered", "k")
PASSED = ("workspace", "snapshot", "form")
"""Names of parameters that every command passes by itself."""
RANGES = {
    "bootstrap": click.IntRange(0, 10_000),
    "seed": click.IntRange(0),
    "limit": click.IntRange(0),
    "examples": click.IntRange(0),
    "count": click.IntRange(1),
    "depth": click.IntRange(1),
    "repeats": click.IntRange(1),
    "workers": click.IntRange(1),
    "max_tokens": click.IntRange(1),
}
"""Numbers that an option may have, by the name of its parameter."""


class Described(NamedTuple):
    """The spellings, metavar and help of a parameter in a docstring."""

    spellings: list[str]
    metavar: str
    help: str


def shared(
    *,
    measure: str | None = None,
    measures: Sequence[str] = (),
    grader: str | None = None,
    graders: Sequence[str] = (),
    min_rating: int | None = None,
    label: Label | None = None,
    labels: Sequence[Label] = (),
    min_answered: int = 1,
    k: int = 20,
    query_id: str | None = None,
    subtopic_id: str | None = None,
    by: Literal["query", "subtopic"] | None = None,
    questions: str | None = None,
    against: str = "official",
    min_relevance: int | None = None,
    bootstrap: int = 0,
    seed: int = 0,
) -> None:
    """Declare the parameters that several verbs have, with one help for all.

    Args:
        measure (--measure -m NAME): Measure, such as P@20, nDCG@10 or cover; see
            docs/measures.md. [that of the first board]
        measures (--measure -m NAME): Measure; repeat for several. [that of the first
            board]
        grader (NAME): Grader, or the start of its name. [the first]
        graders (NAME): Grader, or the start of its name; repeat for several. [all]
        min_rating (N): Lowest rating of an answer or of relevance. [4 on a scale of 0
            to 5, else 1]
        label (RULE): Ratings make a label by max, mean, top3 or answered (number of
            questions). [mean for nDCG of instant, else max]
        labels (RULE): Rule by which ratings make a label; repeat for several. [all]
        min_answered (N): Number of questions that a relevant passage answers.
        k (-k N): Depth of measures whose name has none, such as cover.
        query_id (ID): Only this query.
        subtopic_id (ID): Only questions of this subtopic.
        by: Unit of the mean. [query; for judgments:… as in the qrels]
        questions (GROUP): Only question, nugget, written, proposed, imported, by:NAME
            or import:N.
        against (NAME): official[:NAME], judgments:MEASURE or grader:NAME[:MEASURE].
        min_relevance (N): Lowest judgment of a relevant passage.
        bootstrap (N): Resamples of the queries for 95 % intervals; 0 for none.
        seed (N): Random seed.
    """


def parameters(
    function: Callable[..., Any], *verbs: Callable[..., Any], more: Sequence[str] = ()
) -> Iterator[click.Parameter]:
    """Yield the parameters of a function; its ``**options`` are options of its verbs.

    ``more`` are shared ones that a verb takes among its ``**options``.
    """
    function = inspect.unwrap(function)
    help_of = parameter_help(function)
    signature = inspect.signature(function).parameters
    for name, parameter in signature.items():
        annotation, option_help = parameter.annotation, Described([], "", "")
        if parameter.kind is parameter.VAR_KEYWORD:
            for verb in verbs:
                for option in parameters(verb, more=more):
                    if (
                        isinstance(option, click.Option)
                        and option.name not in signature
                    ):
                        option.required = False
                        yield option
            for setting in (*BOARD, *more) if "OptionValue" in annotation else ():
                if not {setting, f"{setting}s"} & signature.keys():
                    yield to_option(SHARED[setting], SHARED_HELP[setting])
            continue
        if name in help_of:
            option_help = help_of[name]
            annotation = annotated(function, parameter)
        elif name in SHARED:
            option_help, annotation = SHARED_HELP[name], SHARED[name].annotation
        elif parameter.default is parameter.empty and name not in PASSED:
            annotation = annotated(function, parameter)
        else:
            continue
        yield to_option(parameter.replace(annotation=annotation), option_help)


def parameter_help(function: Callable[..., Any]) -> dict[str, Described]:
    """Return what the section Args of the docstring says, by parameter."""
    _, _, section = inspect.cleandoc(function.__doc__ or "").partition("\nArgs:\n")
    entries = re.sub(r"\n {5,}", " ", section).splitlines()
    matches = (LINE.fullmatch(entry.strip()) for entry in entries)
    return {
        match[1]: Described(
            [word for word in (match[2] or "").split() if word.startswith("-")],
            " ".join(w for w in (match[2] or "").split() if not w.startswith("-")),
            match[3],
        )
        for match in matches
        if match
    }


def without_args(doc: str) -> str:
    """Return a docstring without its section Args."""
    return re.sub(r"\nArgs:\n(?: +.*\n?)*", "", inspect.cleandoc(doc)).strip()


def more_help(function: Callable[..., Any]) -> str:
    """Return what a docstring adds to its first line for users, without errors."""
    _, _, text = without_args(function.__doc__ or "").partition("\n\n")
    return re.sub(r"\s*(?:Raises|Source)\b[^\n]*(?:\n.+)*", "", text.replace("``", ""))


def annotated(function: Callable[..., Any], parameter: inspect.Parameter) -> Any:
    """Return the evaluated annotation."""
    holder = SimpleNamespace(__annotations__={"it": parameter.annotation})
    names = NAMES | vars(sys.modules[function.__module__])
    return get_type_hints(holder, names)["it"]


def to_option(parameter: inspect.Parameter, described: Described) -> click.Parameter:
    """Return the argument or option of a parameter with an evaluated annotation."""
    spellings, metavar, help_text = described
    name, default = parameter.name, parameter.default
    required = default is parameter.empty
    kind, is_optional = without_none(parameter.annotation)
    settings: dict[str, Any] = {"metavar": metavar or None}
    is_argument = parameter.kind is not parameter.KEYWORD_ONLY and not spellings
    repeats = get_origin(kind) in (Sequence, Iterable) or (
        get_origin(kind) is tuple and get_args(kind)[1:] == (...,)
    )
    if repeats:
        kind = get_args(kind)[0]
    if get_origin(kind) is tuple and get_args(kind)[1:] != (...,):
        settings["type"] = tuple(click_type(part) for part in get_args(kind))
        settings["nargs"] = len(get_args(kind))
    else:
        settings["type"] = RANGES.get(name) or click_type(kind)
    if is_argument and (required or metavar.startswith("[")):
        if not isinstance(settings["type"], click.Choice):
            settings["metavar"] = metavar or noun(name).upper()
        if repeats:
            settings["nargs"] = -1
        if required and is_optional:
            settings |= accepting_none(settings["type"])
        return click.Argument([name], required=required, **settings)
    singular = noun(name)[:-1] if repeats and name.endswith("s") else noun(name)
    spellings = spellings or [f"--{singular.replace('_', '-')}"]
    if kind is bool:
        del settings["type"], settings["metavar"]
        if default is None:
            spellings = [f"{spellings[0]}/--no-{spellings[0][2:]}"]
        else:
            settings["is_flag"] = True
    has_default = default not in (None, False, (), "", parameter.empty)
    return click.Option(
        [*spellings, name],
        help=help_text,
        required=required,
        multiple=repeats,
        default=None if required else default,
        show_default=has_default,
        **settings,
    )


def accepting_none(kind: Any) -> dict[str, Any]:
    """Return settings of an argument that can be None: "none" as a choice, else "-"."""
    word = "-"
    if isinstance(kind, click.Choice):
        word, kind = "none", click.Choice([*kind.choices, "none"])
    return {
        "type": kind,
        "callback": lambda _context, _argument, value: None if value == word else value,
    }


def without_none(annotation: Any) -> tuple[Any, bool]:
    """Return the type without None, and True if None was allowed.

    Of a value or several values, return the type of several; a file comes first.
    """
    if get_origin(annotation) not in (Union, UnionType):
        return annotation, False
    parts = [part for part in get_args(annotation) if part is not NoneType]
    if Path in parts:
        return Path, NoneType in get_args(annotation)
    several = [part for part in parts if get_origin(part) in (Sequence, Iterable)]
    return (several or parts)[0], NoneType in get_args(annotation)


def click_type(kind: Any) -> click.ParamType[Any]:
    """Return the type of click for a type of Python."""
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    if kind is Path:
        return click.Path(path_type=Path)
    if kind is TextIO:
        return click.File(encoding="utf-8")
    return click.types.convert_type(kind if kind in (int, float, bool) else str)


def noun(name: str) -> str:
    """Return the parameter's name without ``_id``."""
    return name.removesuffix("_ids").removesuffix("_id")


SHARED_HELP = parameter_help(shared)
SHARED = {
    name: parameter.replace(annotation=annotated(shared, parameter))
    for name, parameter in inspect.signature(shared).parameters.items()
}
