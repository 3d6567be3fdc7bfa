#ifndef __ASIF_IMMINTRIN_H
#define __ASIF_IMMINTRIN_H
#define _mm_pause() __builtin_ia32_pause()
#endif
