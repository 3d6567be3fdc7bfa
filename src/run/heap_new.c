/* operator new and operator delete, in all their forms. */
#include "run/heap_parts.h"

static void *make(size_t size, size_t align, enum block_kind kind, uintptr_t pc) {
  void *p = heap_take(size, align, kind, pc);
  if (!p) heap_full(size); /* there is nobody to catch std::bad_alloc */
  return p;
}

#define RETURN(value) \
  do { \
    void *returned = (value); \
    SPIN_LAND(CALLER, returned); \
    return returned; \
  } while (0)
#define GIVE(kind, size) \
  do { \
    heap_give(p, kind, size, CALLER); \
    SPIN_LAND(CALLER, 0); \
  } while (0)

/* The mangled names: m is size_t, St11align_val_t the alignment, RKSt9nothrow_t says that NULL may be returned. */
#define NEW(name, kind) \
  WRAPPED void *WRAP(name##m)(size_t); \
  void *WRAP(name##m)(size_t size) { RETURN(make(size, 1, kind, CALLER)); } \
  WRAPPED void *WRAP(name##mSt11align_val_t)(size_t, size_t); \
  void *WRAP(name##mSt11align_val_t)(size_t size, size_t align) { RETURN(make(size, align, kind, CALLER)); } \
  WRAPPED void *WRAP(name##mRKSt9nothrow_t)(size_t, const void *); \
  void *WRAP(name##mRKSt9nothrow_t)(size_t size, const void *nothrow) { \
    (void)nothrow; \
    RETURN(heap_take(size, 1, kind, CALLER)); \
  } \
  WRAPPED void *WRAP(name##mSt11align_val_tRKSt9nothrow_t)(size_t, size_t, const void *); \
  void *WRAP(name##mSt11align_val_tRKSt9nothrow_t)(size_t size, size_t align, const void *nothrow) { \
    (void)nothrow; \
    RETURN(heap_take(size, align, kind, CALLER)); \
  }
NEW(_Znw, BLOCK_NEW)
NEW(_Zna, BLOCK_NEW_ARRAY)

#define DELETE(name, kind) \
  WRAPPED void WRAP(name##Pv)(void *); \
  void WRAP(name##Pv)(void *p) { GIVE(kind, 0); } \
  WRAPPED void WRAP(name##Pvm)(void *, size_t); \
  void WRAP(name##Pvm)(void *p, size_t size) { GIVE(kind, size); } \
  WRAPPED void WRAP(name##PvSt11align_val_t)(void *, size_t); \
  void WRAP(name##PvSt11align_val_t)(void *p, size_t align) { \
    (void)align; \
    GIVE(kind, 0); \
  } \
  WRAPPED void WRAP(name##PvmSt11align_val_t)(void *, size_t, size_t); \
  void WRAP(name##PvmSt11align_val_t)(void *p, size_t size, size_t align) { \
    (void)align; \
    GIVE(kind, size); \
  } \
  WRAPPED void WRAP(name##PvRKSt9nothrow_t)(void *, const void *); \
  void WRAP(name##PvRKSt9nothrow_t)(void *p, const void *nothrow) { \
    (void)nothrow; \
    GIVE(kind, 0); \
  } \
  WRAPPED void WRAP(name##PvSt11align_val_tRKSt9nothrow_t)(void *, size_t, const void *); \
  void WRAP(name##PvSt11align_val_tRKSt9nothrow_t)(void *p, size_t align, const void *nothrow) { \
    (void)align, (void)nothrow; \
    GIVE(kind, 0); \
  }
DELETE(_Zdl, BLOCK_NEW)
DELETE(_Zda, BLOCK_NEW_ARRAY)
