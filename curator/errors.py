"""What can go wrong for a user, one small class per situation they can act on.

The command line and the pages show a CuratorError as one line. Anything else is a
bug and may crash loudly.
"""

from __future__ import annotations


class CuratorError(Exception):
    """A user's error, told in one clear line."""


class InputFileError(CuratorError):
    """A file cannot be read as what it was said to be; names file, line and value."""


class AmbiguousFileError(InputFileError):
    """A file holds several things of which an option chooses one."""


class TooLargeError(InputFileError):
    """A file holds more than is read of one; says which limit, and the way out."""


class ImportConflictError(CuratorError):
    """A file contradicts what the workspace already holds; nothing was imported.

    ``source`` is the file's name, ``said`` what is wrong, and ``about`` the ids it is
    about, by which the line is found.
    """

    def __init__(self, source: str, said: str, about: tuple[str, ...] = ()) -> None:
        super().__init__(f"{source}: {said}")
        self.source = source
        self.said = said
        self.about = about


class WorkspaceError(CuratorError):
    """The workspace file is missing, foreign, newer than this program or unwritable."""


class MissingPandasError(CuratorError):
    """A DataFrame is wanted, and pandas is not installed."""


class UnknownNameError(CuratorError):
    """A query, question, grader, measure or event of this name does not exist."""


class ReservedNameError(CuratorError):
    """An imported grader is to have a name by which another one is asked for."""


class SettingError(CuratorError):
    """A setting of the collection has a value that it cannot have."""


class RestrictedError(CuratorError):
    """Texts of a restricted query would go where nobody but organizers is to look."""


class BudgetError(CuratorError):
    """A grading budget leaves out what it cannot, or says nothing."""


class EditError(CuratorError):
    """An edit cannot be made as it stands."""


class RoleError(CuratorError):
    """Somebody's role does not allow this; or they are none of the people listed."""


class AssignmentError(CuratorError):
    """Work cannot be assigned like this; says what to change."""


class SignInError(CuratorError):
    """Nobody is signed in, or no longer; nothing is done in nobody's name."""


class NormingError(CuratorError):
    """A norming round cannot be opened, answered, seen or discussed like this."""


class AnswerKeyError(EditError):
    """No answer could be checked by this answer key, or among these choices."""


class NothingToChangeError(EditError):
    """The edit would leave the bank as it is."""


class AlreadyAskedError(NothingToChangeError):
    """Another kept question of the query has this text already."""


class TakenBackError(EditError):
    """The question was there, and its addition has been taken back since."""


class StaleEditError(EditError):
    """The question changed after the editor opened it; both texts are kept.

    ``mine`` is the text of the refused save (None if it did not carry one),
    ``theirs`` the text now in the bank, ``base`` the text the editor started from
    where the history still knows it.
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
    """A release cannot be made, compared or restored as asked."""


class BundleError(CuratorError):
    """A bundle cannot be read, or does not hold what its manifest says."""


class PromptError(CuratorError):
    """A model cannot be asked for questions like this; says what to change."""


class UndoError(EditError):
    """There is nothing to take back, or someone changed one of the questions since."""


class JobError(CuratorError):
    """A job cannot be started, paused or resumed as it stands."""


class EvaluationError(CuratorError):
    """A number cannot be computed from what is there; says what is missing."""


class FigureError(CuratorError):
    """A figure cannot be drawn or written as asked; says what to change."""


class NotGradableError(EvaluationError):
    """The grader cannot grade new text here; another one must be chosen."""
