/* Checkpoints: what a search has reached, in a file from which it goes on.
 *
 * States stand in it in the order they were met, each with where it came from, those that were expanded first; then the
 * sets of the other side (traces.h), whose numbers are part of the states. It can be read by any number of workers:
 * each state goes to whoever owns it now. */
#ifndef ASIF_VERIFY_CHECKPOINT_H
#define ASIF_VERIFY_CHECKPOINT_H

#include "verify/explore.h"

/* True if this is a checkpoint of such a search; *found has its flags and orders. Otherwise the problem says what is
 * different. */
bool checkpoint_fits(struct mem *, const char *path, const struct search_identity *, struct search_identity *found,
                     struct problem *);
/* Of the search as it stands, to options.checkpoint: no worker runs. Takes no memory. */
bool checkpoint_save(const struct explore *, struct problem *);
/* From options.resume. The workers are open and have no states yet. */
bool checkpoint_load(struct explore *, struct problem *);

#endif
