# People and CI call exactly these targets. `make` alone explains them.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
# One more than there are CPUs: tests sleep, wait for files, and end one after the other.
TEST_JOBS ?= $(shell echo $$(($(JOBS) + 1)))
ARGS ?=

# With ccache installed, a second build of the same file is free.
ifneq ($(shell command -v ccache),)
export CMAKE_CXX_COMPILER_LAUNCHER ?= ccache
endif

# make check fails on a warning of gcc 12. If that is the compiler, warnings are errors from the beginning, and the check needs no
# tree of its own.
ifeq ($(shell $(CXX) -dumpversion 2>/dev/null),12)
export SKUA_WARNINGS_AS_ERRORS ?= ON
endif

# ccache needs this for sources with precompiled headers (the tests).
export CCACHE_SLOPPINESS ?= pch_defines,time_macros
# It takes the headers of a file from the compiler's list. Preprocessing each file first costs an empty cache 3%.
export CCACHE_DEPEND ?= 1

configure = tools/configure $(1) >build/$(1).log || { cat build/$(1).log; exit 1; }
compile = cmake --build build/$(1) -j $(JOBS)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup build demo built-tests test test-full test-release test-sanitized check format docs matrix bench install install-library clean

help:
	@echo 'make demo       install what is missing, build, compare five programs with OpenMP and oneTBB (under a minute once built)'
	@echo 'make build      the library and the tool, build/release/skua'
	@echo 'make test       all tests but the long ones; ends with N passed, N failed, N skipped'
	@echo 'make test-full  all tests, the long ones too, then AddressSanitizer, UBSan and ThreadSanitizer'
	@echo 'make check      formatting, layers, includes, each header by itself, no warnings of gcc 12 and clang 19'
	@echo 'make format     format the sources as make check requires'
	@echo 'make docs       write the generated pages of docs/: policies, quoted programs'
	@echo 'make matrix     judge the policy auto on simulated machines, and write docs/policy-matrix.md (many hours; see ARGS there)'
	@echo 'make bench      compare skua with serial code, OpenMP, oneTBB and others; ARGS=... goes to `skua bench`'
	@echo 'make install    into PREFIX ($(PREFIX)); DESTDIR is respected'
	@echo 'make install-library  the library without the tool: needs no oneTBB, CLI11 or fmt'
	@echo 'make clean      remove build/'
	@echo
	@echo 'Each target installs missing packages with apt, or prints what to install if there is no apt. It calls sudo only with'
	@echo 'SKUA_SUDO=1 or when you answer yes.'
	@echo 'JOBS=$(JOBS) compilers and tests run at a time.'

setup:
	@tools/setup base
	@mkdir -p build

build: setup
	@$(call configure,release)
	@$(call compile,release) --target skua skua_cli

demo: setup
	@$(call configure,release)
	@$(call compile,release) --target demo skua_cli
	@build/release/skua-demo $(ARGS)
	@echo
	@echo 'Where the time of a mergesort goes, on all workers and on one:'
	@build/release/skua run mergesort --size med --repeat 1 --report build/release/demo-report.json >/dev/null
	@build/release/skua report build/release/demo-report.json -o build/release/demo-report.html
	@echo '  file://$(CURDIR)/build/release/demo-report.html'
	@echo 'Open it in a browser, or: build/release/skua report build/release/demo-report.json'

bench: build
	@$(call compile,release) --target bench_contenders
	@build/release/skua bench $(ARGS)
	@echo
	@python3 bench/compile_costs.py "$$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' build/release/CMakeCache.txt)"
	@[ -n '$(ARGS)' ] || [ ! -x build/release/bench/sorts ] || for program in 'sorts 1000000 5' 'ranges 1000000 9' 'long_queues 1000000'; do \
	  echo; build/release/bench/$$program; done

install: build
	@cmake --install build/release --prefix $(PREFIX)

install-library:
	@tools/setup library
	@mkdir -p build
	@$(call configure,library)
	@$(call compile,library)
	@cmake --install build/library --prefix $(PREFIX)

built-tests: setup
	@tools/setup test --while '{ tools/configure release -DSKUA_BUILD_TESTS=ON >build/release.log || { cat build/release.log; exit 1; }; } && \
	  $(call compile,release) --target skua skua_cli tests/all' --then tools/setup_trace_viewers

test: built-tests
	@tools/run_tests --jobs $(TEST_JOBS) release

test-full: test-release test-sanitized

test-release: built-tests
	@tools/run_tests --jobs $(TEST_JOBS) release:all

test-sanitized: setup
	@tools/setup test
	@$(call configure,asan)
	@$(call compile,asan)
	@$(call configure,tsan)
	@$(call compile,tsan)
	@tools/run_tests --jobs $(TEST_JOBS) asan:all tsan:all

check: setup
	@tools/setup check
	@JOBS=$(JOBS) tools/check

format:
	@tools/setup check
	@tools/format

docs: build
	@tools/docs build/release/skua

# What was run is kept in build/matrix.jsonl, and not run again.
matrix: build
	@tools/matrix build/release/skua build/matrix.jsonl --jobs $(JOBS) $(ARGS)

clean:
	rm -rf build
