"""Results of verbs as words and rows. PURE: no Streamlit, no file, no clock."""
