/* Method names: see methods.h. A name that is not here gives its values as arguments; where that turns out wrong, as
 * in `remove 5` of a queue, binding to a specification moves the value. */
#include "history/methods.h"

#include <string.h>

static char fold(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* Is the name one of these words, which blanks separate? */
static bool among(const char *words, const char *name, size_t len) {
  while (*words) {
    const char *w = words;
    size_t i = 0;
    for (; i < len; i++) {
      if (name[i] == '-' || name[i] == '_') continue;
      if (*w != fold(name[i])) break;
      w++;
    }
    if (i == len && w > words && (*w == ' ' || !*w)) return true;
    words += strcspn(words, " ");
    words += *words == ' ';
  }
  return false;
}

bool method_observes(const char *name, size_t len) {
  return among(
      "pop deq dequeue poll take get read peek rem rm recv receive load top front back first last min max steal "
      "removemin deletemin delmin extractmin popmin pollmin findmin peekmin extract "
      "removemax deletemax delmax extractmax popmax pollmax findmax peekmax "
      "popfront popback popleft popright popfirst poplast pollfirst polllast takefirst takelast removefirst removelast "
      "peekfront peekback peekleft peekright lpop rpop deqfront deqback deqleft deqright "
      "trypop trydeq trydequeue tryrecv tryreceive trytake "
      "size length count value query scan snapshot isempty lookup find",
      name, len);
}

bool method_asks_a_set(const char *name, size_t len) {
  return among("contains has member ismember remove delete del erase discard", name, len);
}

bool method_adds_to_set(const char *name, size_t len) { return among("add insert", name, len); }
