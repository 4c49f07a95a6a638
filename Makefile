# Two commands: `make demo` shows it, `make test` checks it.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
STAMP = $(VENV)/.installed

.PHONY: demo test bench shots lint clean

demo: $(STAMP)
	$(BIN)/curator demo

test: $(STAMP) lint
	$(BIN)/python -m pytest $(PYTEST_OPTIONS)

lint: $(STAMP)
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP)
	$(BIN)/python -m benchmarks

shots: $(STAMP)
	$(BIN)/python -m scripts.shots
	$(BIN)/python -m scripts.shots --readme

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache
