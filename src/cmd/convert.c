/* asif convert: a history from one format to another. */
#include <errno.h>

#include "cmd/cmd.h"
#include "history/format.h"

static const struct opt opts[] = {
    {"from", 'f', "FORMAT", "@formats", "what IN is written in (default: told by its content)"},
    {"map", 0, "MAP", NULL, "IN is a log, and this says which field is what (see docs/formats.md)"},
    {"to", 't', "FORMAT", "@formats", "what to write (default: by the ending of OUT, else wing-gong)"},
    {NULL, 0, NULL, NULL, NULL},
};

static int run(const struct args *a) {
  const char *from = arg_value(a, "from"), *to = arg_value(a, "to");
  const char *path = a->count > 1 ? a->at[1] : "-";
  const struct format *in = from ? format_named(from) : NULL;
  const struct format *out = to ? format_named(to) : format_for_path(path);
  struct problem problem;
  handle_interrupts();
  if (from && !in) return usage_error(a, "no format is called %s", from);
  if (to && !out) return usage_error(a, "no format is called %s", to);
  if (!out) out = &format_wing_gong;
  if (!out->write) return usage_error(a, "format %s is read, not written", out->name);
  const char *map = arg_value(a, "map");
  struct mapping *mapping = map ? mapping_new(a->mem, map, &problem) : NULL;
  if (map && !mapping) return usage_error(a, "%s", problem.text);
  struct history *h =
      mapping ? history_read_mapped(a->mem, a->at[0], mapping, &problem) : history_read(a->mem, a->at[0], in, &problem);
  if (!h) {
    say_error("%s", problem.text);
    return EXIT_USAGE;
  }
  if (h->late)
    say_error(
        "note: %s: events are not in the order of their times (%llu stand after a later one); they are written in it",
        h->source, (unsigned long long)h->late);
  errno = 0;
  if (history_write(h, path, out, &problem)) return EXIT_HOLDS;
  if (errno != EPIPE) say_error("%s", problem.text); /* whoever closed the pipe knows */
  return EXIT_USAGE;
}

const struct command command_convert = {
    .name = "convert",
    .usage = "IN [OUT] [--from FORMAT] [--to FORMAT]",
    .summary = "read a history in one format and write it in another",
    .details = "Reads the history IN (- is standard input), plain or compressed with gzip or zstd, and writes\n"
               "it to OUT (default standard output). A name that ends in .gz or .zst is compressed. What\n"
               "happened before what is kept; comments and failed operations are not. Events that have times are\n"
               "written in the order of their times.\n"
               "\n"
               "Formats:\n"
               "@formats\n"
               "\n"
               "Examples:\n"
               "  asif convert history.edn history.txt         what Jepsen recorded, to read it\n"
               "  asif convert run.hist --to json | jq .       events for other programs\n"
               "  asif convert big.txt big.txt.zst             the same, compressed\n"
               "\n"
               "Exit status: 0 written, 2 bad usage, bad input or the output could not be written,\n"
               "3 interrupted.\n",
    .opts = opts,
    .least = 1,
    .most = 2,
    .run = run,
    .operands = "@files",
};
