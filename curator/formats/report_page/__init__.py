"""The report: one page that an organizer can publish, made from one frozen value.

``contents`` is what the page says, ``page`` makes HTML of it. Nothing here reads a
workspace, and the page draws its own figures, in its own colours, light and dark.
"""
