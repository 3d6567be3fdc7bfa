/* Prints what is registered in the program it is linked into, in the order it is written: C and C++. */
#include <asif.h>
#include <stdio.h>

static void print(const struct asif_entry *e) {
  static const char *const kinds[] = {"object", "op", "init", "role", "bound", "type-stable"};
  printf("%d %s '%s' '%s'", e->line, kinds[e->kind], e->name, e->written);
  if (e->kind == ASIF_ENTRY_OP) printf(" signature %d", e->signature);
  for (int i = 0; i < e->in_count; i++) printf(" %ld..%ld", e->in[i].low, e->in[i].high);
  if (e->kind == ASIF_ENTRY_ROLE || e->kind == ASIF_ENTRY_BOUND) printf(" %ld", e->number);
  int functions = 0;
  while (functions < 8 && e->functions[functions]) functions++;
  if (functions) printf(" of %d", functions);
  printf("\n");
}

int main(void) {
  int last = -1;
  for (;;) {
    const struct asif_entry *next = NULL;
    for (const struct asif_entry *const *e = __start_asif_harness; e < __stop_asif_harness; e++)
      if ((*e)->place > last && (!next || (*e)->place < next->place)) next = *e;
    if (!next) return 0;
    print(next);
    last = next->place;
  }
}
