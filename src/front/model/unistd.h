#ifndef __ASIF_UNISTD_H
#define __ASIF_UNISTD_H
#include <stddef.h>
__asif_header(unistd)
#include_next <unistd.h>
#endif
