"""Errors of ``grading`` that users can act on; each message is one line."""


class GradingError(Exception):
    """Base class of errors that users can act on."""


class InvalidItemError(GradingError):
    """An item lacks the text, public id or candidate that its kind requires."""


class InvalidSpecError(GradingError):
    """A stored grader description is invalid."""


class UnknownGraderError(GradingError):
    """No grader is registered under this name."""


class UngradableItemError(GradingError):
    """The grader needs the item's text, which is not published."""


class MissingModelError(GradingError):
    """The model is not on this machine, or differs from the expected one."""


class WorkerError(GradingError):
    """The model process is not running, has ended or does not answer in time."""


class EngineError(GradingError):
    """The Ray cluster is not available, or has no machine for the model."""


class InvalidPromptError(GradingError):
    """A prompt lacks a placeholder, or its file cannot be read."""


class PromptTooLongError(GradingError):
    """A question alone, without any passage, does not fit into the model."""


class EndpointError(GradingError):
    """A chat endpoint refuses, or does not answer after all retries."""


class BrokenStreamError(EndpointError):
    """A chat endpoint broke off an answer; the text received before remains."""


class InvalidPricesError(GradingError):
    """The prices of a model's tokens are not two numbers of dollars."""


class InvalidScoreError(GradingError):
    """A model's score is not a number from 0 to 1."""


class TrainingError(GradingError):
    """A model cannot be trained on this data, with these settings or in this folder."""
