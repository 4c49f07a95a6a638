"""The version of this program and its package."""

VERSION = "0.1.0"
