"""The app. Streamlit puts this folder first on the import path, for no module of ours.

Left there, the Grading tab's folder would be taken for the package ``grading``.
"""

import sys
from pathlib import Path

_HERE = str(Path(__file__).parent)
sys.path[:] = [folder for folder in sys.path if folder != _HERE]
