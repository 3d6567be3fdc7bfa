/* verify on a program that was changed after it was read. */
#ifndef ASIF_TESTS_VERIFY_PROGRAM_H
#define ASIF_TESTS_VERIFY_PROGRAM_H

#include "front/program.h"

/* Does verify find anything wrong with the object of the file, given the code of the program, but a deadlock? */
bool verify_breaks(const char *path, const struct program *, unsigned threads, unsigned ops, double seconds);

#endif
