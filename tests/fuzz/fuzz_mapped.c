/* Fuzzing logs that are read by a mapping: any bytes are read or refused, in bounded memory and stack, and refusals say
 * where; what is read is written as Wing-Gong lines that read back as many operations. `make fuzz` builds it with
 * libFuzzer. The first byte says which mapping, and how much is read at a time. */
#include <stdlib.h>
#include <string.h>

#include "history/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool keep(struct text *t, void *unused) { return (void)t, (void)unused, true; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const maps[] = {"process=p,op=f,key=k,value=v,result=r,call=s,return=e,status=o",
                                     "op=f,old=o,value=v,call=s,return=e",
                                     "time=t,process=p,event=e,op=f,key=k,value=v,result=v",
                                     "id=i,event=e,op=a.f,value=a.v",
                                     "otel",
                                     "records=a.b,statement=c,call=s,return=e",
                                     "op=f,call=s,return=s",
                                     "process=p,event=f,op=f,status=s"};
  if (!size) return 0;
  unsigned which = data[0] & 7, chunk = data[0] >> 3;
  struct limits limits;
  struct mem m;
  struct problem p = {.text = ""};
  struct input in;
  limits_start(&limits, 0, 256 << 20);
  mem_open(&m, &limits);
  if (!MEM_GUARD(&m)) {
    struct mapping *map = mapping_new(&m, maps[which], &p);
    if (!map) abort();
    char *bytes = mem_alloc(&m, size);
    memcpy(bytes, data + 1, size - 1);
    input_from_bytes(&in, &m, "input", bytes, size - 1);
    if (chunk) in.chunk = chunk;
    struct history *h = history_read_mapped_input(&in, map, &p);
    if (!h && strncmp(p.text, "input:", 6)) abort();
    struct text t;
    text_open(&t, &m);
    if (h && format_wing_gong.write(h, &t, &p, keep, NULL)) {
      input_from_bytes(&in, &m, "again", text_string(&t), t.count);
      struct history *back = history_read_rest(&in, &format_wing_gong, &p);
      if (!back || back->ops.count != h->ops.count) abort();
    }
  }
  mem_close(&m);
  return 0;
}
