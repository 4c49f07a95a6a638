"""People's checks of graders' labels: drawing pairs, and measuring graders."""
