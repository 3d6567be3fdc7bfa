#ifndef G
#define G
#include __FILE__
#include "stdbool.h"
#include <asif.h>
#include <stdatomic.h>
#else
#pragma once
x true ASIF_OK
#endif
#error no