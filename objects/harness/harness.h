/* What the files of this folder share: each includes an object of ../lib and says what it is (docs/harness.md). */
#include <asif.h>

#ifndef VALUES
#define VALUES 2 /* clients put in 1 to VALUES */
#endif
/* Of the hazard pointers: few records, and a node is freed as soon as nobody protects it, so that small clients come to that. */
#ifndef RECORDS
#define RECORDS 2
#endif
#ifndef BATCH
#define BATCH 1
#endif
/* Addresses of thread-local variables differ from run to run of a program; a schedule that is to be repeated needs numbers. */
#define THREAD_NUMBER asif_thread()
