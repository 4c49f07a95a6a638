"""The version of this program and its package."""

from pathlib import Path

_FILE = Path(__file__).with_name("version.txt")
"""Written when the package is built or installed, from the latest tag."""

VERSION = _FILE.read_text("utf-8").strip() if _FILE.exists() else "0.1.0"
