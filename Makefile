# Asif. `make` builds build/asif; `make demo` shows it; `make test` tests it; `make help` lists the rest.
CC ?= cc
# Of what runs while building: another one where CC compiles for another machine.
BUILD_CC ?= $(CC)
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
DESTDIR ?=
B ?= build
VERSION := 0.1
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
MAKEFLAGS += --no-builtin-rules --no-print-directory

SANITIZE ?=
WERROR ?=
override CFLAGS_ALL = -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes $(if $(WERROR),-Werror) \
  -fvisibility=hidden -fPIC -pthread -Isrc -Iinclude -I$(B)/gen -DASIF_VERSION='"$(VERSION)"' \
  $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer) $(FEATURES) $(CFLAGS)
# gcc says by these names what it instruments for; clang is made to.
FEATURES += $(if $(findstring address,$(SANITIZE)),-D__SANITIZE_ADDRESS__=1) $(if $(findstring thread,$(SANITIZE)),-D__SANITIZE_THREAD__=1) $(if $(SANITIZE),-DASIF_CHECKED=1)
LDLIBS_ALL = -pthread -ldl -lm $(if $(SANITIZE),-fsanitize=$(SANITIZE)) $(LIBS)

# Optional libraries, used where the compiler finds them.
have = $(shell printf '\043include <$(1)>\nint main(void){return 0;}' | $(CC) -x c - $(2) -o /dev/null 2>/dev/null && echo yes)
ifeq ($(call have,zlib.h,-lz),yes)
FEATURES += -DHAVE_ZLIB
LIBS += -lz
endif
ifeq ($(call have,zstd.h,-lzstd),yes)
FEATURES += -DHAVE_ZSTD
LIBS += -lzstd
endif
# Only its headers: asif test loads it when it needs it.
LIBDW ?= $(call have,elfutils/libdw.h,)
ifeq ($(LIBDW),yes)
FEATURES += -DHAVE_LIBDW
endif

# The runtime under `asif test` is the program's, not the library's: it has functions in the place of the C library's.
RUN_SRC := $(wildcard src/run/*.c src/test/*.c)
LIB_SRC := $(filter-out src/cmd/% src/init/% src/drive/% $(RUN_SRC),$(wildcard src/*/*.c))
CMD_SRC := $(wildcard src/cmd/*.c src/init/*.c src/drive/*.c)
TESTS ?= $(wildcard tests/test_*.c)
TEST_SRC := $(filter-out tests/test_%,$(wildcard tests/*.c)) $(TESTS)
ASSETS := $(wildcard src/report/assets/* src/front/model/*.h) src/test/stress_area.h src/test/stress_child.c src/test/support/stress_support.c \
  $(B)/gen/predefined.txt
LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o) $(B)/gen/assets.o
CMD_OBJ := $(CMD_SRC:%.c=$(B)/%.o) $(RUN_SRC:%.c=$(B)/%.o)
TEST_OBJ := $(TEST_SRC:%.c=$(B)/%.o) $(B)/tests/fuzz/fuzz_read.o

# A hook finds its return address in its own frame there, which must last until it returns (src/run/spin.c).
ifneq ($(findstring aarch64,$(shell $(CC) -dumpmachine)),)
$(filter $(B)/src/run/%,$(CMD_OBJ)): FRAMES = -fno-optimize-sibling-calls
endif

all: $(B)/asif $(B)/libasif.a $(B)/libasif.so $(B)/asif.pc

# What was built with other flags, or from other files, is built again: each stamp changes only when its text does.
stamp = $(if $(filter clean help,$(MAKECMDGOALS)),,$(shell mkdir -p $(B))$(if $(call differ,$(strip $(file <$(B)/$(1))),$(strip $(2))),$(file >$(B)/$(1),$(2))))
differ = $(or $(subst $(1),,$(2)),$(subst $(2),,$(1)))
$(call stamp,flags,$(CC) $(CFLAGS_ALL))
$(call stamp,objects,$(CC) $(LDLIBS_ALL) $(LIB_OBJ) $(CMD_OBJ) $(TEST_OBJ))
$(call stamp,assets,assets $(ASSETS))
$(B)/flags $(B)/objects $(B)/assets: ;

$(B)/asif: $(CMD_OBJ) $(LIB_OBJ) $(B)/objects
	$(CC) $(CFLAGS) -rdynamic -o $@ $(filter %.o,$^) $(LDLIBS_ALL)

$(B)/asif-tests: $(TEST_OBJ) $(filter-out $(B)/src/cmd/main.o,$(CMD_OBJ)) $(LIB_OBJ) $(B)/objects
	$(CC) $(CFLAGS) -rdynamic -o $@ $(filter %.o,$^) $(LDLIBS_ALL)

# One object whose only global symbols are the public ones, so that internal names cannot clash with a user's.
$(B)/libasif.a: $(LIB_OBJ) $(B)/objects
	$(LD) -r -o $(B)/libasif.o $(filter %.o,$^)
	objcopy --localize-hidden $(B)/libasif.o
	rm -f $@
	$(AR) rcs $@ $(B)/libasif.o

$(B)/libasif.so: $(LIB_OBJ) $(B)/objects
	$(CC) $(CFLAGS) -shared -Wl,-soname,libasif.so.0 -o $@ $(filter %.o,$^) $(LDLIBS_ALL)

$(B)/asif.pc: Makefile
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(PREFIX)' 'includedir=$${prefix}/include' 'libdir=$${prefix}/lib' '' 'Name: asif' \
	  'Description: checks the as-if rule of concurrent objects' 'Version: $(VERSION)' 'Libs: -L$${libdir} -lasif' \
	  'Libs.private: $(LIBS) -pthread -ldl -lm' 'Cflags: -I$${includedir}' > $@

$(B)/embed: tools/embed.c
	@mkdir -p $(@D)
	$(BUILD_CC) -O1 -o $@ $<

# What the compiler knows by itself, of each standard: `asif verify` preprocesses as that compiler does.
$(B)/gen/predefined.txt: $(B)/flags tools/predefined
	@mkdir -p $(@D)
	tools/predefined '$(CC)' > $@

$(B)/gen/assets.c: $(B)/embed $(ASSETS) $(B)/assets
	@mkdir -p $(@D)
	$(B)/embed $(ASSETS) > $@

$(B)/gen/assets.o: $(B)/gen/assets.c $(B)/flags
	$(CC) $(CFLAGS_ALL) -c -o $@ $<

$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) $(FRAMES) -MMD -MP -c -o $@ $<

-include $(LIB_OBJ:.o=.d) $(CMD_OBJ:.o=.d) $(TEST_OBJ:.o=.d)

# Manual pages and shell completion come out of the program itself.
COMMANDS = $(shell $(B)/asif completion fish | sed -n 's/.*__fish_use_subcommand -a \([a-z+]*\) .*/\1/p')
$(B)/man/asif.1: $(B)/asif
	@mkdir -p $(@D)
	@rm -f $(@D)/*.1
	@for c in $(COMMANDS); do $(B)/asif man $$c > $(@D)/asif-$$c.1 || exit 1; done
	$(B)/asif man > $@

bin = $(DESTDIR)$(PREFIX)/bin
lib = $(DESTDIR)$(PREFIX)/lib
inc = $(DESTDIR)$(PREFIX)/include
share = $(DESTDIR)$(PREFIX)/share
bash_completion = $(share)/bash-completion/completions
zsh_completion = $(share)/zsh/site-functions
fish_completion = $(share)/fish/vendor_completions.d
HEADERS = $(wildcard include/*.h)

install: all $(B)/man/asif.1
	install -d $(bin) $(lib)/pkgconfig $(inc) $(share)/man/man1 $(bash_completion) $(zsh_completion) $(fish_completion)
	install -m 755 $(B)/asif $(bin)/asif
	ln -sf asif $(bin)/asif-cc
	ln -sf asif $(bin)/asif-c++
	install -m 644 $(B)/libasif.a $(lib)/libasif.a
	install -m 755 $(B)/libasif.so $(lib)/libasif.so.0
	ln -sf libasif.so.0 $(lib)/libasif.so
	$(if $(HEADERS),install -m 644 $(HEADERS) $(inc)/)
	sed 's|^prefix=.*|prefix=$(PREFIX)|' $(B)/asif.pc > $(lib)/pkgconfig/asif.pc
	install -m 644 $(B)/man/*.1 $(share)/man/man1/
	$(B)/asif completion bash > $(bash_completion)/asif
	$(B)/asif completion zsh > $(zsh_completion)/_asif
	$(B)/asif completion fish > $(fish_completion)/asif.fish

uninstall:
	rm -f $(bin)/asif $(bin)/asif-cc $(bin)/asif-c++ $(lib)/libasif.a $(lib)/libasif.so.0 $(lib)/libasif.so $(HEADERS:include/%=$(inc)/%) \
	  $(lib)/pkgconfig/asif.pc $(share)/man/man1/asif.1 $(share)/man/man1/asif-*.1 $(bash_completion)/asif \
	  $(zsh_completion)/_asif $(fish_completion)/asif.fish

# The objects as a library on its own, libasif-objects: for who wants a queue and not a checker.
OBJECTS_OBJ := $(patsubst objects/lib/%.c,$(B)/libasif-objects/%.o,$(wildcard objects/lib/*.c))
OBJECTS_HEADERS := $(wildcard objects/lib/*.h)
all: libasif-objects
libasif-objects: $(B)/libasif-objects.a $(B)/libasif-objects.so
$(B)/libasif-objects/%.o: objects/lib/%.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -fvisibility=default -MMD -MP -c -o $@ $<
$(B)/libasif-objects.a: $(OBJECTS_OBJ)
	rm -f $@
	$(AR) rcs $@ $^
$(B)/libasif-objects.so: $(OBJECTS_OBJ)
	$(CC) $(CFLAGS) -shared -Wl,-soname,libasif-objects.so.0 -o $@ $^ -pthread $(if $(SANITIZE),-fsanitize=$(SANITIZE))
-include $(OBJECTS_OBJ:.o=.d)
install: install-objects
install-objects: libasif-objects
	install -d $(lib) $(inc)/asif/objects
	install -m 644 $(B)/libasif-objects.a $(lib)/libasif-objects.a
	install -m 755 $(B)/libasif-objects.so $(lib)/libasif-objects.so.0
	ln -sf libasif-objects.so.0 $(lib)/libasif-objects.so
	install -m 644 $(OBJECTS_HEADERS) $(inc)/asif/objects/
uninstall: uninstall-objects
uninstall-objects:
	rm -f $(lib)/libasif-objects.a $(lib)/libasif-objects.so.0 $(lib)/libasif-objects.so \
	  $(OBJECTS_HEADERS:objects/lib/%=$(inc)/asif/objects/%)
.PHONY: libasif-objects install-objects uninstall-objects

# What it looks like.
demo:
	@tools/deps build || echo 'going on without' >&2
	@$(MAKE) -j$(JOBS) -s all
	@tools/demo $(B)

# Tests. Each build has a folder of its own, so that no two disturb each other; the last line is the sum of all.
#   strict  everything, warnings as errors
#   asan    the unit tests under the address and undefined sanitizers, by the other compiler if it is there, warnings as errors
#   tsan    the tests of the program's own threads (names with "threads") under the thread sanitizer
# The fuzzers are compiled, too, so that they stay as what they feed.
run-tests: all $(B)/asif-tests $(patsubst %.c,$(B)/%.o,$(wildcard tests/fuzz/*.c))
	$(FEWER) ASIF_WERROR=$(WERROR) CC='$(CC)' $(B)/asif-tests $(TALLY:%=--tally %) $(TESTFLAGS)

submake = $(MAKE) -j$(JOBS) -s
suite = echo '== $(1)' | tee -a $(B)/tally; $(submake) B=$(B)/$(1) TALLY=$(B)/tally $(2) run-tests || echo failed >> $(B)/tally
# Found by the shell, when tools/deps has installed it.
OTHER_CC ?= $$(echo 'int main(void){return 0;}' | clang -x c - -fsanitize=address,undefined -o /dev/null 2>/dev/null && echo clang || echo $(CC))
test:
	@tools/deps test || echo 'going on without' >&2
	@mkdir -p $(B) && rm -f $(B)/tally
	@$(call suite,strict,WERROR=1)
	@$(call suite,asan,CC=$(OTHER_CC) WERROR=1 SANITIZE=address$(comma)undefined CFLAGS='-O1 -g' TESTFLAGS=--no-cli FEWER='$(call fewer,3000,80)')
	@$(call suite,tsan,SANITIZE=thread CFLAGS='-O1 -g' TESTS='$(shell grep -l ^TEST.*threads tests/*.c)' TESTFLAGS='--no-cli --some threads')
	@$(B)/strict/asif-tests --sum $(B)/tally
comma = ,
# The numbers of random cases, where the strict build has run them all.
fewer = ASIF_TEST_HISTORIES=$(1) ASIF_TEST_OBJECTS=$(2)

# The tests that take longer: the same ones, every method against brute force on 200,000 histories of each
# specification, more histories from the generator, and 20,000 random objects.
test-long: export ASIF_LONG = 1
test-long: export ASIF_TEST_HISTORIES = 200000
test-long: export ASIF_TEST_OBJECTS = 20000
test-long:
	@tools/deps test packages || echo 'going on without' >&2
	@mkdir -p $(B) && rm -f $(B)/tally
	@$(call suite,strict,WERROR=1 TESTFLAGS='-t 7200')
	@$(B)/strict/asif-tests --sum $(B)/tally

# Random programs, compiled and under asif verify: CSMITH_PROGRAMS from CSMITH_SEED on.
CSMITH_PROGRAMS ?= 1000
CSMITH_SEED ?= 1
test-csmith: all
	@tools/deps csmith || echo 'going on without' >&2
	tests/csmith.sh $(B)/asif $(CSMITH_PROGRAMS) $(CSMITH_SEED)

# Objects of Debian's packages and of other libraries.
test-packages: export ASIF_LONG = 1
test-packages: export ASIF_FIGURES = $(abspath $(B))/packages.txt
test-packages: all $(B)/asif-tests
	@tools/deps packages || echo 'going on without' >&2
	@rm -f $(ASIF_FIGURES)
	@$(B)/asif-tests -t 7200 test_packages verify_packages

# Inline assembly of aarch64; on another machine with a cross compiler, in an emulator.
test-aarch64: export ASIF_LONG = 1
test-aarch64: all $(B)/asif-tests
	@tools/deps aarch64 || echo 'going on without' >&2
	@$(B)/asif-tests -t 7200 test_aarch64

# `asif check` against the reference in Python, tests/reference.py.
REFERENCE_HISTORIES ?= 1000000
test-reference: all
	@python3 tests/reference.py $(B)/asif $(REFERENCE_HISTORIES)

SOAK_SECONDS ?= 3600
STORES_SECONDS ?= 20
# Real servers under asif drive, each set up as it should be and as it should not.
test-stores: $(B)/asif
	@tools/deps stores
	@tests/stores.sh $(B)/asif $(STORES_SECONDS) $(STORES)

soak: all
	@tests/soak.sh $(B)/asif $(SOAK_SECONDS)

# The layout of the sources; `tools/format` mends what this finds.
format-check:
	@tools/format --check

# The HTML page in a real browser.
test-browser:
	@tools/deps browser
	@$(submake) all
	@tests/browser/run $(B)

# Fuzzing: every tests/fuzz/fuzz_*.c for FUZZ_SECONDS.
FUZZ_SECONDS ?= 60
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
fuzz:
	@tools/deps fuzz
	@$(submake) B=build/fuzz CC=clang SANITIZE=fuzzer-no-link,address,undefined CFLAGS='-O1 -g' fuzz-run
fuzz-run: $(FUZZ_SRC:tests/fuzz/%.c=$(B)/%)
	@for f in $^; do n=$${f##*/}; mkdir -p $(B)/corpus/$$n; echo "== $$n"; \
	  $$f -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 -artifact_prefix=$(B)/ $(B)/corpus/$$n \
	  $$(ls -d $$(test $$n = fuzz_read && echo tests/fuzz/corpus tests/histories || echo tests/fuzz/corpus-$${n#fuzz_})) || exit 1; done
$(B)/fuzz_%: $(B)/tests/fuzz/fuzz_%.o $(filter-out $(B)/src/cmd/main.o,$(CMD_OBJ)) $(LIB_OBJ)
	$(CC) $(CFLAGS) -fsanitize=fuzzer,address,undefined -o $@ $(filter %.o,$^) -pthread -ldl -lm $(LIBS)

# Benchmarks: each writes bench/results/NAME.tsv and says which bars it clears. bench-ends takes hours, and is not in bench.
bench:
	@failed=0; for b in check stores verify test finds weak approx prove; do $(MAKE) bench-$$b || failed=1; done; exit $$failed
bench-check: $(B)/asif $(B)/bench
	$(B)/bench $(B) $(BENCHFLAGS)
bench-verify: $(B)/asif $(B)/bench-verify
	@tools/deps bench || echo 'going on without' >&2
	$(B)/bench-verify $(B) $(BENCHFLAGS)
bench-test: $(B)/asif $(B)/bench-test
	@tools/deps packages || echo 'going on without' >&2
	$(B)/bench-test $(B) $(BENCHFLAGS)
bench-finds: $(B)/asif $(B)/bench-finds
	$(B)/bench-finds $(B) $(BENCHFLAGS)
bench-ends: $(B)/asif $(B)/bench-ends
	$(B)/bench-ends $(B) $(BENCHFLAGS)
bench-weak: $(B)/asif $(B)/bench-weak
	$(B)/bench-weak $(B) $(BENCHFLAGS)
# STORES names a folder of histories that were recorded from real stores, if there is one.
bench-stores: $(B)/asif $(B)/bench-stores
	$(B)/bench-stores $(B) $(BENCHFLAGS)
bench-prove: $(B)/asif $(B)/bench-prove
	$(B)/bench-prove $(B) $(BENCHFLAGS)
bench-approx: $(B)/asif $(B)/bench-approx $(B)/bench-monitor
	$(B)/bench-approx $(B) $(BENCHFLAGS)
$(B)/bench: bench/bench.c
$(B)/bench-verify: bench/verify.c
$(B)/bench-test: bench/test.c
$(B)/bench-finds: bench/finds.c
$(B)/bench-ends: bench/ends.c
$(B)/bench-prove: bench/prove.c
$(B)/bench-weak: bench/weak.c
$(B)/bench-stores: bench/stores.c
$(B)/bench $(B)/bench-verify $(B)/bench-test $(B)/bench-finds $(B)/bench-ends $(B)/bench-prove $(B)/bench-weak $(B)/bench-stores: bench/common.c bench/common.h $(B)/flags
	$(CC) $(CFLAGS_ALL) -o $@ $(filter %.c,$^) -lm
# It runs code under the scheduler itself, so it is made of what asif is.
BENCH_APPROX_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard bench/approx*.c) bench/plot.c bench/common.c)
$(B)/bench-approx: $(BENCH_APPROX_OBJ) $(filter-out $(B)/src/cmd/main.o,$(CMD_OBJ)) $(LIB_OBJ) $(B)/objects
	$(CC) $(CFLAGS) -rdynamic -o $@ $(filter %.o,$^) $(LDLIBS_ALL)
-include $(BENCH_APPROX_OBJ:.o=.d)
$(B)/bench-monitor: bench/monitor.c $(B)/libasif.a $(B)/libasif-objects.a $(B)/flags
	$(CC) $(CFLAGS_ALL) -o $@ $< $(B)/libasif-objects.a $(B)/libasif.a $(LDLIBS_ALL)

help:
	@echo 'make            build build/asif, libasif'
	@echo 'make demo       check, test, verify and prove examples, and draw them'
	@echo 'make test       run all tests, with sanitizers and both compilers'
	@echo 'make test-long  run the long tests too'
	@echo 'make test-packages  objects of Debian packages'
	@echo 'make test-csmith  random programs under asif verify (CSMITH_PROGRAMS=1000), needs csmith'
	@echo 'make test-aarch64  inline assembly of aarch64, in an emulator'
	@echo 'make test-reference  asif check against a second reference, a million histories a specification'
	@echo 'make format-check  is the layout that of .clang-format?'
	@echo 'make test-browser  the HTML page, used in a real browser'
	@echo 'make test-stores  Redis, etcd, PostgreSQL and memcached under asif drive (STORES_SECONDS=20 each; STORES=etcd: those alone)'
	@echo 'make soak       the objects that are right under asif test for an hour (SOAK_SECONDS=3600)'
	@echo 'make fuzz       fuzz the readers (FUZZ_SECONDS=60 each)'
	@echo 'make bench      measure, write bench/results'
	@echo 'make install    install under PREFIX=/usr/local, below DESTDIR; make uninstall'
	@echo 'make clean'

clean:
	rm -rf $(B)

.PHONY: all install uninstall demo run-tests test test-long test-packages test-stores test-csmith test-aarch64 test-reference format-check soak test-browser fuzz fuzz-run bench bench-check bench-verify bench-test bench-finds bench-ends bench-weak bench-stores bench-approx bench-prove help clean
.SECONDARY:
.DELETE_ON_ERROR:
