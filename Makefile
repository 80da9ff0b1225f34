# What a user types is `make demo`; what a developer types is `make test check bench`.
# Nothing but git, make and python3 is needed beforehand: tools/setup does the rest, once.

# Images of containers often forbid Python to keep compiled modules; every program that a test starts would compile them.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
ARGS ?=
# What `make quick` runs: the most that 20 s can check, without the random games.
QUICK := tests/engine tests/firmware_bridge --ignore=tests/engine/properties
# What `make long` runs with more random examples than `make test`.
PROPERTIES := tests/engine/properties tests/engine/referee/test_referee_properties.py tests/engine/test_record.py

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev demo quick test long format bench mutants torture audit lock firmware deb image release
.PHONY: docs check check-types check-style check-imports check-docs check-package

help:
	@echo "make demo    play a hand on the simulated table, shown at http://127.0.0.1:8015"
	@echo "make setup   install the program into .venv; then: .venv/bin/cardtable --help"
	@echo "make quick   the fast tests of the engine and the reader link, in about 20 s"
	@echo "make test    run the tests"
	@echo "make long    further cases of the tests of whole games, more random examples, the tests of lab/ (an hour)"
	@echo "make check   formatter, linter, type checker, import rules, licences, documentation; then the package, built, installed and used"
	@echo "make docs    build the documentation site into build/site, and check its links"
	@echo "make format  put the formatter's form and the linter's easy corrections in place"
	@echo "make bench   the benchmarks, each next to what it is compared with"
	@echo "make mutants mutation testing of engine/ and firmware_bridge/ (hours)"
	@echo "make torture crashes, faults, accidents, bad input and load (hours): docs/explanation/trust.md"
	@echo "make lock    the newest version of every package for the Debian packages, with hashes"
	@echo "make audit   known vulnerabilities in the packages that the program needs (asks PyPI)"
	@echo "make deb     Debian packages for arm64 and amd64, trixie and bookworm (as root; docs/how-to/releasing.md)"
	@echo "make image   a memory card image for a Raspberry Pi (as root; docs/how-to/releasing.md)"
	@echo "make release wheel, packages and image, each installed and tried in a clean system (as root, hours)"
	@echo "make firmware  build the firmware of the RFID readers, for flashing (docs/how-to/rfid.md)"
	@echo "Options of a command: make demo ARGS=\"--headless --fast --seed 7\"; tests: make test ARGS=\"-k journal\""

# The stamps are newer than what they were made from: a second run does nothing.
.venv/installed: pyproject.toml tools/setup
	@tools/setup

.venv/installed-dev: pyproject.toml club/pyproject.toml tools/setup
	@tools/setup dev

setup: .venv/installed
setup-dev: .venv/installed-dev

demo: .venv/installed
	@$(BIN)/cardtable demo $(ARGS)

test: .venv/installed-dev
	@$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder $(ARGS)

long: .venv/installed-dev
	@$(BIN)/python -m pytest -n 2 --dist load -m long $(ARGS)
	@$(BIN)/python -m pytest -n 2 --dist load -m "" lab/tests $(ARGS)
	@$(BIN)/python -m pytest -n 2 --dist load --hypothesis-profile=long $(PROPERTIES) $(ARGS)

quick: .venv/installed-dev
	@$(BIN)/python -m pytest -n 2 --dist worksteal -q -p no:anyio -p no:cacheprovider -m "not slow and not long" --hypothesis-profile=quick $(QUICK) $(ARGS)

# Two at a time, each with its own output.
check: .venv/installed-dev
	@$(MAKE) --no-print-directory --jobs 2 --output-sync check-types check-style check-imports check-docs check-package

check-types:
	@$(BIN)/mypy

check-style:
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .

check-imports:
	@$(BIN)/lint-imports --cache-dir .import_linter_cache
	@$(BIN)/python -m tools.licences

# Built without the advertisement that the theme prints for its successor. With --quiet, MkDocs counts no warnings.
check-docs:
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

docs: .venv/installed-dev check-docs
	@echo "Open build/site/index.html; to search, too: $(BIN)/python -m mkdocs serve"

check-package:
	@$(BIN)/python tools/check_package.py

format: .venv/installed-dev
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: .venv/installed-dev
	@$(BIN)/python -m lab.benchmarks $(ARGS)

mutants: .venv/installed-dev
	@$(BIN)/python tools/mutants.py $(ARGS)

torture: .venv/installed-dev
	@$(BIN)/python -m lab.torture $(ARGS)

# For every platform and Python. uv is only needed here.
lock: .venv/installed-dev
	@$(BIN)/python -m pip install --quiet "uv>=0.9"
	@printf 'cardtable[pi,displays] @ .\ncardtable-club @ ./club\n' | $(BIN)/uv pip compile - --universal --upgrade \
		--python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-package cardtable --no-emit-package cardtable-club \
		--quiet --output-file packaging/requirements.txt

audit: .venv/installed-dev
	@$(BIN)/python -m tools.audit

firmware: .venv/installed-dev
	@$(BIN)/python -m firmware_bridge.building $(ARGS)

deb: .venv/installed-dev
	@$(BIN)/python -m tools.release.debian $(ARGS)

image: .venv/installed-dev
	@$(BIN)/python -m tools.release.image $(ARGS)

release: .venv/installed-dev
	@$(BIN)/python -m tools.release $(ARGS)
