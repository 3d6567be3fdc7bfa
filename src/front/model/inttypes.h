#include <stdint.h>
#include_next <inttypes.h>
