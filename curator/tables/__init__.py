"""Verb results in columns: each column declared once, for all that it stands in.

``table.py`` is the mechanism, a module a noun has the columns, ``figures.py`` charts.
"""
