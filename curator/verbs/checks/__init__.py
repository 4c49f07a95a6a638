"""People's checks of what graders say: which pairs to look at, and what was seen."""
