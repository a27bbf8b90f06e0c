# A fresh clone needs Python 3.11 or newer, git and make; everything else is fetched once into .venv.
# Nothing reaches for the network afterwards, except `make wheel`, `make lock` and the first `make docs`.

PYTHON ?= python3
JOBS ?= 2
GAMES ?= 60
VENV := .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest
# The tests of a change; `make test` leaves out those marked `slow`, and runs the short forms of some, marked `quick`.
ALL := not soak and not real and not quick
# Without its caches each process would compile the tests anew, for a quarter of a minute.
unexport PYTHONDONTWRITEBYTECODE
# Written last, so that a set-up that was broken off is begun again.
FILLED := $(VENV)/.filled
LINKED := $(VENV)/.linked
# What builds the site has a venv of its own, which nothing else needs.
DOCS_VENV := build/docs-venv
DOCS_FILLED := $(DOCS_VENV)/.filled

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# The checks run one after another, so that their output can be read.
.NOTPARALLEL:
.PHONY: help demo check format lint types layers test real browser fix reference soak soak-short bench cover wheel docs lock clean

help: ## list what can be made
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

demo: $(LINKED) ## play an opening by letters; leaves the repo, the letters and the maps behind
	@$(BIN)/pbem demo

check: format lint types layers ## everything a change must pass: format, lint, types, layers, all tests
	@echo '== tests, the slow ones, too'
	@$(PYTEST) -n $(JOBS) --dist worksteal -m "$(ALL)"

format: $(LINKED) ## is the code formatted? (`make fix` formats it)
	@echo '== format'
	@$(BIN)/ruff format --check .

lint: $(LINKED) ## what ruff finds
	@echo '== lint'
	@$(BIN)/ruff check .

types: $(LINKED) ## what mypy finds
	@echo '== types'
	@$(BIN)/mypy --strict

layers: $(LINKED) ## does each room of pbem/ import only what it may?
	@echo '== layers'
	@$(PYTEST) -q tests/test_layers.py

test: $(LINKED) ## run the tests but the slow ones: three minutes
	@echo '== tests'
	@$(PYTEST) -n $(JOBS) --dist worksteal

real: $(LINKED) ## install real mail servers and programs (Debian, as root), and run the tests that drive them
	@tests/real/install
	@$(PYTEST) -n $(JOBS) --dist worksteal -m "not soak and not quick" tests/real tests/post

browser: $(LINKED) ## install browsers (Debian, as root), and look at letters and the site in them; KEEP=1 keeps what is seen
	@tests/browser/install $(abspath $(BIN))/python
	@PBEM_BROWSER=$(if $(KEEP),keep,1) PYTHONPATH=build/browser/python $(PYTEST) -p no:cacheprovider tests/browser

fix: $(LINKED) ## format the code and repair what ruff can repair
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

reference: $(LINKED) ## write the pages of docs/ that are generated: the command line, the orders of each game
	@$(BIN)/python -m tests.support.reference

soak: $(LINKED) ## run the long random games that `test` leaves out; an hour and a half; GAMES=180 has them at full length
	@PBEM_SOAK_GAMES=$(GAMES) $(PYTEST) -n $(JOBS) --dist worksteal -m soak

soak-short: $(LINKED) ## the same tests as `soak`, eight minutes long
	@PBEM_SOAK_GAMES=2 $(PYTEST) -n $(JOBS) --dist worksteal -m soak

bench: $(LINKED) ## measure; one line a figure, with its bar
	@$(BIN)/python -m bench

cover: $(LINKED) ## run the tests and show the lines they missed; fails below the floor in pyproject.toml
	@$(BIN)/coverage erase
	@$(BIN)/coverage run -m pytest -q -m "$(ALL)"
	@$(BIN)/coverage combine -q
	@$(BIN)/coverage report

# The proof runs with an empty venv, outside the checkout, and with what an index offers a user today.
wheel: $(LINKED) ## build sdist and wheel, install the wheel elsewhere and play the demo there
	@rm -rf dist
	@$(BIN)/python -m build --no-isolation --outdir dist . >/dev/null
	@set -e; away=$$(mktemp -d); trap 'rm -rf "$$away"' EXIT; \
	$(BIN)/python -m venv "$$away/venv"; \
	"$$away/venv/bin/python" -m pip install --quiet --no-input --disable-pip-version-check dist/*.whl; \
	cd "$$away"; env -u PYTHONPATH "$$away/venv/bin/pbem" demo
	@ls -l dist

docs: $(DOCS_FILLED) ## build the site of docs/ below build/docs; a warning is an error
	@$(DOCS_VENV)/bin/python -m sphinx --fail-on-warning --quiet --builder html --doctree-dir build/doctrees docs build/docs
	@echo build/docs/index.html

lock: ## pin every dependency anew in requirements.lock and requirements-docs.lock (needs uv)
	@command -v uv >/dev/null || { echo "make lock needs uv: python -m pip install uv" >&2; exit 1; }
	@{ echo '# Made by "make lock" from pyproject.toml, for every platform. Install: pip install --require-hashes -r'; \
	   uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --upgrade --quiet \
	     --generate-hashes --no-header; } >requirements.lock.new
	@{ echo '# Made by "make lock" from the group "docs" of pyproject.toml, for every platform.'; \
	   uv pip compile --group docs --universal --python-version 3.11 --upgrade --quiet \
	     --generate-hashes --no-header; } >requirements-docs.lock.new
	@mv requirements.lock.new requirements.lock
	@mv requirements-docs.lock.new requirements-docs.lock

clean: ## throw away what was made, .venv included
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage .coverage.*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# $(call set_up,VENV,LOCK): make a venv and fill it from a lock.
define set_up
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "pbem needs Python 3.11 or newer, and '$(PYTHON)' is $$($(PYTHON) --version 2>/dev/null || echo 'no Python')." \
	       "Name another one: make $(or $(firstword $(MAKECMDGOALS)),test) PYTHON=python3.11" >&2; exit 1; }
	@echo 'pbem: setting up $(1), once'
	@$(PYTHON) -m venv --clear $(1)
	@$(1)/bin/python -m pip install --quiet --no-input --disable-pip-version-check --use-pep517 --require-hashes -r $(2)
endef

$(FILLED): requirements.lock
	$(call set_up,$(VENV),requirements.lock)
	@touch $@

$(DOCS_FILLED): requirements-docs.lock
	$(call set_up,$(DOCS_VENV),requirements-docs.lock)
	@touch $@

$(LINKED): $(FILLED) pyproject.toml
	@$(BIN)/python -m pip install --quiet --no-input --disable-pip-version-check --no-index --no-deps --no-build-isolation -e .
	@touch $@
