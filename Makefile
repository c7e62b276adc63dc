# make run          build, then pack, install, run and query a sample app
# make smoke        build and run the essential tests
# make test         build and run every test
# make test-long    the same with more iterations, fault injection and API fuzzing
# make check        lint the format and check imports between modules
# make format       format the sources
# make bench        run the benchmarks; ARGS="store --samples 1000000" selects one
# make bench-peers  benchmark other stores on the same data; ARGS="--samples 1000000"
# make install      build for release and install under PREFIX, or DESTDIR and PREFIX for a package
# make uninstall    delete what was installed under PREFIX
# make clean        remove build products

SWIFT ?= swift
export SWIFT
PREFIX ?= $(HOME)/.local
# Read from the environment by Scripts/install-files, so that any character may be in them.
export PREFIX DESTDIR BUILD_FOLDER
# More tests at once only add load on two cores, and time limits of the tested programs are exceeded.
TEST_WIDTH = --experimental-maximum-parallelization-width 6
# One suite of each kind: values, statistics, store, permissions, routes, runner, commands.
SMOKE_TESTS = SamplesTests\.|StatisticsTests\.MomentsTests/|SampleStoreTests\.ReadingTests/|$\
	AuthTests\.CheckAppTests/|ProviderTests\.StatisticsRouteTests/|RunnerTests\.ConsoleTests/|$\
	CommandsTests\.RunTests/

.PHONY: setup build run smoke test test-long check format bench bench-peers install \
	install-files uninstall clean

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
	Tests/Installation/run

test-long:
	@Scripts/setup --for-long-tests
	$(SWIFT) build --build-tests
	NERVOUS_LONG_TESTS=1 Scripts/run-tests 60 $(TEST_WIDTH) --skip HostileScriptTests
	@# Its time limits are strict, so no other tests run at the same time.
	NERVOUS_LONG_TESTS=1 Scripts/run-tests 20 --filter HostileScriptTests
	Tests/Installation/run
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
	Scripts/make-sbom .build/release .build/release/doc
	BUILD_FOLDER=.build/release Scripts/install-files

# The last step of `install`: copies what BUILD_FOLDER contains.
install-files:
	@Scripts/install-files

uninstall:
	@Scripts/install-files --remove

clean:
	rm -rf .build Benchmarks/.build
