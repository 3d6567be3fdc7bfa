/* What is told of proofs and of failures: the words, and pictures and reports that are well formed. */
#include <string.h>

#include "prove/prove.h"
#include "report/report.h"
#include "test.h"
#include "well_formed.h"

struct telling {
  struct mem mem;
  struct prove_options options;
  struct proved proved;
  struct proof proof;
  struct check_result result;
  struct report report;
};

static void tell(struct telling *k, const char *path, enum prove_level level) {
  struct problem why;
  mem_open(&k->mem, NULL);
  k->options = (struct prove_options){.path = path, .level = level};
  CHECKF(prove(&k->mem, &k->options, &k->proved, &why), "%s: %s", path, why.text);
  prove_tell(&k->proved, &k->options, true, false, &k->mem, &k->proof);
  k->result = (struct check_result){.verdict = k->proved.verdict, .method = (char *)"", .culprit = UINT32_MAX};
  k->report = (struct report){
      .command = "prove", .spec = &k->proved.spec, .result = &k->result, .proof = &k->proof, .width = 100};
}

static void check_view(const struct proof_view *v) {
  CHECK(*v->memory && *v->knows);
  CHECKF(!strstr(v->memory, "yours"), "another thread's view is told: %s", v->memory);
  if (v->svg) CHECKF(well_formed_xml(v->svg), "a picture: %s", v->svg);
}

static void check_reports(const struct telling *k) {
  static void (*const makers[])(const struct report *, struct text *) = {report_text, report_json, report_junit,
                                                                         report_html};
  for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
    struct text t;
    text_open(&t, (struct mem *)&k->mem);
    makers[i](&k->report, &t);
    CHECK(t.count > 100 && valid_utf8(t.at, t.count));
    const char *end = makers[i] == report_json ? json_value(t.at) : "\n";
    CHECKF(end && !strcmp(end, "\n"), "%s", t.at);
    if (makers[i] == report_junit) CHECKF(well_formed_xml(t.at), "%s", t.at);
  }
}

static bool is_told(const struct proof *p, const char *change) {
  for (size_t i = 0; i < p->actions.count; i++)
    for (size_t c = 0; c < p->actions.at[i].changes.count; c++)
      if (!strcmp(p->actions.at[i].changes.at[c], change)) return true;
  return false;
}

/* Every view of the proof is told and drawn, and every action changes something. */
static void check_proof(const struct telling *k) {
  const struct proof *p = &k->proof;
  size_t views = 0;
  CHECK(p->proved && p->memory.count && p->actions.count && !p->sentence);
  for (size_t i = 0; i < p->memory.count; i++) check_view(&p->memory.at[i]), views++;
  for (size_t i = 0; i < p->at.count; i++) check_view(&p->at.at[i]), views += 1 + p->at.at[i].others;
  CHECKF(views == p->views, "%zu views are told, of %llu", views, (unsigned long long)p->views);
  for (size_t i = 0; i < p->actions.count; i++) CHECK(p->actions.at[i].changes.count && p->actions.at[i].step.line);
  check_reports(k);
}

TEST(prove_tell_stack) {
  struct telling k;
  tell(&k, "objects/treiber_stack.c", LEVEL_FULL);
  check_proof(&k);
  CHECK(k.proof.points.count == 2 && !k.proof.unmoved.count && k.proof.points.at[0].line == 35);
  CHECK(is_told(&k.proof, "top: n0 -> n {next n0}; contents: A -> n->val.A"));
  CHECK(is_told(&k.proof, "top: t -> next; contents: t->val.A -> A"));
  mem_close(&k.mem);
}

TEST(prove_tell_freed) {
  struct telling k;
  tell(&k, "objects/two_lock_queue.c", LEVEL_FULL);
  check_proof(&k);
  CHECK(is_told(&k.proof, "head: dummy -> next; dummy is taken out, to be freed; contents: v.A -> A"));
  CHECK(is_told(&k.proof, "head_lock: free -> mine") && is_told(&k.proof, "tail_lock: mine -> free"));
  mem_close(&k.mem);
}

/* What an atomic block took apart to look into is told as one again. */
TEST(prove_tell_atomic) {
  struct telling k;
  tell(&k, "objects/dcas_stack.c", LEVEL_FULL);
  check_proof(&k);
  CHECK(is_told(&k.proof, "top: t -> next; t is taken out, to be freed; contents: t->val.A -> A"));
  for (size_t i = 0; i < k.proof.actions.count; i++) CHECK(k.proof.actions.at[i].changes.count == 2);
  mem_close(&k.mem);
}

TEST(prove_tell_memory_safety) {
  struct telling k;
  tell(&k, "objects/ms_queue.c", LEVEL_MS);
  check_proof(&k);
  CHECK(!k.proof.points.count && !strcmp(k.proof.claim, "memory safe"));
  for (size_t i = 0; i < k.proof.actions.count; i++)
    for (size_t c = 0; c < k.proof.actions.at[i].changes.count; c++)
      CHECK(!strstr(k.proof.actions.at[i].changes.at[c], "contents"));
  mem_close(&k.mem);
}

TEST(prove_tell_failure) {
  struct telling k;
  tell(&k, "objects/bugs/b3_pop.c", LEVEL_FULL);
  const struct proof *p = &k.proof;
  CHECK(!p->proved && p->view && p->hint && strstr(p->sentence, "another result"));
  CHECK(p->where.line == 44 && !strcmp(p->where.operation, "pop"));
  check_view(p->view);
  CHECK(p->trail.count > 2 && !strcmp(p->trail.at[0].step.text, "is called"));
  bool other = false;
  for (size_t i = 0; i < p->trail.count; i++) other |= p->trail.at[i].other;
  CHECK(other);
  check_reports(&k);
  mem_close(&k.mem);
}

/* Nothing was proved yet, nothing failed: a limit came first. */
TEST(prove_tell_nothing) {
  struct telling k;
  mem_open(&k.mem, NULL);
  k.options = (struct prove_options){.path = "objects/ms_queue.c", .level = LEVEL_FULL};
  k.proved = (struct proved){.verdict = VERDICT_UNKNOWN};
  prove_tell(&k.proved, &k.options, true, false, &k.mem, &k.proof);
  k.result = (struct check_result){
      .verdict = VERDICT_UNKNOWN, .reason = (char *)"the time limit was reached", .culprit = UINT32_MAX};
  k.report = (struct report){.command = "prove", .result = &k.result, .proof = &k.proof, .width = 100};
  check_reports(&k);
  mem_close(&k.mem);
}
