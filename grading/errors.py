"""The errors a caller of ``grading`` can act on; each message is one clear line."""


class GradingError(Exception):
    """Something the user can put right stands in the way of a grade."""


class InvalidItemError(GradingError):
    """An item lacks the text, the public id or the candidate its kind rests on."""


class InvalidSpecError(GradingError):
    """A stored grader description cannot be read back."""


class UnknownGraderError(GradingError):
    """No grader is registered under this name."""


class UngradableItemError(GradingError):
    """This grader needs the item's text, and the text is not published."""


class MissingModelError(GradingError):
    """The model is not on this machine, or what is there is not that model."""


class WorkerError(GradingError):
    """The model process is not running, has ended or does not answer in time."""


class EngineError(GradingError):
    """The machines that models are to run on cannot be had, or have none for them."""


class InvalidPromptError(GradingError):
    """A prompt lacks a placeholder, or its file cannot be read."""


class PromptTooLongError(GradingError):
    """A question alone, without any passage, does not fit into the model."""


class EndpointError(GradingError):
    """A chat endpoint refuses, or does not answer after every retry."""


class BrokenStreamError(EndpointError):
    """A chat endpoint broke off in mid-answer; the text that had arrived stands."""


class InvalidPricesError(GradingError):
    """The prices of a model's tokens are not two numbers of dollars."""


class InvalidScoreError(GradingError):
    """A model gave something else for a score than a number from 0 to 1."""


class TrainingError(GradingError):
    """A model cannot be trained on this data, with these settings or in this folder."""
