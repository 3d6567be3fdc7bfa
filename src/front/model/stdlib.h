#ifndef __ASIF_STDLIB_H
#define __ASIF_STDLIB_H
#include <stddef.h>
__asif_header(stdlib)
#include_next <stdlib.h>
#endif
