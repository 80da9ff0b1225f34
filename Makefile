# What a user types is `make demo`; what a developer types is `make test check bench`.
# Nothing but git, make and python3 is needed beforehand: tools/setup does the rest, once.

BIN := .venv/bin
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev demo test check format bench firmware

help:
	@echo "make demo    play a game on the simulated table, shown at http://127.0.0.1:8015"
	@echo "make setup   install the program into .venv; then: .venv/bin/cardtable --help"
	@echo "make test    run every test"
	@echo "make check   formatter, linter, type checker, import rules"
	@echo "make format  put the formatter's form and the linter's easy corrections in place"
	@echo "make bench   the benchmarks, each next to what it is compared with"
	@echo "make firmware  build the firmware of the RFID readers, for flashing (docs/rfid.md)"
	@echo "Options of a command: make demo ARGS=\"--headless --fast --seed 7\"; tests: make test ARGS=\"-k journal\""

# The stamps are newer than what they were made from: a second run does nothing.
.venv/installed: pyproject.toml tools/setup
	@tools/setup

.venv/installed-dev: pyproject.toml tools/setup
	@tools/setup dev

setup: .venv/installed
setup-dev: .venv/installed-dev

demo: .venv/installed
	@$(BIN)/cardtable demo $(ARGS)

test: .venv/installed-dev
	@$(BIN)/python -m pytest -n 2 --dist loadfile $(ARGS)

check: .venv/installed-dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --cache-dir .import_linter_cache

format: .venv/installed-dev
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: .venv/installed-dev
	@$(BIN)/python -m benchmarks $(ARGS)

firmware: .venv/installed-dev
	@$(BIN)/python -m firmware_bridge.building $(ARGS)
