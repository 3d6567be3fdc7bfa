#!/bin/bash
# Specifications are told apart by their traits (enum spec_family and its neighbours), which src/spec alone sets: no
# source outside it compares a specification's name, or has a table of them.
. tests/cli/common
cd "$root" || exit 1
names=$(sed -n 's/.*\.name = "\([a-z-]*\)",.*/\1/p' src/spec/*.c | sort -u | paste -sd'|')
case $names in *'|queue|'*'|stack|'*) ;; *) fail "the names of the specifications were not found: $names" ;; esac
compare='\b(strn?cmp|strn?casecmp|strstr|memcmp|same_name|in_words)\('
sources=$(find src -name '*.[ch]' ! -path 'src/spec/*')
# A comparison with some specification's name, or with a literal that is one; two such literals on a line are a table.
found=$(grep -nE "$compare[^;]*\b(spec|specs\[[^]]*\]|judge)(\.|->)name\b|$compare[^;]*\"($names)\"|\"($names)\".*\"($names)\"" \
  $sources | grep -v -e 'family_names\[\] =' -e '^src/test/assembly.c:' -e '^src/front/pp_directive.c:' -e '^src/init/names.c:.*any_name(') # names of formulas; an
# instruction's prefix; #pragma once; words of the user's own header
[ -z "$found" ] || fail "a specification's name is compared outside src/spec: $found"
# The pattern does find them.
echo 'bool b = !strcmp(p->spec->name, "queue") || strstr(g->spec->name, "priority");' >"$scratch/bad.c"
grep -qE "$compare[^;]*\b(spec|specs\[[^]]*\]|judge)(\.|->)name\b" "$scratch/bad.c" || fail 'the pattern finds nothing'
exit 0
