"""How well a model that checks answers does: on single answers and on systems.

Source: Vu & Moschitti 2020, sections 6.3 to 6.5.
"""
