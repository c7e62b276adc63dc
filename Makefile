# make run     build and show the whole way of an app
# make test    build and run every test
# make check   what a reviewer would have to say otherwise: format, imports
# make bench   measure; ARGS="store --samples 1000000" and such are honoured
# make bench-peers  measure beside other stores; ARGS="--samples 1000000" and such are honoured
# make install put nervous, nervous-runner and nervous-unpacker under PREFIX

SWIFT ?= swift
export SWIFT
PREFIX ?= $(HOME)/.local
# Every test at once would hold thousands of descriptors and processes, and none would end in time.
TEST_WIDTH = --experimental-maximum-parallelization-width 16

.PHONY: setup build run test test-long check format bench bench-peers install clean

setup:
	@Scripts/setup

build: setup
	$(SWIFT) build

run: build
	@Scripts/run-demo

test:
	@Scripts/setup --for-tests
	$(SWIFT) build --build-tests
	Scripts/run-tests 40 $(TEST_WIDTH) --skip HostileScriptTests
	@# Apps that take all the processor they get: nothing else is measured beside them.
	Scripts/run-tests 10 --filter HostileScriptTests

test-long:
	@Scripts/setup --for-long-tests
	$(SWIFT) build --build-tests
	NERVOUS_LONG_TESTS=1 Scripts/run-tests 60 $(TEST_WIDTH) --skip HostileScriptTests
	@# Its times are strict: nothing else may run beside it.
	NERVOUS_LONG_TESTS=1 Scripts/run-tests 20 --filter HostileScriptTests
	@# Skipped, and said, where nobody has installed what it needs.
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
	@# What headless pages and modules need; absent where the machine had nothing to make it of.
	for library in document modules; do \
		script=".build/release/nervous_Host.resources/$$library.js"; \
		[ ! -f "$$script" ] || install -D -m 0644 "$$script" \
			"$(PREFIX)/libexec/nervous/$$library.js" || exit; \
	done

clean:
	rm -rf .build Benchmarks/.build
