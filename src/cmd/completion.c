/* asif completion SHELL: what the shell needs to complete commands, options and their values, made from the tables. */
#include <string.h>

#include "cmd/cmd.h"

/* The words a value is chosen from; empty: complete file names if `choices` says so, else nothing. */
static const char *words_of(struct text *t, const char *choices) {
  text_clear(t);
  choice_words(choices, t);
  return text_string(t);
}

static bool takes_files(const char *choices) { return choices && !strcmp(choices, "@files"); }

static const char *operands_of(const struct command *c) { return c->operands ? c->operands : "@files"; }

/* bash */

static void bash_values(struct text *out, struct text *t, const struct opt *o) {
  const char *words = words_of(t, o->choices);
  text_printf(out, "        %s--%s", o->letter ? (char[]){'-', o->letter, '|', 0} : "", o->name);
  if (*words)
    text_printf(out, ") COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n", words);
  else if (takes_files(o->choices))
    text_add(out, ") COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n");
  else
    text_add(out, ") return ;;\n");
}

static void bash_command(struct text *out, struct text *t, const struct command *c) {
  text_printf(out, "    %s)\n      options='--help", c->name);
  for (const struct opt *o = c->opts; o && o->name; o++) text_printf(out, " --%s", o->name);
  text_add(out, "'\n      case $prev in\n");
  for (const struct opt *o = c->opts; o && o->name; o++)
    if (o->arg) bash_values(out, t, o);
  text_add(out, "        *) ;;\n      esac\n");
  const char *words = words_of(t, operands_of(c));
  text_printf(out, "      operands='%s' ;;\n", words);
}

static void bash(struct text *out, struct text *t) {
  text_add(out,
           "# bash completion for asif\n"
           "_asif() {\n"
           "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} options= operands=\n"
           "  COMPREPLY=()\n"
           "  if [ \"$cur\" = '=' ]; then cur=; elif [ \"$prev\" = '=' ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
           "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "    COMPREPLY=($(compgen -W '");
  words_of(t, "@commands");
  text_printf(out, "%s help --help --version' -- \"$cur\"))\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n",
              text_string(t));
  for (int i = 0; commands[i]; i++) bash_command(out, t, commands[i]);
  text_printf(out, "    help) operands='%s' ;;\n    *) return ;;\n  esac\n", words_of(t, "@commands"));
  text_add(out, "  case $cur in\n"
                "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$cur\")) ;;\n"
                "    *) if [ -n \"$operands\" ]; then COMPREPLY=($(compgen -W \"$operands\" -- \"$cur\"))\n"
                "       else COMPREPLY=($(compgen -f -- \"$cur\")); fi ;;\n"
                "  esac\n"
                "}\n"
                "complete -o filenames -F _asif asif\n");
}

/* zsh */

static void zsh_text(struct text *out, const char *s) {
  for (; *s && *s != '\n'; s++) {
    if (*s == '\'')
      text_add(out, "'\\''");
    else if (strchr("[]:\\", *s))
      text_printf(out, "\\%c", *s);
    else
      text_char(out, *s);
  }
}

static void zsh_action(struct text *out, struct text *t, const char *choices, const char *what) {
  const char *words = words_of(t, choices);
  text_printf(out, ":%s:", what);
  if (*words)
    text_printf(out, "(%s)", words);
  else if (takes_files(choices))
    text_add(out, "_files");
}

static void zsh_command(struct text *out, struct text *t, const struct command *c) {
  text_printf(out, "    %s) _arguments \\\n      '(-h --help)'{-h,--help}'[how to call it]'", c->name);
  for (const struct opt *o = c->opts; o && o->name; o++) {
    text_add(out, " \\\n      ");
    if (o->letter)
      text_printf(out, "{-%c,--%s%s}'[", o->letter, o->name, o->arg ? "=" : "");
    else
      text_printf(out, "'--%s%s[", o->name, o->arg ? "=" : "");
    zsh_text(out, o->help ? o->help : "");
    text_char(out, ']');
    if (o->arg) zsh_action(out, t, o->choices, o->arg);
    text_char(out, '\'');
  }
  if (c->most) {
    text_add(out, " \\\n      '");
    if (c->most != 1) text_char(out, '*');
    zsh_action(out, t, operands_of(c), "operand");
    text_char(out, '\'');
  }
  text_add(out, " ;;\n");
}

static void zsh(struct text *out, struct text *t) {
  text_add(out, "#compdef asif\n"
                "_asif() {\n"
                "  local -a names\n"
                "  names=(\n");
  for (int i = 0; commands[i]; i++) {
    text_printf(out, "    '%s:", commands[i]->name);
    zsh_text(out, commands[i]->summary);
    text_add(out, "'\n");
  }
  text_add(out, "  )\n"
                "  if (( CURRENT == 2 )); then _describe command names; return; fi\n"
                "  local name=$words[2]\n"
                "  shift words; (( CURRENT-- ))\n"
                "  case $name in\n");
  for (int i = 0; commands[i]; i++) zsh_command(out, t, commands[i]);
  text_add(out, "  esac\n}\nif [ \"$funcstack[1]\" = _asif ]; then _asif \"$@\"; else compdef _asif asif; fi\n");
}

/* fish */

static void fish_text(struct text *out, const char *s) {
  text_char(out, '\'');
  for (; *s && *s != '\n'; s++) {
    if (*s == '\'' || *s == '\\') text_char(out, '\\');
    text_char(out, *s);
  }
  text_char(out, '\'');
}

static void fish_option(struct text *out, struct text *t, const char *condition, const struct opt *o) {
  text_printf(out, "complete -c asif -n '%s' -l %s", condition, o->name);
  if (o->letter) text_printf(out, " -s %c", o->letter);
  if (o->arg) text_printf(out, " %s", takes_files(o->choices) ? "-rF" : "-x");
  const char *words = words_of(t, o->arg ? o->choices : NULL);
  if (*words) text_printf(out, " -a '%s'", words);
  text_add(out, " -d ");
  fish_text(out, o->help ? o->help : "");
  text_char(out, '\n');
}

static void fish(struct text *out, struct text *t) {
  text_add(out, "# fish completion for asif\ncomplete -c asif -f\n");
  for (int i = 0; commands[i]; i++) {
    const struct command *c = commands[i];
    text_printf(out, "complete -c asif -n __fish_use_subcommand -a %s -d ", c->name);
    fish_text(out, c->summary);
    text_char(out, '\n');
    char condition[80];
    snprintf(condition, sizeof condition, "__fish_seen_subcommand_from %s", c->name);
    const char *words = words_of(t, operands_of(c));
    if (*words)
      text_printf(out, "complete -c asif -n '%s' -a '%s'\n", condition, words);
    else if (c->most)
      text_printf(out, "complete -c asif -n '%s' -F\n", condition);
    for (const struct opt *o = c->opts; o && o->name; o++) fish_option(out, t, condition, o);
    text_printf(out, "complete -c asif -n '%s' -l help -s h -d 'how to call it'\n", condition);
  }
}

static int run(const struct args *a) {
  struct text out, t;
  text_open(&out, a->mem);
  text_open(&t, a->mem);
  int status = EXIT_HOLDS;
  if (!strcmp(a->at[0], "bash"))
    bash(&out, &t);
  else if (!strcmp(a->at[0], "zsh"))
    zsh(&out, &t);
  else if (!strcmp(a->at[0], "fish"))
    fish(&out, &t);
  else
    status = usage_error(a, "no shell called %s; there are: bash, zsh, fish", a->at[0]);
  if (!status && !write_stdout(text_string(&out), out.count)) status = EXIT_USAGE;
  return status;
}

const struct command command_completion = {
    .name = "completion",
    .usage = "bash|zsh|fish",
    .summary = "print a script that makes the shell complete asif's commands",
    .details = "Examples:\n"
               "  source <(asif completion bash)\n"
               "  asif completion zsh > ~/.zfunc/_asif\n"
               "  asif completion fish > ~/.config/fish/completions/asif.fish\n",
    .least = 1,
    .most = 1,
    .run = run,
    .operands = "bash|zsh|fish",
};
