"""Graders that put a prompt to a model and read its answer: FLAN-T5 and chat models.

A grader's name says everything about it; what is left away is as published:

    flan-t5-large                   the self-rating prompt, beam search
    flan-t5-large/qa                the question-answering prompt: answered or not
    flan-t5-large/qa/verified       the same answers, checked against the answer key
    flan-t5-large/qa/verified+true-false   "yes" stands for the answer "true" as well
    flan-t5-large/greedy            without beams; a grader of its own
    flan-t5-large/float32           in this number format; else what this machine is
                                    fast in, which the full name says
    flan-t5-large/int8              in int8, by CTranslate2; on a GPU /ct2-bfloat16 too
    flan-t5:FOLDER, chat:MODEL      a checkpoint of one's own; an endpoint's model
    chat:MODEL/reasoning            one that thinks first and refuses a temperature
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
from grading.models.protocol import Asked, Batch, TextModel
from grading.prompts.prompt import CHOICES_VERSION, Prompt
from grading.prompts.released import FORMER_NAMES, PROMPTS
from grading.readings import ANSWERED, prompt_parser, read_response, strict
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
WAYS = (*CHECKS, GREEDY, REASONING, *DTYPES)
DEFAULT_PROMPT = "self-rating"
STORED = "a file of one's own"  # the source of a prompt whose file may be gone

THINKING_TOKENS = 4096  # a reasoning model's thoughts count as its answer

ANSWER_TOKENS = 24  # an answer's usual length, for estimates
LIMITED = ("chat",)  # engines whose models take a limit of tokens
NO_LIMIT = "has no limit of tokens to set; --max-tokens is for chat models"


@dataclass(frozen=True)
class TextGrader:
    """A prompt, a model and a reading. The model is loaded when it is first asked.

    ``endpoint`` is the address where a chat model is asked, "" for the environment's;
    it is no part of the grader's identity. ``missing`` says why the model cannot be
    loaded on this machine; only a grader opened for a dry run has it.
    """

    spec: GraderSpec
    prompt: Prompt
    open_model: Callable[..., TextModel] = field(repr=False)
    endpoint: str = field(default="", repr=False)
    missing: str = ""

    @cached_property
    def model(self) -> TextModel:
        """The loaded model. Raises MissingModelError."""
        return self.open_model()

    @property
    def note(self) -> str:
        """Reason for a pause of the model in one sentence; "" where it works."""
        return getattr(self.model, "note", "")

    def with_answer_limit(self, tokens: int) -> TextGrader:
        """This grader with another limit of tokens for its answers.

        A whole answer is the same under any limit. Raises UnknownGraderError for a
        model that has none.
        """
        if self.spec.engine not in LIMITED:
            raise UnknownGraderError(f"{self.spec.name} {NO_LIMIT}")
        opened = partial(self.open_model, max_answer_tokens=tokens)
        return replace(self, open_model=opened)

    @property
    def expected_answer_tokens(self) -> int:
        """How long a response is likely to be, in tokens; for estimates only."""
        if REASONING in self.spec.name.split("/"):
            return THINKING_TOKENS  # a bound: nobody knows how long it thinks
        return (
            ANSWER_TOKENS if self.prompt.reading == "answered" else SELF_RATING_TOKENS
        )

    def asked(self, item: Item, passage: str) -> Asked:
        """The prompt about this item and passage. Raises UngradableItemError."""
        before, after = self.prompt.around(item)
        return Asked(before, passage, after)

    def ask(self, prompts: Sequence[Asked]) -> Generator[Batch, None, None]:
        """The model's response to each prompt, batch by batch as they are ready."""
        return self.model.ask(prompts)

    def read(self, raw: str, answers: Sequence[str], item: Item) -> int:
        """The rating that a response states; see ``readings.read_response``."""
        return read_response(
            self.spec.reading, raw, answers=answers, choices=item.choices
        )


@dataclass(frozen=True)
class Named:
    """What a grader's name says: a model, and what follows it after slashes.

    ``ways`` are of ``WAYS``, one number format at most.
    """

    model: str
    prompt: Prompt
    ways: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The grader's full name, its parts in one order, the published left out."""
        prompt = [] if self.prompt.name == DEFAULT_PROMPT else [self.prompt.name]
        ways = (way for way in WAYS if way in self.ways)
        return "/".join([self.model, *prompt, *ways])

    def reading(self, *, talks: bool = False) -> Reading:
        """How its responses are read; a model that ``talks`` by stricter rules."""
        check = next((CHECKS[way] for way in CHECKS if way in self.ways), None)
        kind: ReadingKind = "keyed" if check else self.prompt.reading
        parser = check or self.prompt.parser
        return Reading(kind, self.prompt.item_kind, strict(parser) if talks else parser)

    def grader(
        self,
        engine: str,
        model: str,
        decoding: tuple[tuple[str, str], ...],
        open_model: Callable[[], TextModel],
        *,
        revision: str = "",
        talks: bool = False,
    ) -> TextGrader:
        """The grader of this name, over a client's model and its options."""
        options = ((ENGINE, engine), *decoding)
        if self.prompt.shows_choices:
            options += ((CHOICES, CHOICES_VERSION),)
        responder = Responder(model, revision, self.prompt.template, options)
        spec = GraderSpec(self.name, responder, self.reading(talks=talks))
        return TextGrader(spec, self.prompt, open_model)


def parsed(name: str, prompt: Prompt | None) -> Named:
    """The parts of a grader's name; ``prompt`` is one from a file, by its own name.

    A file that holds a published prompt word for word is that prompt. Raises
    UnknownGraderError for parts that do not go together, InvalidPromptError for a file
    whose name has another meaning here.
    """
    prompts = PROMPTS | {old: PROMPTS[new] for old, new in FORMER_NAMES.items()}
    if prompt is not None:
        words = (prompt.template, prompt.parser)
        same = (p for p in PROMPTS.values() if (p.template, p.parser) == words)
        published = next(same, None)
        # A stored grader's prompt may have been there before a released one's name.
        taken = WAYS if prompt.source == STORED else (*WAYS, *prompts)
        if published is None and prompt.name in taken:
            raise InvalidPromptError(
                f"'{prompt.name}' has a meaning of its own in graders' names; give "
                "the prompt's file another name"
            )
        prompt = published or prompt
        prompts[prompt.name] = prompt
    model, options = _split(name, {*prompts, *WAYS})
    asked = [prompts[one] for one in options if one in prompts]
    if prompt is not None and prompt not in asked:
        asked.append(prompt)
    ways = frozenset(options).intersection(WAYS)
    named = Named(model, asked[0] if asked else PROMPTS[DEFAULT_PROMPT], ways)
    twice = len(set(options)) < len(options) or len(asked) > 1
    if (
        twice
        or len(ways.intersection(DTYPES)) > 1
        or ways.issuperset(CHECKS)
        or (ways.intersection(CHECKS) and named.prompt.reading != "answered")
    ):
        raise UnknownGraderError(
            f"The name '{name}' does not go together: at most one prompt (a file's "
            f"counts), one of {', '.join(DTYPES)}, and one of "
            f"{' and '.join(CHECKS)} only after a prompt that asks for answers, "
            "such as flan-t5-large/qa/verified"
        )
    return named


def _split(name: str, known: set[str]) -> tuple[str, list[str]]:
    """The model's part of a name, and the known options that follow it."""
    model, options = name, list[str]()
    # Folders and chat models have slashes of their own: take options off the end.
    while not Path(model.partition(":")[2] or "\0").is_dir():
        rest, slash, last = model.rpartition("/")
        if slash and last in known:
            model, options = rest, [last, *options]
            continue
        near = get_close_matches(last.lower(), known, 1, cutoff=0.8) if slash else []
        # FLAN-T5's own names have no slash; an endpoint's may, so only what is close.
        if near or (slash and ":" not in model):
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise UnknownGraderError(
                f"'{last}' in '{name}' is neither a prompt nor an option.{hint} There "
                f"are: {', '.join(sorted(known))}"
            )
        break
    return model, options


def stored_prompt(spec: GraderSpec, name: str) -> Prompt:
    """The prompt a stored grader asked: a published one, or that of a file since gone.

    A file's prompt bears the name that stands in the grader's.
    """
    verified = spec.reading.kind == "keyed"
    kind: ReadingKind = "answered" if verified else spec.reading.kind
    parser = ANSWERED if verified else prompt_parser(spec.reading.parser)
    for published in PROMPTS.values():
        words = (published.template, published.reading, published.parser)
        if words == (spec.responder.prompt, kind, parser):
            return published
    named = [part for part in name.split("/") if part not in WAYS]
    literal = CHOICES not in dict(spec.responder.decoding)
    return Prompt(named[-1], spec.responder.prompt, kind, parser, STORED, literal)
