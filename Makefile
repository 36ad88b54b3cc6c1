# SPDX-License-Identifier: MIT
# Delegates to scripts/; each of them has --help.

V		?= 0
JOBS		?= $(shell nproc)
KERNEL		?=
CONFIG		?=
PRESET		?= gcc
T		?= 1m
export V JOBS KERNEL PRESET

MAKEFLAGS	+= --no-print-directory
Q		:= $(if $(filter 1,$(V)),,@)
version		:= $(if $(KERNEL),--kernel $(KERNEL))
which_kernel	:= $(version) $(if $(CONFIG),--config $(CONFIG))

help: ## lists the targets (the default)
	@scripts/make-help $(MAKEFILE_LIST)

demo: ## builds everything and traces a machine's PID 1 from its first instruction
	$(Q)scripts/demo

demo-crash: ## lets a traced machine die and reads its last events from its memory
	$(Q)scripts/demo-crash

test: ## runs all tests: series, programs, guests on 6.12 and 6.1, README
	$(Q)scripts/test

test-debug: ## runs the guest's tests on a kernel that looks for its own faults
	$(Q)scripts/test guest-debug

test-slow: ## random stops and great numbers, as many as are promised; takes long
	$(Q)scripts/setup
	$(Q)qemu-tests/run $(version) --full tests crash

bench: ## measures what markers cost on this machine, beside LTTng-UST
	$(Q)scripts/setup
	$(Q)bench/run

bench-ctl: ## measures how fast ltt-ctl turns what it reads into CTF
	$(Q)scripts/setup
	$(Q)bench/ctl/run

bench-ctl-guest: ## measures ltt-ctl on the patched kernel, while many programs run
	$(Q)scripts/setup
	$(Q)bench/ctl/guest/run $(version)

bench-crash: ## measures how fast ltt-ctl reads the memory of a machine that died
	$(Q)scripts/setup
	$(Q)bench/crash/run $(version)

bench-guest: ## measures an event on the patched kernel, beside other tracers
	$(Q)scripts/setup
	$(Q)bench/guest/run $(version)

bench-kernel: ## measures what the kernel part costs, in instructions
	$(Q)scripts/setup
	$(Q)qemu-tests/bench/run $(version)

fuzz-kernel: ## lets hostile programs loose on the patched kernel for T
	$(Q)scripts/setup
	$(Q)qemu-tests/fuzz/run $(version) --config base,$(or $(CONFIG),debug) --time $(T) $(if $(SEED),--seed $(SEED))

fuzz-ctl: ## lets a fuzzer loose on what ltt-ctl makes of foreign bytes, for T
	$(Q)scripts/setup
	$(Q)scripts/fuzz-ctl --time $(T)

check-kernel: ## proves that the kernel series is sound; compiles nothing
	$(Q)scripts/setup
	$(Q)scripts/check-kernel

check-kernel-builds: ## compiles after each patch of the series
	$(Q)scripts/setup
	$(Q)scripts/check-kernel-builds $(version)

lint-kernel: ## gcc with W=1, sparse and kernel-doc on the new kernel files
	$(Q)scripts/setup
	$(Q)scripts/lint-kernel $(version)

kernel: ## builds the patched kernel
	$(Q)scripts/setup
	$(Q)scripts/kernel-build $(which_kernel)

kselftest-compare: ## runs the kernel's own selftests with and without the series
	$(Q)scripts/setup
	$(Q)scripts/kselftest-compare $(version)

programs: ## builds ltt-ctl, the examples and the unit tests into build/$(PRESET)
	$(Q)scripts/setup
	$(Q)scripts/programs $(PRESET)

shell: kernel programs ## a shell on the patched kernel, with this machine's files
	$(Q)scripts/vm shell $(which_kernel)

format-check: ## compares the C++ code with .clang-format
	$(Q)scripts/format-check

clean: ## removes build/; the kernels in the cache stay
	$(Q)rm -rf build

.PHONY: help demo demo-crash test test-debug test-slow bench bench-ctl bench-ctl-guest bench-guest
.PHONY: bench-kernel bench-crash fuzz-kernel fuzz-ctl
.PHONY: check-kernel check-kernel-builds lint-kernel kernel kselftest-compare programs shell
.PHONY: format-check clean
