# Every target works from a fresh clone; what it needs is installed into virtual environments here.

PYTHON ?= python3
VENV ?= .venv
BUILD ?= build

BIN := $(abspath $(VENV))/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
SITE = $(shell $(BIN)/python -c "import sysconfig; print(sysconfig.get_path('platlib'))")
CONFIG := -C cmake.define.EAGERFLOW_TESTS=ON
PIP_BUILD = $(PIP) install --quiet --no-build-isolation --no-deps --force-reinstall
CPP_FILES = $(shell find core fuzz -name '*.cpp' -o -name '*.h')

export PATH := $(BIN):$(PATH)
export MPLBACKEND ?= Agg
# Paths in this folder are relative ones to ccache, which so finds what other checkouts compiled, also
# with debugging symbols, which name the folder.
export CCACHE_BASEDIR ?= $(CURDIR)
export CCACHE_NOHASHDIR ?= 1

.PHONY: build demo test placements extremes lint house format bench oracle peers era ecosystem sanitize fuzz stress \
  differential wheel wheels aarch64 cross docs clean

# Pip 23.1 is the first that passes settings on to the build (-C).
$(VENV)/.ready: pyproject.toml tools/requirements.py
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet "pip>=23.1"
	$(BIN)/python tools/requirements.py build runtime dev > $(VENV)/requirements.txt
	$(PIP) install --quiet -r $(VENV)/requirements.txt
	touch $@

# An editable install: Python files are read from here, only the native module is built.
build: $(VENV)/.ready
	$(PIP_BUILD) -C build-dir=$(BUILD) $(CONFIG) -e .

wheel: $(VENV)/.ready
	rm -rf dist
	$(PIP) wheel --quiet --no-build-isolation --no-deps -w dist -C build-dir=$(BUILD) $(CONFIG) .

# The demo has an environment of its own, .venv-demo, and compiles nothing if there is a wheel in dist/.
# `make demo WHEEL=eagerflow==0.1.0` installs a release.
WHEEL ?=

demo:
	@$(PYTHON) tools/demo.py $(if $(WHEEL),--wheel $(WHEEL))

test: build
	$(BIN)/ctest --test-dir $(BUILD) --output-on-failure
	$(BIN)/python -m pytest -n auto --maxprocesses 8 --dist worksteal

# Operations in random places of programs: in functions, branches and loops, captured or passed, among
# tapes of all kinds. `make test` draws 400.
PLACEMENTS ?= 20000

placements: build
	PLACEMENTS=$(PLACEMENTS) $(BIN)/python -m pytest -q tests/function/test_placements.py

# Calls of operations with one extreme argument, under limits of time and memory.
EXTREMES_OPTIONS ?=

extremes: build
	$(BIN)/python tests/extreme_calls.py $(EXTREMES_OPTIONS)

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(CPP_FILES)

# Figures of the tree that may only fall: objects that headers rebuild, lines, annotations with Any, long
# files. `make house HOUSE=--update` writes down what has fallen.
HOUSE ?=

house: $(VENV)/.ready
	$(BIN)/python tools/house.py $(HOUSE)

format: $(VENV)/.ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP_FILES)

# The instrumented package lies in a folder of its own. `python -S` keeps the editable install's
# import hook out, which would answer for `eagerflow` before any path is searched. Python itself is
# not linked with the sanitizers' and C++'s runtimes, and they must be there first.
ENGINE_FILES := $(shell find core cmake fuzz/native eagerflow eagerflow_compat -name '*.cpp' -o -name '*.h' -o -name '*.py') \
  CMakeLists.txt
SANITIZE_SITE := $(abspath build-sanitize/site)
SANITIZE_TESTS ?= tests/core tests/test_fuzz_calls.py tests/test_fuzz_objects.py tests/io/test_damaged_files.py
SANITIZE_JOBS ?= 2
SANITIZE_PRELOAD = $(shell $(CXX) -print-file-name=libasan.so) $(shell $(CXX) -print-file-name=libstdc++.so)

ASAN = detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=2000:quarantine_size_mb=64
SANITIZED = LD_PRELOAD="$(SANITIZE_PRELOAD)" ASAN_OPTIONS=$(ASAN) \
  UBSAN_OPTIONS=print_stacktrace=1:abort_on_error=1 \
  PYTHONPATH=$(SANITIZE_SITE):$(SITE) PYTHONMALLOC=$(PYTHON_MEMORY) $(BIN)/python -S
# Python's own small objects are checked in the tests; a campaign makes twice as many calls without.
PYTHON_MEMORY = malloc
fuzz: PYTHON_MEMORY = pymalloc
# Nor does a campaign note where memory was allocated: that is half of the time.
fuzz: ASAN := $(ASAN):malloc_context_size=0:max_malloc_fill_size=0

build-sanitize/.built: $(VENV)/.ready $(ENGINE_FILES)
	$(PIP_BUILD) --upgrade --target $(SANITIZE_SITE) -C build-dir=build-sanitize \
	  -C cmake.build-type=Debug -C cmake.define.EAGERFLOW_SANITIZE=address $(CONFIG) .
	touch $@

sanitize: build-sanitize/.built
	ASAN_OPTIONS=detect_leaks=1 $(BIN)/ctest --test-dir build-sanitize --output-on-failure
	FUZZ_EXAMPLES=$(or $(FUZZ_EXAMPLES),4) \
	  $(SANITIZED) $(BIN)/pytest -p no:cacheprovider --dist worksteal \
	  --tx '$(SANITIZE_JOBS)*popen//python=$(BIN)/python -S' $(SANITIZE_TESTS)

# Atheris is an extra of its own: nothing else needs it.
$(VENV)/.fuzz: $(VENV)/.ready
	$(BIN)/python tools/requirements.py fuzz > $(VENV)/fuzz.txt
	$(PIP) install --quiet -r $(VENV)/fuzz.txt
	touch $@

# FUZZ_CALLS makes so many calls of each target, however long it takes; else FUZZ_SECONDS for all.
FUZZ_SECONDS ?= 120
FUZZ_TARGETS ?= calls raw files
FUZZ_OUT ?= build-fuzz
FUZZ_JOBS ?= 1
FUZZ_OPTIONS ?=

fuzz: build-sanitize/.built $(VENV)/.fuzz
	$(SANITIZED) fuzz $(FUZZ_TARGETS) --out $(FUZZ_OUT) --jobs $(FUZZ_JOBS) $(FUZZ_OPTIONS) \
	  $(if $(FUZZ_CALLS),--calls $(FUZZ_CALLS),--seconds $(FUZZ_SECONDS))

# Threads run under ThreadSanitizer first (STRESS_RACES=0 leaves that out), then everything without.
STRESS_SECONDS ?= 20
STRESS_KILLS ?= 1000
STRESS_TRAININGS ?= 100
STRESS_FLIPS ?= 10000
STRESS_FAULTS ?= 100
STRESS_RACES ?= 1
RACES_SITE := $(abspath build-threads/site)

build-threads/.built: $(VENV)/.ready $(ENGINE_FILES)
	$(PIP_BUILD) --upgrade --target $(RACES_SITE) -C build-dir=build-threads \
	  -C cmake.build-type=Debug -C cmake.define.EAGERFLOW_SANITIZE=thread .
	touch $@

stress: build $(if $(filter 1,$(STRESS_RACES)),build-threads/.built)
ifeq ($(STRESS_RACES),1)
	LD_PRELOAD="$(shell $(CXX) -print-file-name=libtsan.so) $(shell $(CXX) -print-file-name=libstdc++.so)" \
	  TSAN_OPTIONS=suppressions=$(abspath stress/races.txt):report_signal_unsafe=0:die_after_fork=0 \
	  PYTHONPATH=$(RACES_SITE):$(SITE) setarch -R $(BIN)/python -S stress threads --seconds $(STRESS_SECONDS)
endif
	$(BIN)/python stress --seconds $(STRESS_SECONDS) --kills $(STRESS_KILLS) --trainings $(STRESS_TRAININGS) \
	  --flips $(STRESS_FLIPS) --faults $(STRESS_FAULTS)

# An environment for an extra; the package itself is installed into some of them as a wheel.
.venv-oracle/.ready .venv-bench/.ready: EXTRAS = runtime
.venv-%/.ready: pyproject.toml tools/requirements.py
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python tools/requirements.py $(EXTRAS) $* > .venv-$*/requirements.txt
	.venv-$*/bin/python -m pip install --quiet -r .venv-$*/requirements.txt
	touch $@

oracle: wheel .venv-oracle/.ready
	.venv-oracle/bin/python -m pip install --quiet --no-deps --force-reinstall dist/eagerflow-*.whl
	cd tests && ../.venv-oracle/bin/python -m oracle.record --check
	cd tests && ../.venv-oracle/bin/python -m oracle.exports
	cd tests && ../.venv-oracle/bin/python -m oracle.files
	cd tests && ../.venv-oracle/bin/python -m oracle.fuzz --limit 0.05

# Random programs beside TensorFlow: so many of each kind, of all kinds or some.
DIFFERENTIAL_PROGRAMS ?= 1000
DIFFERENTIAL_OUT ?= build-differential
DIFFERENTIAL_OPTIONS ?=

differential: wheel .venv-oracle/.ready
	.venv-oracle/bin/python -m pip install --quiet --no-deps --force-reinstall dist/eagerflow-*.whl
	.venv-oracle/bin/python differential --programs $(DIFFERENTIAL_PROGRAMS) --out $(DIFFERENTIAL_OUT) \
	  $(DIFFERENTIAL_OPTIONS)

# What is measured is the wheel that a user installs, not the source tree. Everything, or what BENCH
# names: `make bench BENCH="traced cnn"`, `make bench BENCH=--headlines`. `make bench BENCH="--keep FILE"`
# goes on where an interrupted run with the same file ended.
bench: wheel .venv-bench/.ready
	.venv-bench/bin/python -m pip install --quiet --no-deps --force-reinstall dist/eagerflow-*.whl
	.venv-bench/bin/python benchmarks $(BENCH)

# Tests that TensorFlow and Keras 2 wrote for themselves, where a copy of them lies beside this folder.
# The last counts are part of docs/coverage.md.
PEERS ?= ../shared/peer-tests

$(VENV)/.peers: $(VENV)/.ready
	$(BIN)/python tools/requirements.py peers > $(VENV)/peers.txt
	$(PIP) install --quiet -r $(VENV)/peers.txt
	touch $@

ifeq ($(wildcard $(PEERS)),)
peers:
	@echo "There are no tests of others in $(PEERS)."
else
peers: build $(VENV)/.peers
	$(BIN)/python tools/peers.py $(PEERS) $(SUITES)
	$(BIN)/python tools/coverage.py
endif

# The engine and its own tests for 64-bit Arm, compiled here and run by an emulator.
aarch64: $(VENV)/.ready
	$(BIN)/cmake -S . -B build-aarch64 -G Ninja -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64.cmake \
	  -DEAGERFLOW_PYTHON=OFF -DEAGERFLOW_TESTS=ON
	$(BIN)/cmake --build build-aarch64
	$(BIN)/ctest --test-dir build-aarch64 --output-on-failure

# The engine and its Python module for macOS and Windows, by Zig's compiler: compiled, not run.
# `make cross CROSS=aarch64-macos` compiles for one of them.
CROSS ?=

cross: .venv-cross/.ready
	PATH=$(abspath .venv-cross)/bin:$(PATH) .venv-cross/bin/python tools/cross.py $(CROSS)

# Wheels for every Python that is installed here (or WHEELS="3.12"), and the source distribution; each
# is installed into an environment of its own and tested there. WHEELS="--onednn PREFIX" builds them as
# released ones are, with what `python tools/build_onednn.py PREFIX` compiled.
WHEELS ?=

wheels: .venv-wheels/.ready
	PATH=$(abspath .venv-wheels)/bin:$(PATH) .venv-wheels/bin/python tools/wheels.py $(WHEELS)

# The site is written to build-site/index.html.
$(VENV)/.docs: $(VENV)/.ready
	$(BIN)/python tools/requirements.py docs > $(VENV)/docs.txt
	$(PIP) install --quiet -r $(VENV)/docs.txt
	touch $@

docs: build $(VENV)/.docs
	$(BIN)/python -m mkdocs build --quiet --strict

# Packages that were built on TensorFlow, by their own tests: all of tools/ecosystem/packages.toml, or
# PACKAGE; EVERY=n runs every nth test file. TENSORFLOW_PYTHON names a Python that has TensorFlow 2.21, pytest and absl-py.
$(VENV)/.ecosystem: $(VENV)/.ready
	$(BIN)/python tools/requirements.py ecosystem > $(VENV)/ecosystem.txt
	$(PIP) install --quiet -r $(VENV)/ecosystem.txt
	touch $@

ecosystem: build $(VENV)/.ecosystem
	$(BIN)/python tools/ecosystem $(PACKAGE) $(if $(FILES),--files $(FILES)) $(if $(EVERY),--every $(EVERY)) \
		$(if $(AGAIN),--again)

# The programs in a folder, by `make era PROGRAMS=folder`: which run to their end, and which print what
# they print on TensorFlow, where TENSORFLOW_PYTHON names a Python that has it. LIMIT is in seconds.
era: build
	$(BIN)/python tools/era.py $(PROGRAMS) $(if $(LIMIT),--limit $(LIMIT)) $(if $(JOBS),--jobs $(JOBS))

clean:
	rm -rf build build-sanitize build-aarch64 build-cross build-site build-threads build-fuzz build-differential build-wheels-* dist .venv .venv-* .mypy_cache .pytest_cache .ruff_cache .hypothesis .ecosystem
