"""Graders that send a prompt to a model and parse its response: FLAN-T5, chat models.

A grader's name defines it completely; omitted parts have the published default:

    flan-t5-large                   the self-rating prompt, beam search
    flan-t5-large/qa                the question-answering prompt: answered or not
    flan-t5-large/qa/verified       the same answers, checked against the answer key
    flan-t5-large/qa/verified+true-false   also accepts "yes" for the answer "true"
    flan-t5-large/greedy            greedy decoding; a separate grader
    flan-t5-large/float32           in this number format; without it, the fastest one
                                    of this machine, which the full name includes
    flan-t5-large/int8              in int8, by CTranslate2; on a GPU /ct2-bfloat16 too
    flan-t5:FOLDER, chat:MODEL      a local checkpoint; a model of an endpoint
    chat:MODEL/reasoning            a model that reasons first and takes no temperature
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property, partial
from pathlib import Path

from grading.answers import CHECK_VERSION, TRUE_FALSE_VERSION
from grading.costs import SELF_RATING_TOKENS
from grading.errors import InvalidPromptError, UnknownGraderError
from grading.items import Item
from grading.models.protocol import Batch, PromptParts, TextModel
from grading.prompts.prompt import CHOICES_VERSION, Prompt
from grading.prompts.released import FORMER_NAMES, PROMPTS
from grading.readings import ANSWERED, chat_parser, prompt_parser, read_response
from grading.responders import (
    CHOICES,
    DTYPES,
    ENGINE,
    GraderSpec,
    Reading,
    ReadingKind,
    Responder,
)

VERIFIED = "verified"
TRUE_FALSE = "verified+true-false"
CHECKS = {VERIFIED: CHECK_VERSION, TRUE_FALSE: TRUE_FALSE_VERSION}
"""Ways of checking an answer against the answer key, each with its parser."""
GREEDY = "greedy"
REASONING = "reasoning"
NAME_OPTIONS = (*CHECKS, GREEDY, REASONING, *DTYPES)
DEFAULT_PROMPT = "self-rating"
STORED = "a file of one's own"  # the source of a prompt whose file may be deleted

THINKING_TOKENS = 4096  # a reasoning model's thoughts count as its answer

ANSWER_TOKENS = 24  # an answer's usual length, for estimates
LIMITED_ENGINES = ("chat",)  # with a token limit for answers
NO_LIMIT = "takes no token limit; --max-tokens is for chat models only"


@dataclass(frozen=True)
class TextGrader:
    """A prompt, a model and a reading; the model is loaded at the first prompt.

    ``endpoint`` is the address of a chat model, "" for that of the environment; it is
    not part of the grader's identity. ``missing`` is the reason why the model cannot
    be loaded on this machine; only a grader opened for a dry run has one.
    """

    spec: GraderSpec
    prompt: Prompt
    open_model: Callable[..., TextModel] = field(repr=False)
    endpoint: str = field(default="", repr=False)
    missing: str = ""

    @cached_property
    def model(self) -> TextModel:
        """Load the model. Raises MissingModelError."""
        return self.open_model()

    @property
    def note(self) -> str:
        """Reason for a pause of the model in one sentence; "" if there is no pause."""
        return getattr(self.model, "note", "")

    def with_answer_limit(self, tokens: int) -> TextGrader:
        """Return this grader with another token limit for answers.

        A complete answer is the same under any limit. Raises UnknownGraderError for a
        model without a limit.
        """
        if self.spec.engine not in LIMITED_ENGINES:
            raise UnknownGraderError(f"{self.spec.name} {NO_LIMIT}")
        opened = partial(self.open_model, max_answer_tokens=tokens)
        return replace(self, open_model=opened)

    @property
    def expected_answer_tokens(self) -> int:
        """Likely length of a response in tokens; for estimates only."""
        if REASONING in self.spec.name.split("/"):
            return THINKING_TOKENS  # a bound: the length of thoughts is unknown
        return (
            ANSWER_TOKENS if self.prompt.reading == "answered" else SELF_RATING_TOKENS
        )

    def prompt_for(self, item: Item, passage: str) -> PromptParts:
        """Return the prompt for an item and passage. Raises UngradableItemError."""
        before, after = self.prompt.render(item)
        return PromptParts(before, passage, after)

    def ask(self, prompts: Sequence[PromptParts]) -> Generator[Batch, None, None]:
        """Yield the model's responses in batches as they are ready."""
        return self.model.ask(prompts)

    def read(self, raw: str, answers: Sequence[str], item: Item) -> int:
        """Return the rating that a response states; see ``readings.read_response``."""
        return read_response(
            self.spec.reading, raw, answers=answers, choices=item.choices
        )


@dataclass(frozen=True)
class GraderName:
    """Parsed name of a grader: a model, its prompt and its options.

    ``options`` are some of ``NAME_OPTIONS``, at most one of them a number format.
    """

    model: str
    prompt: Prompt
    options: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """Full name of the grader in canonical order, without published defaults."""
        prompt = [] if self.prompt.name == DEFAULT_PROMPT else [self.prompt.name]
        options = (option for option in NAME_OPTIONS if option in self.options)
        return "/".join([self.model, *prompt, *options])

    def reading(self, *, is_chat: bool = False) -> Reading:
        """Return how responses become grades; a chat model has stricter rules."""
        check = next((CHECKS[name] for name in CHECKS if name in self.options), None)
        kind: ReadingKind = "keyed" if check else self.prompt.reading
        parser = check or self.prompt.parser
        return Reading(
            kind, self.prompt.item_kind, chat_parser(parser) if is_chat else parser
        )

    def grader(
        self,
        engine: str,
        model: str,
        decoding: tuple[tuple[str, str], ...],
        open_model: Callable[[], TextModel],
        *,
        revision: str = "",
        is_chat: bool = False,
    ) -> TextGrader:
        """Return the grader of this name with a client's model and decoding options."""
        decoding_options = ((ENGINE, engine), *decoding)
        if self.prompt.shows_choices:
            decoding_options += ((CHOICES, CHOICES_VERSION),)
        responder = Responder(model, revision, self.prompt.template, decoding_options)
        spec = GraderSpec(self.name, responder, self.reading(is_chat=is_chat))
        return TextGrader(spec, self.prompt, open_model)


def parse_grader_name(name: str, prompt: Prompt | None) -> GraderName:
    """Parse a grader's name; ``prompt`` is a prompt from a file, if there is one.

    A file with exactly the text of a published prompt is that prompt. Raises
    UnknownGraderError for parts that cannot be combined, InvalidPromptError for a file
    whose name has another meaning in graders' names.
    """
    prompts = PROMPTS | {old: PROMPTS[new] for old, new in FORMER_NAMES.items()}
    if prompt is not None:
        words = (prompt.template, prompt.parser)
        same = (p for p in PROMPTS.values() if (p.template, p.parser) == words)
        published = next(same, None)
        # The name of a stored prompt may have been released later.
        taken = NAME_OPTIONS if prompt.source == STORED else (*NAME_OPTIONS, *prompts)
        if published is None and prompt.name in taken:
            raise InvalidPromptError(
                f"'{prompt.name}' has another meaning in graders' names; rename the "
                "prompt's file"
            )
        prompt = published or prompt
        prompts[prompt.name] = prompt
    model, options = _split(name, {*prompts, *NAME_OPTIONS})
    chosen = [prompts[option] for option in options if option in prompts]
    if prompt is not None and prompt not in chosen:
        chosen.append(prompt)
    flags = frozenset(options).intersection(NAME_OPTIONS)
    parsed = GraderName(model, chosen[0] if chosen else PROMPTS[DEFAULT_PROMPT], flags)
    repeated = len(set(options)) < len(options) or len(chosen) > 1
    if (
        repeated
        or len(flags.intersection(DTYPES)) > 1
        or flags.issuperset(CHECKS)
        or (flags.intersection(CHECKS) and parsed.prompt.reading != "answered")
    ):
        raise UnknownGraderError(
            f"The parts of '{name}' cannot be combined: give at most one prompt "
            f"(a file counts), one of {', '.join(DTYPES)}, and one of "
            f"{' and '.join(CHECKS)} only after a prompt that asks for answers, "
            "such as flan-t5-large/qa/verified"
        )
    return parsed


def _split(name: str, allowed: set[str]) -> tuple[str, list[str]]:
    """Split a name into the model and the options at its end."""
    model, options = name, list[str]()
    # Folders and names of chat models contain slashes: take options off the end.
    while not Path(model.partition(":")[2] or "\0").is_dir():
        before, slash, last = model.rpartition("/")
        if slash and last in allowed:
            model, options = before, [last, *options]
            continue
        near = get_close_matches(last.lower(), allowed, 1, cutoff=0.8) if slash else []
        # An endpoint's model may have a slash in its name: report near matches only.
        if near or (slash and ":" not in model):
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise UnknownGraderError(
                f"'{last}' in '{name}' is neither a prompt nor an option.{hint} "
                f"There are: {', '.join(sorted(allowed))}"
            )
        break
    return model, options


def stored_prompt(spec: GraderSpec, name: str) -> Prompt:
    """Return the prompt of a stored grader, even if its file no longer exists.

    The name of a prompt from a file is taken from the grader's name.
    """
    verified = spec.reading.kind == "keyed"
    kind: ReadingKind = "answered" if verified else spec.reading.kind
    parser = ANSWERED if verified else prompt_parser(spec.reading.parser)
    for published in PROMPTS.values():
        words = (published.template, published.reading, published.parser)
        if words == (spec.responder.prompt, kind, parser):
            return published
    prompts = [part for part in name.split("/") if part not in NAME_OPTIONS]
    literal = CHOICES not in dict(spec.responder.decoding)
    return Prompt(prompts[-1], spec.responder.prompt, kind, parser, STORED, literal)
