#!/bin/bash
# asif prove depends on no name and on no order: identifiers renamed, fields reordered, fields that are never used before the others.
. tests/cli/common
has prove || exit 77
export ASIF_INCLUDE=$root/include
mkdir v || exit 1
variant() { # NAME SED-SCRIPT: of the six
  for object in treiber_stack ms_queue doherty_queue two_lock_queue dcas_stack ${ASIF_LONG:+lock_coupling_set}; do
    sed "$2" "$root/objects/$object.c" >"v/$object.c" || fail "$1: no sed script"
    cmp -s "v/$object.c" "$root/objects/$object.c" && fail "$1 changes nothing in $object"
    run 0 "$asif" prove "v/$object.c" --quiet --time-limit 100
    says 'verdict: linearizable (any number of threads'
  done
}
variant renamed "s/\\bval\\b/z1/g;s/\\bnext\\b/a2/g;s/struct node/struct z3/g;s/\\bhead\\b/b4/g;s/\\btail\\b/a4/g;s/\\btop\\b/z5/g;s/\\bprev\\b/c6/g;s/\\bcurr\\b/b6/g;s/\\blast\\b/z7/g;s/\\bdummy\\b/a7/g"
variant reordered '/^struct node {/,/^}/{/int val;/{h;d};s/^}/  int val;\n}/}'
variant 'an unused number' '/^struct node {/,/^}/s/^  int val;/  int unused;\n  int val;/'
variant 'an unused pointer' '/^struct node {/,/^}/s/^  int val;/  struct node *unused;\n  int val;/'
variant 'unused fields behind' '/^struct node {/,/^}/s/^}/  int unused;\n  struct node *other;\n}/'
