# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Every command a developer needs. `make help` lists them.

VERSION := 0.1.0
# Of the library: goes up with each release that a program built before cannot run with.
ABI := 0

# What one may set, with examples: BUILD=DIR CC=clang CFLAGS=-O3 LDFLAGS=-fuse-ld=lld DEBUG=1
# SAN=address,undefined WERROR=1 V=1
BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
CFLAGS ?= -O2 -g
PKG_CONFIG ?= pkg-config
OBJCOPY ?= objcopy
PROVE ?= prove
JOBS ?= 2
FUZZ_SECONDS ?= 60
V ?=

# Where things are installed, for systems that have them elsewhere.
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
LIBEXECDIR ?= $(PREFIX)/libexec
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
DOCDIR ?= $(PREFIX)/share/doc/btfcanon
BASH_COMPLETION_DIR ?= $(PREFIX)/share/bash-completion/completions
ZSH_COMPLETION_DIR ?= $(PREFIX)/share/zsh/site-functions
FISH_COMPLETION_DIR ?= $(PREFIX)/share/fish/vendor_completions.d

# The program lands beside the Makefile; with another build folder it stays in that.
PROGRAM := $(if $(filter build,$(BUILD)),btfcanon,$(BUILD)/btfcanon)

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

# ---- sources ----

SOURCES := $(sort $(wildcard src/*/*.c sort/*.c compare/*.c))
# Another way to find DIEs, for `make check-libdw`.
ifdef LIBDW_WALK
SOURCES := $(patsubst src/dwarf/die.c,tests/libdw/die.c,$(SOURCES))
endif
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o)
ARCHIVE := $(BUILD)/objects.a

# What others may link: src/lib/btfcanon.h and the parts of the archive that it takes.
LIBRARY := $(BUILD)/libbtfcanon.so.$(VERSION)
STATIC_LIBRARY := $(BUILD)/libbtfcanon.a
LIBRARY_OBJECTS := $(filter $(BUILD)/src/lib/%,$(OBJECTS))

HELPERS := $(sort $(wildcard tests/lib/*.c))
HELPER_OBJECTS := $(HELPERS:%.c=$(BUILD)/%.o)
HELPER_LIBRARY := $(if $(HELPERS),$(BUILD)/libtests.a)

# make check TESTS='tests/unit/graph.c tests/cli/sort.t' runs these only. The long ones go first.
TESTS ?= $(sort $(wildcard tests/laws/*.c)) $(sort $(wildcard tests/faults/*.t)) \
	$(sort $(wildcard tests/unit/*.c tests/cli/*.t tests/cases/*.t))
REAL_TESTS ?= $(sort $(wildcard tests/real/*.t))
TEST_PROGRAMS := $(patsubst %.c,$(BUILD)/%,$(filter %.c,$(TESTS)))
TEST_SCRIPTS := $(filter %.t,$(TESTS))

FUZZERS := $(sort $(notdir $(basename $(wildcard tests/fuzz/*.c))))

# ---- libraries: module, Debian's package, Fedora's package ----

libraries := libelf:libelf-dev:elfutils-libelf-devel libdw:libdw-dev:elfutils-devel \
	libbpf:libbpf-dev:libbpf-devel zlib:zlib1g-dev:zlib-devel liblzma:liblzma-dev:xz-devel \
	libzstd:libzstd-dev:libzstd-devel liblz4:liblz4-dev:lz4-devel \
	jansson:libjansson-dev:jansson-devel
test_libraries := cmocka:libcmocka-dev:libcmocka-devel

modules := $(foreach library,$(libraries),$(firstword $(subst :, ,$(library))))
part = $(word $(2),$(subst :, ,$(1)))
missing_error = $(error $(1) is missing: install $(2) (Debian, Ubuntu) or $(3) (Fedora), \
	or run scripts/deps --tests)
need_library = $(if $(shell $(PKG_CONFIG) --exists $(call part,$(1),1) 2>&1 || echo no),\
	$(call missing_error,$(call part,$(1),1),$(call part,$(1),2),$(call part,$(1),3)))
need_header = $(if $(shell $(CC) $(CPPFLAGS) -E -include $(1) -x c /dev/null >/dev/null 2>&1 || echo no),\
	$(call missing_error,$(1),$(2),$(3)))

goals := $(or $(MAKECMDGOALS),all)
ifneq ($(filter-out help clean uninstall lint print-libraries bench dist,$(goals)),)
$(if $(shell command -v $(PKG_CONFIG)),,\
	$(call missing_error,$(PKG_CONFIG),pkg-config,pkgconf-pkg-config))
$(foreach library,$(libraries),$(call need_library,$(library)))
$(call need_header,uthash.h,uthash-dev,uthash-devel)
LIB_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(modules))
LIBS := $(shell $(PKG_CONFIG) --libs $(modules))
endif
ifneq ($(filter check% test-programs coverage,$(goals)),)
$(foreach library,$(test_libraries),$(call need_library,$(library)))
TEST_CFLAGS := $(shell $(PKG_CONFIG) --cflags cmocka)
TEST_LIBS := $(shell $(PKG_CONFIG) --libs cmocka)
endif

# ---- flags ----

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wundef \
	-Wvla $(if $(WERROR),-Werror)

ifdef DEBUG
CFLAGS := -O0 -g3
endif

# Fortified libc calls need an optimizing compiler and hide from the sanitizers what they do.
optimizing := $(filter-out -O0,$(filter -O%,$(CFLAGS)))
fortify := $(if $(SAN),,$(if $(optimizing),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))
sanitize := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)

# Where the compiler knows them: pages of a large stack frame are touched one by one, calls and returns
# go only where they may. On encode that is 0.8 % of the instructions.
known = $(shell $(CC) $(1) -Werror -x c -c /dev/null -o /dev/null 2>/dev/null && echo $(1))
hardening := -fstack-protector-strong $(call known,-fstack-clash-protection) \
	$(call known,-fcf-protection)$(call known,-mbranch-protection=standard)

# The prefix map keeps the checkout's path out of the debug information. The same objects make the
# program and the library: what is hidden needs no detour in either.
BC_CFLAGS := -std=gnu11 $(WARNINGS) $(hardening) -fPIC -fvisibility=hidden $(fortify) \
	$(sanitize) -ffile-prefix-map=$(CURDIR)=.
BC_CPPFLAGS := -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -DBC_VERSION='"$(VERSION)"' -Isrc -I. $(LIB_CFLAGS)
BC_LDFLAGS := -Wl,-z,relro,-z,now,-z,noexecstack -Wl,--as-needed $(sanitize)

compile = $(CC) $(BC_CPPFLAGS) $(CPPFLAGS) $(BC_CFLAGS) $(CFLAGS) -MMD -MP
link = $(CC) $(BC_CFLAGS) $(CFLAGS) $(BC_LDFLAGS) $(LDFLAGS)
link_program = $(link) -pie
# A sanitizer's own part is the program's.
link_library = $(link) -shared -Wl,-soname,libbtfcanon.so.$(ABI) $(if $(SAN),,-Wl,-z,defs) \
	-Wl,--version-script=src/lib/btfcanon.map

# One short line per step; V=1 shows the commands, make -s nothing.
silent := $(findstring s,$(firstword -$(MAKEFLAGS)))
quiet = @$(if $(V),set -x;,$(if $(silent),,echo "$(1) $@";))

# Objects depend on this file, which is written only when the flags are others than last time.
FLAGS_FILE := $(BUILD)/flags
flags = $(compile) / $(link) $(LIBS)
$(FLAGS_FILE): FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(flags))' | cmp -s - $@ || \
		printf '%s\n' '$(subst ','\'',$(flags))' >$@
.PHONY: FORCE

# ---- building ----

.PHONY: all
all: $(PROGRAM) lib ## build ./btfcanon and the library

.PHONY: lib
lib: $(LIBRARY) $(STATIC_LIBRARY) ## build the library, shared and static

$(PROGRAM): $(BUILD)/src/main.o $(ARCHIVE)
	$(call quiet,LD)$(link_program) -o $@ $^ $(LIBS)

$(LIBRARY): $(LIBRARY_OBJECTS) $(ARCHIVE) src/lib/btfcanon.map
	$(call quiet,LD)$(link_library) -o $@ $(LIBRARY_OBJECTS) $(ARCHIVE) $(LIBS)
	@ln -sf $(@F) $(BUILD)/libbtfcanon.so.$(ABI)
	@ln -sf libbtfcanon.so.$(ABI) $(BUILD)/libbtfcanon.so

# One object, so that what is hidden in the shared library is local here; of machine code, also where
# gcc leaves that to the linker. What counts lines comes with its own library, once for a program.
whole = $(if $(filter -flto%,$(CFLAGS)),$(if $(findstring clang,$(CC)),,-flinker-output=nolto-rel))
$(BUILD)/library.o: $(LIBRARY_OBJECTS) $(ARCHIVE)
	$(call quiet,LD)$(CC) $(filter-out --coverage,$(CFLAGS)) $(whole) $(filter -fuse-ld=%,$(LDFLAGS)) -nostdlib -r -o $@ $^ && \
		$(OBJCOPY) --localize-hidden $@
$(STATIC_LIBRARY): $(BUILD)/library.o

$(ARCHIVE): $(OBJECTS)
$(HELPER_LIBRARY): $(HELPER_OBJECTS)
%.a:
	$(call quiet,AR)rm -f $@ && $(AR) rcsD $@ $^

$(BUILD)/tests/%.o: tests/%.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(call quiet,CC)$(compile) $(TEST_CFLAGS) -c -o $@ $<

$(BUILD)/%.o: %.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(call quiet,CC)$(compile) -c -o $@ $<

# A test that needs a linker flag of its own says so in a line: /* link: -Wl,--wrap=malloc */
$(TEST_PROGRAMS): $(BUILD)/%: $(BUILD)/%.o $(HELPER_LIBRARY) $(ARCHIVE)
	$(call quiet,LD)$(link_program) $$(sed -n 's|^/\* link: \(.*\) \*/$$|\1|p' $*.c) -o $@ $^ $(TEST_LIBS) $(LIBS)

# What tests/faults preload into the program; the sanitizers have no part in it.
INJECTOR := $(BUILD)/tests/faults/inject.so
$(INJECTOR): tests/faults/inject.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(call quiet,LD)$(CC) -std=gnu11 -D_GNU_SOURCE $(WARNINGS) -O2 -fPIC -shared -o $@ $<

.PHONY: test-programs
test-programs: $(TEST_PROGRAMS) $(INJECTOR)

.PHONY: fuzz-objects
fuzz-objects: $(FUZZERS:%=$(BUILD)/tests/fuzz/%.o)

-include $(patsubst %.c,$(BUILD)/%.d,src/main.c $(SOURCES) $(HELPERS) $(filter %.c,$(TESTS)))
-include $(FUZZERS:%=$(BUILD)/tests/fuzz/%.d)

# ---- testing ----

# The library as it is installed, for programs that tests build.
TEST_ROOT := $(BUILD)/root
.PHONY: test-root
test-root: lib
	@$(MAKE) -s --no-print-directory install-library DESTDIR=$(abspath $(TEST_ROOT)) \
		PREFIX=/usr LIBDIR=/usr/lib INCLUDEDIR=/usr/include

# Scripts find the program in $BTFCANON and the library below $BTFCANON_ROOT, for which $BTFCANON_CC
# compiles; $BTFCANON_SAN tells them that these are sanitized ones.
test_env = BTFCANON=$(abspath $(PROGRAM)) BTFCANON_ROOT=$(abspath $(TEST_ROOT)) \
	BTFCANON_CC='$(CC) $(sanitize) $(CFLAGS) $(LDFLAGS)' BTFCANON_SAN=$(SAN) \
	BTFCANON_FAULTS=$(abspath $(INJECTOR)) UBSAN_OPTIONS=print_stacktrace=1

.PHONY: check
check: $(TEST_PROGRAMS) $(if $(TEST_SCRIPTS),$(PROGRAM) $(INJECTOR) test-root) ## run the tests (TESTS='FILE...' for some)
	@$(test_env) $(PROVE) -j$(JOBS) --exec scripts/tap $(TEST_PROGRAMS) $(TEST_SCRIPTS)

.PHONY: check-real
check-real: $(PROGRAM) ## run the tests that take real kernels (scripts/real-inputs)
	@$(test_env) $(PROVE) --directives --timer --exec scripts/tap $(REAL_TESTS)

.PHONY: check-asan
check-asan: ## rebuild everything with ASan and UBSan, run the tests
	$(MAKE) BUILD=$(BUILD)/asan SAN=address,undefined check

# Left out: what libdw does not read (several .debug_types in one file, the third file of dwz -m),
# and a case about the words of an error.
LIBDW_TESTS := $(filter-out tests/cases/23-% tests/cases/24-% tests/cases/25-%,\
	$(wildcard tests/cases/*encode*.t)) tests/libdw/kernels.t

.PHONY: check-libdw
check-libdw: $(PROGRAM) ## encode once more with DIEs that libdw finds: the same bytes
	BTFCANON_OWN=$(abspath $(PROGRAM)) $(MAKE) BUILD=$(BUILD)/libdw LIBDW_WALK=1 check \
		TESTS='$(LIBDW_TESTS)'

# Where a run takes twenty times as long and more, laws run fewer rounds.
few_rounds = BTFCANON_ROUNDS=$${BTFCANON_ROUNDS:-$(1)}

# Threads, in everything that encodes; a real kernel too, where scripts/real-inputs has put one.
TSAN_TESTS := tests/laws/encode.c tests/cli/encode.t $(sort $(wildcard tests/cases/*-encode.t))

.PHONY: check-tsan
check-tsan: ## rebuild with ThreadSanitizer, run the tests of encode
	$(call few_rounds,10%) $(MAKE) BUILD=$(BUILD)/tsan SAN=thread check TESTS='$(TSAN_TESTS)'
	tests/lib/encode-kernel $(BUILD)/tsan/btfcanon

# The program starts in half a second under valgrind: of the scripts those that start it less than a
# hundred times and do not mind that its name is a script's; of the unit tests not the long one.
VALGRIND_SCRIPTS ?= $(patsubst %,tests/cli/%.t,check compare-object encode like) \
	$(patsubst %,tests/cases/%.t,07-zero-sizes 08-layout-header 15-optimized-encode 20-ext-in-place \
	24-dwz-encode 38-compare)
VALGRIND_PROGRAMS ?= $(filter-out %/dump,$(filter $(BUILD)/tests/unit/%,$(TEST_PROGRAMS)))
valgrind := valgrind -q --error-exitcode=99 --leak-check=full

.PHONY: check-valgrind
check-valgrind: $(PROGRAM) $(VALGRIND_PROGRAMS) ## run unit tests and some of the command line under valgrind
	@mkdir -p $(BUILD)/valgrind
	@printf '#!/bin/sh\nexec %s %s "$$@"\n' '$(valgrind)' '$(abspath $(PROGRAM))' \
		>$(BUILD)/valgrind/btfcanon
	@chmod +x $(BUILD)/valgrind/btfcanon
	$(call few_rounds,1%) $(PROVE) -j$(JOBS) --exec 'scripts/tap $(valgrind)' $(VALGRIND_PROGRAMS)
	BTFCANON=$(abspath $(BUILD)/valgrind/btfcanon) BTFCANON_SAN=valgrind \
		$(PROVE) -j$(JOBS) --exec scripts/tap $(VALGRIND_SCRIPTS)

# Tests that fail are no matter here: make check tells of those. Whoever a test runs the program as may
# write what was counted.
.PHONY: coverage
coverage: ## which lines the tests do not reach: build/coverage/report.txt (needs gcovr)
	-umask 0 && FAULTS=all $(MAKE) BUILD=$(BUILD)/coverage CFLAGS='-O1 -g --coverage -fprofile-update=atomic' check
	gcovr --root . --filter src/ --filter sort/ --filter compare/ $(BUILD)/coverage \
		--gcov-ignore-parse-errors >$(BUILD)/coverage/report.txt
	@tail -n 3 $(BUILD)/coverage/report.txt

.PHONY: check-faults
check-faults: ## let every single allocation and call on files fail (make check: some of them)
	FAULTS=all $(MAKE) check TESTS='$(sort $(wildcard tests/faults/*.t))'

# For scripts/lint.
.PHONY: print-libraries
print-libraries:
	@printf '%s\n' $(libraries) $(test_libraries)

.PHONY: lint
lint: ## look at the sources: layers, warnings, format, licences, static analysis
	BUILD=$(BUILD)/lint scripts/lint

# libFuzzer wants clang and its own instrumentation in every object.
fuzz_make = $(MAKE) BUILD=$(BUILD)/fuzz CC=clang SAN=address,undefined,fuzzer-no-link

.PHONY: fuzz
fuzz: ## fuzz each reader for FUZZ_SECONDS
	$(fuzz_make) run-fuzzers FUZZ_FLAGS='-max_total_time=$(FUZZ_SECONDS)'

.PHONY: fuzz-headers
fuzz-headers: $(PROGRAM) ## compile headers of what make fuzz found
	BTFCANON=$(abspath $(PROGRAM)) tests/fuzz/compile-headers $(BUILD)/fuzz/corpus/header

.PHONY: fuzz-smoke
fuzz-smoke: ## the fuzzers over their seeds, and a little beyond
	$(fuzz_make) run-fuzzers FUZZ_FLAGS='-seed=1 -runs=5000 -max_total_time=10'

FUZZ_PROGRAMS := $(FUZZERS:%=$(BUILD)/tests/fuzz/%)
$(FUZZ_PROGRAMS): $(BUILD)/%: $(BUILD)/%.o $(ARCHIVE)
	$(call quiet,LD)$(link_program) -fsanitize=fuzzer -o $@ $^ $(LIBS)
$(BUILD)/tests/fuzz/encode: $(BUILD)/tests/lib/dwarf_build.o

# Words that a fuzzer's inputs are made of: its own list, or that of raw BTF.
dictionary = $(firstword $(wildcard tests/fuzz/$(1).dict) tests/fuzz/btf.dict)

.PHONY: run-fuzzers $(FUZZERS:%=run-fuzzer-%)
run-fuzzers: $(FUZZERS:%=run-fuzzer-%)
$(FUZZERS:%=run-fuzzer-%): run-fuzzer-%: $(BUILD)/tests/fuzz/%
	@mkdir -p $(BUILD)/corpus/$* $(BUILD)/findings
	$< -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 $(FUZZ_FLAGS) \
		-dict=$(call dictionary,$*) -artifact_prefix=$(BUILD)/findings/$*- $(BUILD)/corpus/$* \
		$(wildcard tests/fuzz/seeds/$*)

.PHONY: bench
bench: ## measure time and memory
	scripts/bench

# ---- installing ----

lib := $(DESTDIR)$(LIBDIR)
include := $(DESTDIR)$(INCLUDEDIR)
# Outside of PATH, so that it stands in for pahole only where it is named.
pahole := $(LIBEXECDIR)/btfcanon/pahole
documents := README.md LICENSE $(sort $(wildcard LICENSES/* docs/*.md docs/*.json docs/*.svg))
examples := $(sort $(wildcard docs/examples/*.c))

# PLACE:FILE... for what is installed as it is.
man_of = $(MANDIR)/man$(patsubst .%,%,$(suffix $(1)))/$(notdir $(1)):$(1)
doc_of = $(DOCDIR)/$(notdir $(1)):$(1)
installed = $(foreach page,$(sort $(wildcard docs/man/*.[1-9])),$(call man_of,$(page))) \
	$(foreach document,$(documents),$(call doc_of,$(document))) \
	$(foreach example,$(examples),$(DOCDIR)/examples/$(notdir $(example)):$(example)) \
	$(BASH_COMPLETION_DIR)/btfcanon:completion/btfcanon \
	$(ZSH_COMPLETION_DIR)/_btfcanon:completion/_btfcanon \
	$(FISH_COMPLETION_DIR)/btfcanon.fish:completion/btfcanon.fish

# Folders below the prefix move with it.
fill_pc = -e 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|; s|@REQUIRES@|$(modules)|' \
	-e 's|@LIBDIR@|$(LIBDIR:$(PREFIX)/%=$${prefix}/%)|' \
	-e 's|@INCLUDEDIR@|$(INCLUDEDIR:$(PREFIX)/%=$${prefix}/%)|'

.PHONY: install
install: install-program install-library ## install under PREFIX (and DESTDIR)

.PHONY: install-program
install-program: $(PROGRAM)
	install -D -m 755 $(PROGRAM) $(DESTDIR)$(BINDIR)/btfcanon
	install -D -m 755 scripts/archive $(DESTDIR)$(BINDIR)/btfcanon-archive
	install -d $(DESTDIR)$(dir $(pahole))
	ln -sfnr $(DESTDIR)$(BINDIR)/btfcanon $(DESTDIR)$(pahole)
	set -e; for i in $(installed); do \
		install -D -m 644 "$${i#*:}" "$(DESTDIR)$${i%%:*}"; \
	done

.PHONY: install-library
install-library: lib ## install the library, its header and btfcanon.pc only
	install -d $(lib)/pkgconfig $(include)
	install -m 755 $(LIBRARY) $(lib)
	ln -sfn $(notdir $(LIBRARY)) $(lib)/libbtfcanon.so.$(ABI)
	ln -sfn libbtfcanon.so.$(ABI) $(lib)/libbtfcanon.so
	install -m 644 $(STATIC_LIBRARY) $(lib)
	install -m 644 src/lib/btfcanon.h $(include)
	sed $(fill_pc) src/lib/btfcanon.pc.in >$(lib)/pkgconfig/btfcanon.pc

.PHONY: uninstall
uninstall: ## remove what install put there
	rm -f $(addprefix $(DESTDIR),$(BINDIR)/btfcanon $(BINDIR)/btfcanon-archive \
		$(foreach i,$(installed),$(firstword $(subst :, ,$(i)))))
	rm -f $(include)/btfcanon.h $(lib)/libbtfcanon.* $(lib)/pkgconfig/btfcanon.pc
	rm -rf $(DESTDIR)$(DOCDIR) $(DESTDIR)$(dir $(pahole))

.PHONY: dist
dist: ## pack what is committed: build/btfcanon-VERSION.tar.gz
	@mkdir -p $(BUILD)
	git archive --prefix=btfcanon-$(VERSION)/ -o $(BUILD)/btfcanon-$(VERSION).tar.gz HEAD

.PHONY: clean
clean: ## remove what was built
	rm -rf $(BUILD) $(PROGRAM)

.PHONY: help
help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' Makefile | \
		while IFS='|' read -r name what; do printf '%-20s %s\n' "$$name" "$$what"; done
