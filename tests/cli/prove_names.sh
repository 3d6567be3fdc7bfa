#!/bin/bash
# asif prove depends on no name and on no order: identifiers renamed, fields, functions and variables reordered, fields that are never used
# anywhere among the others.
. tests/cli/common
has prove || exit 77
export ASIF_INCLUDE=$root/include
mkdir v || exit 1
six="treiber_stack ms_queue doherty_queue two_lock_queue dcas_stack ${ASIF_LONG:+lock_coupling_set}"
variant() { # NAME SED-SCRIPT [OBJECT]...: of the six
  what=$1 how=$2
  shift 2
  for object in ${*:-$six}; do
    sed "$how" "$root/objects/$object.c" >"v/$object.c" || fail "$what: no sed script"
    cmp -s "v/$object.c" "$root/objects/$object.c" && fail "$what changes nothing in $object"
    run 0 "$asif" prove "v/$object.c" --quiet --time-limit 100
    says 'verdict: linearizable (any number of threads'
  done
}
variant renamed "s/\\bval\\b/z1/g;s/\\bnext\\b/a2/g;s/struct node/struct z3/g;s/\\bhead\\b/b4/g;s/\\btail\\b/a4/g;s/\\btop\\b/z5/g;s/\\bprev\\b/c6/g;s/\\bcurr\\b/b6/g;s/\\blast\\b/z7/g;s/\\bdummy\\b/a7/g"
variant reordered '/^struct node {/,/^}/{/int val;/{h;d};s/^}/  int val;\n}/}'
variant 'an unused number' '/^struct node {/,/^}/s/^  int val;/  int unused;\n  int val;/'
variant 'an unused pointer' '/^struct node {/,/^}/s/^  int val;/  struct node *unused;\n  int val;/'
variant 'unused fields behind' '/^struct node {/,/^}/s/^}/  int unused;\n  struct node *other;\n}/'
# In every position of the node.
fields='/^struct node {/,/^}/'
for unused in 'int unused;' 'struct node *unused;'; do
  variant "first: $unused" "$fields{/^struct node {/a\\  $unused
}"
  variant "before next: $unused" "$fields{/next;/i\\  $unused
}"
  variant "last: $unused" "$fields{/next;/a\\  $unused
}"
done

# Variables of file scope, and local ones.
variant 'globals reordered' 's/) head, tail;/) tail, head;/;s/ \*head, \*tail;/ *tail, *head;/' ms_queue doherty_queue two_lock_queue
variant 'another global first' '/^struct node {/i\static int unused_number;'
variant 'locals reordered' 's/ \*t = atomic_load(&top), \*next;/ *next, *t = atomic_load(\&top);/;s/ \*n = malloc(sizeof \*n), \*t;/ *t, *n = malloc(sizeof *n);/' \
  treiber_stack ms_queue
variant 'more locals' 's/^  struct node \*n = malloc/  int unused_local = v;\n  (void)unused_local;\n&/' treiber_stack ms_queue two_lock_queue dcas_stack

# Functions the other way round, all declared before. A paragraph is a function if it has its first line.
for object in $six; do
  awk -v RS= '
    function is_function(p) { return p ~ /(^|\n)static [^\n]*\) \{/ && p !~ /(^|\n)#(ifndef|ifdef) [A-Z_]*\n(#define|static)/ }
    { paragraph[NR] = $0 }
    END {
      for (i = 1; i <= NR; i++)
        if (is_function(paragraph[i])) {
          line = paragraph[i]
          sub(/^.*\nstatic /, "static ", line)
          sub(/\) \{.*/, ");", line)
          declared = declared line "\n"
          list[++count] = paragraph[i]
        }
      for (i = 1; i <= NR; i++)
        if (!is_function(paragraph[i])) print paragraph[i] "\n"
        else {
          if (!placed++) { print declared; for (k = count; k > 0; k--) print list[k] "\n" }
        }
    }' "$root/objects/$object.c" >"v/$object.c"
  [ "$(grep -c '^static.*) {' "v/$object.c")" = "$(grep -c '^static.*) {' "$root/objects/$object.c")" ] || fail "$object: functions are lost"
  cmp -s "v/$object.c" "$root/objects/$object.c" && fail "nothing changes in $object"
  run 0 "$asif" prove "v/$object.c" --quiet --time-limit 100
  says 'verdict: linearizable (any number of threads'
done
