"""The version of this program, as the package says it."""

VERSION = "0.1.0"
