/* Two threads use a queue; the second gets the 2 before the 1, which was there first. Is that linearizable? */
#include <asif.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  asif_history *h = asif_history_new();
  asif_call(h, 1, "q", "enq", ASIF_ARGS(asif_int(1)));
  asif_return(h, 1, asif_int(ASIF_OK));
  asif_call(h, 1, "q", "enq", ASIF_ARGS(asif_int(2)));
  asif_call(h, 2, "q", "deq", ASIF_NO_ARGS); /* while the second enq runs */
  asif_return(h, 1, asif_int(ASIF_OK));
  asif_return(h, 2, asif_int(2));

  asif_answer *answer;
  if (asif_check(h, "queue", NULL, &answer) != ASIF_DONE) {
    fprintf(stderr, "%s\n", asif_error(h));
    asif_history_free(h);
    return 2;
  }
  printf("%s\n", asif_answer_verdict(answer) == ASIF_HOLDS ? "linearizable" : asif_answer_reason(answer));
  size_t count;
  const uint32_t *core = asif_answer_core(answer, &count);
  for (size_t i = 0; i < count; i++) {
    char *operation = asif_answer_operation(answer, core[i]);
    printf("  %s\n", operation ? operation : "");
    free(operation);
  }
  asif_answer_free(answer);
  asif_history_free(h);
  return 0;
}
