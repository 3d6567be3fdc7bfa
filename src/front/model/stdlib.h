#ifndef __ASIF_STDLIB_H
#define __ASIF_STDLIB_H
#include <stddef.h>
__asif_header(stdlib)
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#endif
