/* Names of the image's variables (names.c); image_describe of runtime.h tells them. */
#ifndef ASIF_RUN_NAMES_H
#define ASIF_RUN_NAMES_H

#include <stdbool.h>
#include <stdint.h>

void names_open(const char *shared_object, uintptr_t base); /* when it is loaded */
bool names_define(const char *name);                        /* has it a function or variable of this name? */
/* Each function that the image defines, with where it is loaded. */
void names_functions(void (*each)(uintptr_t address, const char *name));

#endif
