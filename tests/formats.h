/* Helpers of the tests of formats. Each test is a process of its own, so one owner of memory does. */
#ifndef ASIF_TESTS_FORMATS_H
#define ASIF_TESTS_FORMATS_H

#include <string.h>

#include "history/format.h"
#include "test.h"

struct mem *test_memory(void);
/* Reads text in a format (NULL: by content), `chunk` bytes at a time (0: all at once). NULL with the problem. */
struct history *parse_chunks(const char *format, const char *text, size_t len, size_t chunk, struct problem *);
struct history *parse(const char *format, const char *text); /* fails the test if it cannot be read */
const char *written(const struct history *, const char *format);
/* The same of bytes, for formats that are no text. */
struct history *parse_bytes(const char *format, const char *bytes, size_t count);
const char *written_bytes(const struct history *, const char *format, size_t *count);

/* The text, read in this format, is this history in Wing–Gong lines, however it arrives. */
void reads_as(const char *file, int line, const char *format, const char *text, const char *lines);
/* The text, read in this format, is refused with this message (after the name of the file), however it arrives. */
void refused(const char *file, int line, const char *format, const char *text, size_t len, const char *message);

#define READS(format, text, lines)           reads_as(__FILE__, __LINE__, format, text, lines)
#define REFUSED(format, text, message)       refused(__FILE__, __LINE__, format, text, strlen(text), message)
#define REFUSED_BYTES(format, text, message) refused(__FILE__, __LINE__, format, text, sizeof(text) - 1, message)

/* A sample of every format, of the same history where the format can hold it. */
struct sample {
  const char *format, *text;
};
extern const struct sample samples[];
extern const size_t sample_count;
const char *sample_bytes(size_t i,
                         size_t *count); /* of one that has no text: that of the first, written in its format */

#endif
