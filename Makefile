# `make demo` shows it, `make test` checks it; `make test-all` takes longer.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
STAMP = $(VENV)/.installed
# Tests wait for browsers and processes a quarter of the time: three for two cores.
WORKERS = $(shell $(PYTHON) -c "import os; print(min(12, len(os.sched_getaffinity(0)) * 3 // 2) if hasattr(os, 'sched_getaffinity') else os.cpu_count())")
# Most of what is installed is never imported: Python compiles the rest when it is.
PIP_INSTALL = $(BIN)/python -m pip install --quiet --no-compile

.PHONY: demo test test-all bench shots docs lint clean

demo: $(STAMP)
	$(BIN)/curator demo

# Each process begins with its share of the files, and so of what they use; whichever
# is through first takes over from the others.
test: $(STAMP) lint
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "not long" $(PYTEST_OPTIONS)

test-all: $(STAMP) lint
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(PYTEST_OPTIONS)

docs: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

lint: $(STAMP)
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy --num-workers 2
	$(BIN)/lint-imports
	$(BIN)/python -m scripts.check_language

bench: $(STAMP)
	$(BIN)/python -m benchmarks

shots: $(STAMP)
	$(BIN)/python -m scripts.shots
	$(BIN)/python -m scripts.shots --readme

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP_INSTALL) --upgrade pip
	$(PIP_INSTALL) --constraint constraints.txt --editable ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache
