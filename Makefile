# Asif. `make` builds build/asif; `make demo` shows it; `make test` tests it; `make help` lists the rest.
CC ?= cc
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

LIB_SRC := $(filter-out src/cmd/%,$(wildcard src/*/*.c))
CMD_SRC := $(wildcard src/cmd/*.c)
TEST_SRC := $(wildcard tests/*.c)
ASSETS := $(wildcard src/report/assets/*)
LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o) $(B)/gen/assets.o
CMD_OBJ := $(CMD_SRC:%.c=$(B)/%.o)
TEST_OBJ := $(TEST_SRC:%.c=$(B)/%.o)

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
	$(CC) $(CFLAGS) -o $@ $(filter %.o,$^) $(LDLIBS_ALL)

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
	$(CC) -O1 -o $@ $<

$(B)/gen/assets.c: $(B)/embed $(ASSETS) $(B)/assets
	@mkdir -p $(@D)
	$(B)/embed $(ASSETS) > $@

$(B)/gen/assets.o: $(B)/gen/assets.c $(B)/flags
	$(CC) $(CFLAGS_ALL) -c -o $@ $<

$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

-include $(LIB_OBJ:.o=.d) $(CMD_OBJ:.o=.d) $(TEST_OBJ:.o=.d)

# Tests. Each build has a folder of its own, so that no two disturb each other; the last line is the sum of all.
submake = +$(MAKE) $(if $(findstring -j,$(MAKEFLAGS)),,-j$(JOBS))
run-tests: $(B)/asif $(B)/asif-tests
	$(B)/asif-tests --tally build/tally $(TESTFLAGS)

test:
	@rm -f build/tally
	$(submake) B=build/strict WERROR=1 run-tests
	@build/strict/asif-tests --sum build/tally

clean:
	rm -rf $(B)

.PHONY: all run-tests test clean
.DELETE_ON_ERROR:
