/* Formats: what is read is what was written, one format after the other. */
#include "formats.h"

static const char *file_content(const char *path) {
  FILE *f = fopen(path, "r");
  CHECKF(f, "%s is missing (tests run in the project's folder)", path);
  char *s = mem_zero(test_memory(), 1, 1 << 16);
  size_t n = fread(s, 1, (1 << 16) - 1, f);
  fclose(f);
  CHECK(n > 0);
  return s;
}

/* --- the histories printed in Wing and Gong 1993, as they stand --- */

TEST(formats_paper_section_2_4) {
  const char *first = file_content("tests/histories/paper-2.4-linearizable.txt");
  READS("wing-gong", first, "q Enq(5) A\nq Enq(7) B\nq Ok() A\nq Ok() B\nq Deq() C\nq Ok(7) C\n");
  READS(NULL, file_content("tests/histories/paper-2.4-not-linearizable.txt"),
        "q Enq(5) A\nq Ok() A\nq Enq(7) B\nq Ok() B\nq Deq() C\nq Ok(7) C\n");
}

TEST(formats_paper_section_3_2_1) {
  READS(NULL, file_content("tests/histories/paper-3.2.1-script.txt"),
        "Q Enq(e) P2\nQ Enq(g) P1\nQ Enq(a) P3\nQ Ok() P2\nQ Ok() P1\nQ Deq() P1\nQ Ok(e) P1\nQ Enq(e) P1\nQ Ok() P3\n"
        "Q Deq() P3\nQ Ok(g) P3\nQ Ok() P1\n");
}

TEST(formats_paper_section_3_2_2) {
  READS(NULL, file_content("tests/histories/paper-3.2.2-not-linearizable.txt"),
        "Q Deq() P1\nQ Deq() P2\nQ Deq() P3\nQ Enq(f) P4\nQ Ok() P4\nQ Enq(y) P4\nQ Ok(f) P1\nQ Ok() P4\nQ Enq(t) P4\n"
        "Q Enq(e) P1\nQ Ok() P4\nQ Enq(o) P4\nQ Ok() P1\nQ Deq() P1\nQ Ok(e) P2\nQ Enq(e) P2\nQ Ok(y) P1\nQ Ok() P2\n"
        "Q Ok(e) P3\nQ Ok() P4\n");
}

/* --- Wing–Gong lines --- */

TEST(formats_wing_gong_operations) {
  struct history *h = parse("wing-gong", "q Enq(5) A\n\nq Put(1, 2) B\nq Ok() A\nq Deq() A\nq Ok(7) B\n");
  CHECK(h->ops.count == 3 && h->events == 5);
  CHECK(!h->echoes && !strcmp(h->format, "wing-gong") && !strcmp(h->source, "h"));
  const struct op *o = h->ops.at;
  CHECK(o[0].call == 0 && o[0].ret == 2 && o[0].line == 1 && o[0].result == V_NONE);
  CHECK(o[1].call == 1 && o[1].ret == 4 && o[1].line == 3);
  CHECK(o[1].arg[0] == value_of_small(1) && o[1].arg[1] == value_of_small(2) && o[1].arg[2] == V_NONE);
  CHECK(o[1].result == value_of_small(7));
  CHECK(o[2].call == 3 && op_pending(&o[2]) && o[2].result == V_UNKNOWN && o[2].process == o[0].process);
  CHECK(!strcmp(names_at(h->methods, o[2].method), "Deq") && names_count(h->methods) == 3);
}

TEST(formats_wing_gong_terminations) {
  struct history *h =
      parse("wing-gong", "q Deq() A\nq Empty() A\nq Enq(1) A\nq Full() A\nq Deq() A\nq Fail() A\nq Deq() A\n"
                         "q Error(4) A\nq Deq() A\nq Ok(?) A\nq empty() A\nq Ok(true) A\nq Deq() A\nq Info() A\n");
  const struct op *o = h->ops.at;
  CHECK(h->ops.count == 7 && h->retired == 1);
  CHECK(o[0].result == V_EMPTY && o[1].result == V_FULL && o[4].result == V_UNKNOWN && o[5].result == V_TRUE);
  CHECK(value_kind(h->values, o[2].result) == VALUE_TEXT && !strcmp(value_chars(h->values, o[2].result, NULL), "Fail"));
  CHECK(value_kind(h->values, o[3].result) == VALUE_LIST);
  CHECK(!op_pending(&o[4]) && op_pending(&o[6]) && h->events == 13);
  CHECK(names_count(h->methods) == 3); /* Deq, Enq, empty: a termination is no method */
}

TEST(formats_wing_gong_values) {
  READS("wing-gong", "q f(-3 +4) 0\nq Ok(007) 0\n", "q f(-3, 4) 0\nq Ok(7) 0\n");
  READS("wing-gong", "q f(12345678 123456789) 0\n", "q f(12345678, 123456789) 0\n");
  READS("wing-gong", "q f(1234567890, 1073741824) 0\n", "q f(1234567890, 1073741824) 0\n");
  READS("wing-gong", "q f(9223372036854775807) 0\nq Ok(-9223372036854775808) 0\n",
        "q f(9223372036854775807) 0\nq Ok(-9223372036854775808) 0\n");
  READS("wing-gong", "q f(9223372036854775808) 0\n", "q f(\"9223372036854775808\") 0\n"); /* beyond 64 bits: a text */
  READS("wing-gong", "q f(nil true false) 0\nq Ok(\"nil\") 0\n", "q f(nil, true, false) 0\nq Ok(\"nil\") 0\n");
  READS("wing-gong", "q f([], [1, [2 \"x y\"]]) 0\nq Ok(1, 2) 0\n", "q f([], [1 [2 \"x y\"]]) 0\nq Ok([1 2]) 0\n");
  READS("wing-gong", "q f(null foo.bar-1 1.5) 0\n", "q f(null, foo.bar-1, \"1.5\") 0\n");
  READS("wing-gong", "q f(\"a\\n\\t\\\\\\u00e9\\ud83d\\ude00\") 0\n",
        "q f(\"a\\n\\t\\\\\xc3\xa9\xf0\x9f\x98\x80\") 0\n");
  READS("wing-gong", "q f(\xc3\xa9 \"\xff\") 0\n", "q f(\"\xc3\xa9\", \"\xff\") 0\n"); /* bytes pass, UTF-8 or not */
}

TEST(formats_wing_gong_names_in_quotes) {
  READS("wing-gong", "\"my q\" \"Ok\"(1) \"P 1\"\n\"my q\" Ok() \"P 1\"\n",
        "\"my q\" \"Ok\"(1) \"P 1\"\n\"my q\" Ok() \"P 1\"\n");
  READS("wing-gong", "a_long_object_name a_long_method(1) a_long_process\n",
        "a_long_object_name a_long_method(1) a_long_process\n");
}

TEST(formats_wing_gong_comments) {
  const char *plain = "q a(1) 0\nq Ok() 0\n";
  READS("wing-gong", "/* one\n two q b(2) 0 \n three */ q a(1) 0 /* x */ * y\nq Ok() 0 # z", plain);
  READS("wing-gong", "* a\n\n*b\n   *c\n\tq a(1) 0\r\nq Ok() 0\r\n", plain);
  READS("wing-gong", "q a(1) 0 * and so\n  on and\n  on\n   q Ok() 0\n", plain);
  CHECK(!strcmp(parse("wing-gong", "# @object atomic-stack\nq a(1) 0\n")->object_type, "atomic-stack"));
  CHECK(!strcmp(parse("wing-gong", "# stack\nq a(1) 0\n")->object_type, "stack"));
  CHECK(!parse("wing-gong", "# made by hand\nq a(1) 0\n")->object_type);
  READS("wing-gong", "\xef\xbb\xbfq a(1) 0\nq Ok() 0\n", plain);
}

TEST(formats_wing_gong_several_objects) {
  struct history *h = parse("wing-gong", "p Enq(1) A\nq Enq(2) B\nq Ok() B\np Ok() A\n");
  CHECK(names_count(h->objects) == 2 && h->ops.at[0].object == 0 && h->ops.at[1].object == 1);
}

/* --- Jepsen --- */

#define CALL_AND_OK "x enq(5) 0\nx Ok(5) 0\n"

TEST(formats_edn_shapes) {
  READS("edn", "{:type :invoke, :f :enq, :value 5, :process 0}\n{:type :ok, :f :enq, :value 5, :process 0}\n",
        CALL_AND_OK);
  READS("edn", "[{:type :invoke, :f :enq, :value 5, :process 0}\n\n{:type :ok, :f :enq, :value 5, :process 0}]",
        CALL_AND_OK);
  READS("edn", "({:process 0 :type :invoke :f enq :value 5N}{:process 0 :type :ok})", "x enq(5) 0\nx Ok(nil) 0\n");
  READS("edn", samples[1].text, "x enq(5) 0\nx Ok(5) 0\nx cas([0 3]) 1\n");
  READS("edn", "[]", "");
  READS("edn", "; a comment\n[]", "");
}

TEST(formats_edn_values) {
#define VALUE(v) "{:process 0 :type :invoke :f :w :value " v "}"
  READS("edn", VALUE("nil"), "x w() 0\n");
  READS("edn", VALUE(":foo"), "x w(foo) 0\n");
  READS("edn", VALUE("#{3 1 2 1}"), "x w([1 2 3]) 0\n");             /* a set: sorted, each once */
  READS("edn", VALUE("{:b 1, :a (2)}"), "x w([[a [2]] [b 1]]) 0\n"); /* a map: its pairs, sorted */
  READS("edn", VALUE("\"a\\\"\\n]\""), "x w(\"a\\\"\\n]\") 0\n");
  READS("edn", VALUE("\\a"), "x w(a) 0\n");
  READS("edn", VALUE("\\newline"), "x w(\"\\n\") 0\n");
  READS("edn", VALUE("\\u0041"), "x w(A) 0\n");
  READS("edn", VALUE("[\\u00e9 \\u \\u12 \\formfeed]"), "x w([\"\303\251\" u u12 \"\\u000c\"]) 0\n");
  READS("edn", VALUE("[1e3 1E3 1000.0 1000.00 +1000.0]"),
        "x w([\"1000.0\" \"1000.0\" \"1000.0\" \"1000.0\" \"1000.0\"]) 0\n");
  READS("edn", VALUE("[5.00 5.0 5. 5 5N 5.0M 5.00M]"), "x w([\"5.0\" \"5.0\" \"5.0\" 5 5 \"5.0M\" \"5.00M\"]) 0\n");
  READS("edn", VALUE("[-0.0 0.0 0e5 1.50 15e-1 2e300 20e299]"),
        "x w([\"0.0\" \"0.0\" \"0.0\" \"1.5\" \"1.5\" \"2e300\" \"2e300\"]) 0\n");
  READS("edn", VALUE("[99999999999999999999N 99999999999999999999 +99999999999999999999 -99999999999999999999N]"),
        "x w([\"99999999999999999999\" \"99999999999999999999\" \"99999999999999999999\" \"-99999999999999999999\"]) "
        "0\n");
  READS("edn", VALUE("\\)"), "x w(\")\") 0\n");
  READS("edn", VALUE("#inst \"2020\""), "x w(\"2020\") 0\n");
  READS("edn", VALUE("##Inf"), "x w(Inf) 0\n");
  READS("edn", VALUE("#_ #_ 1 2 3"), "x w(3) 0\n");
  READS("edn", VALUE("[1 #_[2 {:a #{}}] 3 ; four\n 5]"), "x w([1 3 5]) 0\n");
  READS("edn", VALUE(":none"), "x w(none) 0\n"); /* a word like any other */
  READS("edn", VALUE("[:none :empty]"), "x w([none empty]) 0\n");
  READS("edn", VALUE(":empty"), "x w(empty) 0\n");
  READS("edn", VALUE("1/2"), "x w(\"1/2\") 0\n");
}

TEST(formats_jepsen_meaning) {
  struct history *h =
      parse("edn", "{:process 0 :type :invoke :f :w :value 1 :time 5}{:process 1 :type :invoke :f :w :value 2 :time 5}"
                   "{:process 0 :type :fail :f :w :value 1 :time 6}{:process :nemesis :type :info :f :kill}"
                   "{:process 0 :type :invoke :f :r :value nil :time 7}{:process 1 :type :info :f :w :time 8}"
                   "{:process 0 :type :ok :f :r :value 2 :time 9}");
  CHECK(h->echoes && h->failed == 1 && h->skipped == 1 && h->retired == 1);
  CHECK(h->ops.count == 2 && h->events == 3);
  CHECK(op_pending(&h->ops.at[0]) && h->ops.at[0].call == 0 && h->ops.at[0].result == V_UNKNOWN);
  CHECK(h->ops.at[1].call == 1 && h->ops.at[1].ret == 2 && h->ops.at[1].result == value_of_small(2));
  CHECK(h->ops.at[1].arg[0] == V_NONE && h->ret_time[1] == 9 && !h->late);
}

#define EVENT(process, type, f, value, time) \
  "{:process " process " :type :" type " :f :" f " :value " value " :time " time "}\n"

/* The logs of two clients, one after the other. */
TEST(formats_jepsen_events_by_time) {
  static const char concatenated[] = EVENT("0", "invoke", "write", "1", "100") EVENT("0", "ok", "write", "1", "120")
      EVENT("0", "invoke", "write", "2", "150") EVENT("0", "ok", "write", "2", "160")
          EVENT("1", "invoke", "read", "nil", "130") EVENT("1", "ok", "read", "1", "140");
  READS("edn", concatenated, "x write(1) 0\nx Ok(1) 0\nx read() 1\nx Ok(1) 1\nx write(2) 0\nx Ok(2) 0\n");
  struct history *h = parse("edn", concatenated);
  CHECK(h->late == 2 && h->ops.at[1].line == 5 && h->call_time[1] == 130 && h->ret_time[2] == 160);
  /* Equal times keep the order of the file; failed and unknown operations are among them. */
  READS("edn",
        EVENT("0", "invoke", "write", "1", "7") EVENT("0", "info", "write", "1", "9")
            EVENT("1", "invoke", "write", "2", "3") EVENT("1", "fail", "write", "2", "7")
                EVENT("2", "invoke", "read", "nil", "7") EVENT("2", "ok", "read", "1", "7")
                    EVENT("3", "invoke", "write", "5", "-8") EVENT("3", "ok", "write", "5", "7"),
        "x write(5) 3\nx write(1) 0\nx read() 2\nx Ok(1) 2\nx Ok(5) 3\n");
  /* Decimal numbers and dates. */
  READS("edn",
        EVENT("0", "invoke", "w", "1", "1.5E1") EVENT("0", "ok", "w", "1", "15.000000002")
            EVENT("1", "invoke", "w", "2", "-0.5") EVENT("1", "ok", "w", "2", "15.0000000019"),
        "x w(2) 1\nx w(1) 0\nx Ok(2) 1\nx Ok(1) 0\n");
  READS("edn",
        EVENT("0", "invoke", "w", "1", "#inst \"2024-03-01T00:00:00.5Z\"")
            EVENT("0", "ok", "w", "1", "\"2024-03-01T02:00:01+02:00\"")
                EVENT("1", "invoke", "w", "2", "\"2024-02-29T23:59:59.999Z\"")
                    EVENT("1", "ok", "w", "2", "\"2024-03-01 00:00:00.75\""),
        "x w(2) 1\nx w(1) 0\nx Ok(2) 1\nx Ok(1) 0\n");
  READS("json",
        "{\"process\":0,\"type\":\"invoke\",\"f\":\"w\",\"value\":1,\"time\":9223372036854775807}"
        "{\"process\":1,\"type\":\"invoke\",\"f\":\"w\",\"value\":2,\"time\":-9223372036854775808}",
        "x w(2) 1\nx w(1) 0\n");
  CHECK(parse("edn", EVENT("0", "invoke", "w", "1", "nil") EVENT("0", "ok", "w", "1", "nil"))->call_time == NULL);
}

/* What is written with times is read back the same. */
TEST(formats_jepsen_times_are_kept) {
  struct history *h = parse("edn", EVENT("0", "invoke", "w", "1", "2.5") EVENT("0", "ok", "w", "1", "3")
                                       EVENT("1", "invoke", "r", "nil", "1.25") EVENT("1", "ok", "r", "nil", "2.5"));
  struct history *again = parse("json", written(h, "json"));
  CHECK(again->ops.count == 2 && !again->late);
  for (size_t i = 0; i < 2; i++) CHECK(h->call_time[i] == again->call_time[i] && h->ret_time[i] == again->ret_time[i]);
  CHECK(h->call_time[1] == 2 * h->call_time[0] && h->ret_time[0] == 2 * h->call_time[0]);
}

/* Processes have names: only the nemesis, and what has nothing but :info, are no clients. */
TEST(formats_jepsen_named_processes) {
  struct history *h =
      parse("json", "{\"process\":\"client-1\",\"type\":\"invoke\",\"f\":\"w\",\"value\":9}"
                    "{\"type\":\"pause\",\"process\":\"nemesis\"}{\"type\":\"info\",\"process\":\":nemesis\"}"
                    "{\"process\":\"monitor\",\"type\":\"info\",\"f\":\"load\",\"value\":0.5}"
                    "{\"process\":\"client-1\",\"type\":\"ok\",\"f\":\"w\",\"value\":9}"
                    "{\"process\":2,\"type\":\"invoke\",\"f\":\"r\",\"value\":null}"
                    "{\"process\":\"2\",\"type\":\"ok\",\"f\":\"r\",\"value\":9}"
                    "{\"process\":\"c\",\"type\":\"invoke\",\"f\":\"w\",\"value\":1}"
                    "{\"process\":\"c\",\"type\":\"info\",\"f\":\"w\",\"value\":1}");
  CHECK(h->ops.count == 3 && h->skipped == 3 && h->retired == 1 && names_count(h->processes) == 3);
  CHECK(!strcmp(names_at(h->processes, h->ops.at[0].process), "client-1"));
  READS("edn", "{:process :a :type :invoke :f :w :value 1}{:process w/2 :type :invoke :f :w :value 2}",
        "x w(1) a\nx w(2) w/2\n");
  READS("jepsen-log", "INFO  jepsen.util - a\t:invoke\t:w\t1\nINFO  jepsen.util - :nemesis\t:info\t:kill\n",
        "x w(1) a\n");
}

TEST(formats_bad_jepsen_times_and_processes) {
  REFUSED("edn", EVENT("0", "invoke", "w", "1", "5") "{:process 1 :type :invoke :f :w :value 2}",
          "2:1: this event has no time, and the one on line 1 has one: either all events have one or none has");
  REFUSED("edn",
          "{:process 1 :type :invoke :f :w :value 2}\n{:process :nemesis :type :info}\n" EVENT("0", "invoke", "w", "1",
                                                                                               "5"),
          "3:1: this event has a time, and the one on line 1 has none: either all events have one or none has");
  REFUSED("edn",
          EVENT("0", "invoke", "w", "1", "5") EVENT("1", "invoke", "w", "1", "2") EVENT("0", "ok", "w", "1", "4"),
          "3:1: this event is before the one of the same process on line 1 by its time, and after it in the file");
  REFUSED("edn", EVENT("0", "invoke", "w", "1", "noon"),
          "1:48: the time of an event is a number of at most 64 bits, or a date such as 2024-05-01T12:34:56.789Z");
  REFUSED("edn", EVENT("0", "invoke", "w", "1", "1e30"),
          "1:48: the time of an event is a number of at most 64 bits, or a date such as 2024-05-01T12:34:56.789Z");
  REFUSED("edn", EVENT("0", "invoke", "w", "1", "[1 2]"),
          "1:48: the time of an event is a number of at most 64 bits, or a date such as 2024-05-01T12:34:56.789Z");
  REFUSED("json", "{\"process\":null,\"type\":\"invoke\",\"f\":\"w\",\"value\":1}",
          "1:1: the event has no process; its keys are process, type, f and value; a log with other keys is read with "
          "--map");
  REFUSED("edn", "{:process :nemesis :type :ok :f :kill}",
          "1:1: an operation of the nemesis is ok, but the nemesis is not a client; if it is one here, give it "
          "another name");
  REFUSED("edn", "{:process :a :type :info :f :w}\n{:process :a :type :invoke :f :w :value 1}",
          "2:1: process a has an event, but the info on line 1 came before any call");
  REFUSED("edn", "{:process :a :type :ok :f :w :value 1}", "1:1: process a returns, but has not called");
}

TEST(formats_limo_values) {
  READS("hist", "[0] call push(?<0,12>)\n[0] return\n[1] call push ?<1,0>\n[1] return\n[0] call pop(?<1,0>)\n",
        "x push(\"?<0,12>\") 0\nx Ok() 0\nx push(\"?<1,0>\") 1\nx Ok() 1\nx pop(\"?<1,0>\") 0\n");
  READS("hist", "[0] call put(?, 2)\n", "x put(?, 2) 0\n");
}

TEST(formats_jepsen_keys) {
  const char *lines =
      "x put(\"0\", \"x 0 0 y\") 1\nx Ok(\"x 0 0 y\") 1\nx get(\"0\") 1\nx Ok(\"x 0 0 y\") 1\nx append(\"0\", nil) 1\n";
  READS("edn",
        "{:process 1, :type :invoke, :f :put, :key \"0\", :value \"x 0 0 y\"}\n"
        "{:process 1, :type :ok, :f :put, :key \"0\", :value \"x 0 0 y\"}\n"
        "{:process 1, :type :invoke, :f :get, :key \"0\", :value nil}\n"
        "{:process 1, :type :ok, :f :get, :key \"0\", :value \"x 0 0 y\"}\n"
        "{:process 1, :type :invoke, :f :append, :key \"0\", :value nil}\n",
        lines);
  READS("json",
        "{\"process\":1,\"type\":\"invoke\",\"f\":\"put\",\"key\":\"0\",\"value\":\"x 0 0 y\"}\n"
        "{\"process\":1,\"type\":\"ok\",\"f\":\"put\",\"key\":\"0\",\"value\":\"x 0 0 y\"}\n"
        "{\"process\":1,\"type\":\"invoke\",\"f\":\"get\",\"key\":\"0\",\"value\":null}\n"
        "{\"process\":1,\"type\":\"ok\",\"f\":\"get\",\"key\":\"0\",\"value\":\"x 0 0 y\"}\n"
        "{\"process\":1,\"type\":\"invoke\",\"f\":\"append\",\"key\":\"0\",\"value\":null}\n",
        lines);
}

TEST(formats_json) {
  READS("json", samples[2].text, CALL_AND_OK);
  READS("json",
        "{\"type\":\"invoke\",\"f\":\"enq\",\"value\":5,\"process\":0}\n{\"type\":\"ok\",\"f\":\"enq\",\"value\":5,"
        "\"process\":0}",
        CALL_AND_OK);
  READS("json",
        "{\"process\":0,\"type\":\"invoke\",\"f\":\"w\",\"value\":[1.0, 10e-1, -0.0, 1.50, 0.0250, 12e3, -3.0E0, "
        "1e300, 5e-40]}",
        "x w([1 1 0 \"1.5\" \"0.025\" 12000 -3 \"1e300\" \"5e-40\"]) 0\n");
  READS("json",
        "{\"process\":0,\"type\":\"invoke\",\"f\":\"w\",\"value\":[100000000000000000000.0, 1e1001, "
        "9223372036854775807.0]}",
        "x w([\"100000000000000000000\" \"1e1001\" 9223372036854775807]) 0\n");
  READS("json", "{\"process\":0,\"type\":\"invoke\",\"f\":\"w\",\"value\":[1, \"a\", null, true, 1.5, {\"k\": []}]}",
        "x w([1 a nil true \"1.5\" [[k []]]]) 0\n");
  CHECK(parse("json", "[]")->ops.count == 0);
}

TEST(formats_jepsen_log) {
  READS("jepsen-log", samples[3].text, "x cas([0 3]) 4\nx Ok([0 3]) 4\n");
  CHECK(parse("jepsen-log", samples[3].text)->skipped == 1);
  READS("jepsen-log",
        "2016 INFO [jepsen worker 1] jepsen.util: 1 :invoke :read nil\n"
        "INFO  jepsen.util - 1\t:ok\t:read\t3 :debug {:x 1\nINFO  jepsen.util - starting :invoke\n",
        "x read() 1\nx Ok(3) 1\n");
  READS("jepsen-log",
        "INFO  jepsen.util - 6 \t:invoke :write \t38 \t:hint 0\nINFO  jepsen.util - 6 \t:ok :write \t38 \t:hint 2\n",
        "x write(38) 6\nx Ok(38) 6\n");
  READS("jepsen-log", "0\t:invoke\t:write\t4\n0\t:info\t:write\t4\tindeterminate: (oops\n1\t:invoke\t:read\n",
        "x write(4) 0\nx read() 1\n"); /* history.txt */
}

/* --- brackets and columns --- */

TEST(formats_hist) {
  READS("hist", samples[4].text,
        "# @object atomic-stack\nx push(c) 1\nx push(1) 2\nx Ok() 1\nx Ok() 2\nx pop() 2\nx Empty() 2\n");
  READS("hist", "[1] call cas(1, 2)\n[1] return true # yes\n\n[2]call put 1 [2 3]\n[2] return ?\n[2] call pop()\n",
        "x cas(1, 2) 1\nx Ok(true) 1\nx put(1, [2 3]) 2\nx Ok(?) 2\nx pop() 2\n");
}

TEST(formats_columns) {
  struct history *h = parse("columns", samples[5].text);
  CHECK(!strcmp(h->object_type, "stack") && h->ops.count == 5 && h->events == 9);
  const struct op *o = h->ops.at;
  /* At 20 the second push is called before the first returns: they overlap. */
  CHECK(o[0].call == 0 && o[1].call == 1 && o[0].ret == 2 && o[1].ret == 4 && o[2].call == 3);
  CHECK(o[0].arg[0] == value_of_small(1) && o[0].result == V_NONE);
  CHECK(o[2].arg[0] == V_NONE && o[2].result == value_of_small(1) && o[3].result == V_EMPTY);
  CHECK(op_pending(&o[4]) && h->call_time[4] == 50 && h->ret_time[0] == 20);
  CHECK(o[0].process == 0 && o[1].process == 1 && o[2].process == 0 && names_count(h->processes) == 2);
}

TEST(formats_columns_values) {
  const char *empties[] = {"empty", "EMPTY", "null", "nil", "-"};
  for (int i = 0; i < 5; i++) {
    char line[40];
    snprintf(line, sizeof line, "Deq %s 1 2\n", empties[i]);
    READS("columns", line, "x Deq() 0\nx Empty() 0\n");
  }
  READS("columns", "cas 1 2 -> true 3 4\n", "x cas(1, 2) 0\nx Ok(true) 0\n");
  READS("columns", "contains 5 0 3 4\ncontains 5 5 6\n", "x contains(5) 0\nx Ok(0) 0\nx contains(5) 0\nx Ok() 0\n");
  READS("columns", "# set\ninsert 5 1 3 4\n", "# @object set\nx insert(5) 0\nx Ok(1) 0\n");
  READS("columns", "insert 5 1 3 4\n", "x insert(5, 1) 0\nx Ok() 0\n");
  READS("columns", "get k v 3 4\n", "x get(k) 0\nx Ok(v) 0\n");
  READS("columns", "put \"a b\", [1 2], 3, -\n", "x put(\"a b\", [1 2]) 0\n");
  READS("columns", "pop 1 2\npop -> - 3 4\n", "x pop() 0\nx Ok() 0\nx pop() 0\nx Ok() 0\n");
  READS("columns", "w 1 5 9\nw 2 1 3\nw 3 9223372036854775806 9223372036854775806\nw 4 -9223372036854775808 2\n",
        "x w(4) 0\nx w(2) 1\nx Ok() 0\nx Ok() 1\nx w(1) 0\nx Ok() 0\nx w(3) 0\nx Ok() 0\n");
}

TEST(formats_process_columns) {
  READS("process-columns", samples[6].text,
        "# @object queue\nx ENQ(10) 0\nx DEQ() 1\nx Ok() 0\nx Ok(10) 1\nx DEQ() 1\nx Empty() 1\n"
        "x ENQ(11) 2\n");
  READS("process-columns", "# set\n2 0 2 CONTAINS 2 0\n0 0 4 INSERT 2 1\n",
        "# @object set\nx CONTAINS(2) 2\nx INSERT(2) 0\nx Ok(0) 2\nx Ok(1) 0\n");
  READS("process-columns", "0 push 1 1 2\n1 pop 1 5 6\n", "x push(1) 0\nx Ok() 0\nx pop() 1\nx Ok(1) 1\n");
  /* One process, intervals that touch: it returned before it called again, and another one overlaps both. */
  READS("process-columns", "7 1 5 ENQ 1\n7 5 9 ENQ 2\n", "x ENQ(1) 7\nx Ok() 7\nx ENQ(2) 7\nx Ok() 7\n");
  READS("process-columns", "7 1 5 ENQ 1\n7 5 9 ENQ 2\n5 5 6 ENQ 3\n6 1 5 ENQ 4\n",
        "x ENQ(1) 7\nx ENQ(4) 6\nx ENQ(3) 5\nx Ok() 7\nx ENQ(2) 7\nx Ok() 6\nx Ok() 5\nx Ok() 7\n");
  /* One that is a single moment comes before another that begins then, whatever their lines. */
  READS("process-columns", "7 1 inf ENQ 1\n7 1 1 ENQ 2\n", "x ENQ(2) 7\nx Ok() 7\nx ENQ(1) 7\n");
}

/* Events are ordered so that one operation precedes another iff it ended before the other began. */
TEST(formats_intervals_in_order) {
  struct mem *m = test_memory();
  uint64_t seed = 7;
  for (int round = 0; round < 40; round++) {
    struct history *h = history_new(m, "h");
    int n = 60, span = round % 3 == 0 ? 10 : round % 3 == 1 ? 5000 : 1 << 30;
    for (int i = 0; i < n; i++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      int64_t start = (int64_t)(seed >> 33) % span - span / 2, length = (int64_t)(seed >> 20) % (span / 4 + 1);
      CHECK(!history_interval(h, 0, 0, 0, NULL, 0, V_NONE, start, i % 9 ? start + length : INT64_MAX, (uint32_t)i));
    }
    history_finish(h);
    CHECK(h->ops.count == (size_t)n);
    for (int a = 0; a < n; a++)
      for (int b = 0; b < n; b++) {
        const struct op *x = &h->ops.at[a], *y = &h->ops.at[b];
        CHECK((x->ret < y->call) == (h->ret_time[a] < h->call_time[b]));
        CHECK(a >= b || x->call < y->call);
      }
  }
}

TEST(formats_by_content) {
  for (size_t i = 0; i < sample_count; i++) {
    size_t n;
    const char *bytes = sample_bytes(i, &n);
    CHECKF(!strcmp(parse_bytes(NULL, bytes, n)->format, samples[i].format), "%s", bytes);
  }
  const struct sample more[] = {{"edn", "{:process 0}"},
                                {"json", "{\"a\":1}"},
                                {"json", "[\n  {\n \"a\""},
                                {"hist", "[1] return\n"},
                                {"columns", "pop 1 2\n"},
                                {"process-columns", "P1 0 1 Enq 5\n"},
                                {"wing-gong", "q Ok() A"},
                                {"wing-gong", "hello\n"},
                                {"wing-gong", "% simulate\n"},
                                {"edn", "#jepsen.history.Op{:a"},
                                {"columns", "a 1 2 inf\n"},
                                {"process-columns", "0 push 1 1 2\n"},
                                {"jepsen-log", "0\t:invoke\t:read\tnil\n"},
                                {"jepsen-log", "x (y) z\nINFO  jepsen.util - 6 \t:invoke :write \t38 \t:hint 0\n"}};
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
    struct input in;
    input_from_bytes(&in, test_memory(), "h", more[i].text, strlen(more[i].text));
    const struct format *f = format_guess(&in);
    CHECKF(f && !strcmp(f->name, more[i].format), "%s taken for %s", more[i].text, f ? f->name : "nothing");
  }
}

TEST(formats_by_name) {
  CHECK(format_named("EDN") == &format_edn && format_named("process-columns") == &format_process_columns &&
        !format_named("xml"));
  CHECK(format_for_path("a/b.edn") == &format_edn && format_for_path("b.json.gz") == &format_json);
  CHECK(format_for_path("x.txt.zst") == &format_wing_gong && !format_for_path("x.doc") && !format_for_path(".edn"));
}
