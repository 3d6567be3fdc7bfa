#ifndef __ASIF_STRING_H
#define __ASIF_STRING_H
#include <stddef.h>
__asif_header(string)
#include_next <string.h>
#endif
