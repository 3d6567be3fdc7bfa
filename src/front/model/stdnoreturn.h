#ifndef __ASIF_STDNORETURN_H
#define __ASIF_STDNORETURN_H
#define noreturn _Noreturn
#endif
