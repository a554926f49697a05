# `make demo` ranks real results; `make test` runs every check. Both set up .venv first.
# PYTHON=... names the interpreter; WORKERS=... the number of test processes.

VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2
PYTEST_OPTIONS ?=
FOR_RUNNING := $(VENV)/.ready-to-run
FOR_TESTING := $(VENV)/.ready-to-test
WHEEL_PYTHON := build/wheel-environment/bin/python
PEERS := build/peers

# Numerical libraries would otherwise start a thread per core in every test process.
export OMP_NUM_THREADS ?= 1
export PYTHON
# Tests start hundreds of processes: each would compile all modules anew that it does not find compiled.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test check lint types wheel web page docs bench soak calibrate clean
.DEFAULT_GOAL := help

help:
	@echo "make demo   rank real results: print the board, write demo/report.html"
	@echo "make test   everything: lint, types, the tests against the built wheel, docs"
	@echo "make check  the quick part of it, against the sources"
	@echo "make page   build the script of the page from web/"
	@echo "make docs   build the documentation in site/"
	@echo "make bench  measure speed and memory; writes docs/performance.md (about a quarter of an hour)"
	@echo "make soak   the long random tests"
	@echo "make calibrate  all runs of the simulations of which make test makes some; writes docs/calibration.md"
	@echo "make clean  remove what was built, .venv included"

$(FOR_RUNNING): pyproject.toml
	@scripts/make_environment.sh
	@touch $@

$(FOR_TESTING): pyproject.toml
	@scripts/make_environment.sh plot,bayes,arviz,dask,remote,excel dev docs
	@touch $(FOR_RUNNING) $@

demo: $(FOR_RUNNING)
	@mkdir -p demo
	@$(BIN)/rankbars demo -o demo/board.json --html demo/report.html

# pytest comes last, so that its closing line is the last one.
test: lint types wheel web
	$(WHEEL_PYTHON) -m pytest --pyargs rankbars tests -n $(WORKERS) --dist worksteal $(PYTEST_OPTIONS)

check: lint types
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "not slow and not soak" $(PYTEST_OPTIONS)

lint: $(FOR_TESTING)
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(FOR_TESTING)
	$(BIN)/mypy

wheel: $(FOR_TESTING)
	$(BIN)/python scripts/check_wheel.py build/wheel-environment

web:
	@scripts/find_system_tools.sh
	@scripts/check_web.sh

# Writes src/rankbars/render/assets/, which is committed.
page:
	cd web && npm ci --ignore-scripts --no-audit --no-fund && npm run build

docs: $(FOR_TESTING)
	$(BIN)/python scripts/make_live.py
	$(BIN)/python scripts/make_pictures.py --published
	$(BIN)/zensical build --strict --clean

# Without the peers, rows that need one are left out and say so.
bench: $(FOR_TESTING)
	@$(BIN)/python -m benchmarks.environments $(PEERS)
	$(BIN)/python -m benchmarks --peers $(PEERS) --keep build/measured.json --output docs

soak: $(FOR_TESTING)
	$(BIN)/python -m pytest tests -n $(WORKERS) -m "hypothesis or soak" --hypothesis-profile=soak $(PYTEST_OPTIONS)

# The tests that count how often something holds. PYTEST_OPTIONS may name some of them: the rows
# of the others stay, with their day. PYTEST_OPTIONS=--missing makes those that the page lacks.
calibrate: $(FOR_TESTING)
	$(BIN)/python -m pytest tests -n $(WORKERS) --dist worksteal -m "" --calibrate $(PYTEST_OPTIONS)

clean:
	rm -rf $(VENV) build dist site demo .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +
