#ifndef __ASIF_STDALIGN_H
#define __ASIF_STDALIGN_H
#define alignas _Alignas
#define alignof _Alignof
#endif
