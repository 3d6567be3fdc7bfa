#ifndef __ASIF_STDIO_H
#define __ASIF_STDIO_H
#include <stddef.h>
__asif_header(stdio)
typedef struct __asif_file FILE;
#define EOF (-1)
#define stdin ((FILE *)0)
#define stdout ((FILE *)0)
#define stderr ((FILE *)0)
#endif
