"""The pages' templates are drawn as all HTML is."""

from curator.formats.templates import ENVIRONMENT, macro, render

__all__ = ["ENVIRONMENT", "macro", "render"]
