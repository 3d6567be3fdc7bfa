/* Logs that are read by a mapping (--map): every syntax, intervals and events, what is unknown, and what is refused. */
#include <string.h>

#include "history/format.h"
#include "test.h"

static const char whole[] = "process=p,op=f,key=k,value=v,result=r,call=s,return=e,status=o";

static bool keep(struct text *t, void *to) { return (void)t, (void)to, true; }

/* What a log is as Wing-Gong lines, or the problem; owned by m. */
static const char *read_log(struct mem *m, const char *map, const char *log, size_t chunk) {
  struct problem p = {.text = ""};
  struct input in;
  struct text t;
  struct mapping *mapping = mapping_new(m, map, &p);
  if (!mapping) return mem_string(m, p.text, strlen(p.text));
  input_from_bytes(&in, m, "log", log, strlen(log));
  if (chunk) in.chunk = chunk;
  struct history *h = history_read_mapped_input(&in, mapping, &p);
  if (!h) return mem_string(m, p.text, strlen(p.text));
  text_open(&t, m);
  if (!format_wing_gong.write(h, &t, &p, keep, NULL)) return mem_string(m, p.text, strlen(p.text));
  return text_string(&t);
}

static void reads(const char *map, const char *log, const char *want) {
  for (volatile size_t chunk = 0; chunk < 8; chunk += 3) {
    struct mem m;
    mem_open(&m, NULL);
    if (MEM_GUARD(&m)) abort();
    const char *got = read_log(&m, map, log, chunk);
    CHECKF(!strcmp(got, want), "%s\nis\n%s\nnot\n%s", log, got, want);
    mem_close(&m);
  }
}

static void refused(const char *map, const char *log, const char *what) {
  struct mem m;
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) abort();
  const char *got = read_log(&m, map, log, 0);
  CHECKF(strstr(got, what), "%s\nis\n%s\nnot\n%s", log, got, what);
  mem_close(&m);
}

static const char two[] = "x put(a, 1) A\nx get(a) B\nx Ok(?) A\nx Ok(1) B\n";

TEST(mapped_syntaxes) {
  reads(whole,
        "{\"p\":\"A\",\"f\":\"put\",\"k\":\"a\",\"v\":1,\"s\":1,\"e\":3,\"o\":\"ok\",\"more\":{\"k\":2,\"l\":[{}]}}\n"
        "{\"o\":true,\"e\":4,\"s\":2,\"r\":1,\"k\":\"a\",\"f\":\"get\",\"p\":\"B\"}\n",
        two);
  reads(whole,
        "[{\"p\":\"A\",\"f\":\"put\",\"k\":\"a\",\"v\":\"1\",\"s\":\"1\",\"e\":3}, "
        "{\"p\":\"B\",\"f\":\"get\",\"k\":\"a\",\"r\":1,\"s\":2,\"e\":4,\"o\":\"ok\"}]",
        two);
  reads(whole, "p,f,k,v,r,s,e,o\nA,put,a,1,,1,3,ok\nB,get,a,,1,2,4,ok\n", two);
  reads(whole, "p;f;k;v;r;s;e;o\r\nA;put;\"a\";1;;1;3;ok\r\n\r\nB;get;a;;1;2;4;\r\n", two);
  reads(whole, "o\tp\tf\tk\tv\tr\ts\te\nok\tA\tput\ta\t1\t\t1\t3\nok\tB\tget\ta\t\t1\t2\t4\n", two);
  reads(whole,
        "p=A f=put k=a v=1 s=1 e=3 o=ok\nlevel=info p=B f=\"get\" k=a r=1 s=2 e=4 o=ok flag msg=\"a \\\"b\\\"\"\n",
        two);
  reads("process=c.id,op=q.f,key=q.k,value=q.v,result=a.v,call=t.s,return=t.e",
        "{\"c\":{\"id\":\"A\"},\"q\":{\"f\":\"put\",\"k\":\"a\",\"v\":1},\"t\":{\"s\":1,\"e\":3}}\n"
        "{\"c\":{\"id\":\"B\"},\"q\":{\"f\":\"get\",\"k\":\"a\"},\"a\":{\"v\":1},\"t\":{\"s\":2,\"e\":4}}\n",
        two);
  reads("records=log.ops,process=p,op=f,key=k,value=v,result=r,call=s,return=e",
        "{\"p\":0,\"log\":{\"ops\":[{\"p\":\"A\",\"f\":\"put\",\"k\":\"a\",\"v\":1,\"s\":1,\"e\":3}],\"x\":[[1]]}}"
        "{\"log\":[{\"ops\":{\"p\":\"B\",\"f\":\"get\",\"k\":\"a\",\"r\":1,\"s\":2,\"e\":4}}]}",
        two);
}

/* A quote in a cell, a list, null, numbers that are texts. */
TEST(mapped_values) {
  reads("op=f,value=v,call=s,return=e", "f,v,s,e\nenq,\"a \"\"b\"\", c\",1,2\nenq,-5,3,4\nenq,1.50,5,6\n",
        "x enq(\"a \\\"b\\\", c\") 0\nx Ok(?) 0\nx enq(-5) 0\nx Ok(?) 0\nx enq(\"1.50\") 0\nx Ok(?) 0\n");
  reads(
      "op=f,key=k,value=v,result=r,call=s,return=e",
      "{\"f\":\"cas\",\"k\":1,\"v\":[1,2],\"r\":true,\"s\":1,\"e\":2}{\"f\":\"put\",\"k\":1,\"v\":null,\"s\":3,\"e\":4}"
      "{\"f\":\"get\",\"k\":1,\"r\":null,\"s\":5,\"e\":6}{\"f\":\"get\",\"k\":1,\"s\":7,\"e\":8}",
      "x cas(1, [1 2]) 0\nx Ok(true) 0\nx put(1, nil) 0\nx Ok(?) 0\nx get(1) 0\nx Ok(nil) 0\nx get(1) 0\nx Ok(?) 0\n");
  reads("op=f,key=k,old=o,value=v,result=r,call=s,return=e", "f,k,o,v,r,s,e\ncas,a,1,2,false,1,2\n",
        "x cas(a, 1, 2) 0\nx Ok(false) 0\n");
  reads("op=f,key=k,value=v,call=s,return=e", "f,k,v,s,e\nput,a,1,1,2\nget,a,1,3,4\n",
        "x put(a, 1) 0\nx Ok(?) 0\nx get(a) 0\nx Ok(1) 0\n");
}

TEST(mapped_times) {
  reads("op=f,value=v,call=s,return=e",
        "f,v,s,e\nenq,1,1731740000.100,1731740000.12\nenq,2,1731740000.13,1731740000.14\n",
        "x enq(1) 0\nx Ok(?) 0\nx enq(2) 0\nx Ok(?) 0\n");
  reads("op=f,value=v,call=s,return=e",
        "f,v,s,e\nenq,1,2024-05-01T12:00:00.1Z,2024-05-01T12:00:00.3Z\nenq,2,2024-05-01T12:00:00.2Z,2024-05-01T12:00:"
        "01Z\n",
        "x enq(1) 0\nx enq(2) 1\nx Ok(?) 0\nx Ok(?) 1\n");
  /* What cannot be told apart overlaps. */
  reads("op=f,value=v,call=s,return=e",
        "f,v,s,e\nenq,1,1544712660000000000,1544712660000000001.25\nenq,2,1544712660000000001.5,1544712660000000002\n",
        "x enq(1) 0\nx enq(2) 1\nx Ok(?) 0\nx Ok(?) 1\n");
}

/* Only what failed for certain did not happen. */
TEST(mapped_outcomes) {
  reads(whole,
        "p,f,k,v,r,s,e,o\nA,put,a,1,,1,2,timeout\nA,put,a,2,,3,4,failed\nA,put,a,3,,5,6,false\nA,put,a,4,,7,inf,ok\n"
        "A,get,a,,3,9,10,ok\n",
        "x put(a, 1) A/1\nx put(a, 3) A/2\nx put(a, 4) A/3\nx get(a) A\nx Ok(3) A\n");
}

TEST(mapped_events) {
  const char *map = "time=t,process=p,event=e,op=f,key=k,value=v,result=v";
  const char *log = "t=1 p=A e=call f=put k=a v=1\nt=2 p=B e=invoke f=get k=a\nt=3 p=A e=ok\nt=4 p=B e=ok v=1\n";
  reads(map, log, two);
  reads("process=p,event=e,op=f,key=k,value=v,result=v", log, two);
  reads("id=i,event=e,op=f,key=k,value=v,result=v",
        "{\"i\":7,\"e\":\"start\",\"f\":\"put\",\"k\":\"a\",\"v\":1}{\"i\":8,\"e\":\"start\",\"f\":\"get\",\"k\":\"a\"}"
        "{\"i\":8,\"e\":\"end\",\"v\":1}{\"i\":9,\"e\":\"start\",\"f\":\"put\",\"k\":\"a\",\"v\":2}"
        "{\"i\":7,\"e\":\"error\"}{\"i\":9,\"e\":\"failed\"}",
        "x put(a, 1) 0\nx get(a) 1\nx Ok(1) 1\n");
  refused(map, "t=1 p=A e=ok\n", "log:1:1: process A returns, but has not called");
  refused(map, "t=1 p=A e=call f=put k=a v=1\nt=2 p=A e=call f=put k=a v=2\n",
          "log:2:1: process A calls while its earlier call has not returned");
  refused(map, "t=3 p=A e=call f=put k=a v=1\nt=2 p=A e=ok\n", "log:2:1: the operation ends before it starts");
}

TEST(mapped_otel) {
  reads("otel,result=attributes.answer",
        "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":\"c\"}"
        "}]},"
        "\"scopeSpans\":[{\"spans\":[{\"name\":\"SET\",\"startTimeUnixNano\":\"1\",\"endTimeUnixNano\":\"2\","
        "\"attributes\":[{\"key\":\"db.statement\",\"value\":{\"stringValue\":\"SET a 1\"}}]},"
        "{\"startTimeUnixNano\":\"3\",\"endTimeUnixNano\":\"4\",\"status\":{\"code\":2},\"attributes\":[{\"key\":"
        "\"db.statement\",\"value\":{\"stringValue\":\"SET a 2\"}}]},"
        "{\"startTimeUnixNano\":\"5\",\"endTimeUnixNano\":\"6\",\"status\":{},\"attributes\":[{\"key\":"
        "\"db.statement\",\"value\":{\"stringValue\":\"GET "
        "a\"}},{\"key\":\"answer\",\"value\":{\"intValue\":\"2\"}}]}]}]}]}",
        "x SET(a, 1) 0\nx Ok(?) 0\nx SET(a, 2) 0\nx GET(a) 1\nx Ok(2) 1\n");
}

TEST(mapped_refused) {
  refused("op=", "", "--map op=: it is a list such as");
  refused("op=f,colour=c", "", "--map colour=c: it is a list such as");
  refused("key=k", "", "does not name op");
  refused("op=f", "", "does not name call and return");
  refused("op=f,call=s", "", "does not name return");
  refused("op=f,event=e", "", "does not name id or process");
  refused("op=f,call=s,return=e,event=v", "", "an operation or an event, not both");
  refused(whole, "", "log: has no record; in JSON it is an object, else a line");
  refused(whole, "[]", "log: has no record");
  refused("records=a.b,op=f,call=s,return=e", "{\"a\":[{\"c\":1}]}", "log: has no record at a.b");
  refused(whole, "hello\n", "log:1:1: the first line should name the columns");
  refused(whole, "p,f\nA,put,1\n", "log:2:7: there are more values than the first line names columns");
  refused(whole, "p,f\n\"A,put\n", "log:2:1: the text that starts here has no closing quote");
  refused(whole, "p,f\n\"A\"b,put\n", "log:2:4: a separator should follow the quote");
  refused("op=f,call=s,return=e", "a,s,e\nput,1,2\n",
          "log:2:1: the record has no field f, which --map says is the op; its fields are a, s, e");
  refused("op=f,key=kk,call=s,return=e", "f,k,s,e\nput,a,1,2\n",
          "log: no record has a field kk, which --map says is the key; the first has f, k, s, e");
  refused("op=f,call=s,return=e", "f,s,e\nput,now,2\n", "log:2:1: s is 'now', and not a time");
  refused("op=f,call=s,return=e", "f,s,e\nput,2,1\n", "log:2:1: the operation ends before it starts");
  refused("process=p,op=f,call=s,return=e", "p,f,s,e\nA,inc,1,5\nA,inc,2,6\n",
          "log:3: process A calls while its earlier call, on line 2, has not returned; if it does several things at a "
          "time, leave process out of --map");
  refused(whole, "{\"p\":\"A\",[", "log:1:10: a key in quotes should be here");
  refused(whole, "{\"p\" 1}", "':' should follow the key");
  refused(whole, "{\"a\":[[[", "is missing: is it cut off?");
  refused(whole, "[1]", "log: has no record");
  refused(whole, "{\"f\":1,\"s\":1,\"e\":1,\"p\":1} x", "log:1:27: 'x' where the '{' of a record should be");
  refused("op=f,call=s,return=e", "{\"f\":\"a\\u0000\",\"s\":1,\"e\":2}", "log:1:1: f has a NUL in it, and is the op");
  refused(whole, "p,f,\xff\nA,put\n\n\"", "log:2:1: the record has no field s");
  char deep[1000] = "";
  for (int i = 0; i < 300; i++) strcat(deep, "[");
  refused(whole, deep, "nested more than");
}
