/* A register of several words: who reads gets what one write wrote, never parts of two.
 *
 * L. Lamport, Concurrent Reading and Writing (1977): the writer changes a version number before and after; a reader that sees two
 * different ones reads again. (It is also known as a sequence lock.) Writers take turns. Linearizable (specification: register,
 * of the words as one value); any number of threads.
 *
 * progress   writes block each other, and never wait for reads; a read waits for the write that is going on
 * memory     the words
 * time       of a read: as many steps as words, while nobody writes */
#ifndef ASIF_OBJECTS_LAMPORT_REGISTER_H
#define ASIF_OBJECTS_LAMPORT_REGISTER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lamport_register;

struct lamport_register *lamport_register_create(size_t words); /* 1 or more, all 0; else, or without memory, NULL */
void lamport_register_destroy(struct lamport_register *);       /* NULL, or nobody uses it any more */
void lamport_register_write(struct lamport_register *, const long *words);
void lamport_register_read(struct lamport_register *, long *words);

#ifdef __cplusplus
}
#endif
#endif
