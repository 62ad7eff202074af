# `make demo` and `make test` need Python 3.11 or newer and make, and nothing else.

VENV ?= .venv
PYTHON ?=
export PORT ?= 8000

PIP_INSTALL = $(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
PYTEST = $(VENV)/bin/python -m pytest

.DELETE_ON_ERROR:
.PHONY: help demo stack test test-long test-all container-test lint bench docs faults long load soak screenshots install constraints

help:
	@echo "make demo         the site with simulated campaigns, on port $(PORT) (PORT=8765 for another)"
	@echo "make test         every behaviour once, in minutes"
	@echo "make test-long    what make test leaves out, and more random examples"
	@echo "make test-all     both"
	@echo "make container-test  the image, built and run as docker-compose.yml says; needs root"
	@echo "make stack        the production stack as processes on this machine, on port $(PORT)"
	@echo "make faults       kills, restarts and outages, many times each; writes docs/reliability.md"
	@echo "make long         thousands of real judgments, one by one; minutes, needs TRACKSIDE_DATA"
	@echo "make load         how the production stack bears many uploads and many readers"
	@echo "make soak         half an hour of light load (SOAK_MINUTES): what leaks, what gets stuck"
	@echo "make lint         style, types, templates, migrations, known faults of what is pinned"
	@echo "make bench        how fast the core is on this machine, beside other tools"
	@echo "make docs         the computed pages of docs/; two of them need TRACKSIDE_DATA"
	@echo "make screenshots  the pictures of the README, from the demo"
	@echo "make install      all that developers need, in $(VENV)"
	@echo "make constraints  pins every package anew"

demo: $(VENV)/.web
	@exec $(VENV)/bin/python -m trackside.demo

# Two tiers: tests marked `long` are in the second one. Tests that draw examples (Hypothesis) are in
# both, with 25 examples and with 200. Two at a time; tests that share a thing (a browser, a site's
# workers) name an xdist_group. The fast tier makes its database from the models, the other one by
# the migrations.
IN_PAIRS = $(PYTEST) -n 2 --dist loadgroup
test: $(VENV)/.all
	$(IN_PAIRS) --nomigrations $(ARGS)

test-long: $(VENV)/.all
	HYPOTHESIS_PROFILE=ci $(IN_PAIRS) -m '(long or hypothesis) and not container' $(ARGS)

test-all: $(VENV)/.all
	HYPOTHESIS_PROFILE=ci $(IN_PAIRS) -m 'not container' $(ARGS)

# The Dockerfile by buildah, its services by runc, and a browser through the proxy: a few minutes.
# SCREENSHOTS=folder keeps the pages that the browser saw.
container-test: $(VENV)/.all
	$(PYTEST) -m container tests/container $(ARGS)

stack: $(VENV)/.all
	@exec $(VENV)/bin/python -m trackside.stack

# Each scenario as often as it asks for, at most FAULT_REPETITIONS times. For an hour or more.
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
	@$(AUDIT)

# Known faults of what is pinned. Where the database of them cannot be reached that is said, aloud,
# and nothing fails.
define AUDIT
found=$$($(VENV)/bin/python -m pip_audit --progress-spinner off --timeout 10 --disable-pip \
    --no-deps -r constraints.txt 2>&1); \
case "$$found" in \
    *"Found "*" known vulnerabilit"*) echo "$$found"; exit 1 ;; \
    *"could not be audited"*) echo "NOT AUDITED: pip-audit knows nothing of" \
        "$$(echo "$$found" | grep -c 'could not be audited') pinned packages." ;; \
    *"No known vulnerabilities found"*) echo "No known faults in what is pinned." ;; \
    *) echo "NOT AUDITED: pip-audit cannot reach its database." ;; \
esac
endef

bench: $(VENV)/.peers
	@$(VENV)/bin/python -m tools.bench

# A page is moved to its place when it is whole.
docs: $(VENV)/.all
	$(VENV)/bin/python -m tools.measures_page >docs/measures.md.new
	mv docs/measures.md.new docs/measures.md
	@if [ -d "$$TRACKSIDE_DATA/trec-covid-round1" ]; then \
	    $(VENV)/bin/python -m tools.selection_page "$$TRACKSIDE_DATA/trec-covid-round1" \
	        >docs/selection.md.new && mv docs/selection.md.new docs/selection.md && \
	    $(VENV)/bin/python -m tests.scoring.oracles.other_tools_page \
	        >docs/other-tools.md.new && mv docs/other-tools.md.new docs/other-tools.md; \
	else \
	    echo "TRACKSIDE_DATA does not name the folder of real runs: two pages stay" >&2; \
	fi

# The pictures of the README, from a demo of their own.
screenshots: $(VENV)/.all
	$(VENV)/bin/python docs/screenshots.py

install: $(VENV)/.all

$(VENV)/.web: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "Installing what the site needs into $(VENV), once ..."
	@began=$$(date +%s); $(PIP_INSTALL) -e '.[web]' && \
	    echo "Installed in $$(($$(date +%s) - began)) s." && touch $@

$(VENV)/.all: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "Installing what developers need into $(VENV), once ..."
	@began=$$(date +%s); $(PIP_INSTALL) -e '.[web,production,dev]' && \
	    echo "Installed in $$(($$(date +%s) - began)) s." && touch $(VENV)/.web $@

$(VENV)/.peers: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "Installing what is timed beside us into $(VENV), once ..."
	@began=$$(date +%s); $(PIP_INSTALL) -e '.[web,dev,peers]' && \
	    echo "Installed in $$(($$(date +%s) - began)) s." && touch $(VENV)/.web $@

# Debian splits the part of Python that makes environments into a package of its own.
$(VENV)/bin/python:
	@for python in $(PYTHON) python3 python3.13 python3.12 python3.11; do \
	    "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
	    "$$python" -c 'import ensurepip, venv' 2>/dev/null || { halved=$$python; continue; }; \
	    exec "$$python" -m venv --clear $(VENV); \
	done; \
	if [ -n "$$halved" ]; then \
	    echo "$$halved lacks its venv module: on Debian or Ubuntu, apt install python3-venv" >&2; \
	else \
	    echo "Python 3.11 or newer is missing: install it, or name it: make PYTHON=/path/to/python3" >&2; \
	fi; \
	exit 1

# By the oldest Python, whose pins hold for the newer ones too; before 3.11.3 redis needs one more.
constraints:
	@scratch=$$(mktemp -d) && trap 'rm -rf "$$scratch"' EXIT && \
	python3.11 -m venv "$$scratch/venv" && \
	cp -r pyproject.toml README.md campaigns scoring trackside "$$scratch" && \
	"$$scratch/venv/bin/pip" install --quiet "$$scratch[web,production,dev,peers]" && \
	"$$scratch/venv/bin/pip" freeze --exclude trackside --exclude async-timeout >"$$scratch/pins" && \
	{ echo '# Made by make constraints, for Python 3.11, 3.12 and 3.13.'; \
	  echo 'async-timeout==5.0.1; python_full_version < "3.11.3"'; \
	  cat "$$scratch/pins"; } >constraints.txt
