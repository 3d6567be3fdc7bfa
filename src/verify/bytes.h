/* Memory as bytes: where a program casts pointers, has unions or bit-fields (program.loose).
 *
 * Objects are made of cells here as everywhere, so that their states are small. A pointer is moved by bytes, and an
 * access whose bytes are those of a cell is one to that cell. Any other is composed of the cells that it covers; what
 * it stores is put together with what it leaves of them. Where the result is no word (half of a pointer and half of a
 * number) the object is *dissolved*: from then on its cells are its bytes. */
#ifndef ASIF_VERIFY_BYTES_H
#define ASIF_VERIFY_BYTES_H

#include "front/words.h"
#include "verify/machine_parts.h"

/* The size that the object has. */
uint32_t object_size(const struct machine *, const struct object *);
/* What divides its address. */
uint32_t object_align(const struct machine *, const struct object *);
/* How many bytes the address is from where its object begins. */
int64_t address_byte(const struct machine *, const struct machine_state *, word);
/* The address of a byte of an object. False: it is too far away. */
bool address_at(const struct machine *, const struct machine_state *, uint32_t object, int64_t byte, word *out);

/* A scalar of so many bytes (size 0: a mutex). */
enum fault bytes_load(const struct machine *, const struct machine_state *, uint32_t object, int64_t byte,
                      unsigned size, struct scalar, word *out);
/* FAULT_DISSOLVE: first the object must be. */
enum fault bytes_store(const struct machine *, struct machine_state *, uint32_t object, int64_t byte, unsigned size,
                       word);
/* A cell's word as one of this type; a word as the cell has it. */
enum fault bytes_loaded(const struct machine *, struct scalar, word cell, word *out);
word bytes_stored(const struct machine *, const struct machine_state *, uint32_t object, uint32_t cell, word);
/* Is there a cell of exactly these bytes? */
bool bytes_are_cell(const struct machine *, const struct machine_state *, uint32_t object, int64_t byte, unsigned size);
/* Words outside the state that may point to the object: three lists. False: there is no room, or what it holds has no
 * bytes. */
bool bytes_dissolve(const struct machine *, struct machine_state *, uint32_t object, word *, unsigned, word *, unsigned,
                    word *, unsigned);

#endif
