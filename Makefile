# make run          build, then pack, install, run and query a sample app
# make smoke        build and run the essential tests
# make test         build and run every test
# make test-long    the same with more iterations, fault injection and API fuzzing
# make check        lint the format and check imports between modules
# make format       format the sources
# make bench        run the benchmarks; ARGS="store --samples 1000000" selects one
# make bench-peers  benchmark other stores on the same data; ARGS="--samples 1000000"
# make install      build for release and install under PREFIX
# make clean        remove build products

SWIFT ?= swift
export SWIFT
PREFIX ?= $(HOME)/.local
# More tests at once only add load on two cores, and time limits of the tested programs are exceeded.
TEST_WIDTH = --experimental-maximum-parallelization-width 6
# One suite of each kind: values, statistics, store, permissions, routes, runner, commands.
SMOKE_TESTS = SamplesTests\.|StatisticsTests\.MomentsTests/|SampleStoreTests\.ReadingTests/|$\
	AuthTests\.CheckAppTests/|ProviderTests\.StatisticsRouteTests/|RunnerTests\.ConsoleTests/|$\
	CommandsTests\.RunTests/

.PHONY: setup build run smoke test test-long check format bench bench-peers install clean

setup:
	@Scripts/setup

build: setup
	$(SWIFT) build

run: setup
	@# Only the programs that the demo runs; `make build` also builds those of the tests.
	$(SWIFT) build --product nervous
	$(SWIFT) build --product nervous-runner
	$(SWIFT) build --product nervous-unpacker
	@Scripts/run-demo

smoke:
	@Scripts/setup --for-tests
	@# All tests are linked into one bundle, so all test targets are built.
	$(SWIFT) build --build-tests
	Scripts/run-tests 10 $(TEST_WIDTH) --filter '$(SMOKE_TESTS)'

test:
	@Scripts/setup --for-tests
	$(SWIFT) build --build-tests
	Scripts/run-tests 40 $(TEST_WIDTH) --skip HostileScriptTests
	@# These apps use all available processor time, so no other tests run at the same time.
	Scripts/run-tests 10 --filter HostileScriptTests

test-long:
	@Scripts/setup --for-long-tests
	$(SWIFT) build --build-tests
	NERVOUS_LONG_TESTS=1 Scripts/run-tests 60 $(TEST_WIDTH) --skip HostileScriptTests
	@# Its time limits are strict, so no other tests run at the same time.
	NERVOUS_LONG_TESTS=1 Scripts/run-tests 20 --filter HostileScriptTests
	@# Skipped with a message if its dependencies are not installed.
	Tests/SchemaFuzz/run
	Tests/AddingASensor/run

check:
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests \
		Benchmarks/Package.swift Benchmarks/Sources
	@Scripts/check-imports

format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests \
		Benchmarks/Package.swift Benchmarks/Sources

bench: setup
	@Benchmarks/run $(ARGS)

bench-peers: setup
	$(SWIFT) build -c release --product nervous
	@Benchmarks/peers/run $(ARGS)

install: setup
	$(SWIFT) build -c release --product nervous
	$(SWIFT) build -c release --product nervous-runner
	$(SWIFT) build -c release --product nervous-unpacker
	install -D -m 0755 .build/release/nervous "$(PREFIX)/bin/nervous"
	install -D -m 0755 .build/release/nervous-runner "$(PREFIX)/libexec/nervous/nervous-runner"
	install -D -m 0755 .build/release/nervous-unpacker \
		"$(PREFIX)/libexec/nervous/nervous-unpacker"
	install -d "$(PREFIX)/share/systemd/user"
	sed 's|@PREFIX@|$(abspath $(PREFIX))|' Scripts/nervous.service \
		>"$(PREFIX)/share/systemd/user/nervous.service"
	@# Needed by headless pages and modules; missing if esbuild, node-domino or node-acorn is.
	for library in document modules; do \
		script=".build/release/nervous_Host.resources/$$library.js"; \
		[ ! -f "$$script" ] || install -D -m 0644 "$$script" \
			"$(PREFIX)/libexec/nervous/$$library.js" || exit; \
	done

clean:
	rm -rf .build Benchmarks/.build
