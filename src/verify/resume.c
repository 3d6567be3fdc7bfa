/* What a checkpoint is of: nothing may go on from it but the very same search. */
#include <string.h>

#include "base/hash.h"
#include "front/conflicts.h"
#include "verify/checkpoint.h"
#include "verify/verify.h"

enum { REMEMBERS = 1, REFERENCE_REMEMBERS = 2, NUMBERS = 4, ROOM_AT = 8 };

static uint64_t hash_files(const struct unit *u, uint64_t hash) {
  for (size_t i = 0; i < u->files.count; i++) {
    const struct source_file *f = &u->files.at[i];
    if (f->text && f->length) hash = hash_mix(hash) ^ hash_bytes(f->text, f->length);
  }
  return hash;
}

/* Of a file that is not of the unit: a specification on its own. */
static uint64_t hash_file(const char *path, uint64_t hash) {
  unsigned char block[4096];
  size_t n;
  FILE *f = path ? fopen(path, "rb") : NULL;
  while (f && (n = fread(block, 1, sizeof block, f)) > 0) hash = hash_mix(hash) ^ hash_bytes(block, n);
  if (f) fclose(f);
  return hash;
}

static void put_options(const struct verify_options *o, struct text *t) {
  text_printf(t, "%s", o->path);
  if (o->spec) text_printf(t, " --spec %s", o->spec);
  if (o->against) text_printf(t, " --against %s", o->against);
  text_printf(t, " --threads %u", o->threads);
  if (o->ops == OPS_FOREVER)
    text_add(t, " --ops forever");
  else
    text_printf(t, " --ops %u", o->ops);
  if (o->bound >= 0) text_printf(t, " --bound %lld", (long long)o->bound);
  if (o->recursion) text_printf(t, " --recursion %u", o->recursion);
  if (o->steps == STEPS_STATEMENT) text_add(t, " --steps statement");
  if (o->points) text_add(t, " --points");
  if (o->weak_fails) text_add(t, " --weak");
  if (o->malloc_fails) text_add(t, " --malloc-fails");
  if (o->leaks != LEAKS_IF_FREED) text_printf(t, " --leaks %s", o->leaks == LEAKS_YES ? "yes" : "no");
  if (!o->races) text_add(t, " --races no");
  if (o->volatiles) text_printf(t, " --volatile %s", volatile_order_name(o->volatiles));
  if (!o->search.deadlocks) text_add(t, " --no-deadlock");
  if (o->search.depth_first) text_add(t, " --search depth");
  if (o->search.reduce != REDUCE_BEST) text_printf(t, " --reduce %s", reduce_name(o->search.reduce));
  for (char *const *a = o->cc_args; a && *a; a++) text_printf(t, "%s %s", a == o->cc_args ? " --" : "", *a);
}

void subject_identify(struct subject *s, struct search_identity *id) {
  struct text t;
  text_open(&t, s->mem);
  put_options(s->options, &t);
  id->text = text_string(&t);
  id->source = hash_file(s->spec.source, hash_files(s->unit, 0));
  if (s->against.unit) id->source = hash_files(s->against.unit, id->source);
}

unsigned subject_flags(const struct subject *s) {
  return (s->machine_options.forget ? 0 : REMEMBERS) |
         (s->against.reference && !s->against.parts.forget ? REFERENCE_REMEMBERS : 0) |
         (s->unit->address_numbers ? NUMBERS : 0) | s->machine_options.room << ROOM_AT;
}

const char *subject_orders(const struct subject *s) {
  struct text t;
  text_open(&t, s->mem);
  if (s->program->conflicts) conflicts_print(s->program->conflicts, &t);
  return text_string(&t);
}

/* What the program was lowered with, when that was left. */
static bool take_orders(struct subject *s, const char *path, const char *orders, struct problem *why) {
  if (!*orders) return true;
  if (!s->program->conflicts || !conflicts_read(s->program->conflicts, orders)) {
    problem_set(why, "%s does not fit this search", path);
    return false;
  }
  return subject_again(s, why);
}

bool subject_resume(struct subject *s, const struct search_options *options, struct problem *why) {
  struct search_identity found;
  if (!checkpoint_fits(s->mem, options->resume, &options->identity, &found, why)) return false;
  if (!take_orders(s, options->resume, found.orders, why)) return false;
  if (found.flags & NUMBERS && !subject_number(s, why)) return false;
  if (found.flags >> ROOM_AT > ROOM_MOST)
    return problem_set(why, "%s does not fit this search", options->resume), false;
  if (found.flags >> ROOM_AT) subject_grow(s, found.flags >> ROOM_AT);
  if (found.flags & REMEMBERS) subject_remember(s);
  if (found.flags & REFERENCE_REMEMBERS && s->against.reference) against_remember(s);
  return true;
}
