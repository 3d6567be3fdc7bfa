# Asif. `make` builds build/asif; `make demo` shows it; `make test` tests it.
CC ?= cc
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
DESTDIR ?=
B ?= build
VERSION := 0.1

SANITIZE ?=
WERROR ?=
override CFLAGS_ALL = -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes $(if $(WERROR),-Werror) \
  -fvisibility=hidden -fPIC -Isrc -Iinclude -I$(B)/gen -DASIF_VERSION='"$(VERSION)"' $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all) \
  $(FEATURES) $(CFLAGS)
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

$(B)/asif: $(CMD_OBJ) $(LIB_OBJ)
	$(CC) $(CFLAGS) -rdynamic -o $@ $^ $(LDLIBS_ALL)

$(B)/asif-tests: $(TEST_OBJ) $(filter-out $(B)/src/cmd/main.o,$(CMD_OBJ)) $(LIB_OBJ)
	$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS_ALL)

# One object whose only global symbols are the public ones, so that internal names cannot clash with a user's.
$(B)/libasif.a: $(LIB_OBJ)
	$(LD) -r -o $(B)/libasif.o $^
	objcopy --localize-hidden $(B)/libasif.o
	rm -f $@
	$(AR) rcs $@ $(B)/libasif.o

$(B)/libasif.so: $(LIB_OBJ)
	$(CC) $(CFLAGS) -shared -Wl,-soname,libasif.so.0 -o $@ $^ $(LDLIBS_ALL)

$(B)/asif.pc: Makefile
	@mkdir -p $(@D)
	printf 'prefix=%s\nincludedir=$${prefix}/include\nlibdir=$${prefix}/lib\n\nName: asif\nDescription: checks the as-if rule of concurrent objects\nVersion: %s\nLibs: -L$${libdir} -lasif\nLibs.private: $(LIBS) -pthread -ldl -lm\nCflags: -I$${includedir}\n' '$(PREFIX)' '$(VERSION)' > $@

$(B)/embed: tools/embed.c
	@mkdir -p $(@D)
	$(CC) -O1 -o $@ $<

$(B)/gen/assets.c: $(B)/embed $(ASSETS)
	@mkdir -p $(@D)
	$(B)/embed $(ASSETS) > $@

$(B)/gen/assets.o: $(B)/gen/assets.c
	$(CC) $(CFLAGS_ALL) -c -o $@ $<

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

-include $(LIB_OBJ:.o=.d) $(CMD_OBJ:.o=.d) $(TEST_OBJ:.o=.d)

clean:
	rm -rf $(B)

.PHONY: all clean
