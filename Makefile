# make run          build, then run `nervous demo`: install, run and query a bundled app, and serve it
# make smoke        build and run the essential tests
# make test         build and run every test
# make test-long    the same with more iterations, fault injection and API fuzzing; STEPS=folder adds
#                   recorded walks with counted steps, TRACKS=folder files of tracks,
#                   ANOMALIES=checkout series with labelled anomalies, ANNOUNCEMENTS=folder
#                   announcements of sensors over MQTT, GPSD_LOGS=folder recordings of receivers
# make check        lint the format and check imports between modules
# make format       format the sources
# make bench        run the benchmarks; ARGS="store --samples 1000000" selects one
# make bench-peers  benchmark other stores on the same data; ARGS="--samples 1000000"
# make install      build for release and install under PREFIX, or DESTDIR and PREFIX for a package
# make uninstall    delete what was installed under PREFIX
# make deb          build for release and make a Debian package in .build/packages
# make tarball      the same as a .tar.xz that runs from any folder
# make clean        remove build products

SWIFT ?= swift
export SWIFT
# Options of every build, such as -debug-info-format none, without which compiling takes a third longer.
BUILD_OPTIONS ?=
BUILD = $(SWIFT) build $(BUILD_OPTIONS)
# BoringSSL has the names of its sources in its messages: without the folder of the build, so that it is not in
# the programs, and builds in two folders are the same.
RELEASE = $(BUILD) -c release -Xcc "-ffile-prefix-map=$$PWD=." -Xcxx "-ffile-prefix-map=$$PWD=."
PREFIX ?= $(HOME)/.local
# Read from the environment by Scripts/install-files, so that any character may be in them.
export PREFIX DESTDIR BUILD_FOLDER
# More tests at once only add load on two cores, and time limits of the tested programs are exceeded.
TEST_WIDTH = --experimental-maximum-parallelization-width 6
# One suite of each kind: values, statistics, store, permissions, routes, runner, commands.
SMOKE_TESTS = SamplesTests\.|StatisticsTests\.MomentsTests/|SampleStoreTests\.ReadingTests/|$\
	AuthTests\.CheckAppTests/|ProviderTests\.StatisticsRouteTests/|RunnerTests\.ConsoleTests/|$\
	CommandsTests\.RunTests/

.PHONY: setup build run smoke test test-long check format bench bench-peers release \
	install install-files uninstall deb tarball clean

setup:
	@Scripts/setup

build: setup
	$(BUILD)

run: setup
	@# Only the programs that the demo runs; `make build` also builds those of the tests.
	$(BUILD) --product nervous
	$(BUILD) --product nervous-runner
	$(BUILD) --product nervous-unpacker
	@# PORT and NERVOUS_DATA are honoured. SERVE=0 ends after the app has run.
	@.build/debug/nervous demo --port "$${PORT:-8080}" \
		$$(if [ "$${SERVE:-1}" = 0 ]; then echo --no-serve; fi)

smoke:
	@Scripts/setup --for-tests
	@# All tests are linked into one bundle, so all test targets are built.
	$(BUILD) --build-tests
	Scripts/run-tests 10 $(TEST_WIDTH) --filter '$(SMOKE_TESTS)'

test:
	@Scripts/setup --for-tests
	$(BUILD) --build-tests
	Scripts/run-tests 55 $(TEST_WIDTH) --skip HostileScriptTests
	@# These apps use all available processor time, so no other tests run at the same time.
	Scripts/run-tests 10 --filter HostileScriptTests
	Tests/Installation/run

test-long:
	@Scripts/setup --for-long-tests
	$(BUILD) --build-tests
	NERVOUS_LONG_TESTS=1 Scripts/run-tests 60 $(TEST_WIDTH) --skip HostileScriptTests
	@# Its time limits are strict, so no other tests run at the same time.
	NERVOUS_LONG_TESTS=1 Scripts/run-tests 20 --filter HostileScriptTests
	@# For the same reason.
	Tests/Load/run
	Tests/Installation/run
	@# Skipped with a message if their dependencies are not installed; AXE names axe.min.js.
	Tests/SchemaFuzz/run
	Tests/Accessibility/run
	Tests/Service/run
	Tests/AddingASensor/run
	@# Independent programs as clients; Tests/Integrations/setup installs them.
	Tests/Integrations/run
	@# CONFORMANCE_WPT and the like name checkouts of independent suites.
	for suite in Tests/Conformance/suites/[a-z]*.py; do \
		Tests/Conformance/run "$$(basename "$$suite" .py | tr _ -)" || exit; done
	$(MAKE) deb
	Tests/Package/run

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
	$(RELEASE) --product nervous
	@Benchmarks/peers/run $(ARGS)

# All that is installed or packaged, in .build/release.
release:
	@Scripts/setup --for-release
	$(RELEASE) --product nervous
	$(RELEASE) --product nervous-runner
	$(RELEASE) --product nervous-unpacker
	Scripts/make-sbom .build/release .build/release/doc
	Scripts/make-manuals .build/release .build/release/manuals

install: release
	BUILD_FOLDER=.build/release Scripts/install-files

deb: release
	BUILD_FOLDER=.build/release Scripts/make-deb .build/packages

tarball: release
	BUILD_FOLDER=.build/release Scripts/make-tarball .build/packages

# The last step of `install`: copies what BUILD_FOLDER contains.
install-files:
	@Scripts/install-files

uninstall:
	@Scripts/install-files --remove

clean:
	rm -rf .build Benchmarks/.build
