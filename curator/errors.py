"""Errors that a user can correct, one small class per situation.

The command line and the pages show a CuratorError as one line. Anything else is a bug
and may crash loudly.
"""

from __future__ import annotations


class CuratorError(Exception):
    """An error that the user can correct, described in one line."""


class InputFileError(CuratorError):
    """A file does not have the expected format; names file, line and value."""

    line: int | None = None
    """The number of the wrong line, from 1; None if no line is wrong by itself."""


class AmbiguousFileError(InputFileError):
    """A file holds several things; an option must choose one."""


class TooLargeError(InputFileError):
    """A file exceeds a limit; names the limit and an alternative."""


class ImportConflictError(CuratorError):
    """A file contradicts the workspace; nothing was imported.

    ``source`` is the file's name, ``conflict`` the contradiction, and ``ids`` the
    ids concerned, which help to find the line.
    """

    def __init__(self, source: str, conflict: str, ids: tuple[str, ...] = ()) -> None:
        super().__init__(f"{source}: {conflict}")
        self.source = source
        self.conflict = conflict
        self.ids = ids


class WorkspaceError(CuratorError):
    """The workspace file is missing, foreign, newer than this program or unwritable."""


class UnknownNameError(CuratorError):
    """A query, question, grader, measure or event of this name does not exist."""


class ReservedNameError(CuratorError):
    """The name of an imported grader is reserved for another one."""


class SettingError(CuratorError):
    """A setting of the collection has an invalid value."""


class RestrictedError(CuratorError):
    """Texts of a restricted query would become visible to others than organizers."""


class BudgetError(CuratorError):
    """A grading budget is invalid or empty."""


class EditError(CuratorError):
    """An edit is not possible."""


class RoleError(CuratorError):
    """The person's role does not allow this, or they are not listed."""


class AssignmentError(CuratorError):
    """Work cannot be assigned like this; describes what to change."""


class SignInError(CuratorError):
    """No user is signed in, or the session has ended; nothing was done."""


class NormingError(CuratorError):
    """A norming round cannot be opened, answered, shown or discussed like this."""


class AnswerKeyError(EditError):
    """No answer can be checked with this answer key or these choices."""


class NothingToChangeError(EditError):
    """The edit would not change the bank."""


class AlreadyAskedError(NothingToChangeError):
    """Another kept question of the query already has this text."""


class RemovedQuestionError(EditError):
    """The question's addition has been undone."""


class StaleEditError(EditError):
    """The question changed after the editor opened it; both texts are kept.

    ``mine`` is the text of the refused save (None if it had none), ``theirs`` the text
    now in the bank, ``base`` the text the editor started from if the history still
    knows it.
    """

    def __init__(
        self,
        message: str,
        *,
        question_id: str,
        mine: str | None,
        theirs: str | None,
        base: str | None = None,
        theirs_revision: int,
        theirs_by: str | None = None,
    ) -> None:
        super().__init__(message)
        self.question_id = question_id
        self.mine = mine
        self.theirs = theirs
        self.base = base
        self.theirs_revision = theirs_revision
        self.theirs_by = theirs_by


class ReleaseError(CuratorError):
    """A release cannot be made, compared or restored like this."""


class BundleError(CuratorError):
    """A bundle cannot be read, or contradicts its manifest."""


class PromptError(CuratorError):
    """A model cannot be asked for questions like this; describes what to change."""


class UndoError(EditError):
    """There is nothing to undo, or someone changed one of the questions since."""


class JobError(CuratorError):
    """A job cannot be started, paused or resumed now."""


class EvaluationError(CuratorError):
    """A number cannot be computed; describes what is missing."""


class FigureError(CuratorError):
    """A figure cannot be drawn or written like this; describes what to change."""


class NotGradableError(EvaluationError):
    """The grader cannot grade new text here; another one must be chosen."""
