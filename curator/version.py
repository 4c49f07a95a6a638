"""The version of this program and its package."""

try:
    from curator._version import version as VERSION
except ModuleNotFoundError:  # a checkout that was never installed
    VERSION = "0.1.0"
