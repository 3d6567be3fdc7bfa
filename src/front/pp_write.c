/* What comes out: text whose linemarkers put every token where `gcc -E` puts it, or Clang. */
#include "front/pp.h"

static void mark(struct pp *pp, uint32_t line) {
  text_printf(pp->out, "# %u \"%s\"%s\n", line, pp->out_name, pp->buffer && pp->buffer->file->system ? " 3" : "");
  pp->out_line = line;
}

static void end_line(struct pp *pp) {
  if (!pp->out_begun) return;
  text_char(pp->out, '\n');
  pp->out_line++;
  pp->out_begun = false;
}

void pp_move(struct pp *pp, uint32_t line) {
  end_line(pp);
  if (line < pp->out_line || line - pp->out_line >= 8) mark(pp, line);
  while (pp->out_line < line) {
    text_char(pp->out, '\n');
    pp->out_line++;
  }
}

void pp_enter_file(struct pp *pp, const char *name, uint32_t line) {
  end_line(pp);
  pp->out_name = name;
  mark(pp, line);
}

/* Within a line only what white space or a macro sets apart can be moved to its own line: the rest stands where it is.
 */
static void write_token(struct pp *pp, const struct pp_token *t, uint32_t line) {
  if (pp->clang && line != pp->out_line && pp->out_line != OUT_LINE_UNKNOWN)
    pp_compiler(pp, "a line that several lines make");
  if (pp->out_apart || t->flags & PP_WHITE) {
    if (line != pp->out_line) pp_move(pp, line);
    text_char(pp->out, ' ');
  }
  pp->out_apart = false;
  text_bytes(pp->out, t->text, t->length);
  pp->out_begun = true;
}

void pp_write_all(struct pp *pp) {
  while (pp->out->count <= TEXT_MOST) {
    uint32_t line;
    const struct pp_token *t = pp_get(pp, &line);
    if (t->kind == PP_END) break;
    if (t->kind == PP_PADDING)
      pp->out_apart = true;
    else
      write_token(pp, t, line);
  }
  end_line(pp);
}
