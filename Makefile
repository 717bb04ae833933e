# The everyday verbs; CMake does the work in build/.
BUILD   ?= build
PREFIX  ?= /usr/local
SECONDS ?= 0
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: all setup configure build demo check bench install fuzz format clean
all: build

setup:
	@tools/setup build

configure: setup
	@cmake -S . -B $(BUILD) -G Ninja -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null

build: configure
	@cmake --build $(BUILD) -j $(JOBS)

demo: build
	@tools/demo $(BUILD)

check:
	@tools/setup check
	@tools/check $(BUILD) $(JOBS)

bench: build
	@tools/setup bench
	@bench/run $(BUILD)

install: build
	@DESTDIR=$(DESTDIR) cmake --install $(BUILD)

fuzz:
	@tools/setup fuzz
	@tools/fuzz $(SECONDS)

format:
	@tools/setup format
	@tools/format

clean:
	@rm -rf $(BUILD)
