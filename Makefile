# `make demo` and `make test` need only Python 3.11 or newer and make.

VENV ?= .venv
# Not from the environment: a tier would silently be a part of itself.
TESTS =
ARGS =
STEPS =
PYTHON ?=
export PORT ?= 8000

PIP_INSTALL = $(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
PYTEST = $(VENV)/bin/python -m pytest
# What is compiled while it is installed, if there is a C compiler.
COMPILED = campaigns/trec/_scan.c scoring/core/data/_align.c
# With npm, browsers load a third of Plotly. Without npm, they load all of it.
GET_PLOTLY = $(VENV)/bin/python -m trackside.plotly_script

.DELETE_ON_ERROR:
.PHONY: help demo stack gate test test-long test-all test-exhaustive search container-test fuzz lint audit bench docs docs-site release faults long load soak screenshots install constraints

help:
	@echo "make demo         start the site with simulated campaigns on port $(PORT) (PORT=8765 for another)"
	@echo "make test         test every behaviour once, in minutes"
	@echo "make test-long    run the tests that make test leaves out"
	@echo "make test-all     run both, as .ci/run does on PostgreSQL and Redis"
	@echo "make gate         run all that decides on a change, on a clean clone of HEAD (STEPS=\"lint test\": a part)"
	@echo "make test-exhaustive  run all products and more random examples; writes docs/reliability.md"
	@echo "make search       draw 2,000 new examples for each Hypothesis test; most of an hour"
	@echo "make container-test  build the image and run it as in docker-compose.yml; needs root"
	@echo "make stack        start the production stack as processes on this machine, on port $(PORT)"
	@echo "make faults       run kills, restarts and outages many times; writes docs/reliability.md"
	@echo "make long         make thousands of real judgments, one by one; minutes, needs TRACKSIDE_DATA"
	@echo "make load         load the production stack with many uploads and many readers"
	@echo "make soak         run a light load for 75 minutes (SOAK_MINUTES) to find leaks and stuck jobs"
	@echo "make fuzz         compare the two readers of runs on CASES mutated runs, with sanitizers"
	@echo "make lint         check style, types, templates and migrations; prints known vulnerabilities"
	@echo "make audit        fail if a pinned package has a known vulnerability"
	@echo "make bench        measure the speed of the core, compared with other tools (RUNS=folder QRELS=file: on real runs)"
	@echo "make docs         generate the computed pages of docs/; three of them need TRACKSIDE_DATA"
	@echo "make docs-site    build the documentation as a site, in var/docs-site"
	@echo "make release      build the files of a release, in dist/"
	@echo "make screenshots  take the screenshots of the README from the demo"
	@echo "make install      install everything that developers need into $(VENV)"
	@echo "make constraints  pin the versions of all packages again"

demo: $(VENV)/.web
	@exec $(VENV)/bin/python -m trackside.demo

# There are two tiers, and what is run only before a release: tests marked `long`, and tests marked
# `exhaustive`. Two tests run at a time, and three of the long tier, which wait a fifth of their time
# for leases, restarts and browsers. Tests that share a resource (a browser, the workers of a site)
# name an xdist_group. The fast tier creates its database from the models, the long tier from the
# migrations. TESTS names files or node ids, or @file with one in each line; by default all tests of
# the tier are run. ARGS are further options of pytest.
#
# The time limit of a tier, else that of pyproject.toml, ends a test that waits for what never comes.
# It is no measure of speed.
IN_PARALLEL = $(PYTEST) --dist loadgroup -n
# Two processes of pytest and hundreds that the tests start read what one of them compiled, also
# where the environment asks that nothing compiled be kept.
test test-long test-all test-exhaustive search: export PYTHONDONTWRITEBYTECODE =
test: export PYTEST_TIMEOUT = 300
faults long: export PYTEST_TIMEOUT = 3600
test: $(VENV)/.all
	$(IN_PARALLEL) 2 --nomigrations $(TESTS) $(ARGS)

test-long: $(VENV)/.all
	$(IN_PARALLEL) 3 -m 'long and not (exhaustive or container)' --durations=40 --durations-min=5 $(TESTS) $(ARGS)

test-all: $(VENV)/.all
	$(IN_PARALLEL) 2 -m 'not (exhaustive or container)' $(TESTS) $(ARGS)

# All of the products of which the long tier tries a part, and Hypothesis tests with 200 examples
# instead of 25.
test-exhaustive: $(VENV)/.all
	mkdir -p var && rm -f var/exhaustive.json
	HYPOTHESIS_PROFILE=exhaustive $(IN_PARALLEL) 2 -m '(exhaustive or hypothesis) and not container' \
	    -p tools.second_chance --results=var/exhaustive.json $(TESTS) $(ARGS); status=$$?; \
	$(if $(TESTS)$(ARGS),,$(VENV)/bin/python -m tests.exhaustive_page var/exhaustive.json &&) exit $$status

# Draws 2,000 new examples for each Hypothesis test. This takes most of an hour. What it finds becomes
# a fixed case of a test.
search: $(VENV)/.all
	HYPOTHESIS_PROFILE=search $(IN_PARALLEL) 2 -m 'hypothesis and not container' $(TESTS) $(ARGS)

# Builds the Dockerfile with buildah, runs the services with runc, and uses the site with a browser
# through the proxy. This takes a few minutes. SCREENSHOTS=folder saves screenshots of the pages.
container-test: TESTS = tests/container
container-test: $(VENV)/.all
	$(PYTEST) -m container $(TESTS) $(ARGS)

# Compiles copies of the extensions with AddressSanitizer and UBSan.
CASES ?= 1000000
SANITIZED = $(CC) -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fPIC -shared \
    -DPy_LIMITED_API=0x030b0000
fuzz: $(VENV)/.all
	rm -rf var/fuzz && mkdir -p var/fuzz && cp -r campaigns scoring tests var/fuzz
	include=$$($(VENV)/bin/python -c 'import sysconfig; print(sysconfig.get_path("include"))') && \
	for source in $(COMPILED); do \
	    $(SANITIZED) -I "$$include" $$source -o "var/fuzz/$${source%.c}.abi3.so" || exit; \
	done
	cd var/fuzz && ASAN_OPTIONS=detect_leaks=0 \
	    LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libubsan.so)" \
	    "$(abspath $(VENV))/bin/python" -m tests.campaigns.trec.fuzz $(CASES)

# Tries HEAD as .ci/run does: in an empty folder, with everything installed there.
gate: $(VENV)/bin/python
	@$(VENV)/bin/python -m tools.gate $(STEPS)

stack: $(VENV)/.all
	@exec $(VENV)/bin/python -m trackside.stack

# Runs each scenario as often as it specifies, at most FAULT_REPETITIONS times. This takes an hour or
# more.
faults: $(VENV)/.all
	rm -f var/faults.jsonl && mkdir -p var
	FAULT_REPETITIONS=$${FAULT_REPETITIONS:-50} FAULT_LINES=var/faults.jsonl \
	    $(PYTEST) -m faults $(ARGS); status=$$?; \
	$(VENV)/bin/python -m tests.faults.page var/faults.jsonl && exit $$status

long: $(VENV)/.all
	LONG=1 $(PYTEST) -m data tests/scoring/real -k one_by_one $(ARGS)

load: $(VENV)/.all
	$(VENV)/bin/python -m tests.load $(ARGS)

soak: $(VENV)/.all
	$(VENV)/bin/python -m tests.load.soak

lint: $(VENV)/.all
	$(VENV)/bin/python -m ruff check .
	$(VENV)/bin/python -m ruff format --check .
	$(VENV)/bin/python -m mypy
	$(VENV)/bin/python -m djlint --quiet --lint templates
	$(VENV)/bin/python manage.py makemigrations --check --dry-run
	$(VENV)/bin/python manage.py check
	@$(MAKE) --no-print-directory audit 2>/dev/null || true # what is published today is not a fault of the change

# Known vulnerabilities of the pinned packages. This fails also if they cannot be looked up.
audit: $(VENV)/.all
	@found=$$($(VENV)/bin/python -m pip_audit --progress-spinner off --timeout 10 --disable-pip \
	    --no-deps -r constraints.txt 2>&1); \
	case "$$found" in \
	    *"Found "*" known vulnerabilit"*) echo "$$found"; exit 1 ;; \
	    *"could not be audited"*) echo "NOT AUDITED: pip-audit has no data on" \
	        "$$(echo "$$found" | grep -c 'could not be audited') pinned packages."; exit 1 ;; \
	    *"No known vulnerabilities found"*) echo "The pinned packages have no known vulnerabilities." ;; \
	    *) echo "NOT AUDITED: pip-audit cannot reach its database."; exit 1 ;; \
	esac

# RUNS=folder QRELS=file times a real campaign. ROUNDS=1 takes a fifth of the time.
bench: export ROUNDS ?= 5
bench: $(VENV)/.peers
	@$(VENV)/bin/python -m tools.bench $(if $(RUNS),--runs '$(RUNS)' --qrels '$(QRELS)')

# Each page replaces the old one only when it is complete.
docs: $(VENV)/.all
	$(VENV)/bin/python -m tools.measures_page >docs/measures.md.new
	mv docs/measures.md.new docs/measures.md
	@if [ -d "$$TRACKSIDE_DATA/trec-covid-round1" ]; then \
	    $(VENV)/bin/python -m tools.selection_page "$$TRACKSIDE_DATA/trec-covid-round1" \
	        "$$TRACKSIDE_DATA/trec8-adhoc" >docs/selection.md.new && mv docs/selection.md.new docs/selection.md && \
	    nice $(VENV)/bin/python -m tools.prediction_powered_page "$$TRACKSIDE_DATA" \
	        >docs/prediction-powered.md.new && \
	    mv docs/prediction-powered.md.new docs/prediction-powered.md && \
	    $(VENV)/bin/python -m tests.scoring.oracles.other_tools_page \
	        >docs/other-tools.md.new && mv docs/other-tools.md.new docs/other-tools.md && \
	    $(VENV)/bin/python -m tools.reproduction_page docs; \
	else \
	    echo "TRACKSIDE_DATA does not name the folder of real runs: four pages are not generated" >&2; \
	fi

# The documentation as a site, in var/docs-site. A broken link or anchor is an error.
docs-site: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/python -m mkdocs build --quiet

# The files of a release, in dist/: see docs/releasing.md. ARGS="--commit v0.2.0".
release: $(VENV)/.release
	$(VENV)/bin/python -m tools.release $(ARGS)

# The screenshots of the README, taken from a separate demo.
screenshots: $(VENV)/.all
	$(VENV)/bin/python -m tools.screenshots

install: $(VENV)/.all

$(VENV)/.docs: $(VENV)/.all
	@$(PIP_INSTALL) -e '.[docs]' && touch $@

$(VENV)/.release: $(VENV)/.all
	@$(PIP_INSTALL) -e '.[release]' && touch $@

$(VENV)/.web: $(VENV)/bin/python pyproject.toml setup.py constraints.txt $(COMPILED)
	@echo "Installing the packages of the site into $(VENV), once ..."
	@began=$$(date +%s); $(PIP_INSTALL) -e '.[web]' && $(GET_PLOTLY) && \
	    echo "Installed in $$(($$(date +%s) - began)) s." && touch $@

$(VENV)/.all: $(VENV)/bin/python pyproject.toml setup.py constraints.txt $(COMPILED)
	@echo "Installing the packages for development into $(VENV), once ..."
	@began=$$(date +%s); $(PIP_INSTALL) --no-compile -e '.[web,production,fast,dev]' && $(GET_PLOTLY) && \
	    echo "Installed in $$(($$(date +%s) - began)) s." && touch $(VENV)/.web $@

$(VENV)/.peers: $(VENV)/bin/python pyproject.toml setup.py constraints.txt $(COMPILED)
	@echo "Installing the tools for comparison into $(VENV), once ..."
	@began=$$(date +%s); $(PIP_INSTALL) -e '.[web,fast,dev,peers]' && \
	    echo "Installed in $$(($$(date +%s) - began)) s." && touch $(VENV)/.web $@

# On Debian, the venv module of Python is a separate package.
$(VENV)/bin/python:
	@for python in $(PYTHON) python3 python3.13 python3.12 python3.11; do \
	    "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
	    "$$python" -c 'import ensurepip, venv' 2>/dev/null || { halved=$$python; continue; }; \
	    exec "$$python" -m venv --clear $(VENV); \
	done; \
	if [ -n "$$halved" ]; then \
	    echo "$$halved lacks its venv module: on Debian or Ubuntu, apt install python3-venv" >&2; \
	else \
	    echo "Python 3.11 or newer is missing. Install it, or name it: make PYTHON=/path/to/python3" >&2; \
	fi; \
	exit 1

# Uses the oldest supported Python, because its pins also work for newer versions. Before 3.11.3,
# redis needs one more package.
constraints:
	@scratch=$$(mktemp -d) && trap 'rm -rf "$$scratch"' EXIT && \
	python3.11 -m venv "$$scratch/venv" && \
	cp -r pyproject.toml setup.py MANIFEST.in README.md campaigns scoring trackside "$$scratch" && \
	"$$scratch/venv/bin/pip" install --quiet "$$scratch[web,production,fast,dev,docs,peers,release]" && \
	"$$scratch/venv/bin/pip" freeze --exclude trackside --exclude async-timeout >"$$scratch/pins" && \
	{ echo '# Generated by make constraints, for Python 3.11, 3.12 and 3.13.'; \
	  echo 'async-timeout==5.0.1; python_full_version < "3.11.3"'; \
	  cat "$$scratch/pins"; } >constraints.txt
