/* Atomic accesses and fences as places in the source, and what becomes of the clients with other memory orders there:
 * what repairs a violation (fix.c), and what could be weaker (relax.c). */
#ifndef ASIF_TEST_SITES_H
#define ASIF_TEST_SITES_H

#include "test/tell.h"
#include "test/test.h"

/* A site: accesses of one kind and order in one place. A function that is inlined has them at several addresses. */
struct site {
  const char *file; /* as it is shown */
  uint32_t line;    /* 0: not known; file: an address then */
  uint32_t column;  /* 0: not known: all in the line */
  enum site_kind kind;
  int order, failed; /* as written: __ATOMIC_* */
  bool fails;        /* one that exchanges was seen to fail */
  bool varies;       /* an order that is computed: nothing is changed */
  VEC(uintptr_t) pcs;
};

/* What is another at a site. */
enum site_part { PART_ORDER, PART_FAILED, PART_BEFORE, PART_AFTER }; /* BEFORE, AFTER: a fence of this order */
struct site_change {
  uint32_t site;
  enum site_part part;
  int order;
};

struct sites {
  struct mem *mem;
  struct image *image;
  const char *object;     /* the shared object */
  struct run_sites *seen; /* shared by processes */
  VEC(struct site) at;
  VEC(uintptr_t) known;    /* that are in `at` */
  struct debug_info *info; /* or NULL */
};
bool sites_open(struct sites *, struct mem *, struct image *, const char *object); /* false: no memory */
void sites_close(struct sites *);
/* Takes over what was met since. True if there was anything new. Numbers of sites stay. */
bool sites_refresh(struct sites *);
const char *site_order_word(int order);
const char *site_kind_word(const struct site *); /* "load", "compare-and-exchange" */
/* Of several of a kind in one line: "second "; else "". */
const char *site_number_word(const struct sites *, uint32_t site);
/* The clients with these changes. They last as long as `m`. */
void sites_run_options(const struct sites *, struct mem *m, const struct site_change *, size_t count,
                       struct run_options *);

/* All that a trial needs. */
struct trying {
  struct mem *mem;
  struct image *image;
  const struct object *object;
  const struct client_source *clients; /* that were searched */
  const struct search_options *search;
  struct sites *sites;
  struct limits limits;                                       /* of all trials together */
  void (*progress)(const char *how, size_t done, size_t all); /* of sites that could be weaker; or NULL */
  double cpu_seconds;                                         /* that they took */
  long peak_kb;
};
/* How a trial is searched: in full, whatever was asked for. */
struct search_options sites_options(const struct trying *, unsigned jobs);
enum trial { TRIAL_GOOD, TRIAL_BAD, TRIAL_OPEN }; /* OPEN: not known */
/* Explores the clients of a source with these changes, by so many processes; run again if it comes to code of the sites
 * that it had not seen. Findings are of `m`. */
enum trial sites_try(struct trying *, struct mem *m, const struct client_source *, const struct site_change *,
                     size_t count, unsigned jobs, struct searched *);

/* What repairs a violation (fix.c). */
enum { FIX_MOST = 3, FIX_CHANGES = 16 };
struct fix {
  enum fix_outcome {
    FIX_FOUND,
    FIX_NONE,   /* none of so few sites, */
    FIX_HIDDEN, /* ... but of some it is not known what is there */
    FIX_NEVER,  /* not even with every order seq_cst, and fences everywhere */
    FIX_NO_TIME /* not known */
  } outcome;
  struct site_change changes[FIX_CHANGES];
  size_t count;
  bool larger;             /* no set of FIX_MOST does: this is one of which nothing can be left out */
  uint64_t executions;     /* of the client */
  uint64_t clients, whole; /* whole: executions of all that many clients; 0: they were not all explored */
  bool no_time;            /* ... for lack of time */
  enum found still;        /* ... in one of them this is wrong all the same: */
  struct client other;
  double seconds;
  struct model_tried {
    enum memory_model model;
    enum trial trial;
    enum found found;
    uint64_t runs;
  } models[MEMORY_C11 + 1]; /* the same client under each other model */
  size_t model_count;
};
void fix_find(struct trying *, const struct finding *, struct fix *);

/* What could be weaker (relax.c). */
struct relaxed_site {
  uint32_t site;
  enum site_part part;   /* ORDER or FAILED */
  int now, alone, joint; /* the weakest order with which all clients pass: alone, and all of them together; -1: not
                          * known. Of a fence, relaxed: none */
};
struct relaxed {
  VEC(struct relaxed_site) at;
  bool complete;       /* all was tried */
  bool held;           /* all that is in `joint` was run together */
  uint64_t executions; /* ... so many */
  uint64_t trials;
};
void relax_find(struct trying *, struct relaxed *);

#endif
