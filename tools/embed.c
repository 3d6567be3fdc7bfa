/* Turns files into C arrays: embed FILE... > assets.c defines asset_NAME[] and asset_NAME_size for each. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  puts("#include <stddef.h>");
  for (int i = 1; i < argc; i++) {
    FILE *f = fopen(argv[i], "rb");
    if (!f) {
      perror(argv[i]);
      return 1;
    }
    char name[256];
    const char *base = strrchr(argv[i], '/');
    snprintf(name, sizeof name, "%s", base ? base + 1 : argv[i]);
    for (char *p = name; *p; p++)
      if (!isalnum((unsigned char)*p)) *p = '_';
    printf("extern const char asset_%s[];\nextern const size_t asset_%s_size;\nconst char asset_%s[] = {", name, name,
           name);
    long n = 0;
    for (int c; (c = getc(f)) != EOF; n++) printf("%s%d,", n % 24 ? "" : "\n", c > 127 ? c - 256 : c);
    printf("0};\nconst size_t asset_%s_size = %ld;\n", name, n);
    fclose(f);
  }
  return 0;
}
