/* A k-FIFO queue: deq takes one of the k oldest values, and no value is overtaken more than k-1 times.
 *
 * C. M. Kirsch, M. Lippautz and H. Payer, Fast and Scalable, Lock-Free k-FIFO Queues (2013), the bounded-size one: a ring of
 * segments of k slots; enq puts its value in any slot of the last segment, deq takes one from the first. Linearizable
 * (specification: k-fifo(k)), empty exactly where nothing is inside; any number of threads. Values are any int but INT_MIN.
 *
 * enq may say full when the last segment has no room and the first still has values: up to (segments - 1) * k + 1 always fit.
 *
 * progress   lock-free
 * memory     a word a slot
 * time       up to k steps; threads meet at k slots, and not at one */
#ifndef ASIF_OBJECTS_K_FIFO_QUEUE_H
#define ASIF_OBJECTS_K_FIFO_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct k_fifo_queue;

struct k_fifo_queue *k_fifo_queue_create(uint32_t k, uint32_t segments); /* k from 1 to 2^19, segments 2 or more; else, or without memory, NULL */
void k_fifo_queue_destroy(struct k_fifo_queue *);                        /* NULL, or nobody uses it any more; values in it are gone */
bool k_fifo_queue_enq(struct k_fifo_queue *, int value);                 /* false: it was full, or the value is INT_MIN */
bool k_fifo_queue_deq(struct k_fifo_queue *, int *value);                /* false: it was empty */

#ifdef __cplusplus
}
#endif
#endif
