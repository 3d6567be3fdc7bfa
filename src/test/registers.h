/* Which registers of x86-64 hold nothing that the code still needs, at a place in the assembly that a compiler wrote.
 */
#ifndef ASIF_TEST_REGISTERS_H
#define ASIF_TEST_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A set of those that a call does not keep: bits 0..8 are rax rcx rdx rsi rdi r8 r9 r10 r11, bits 16..31 xmm0..xmm15.
 */
typedef uint32_t register_set;
#define REGISTERS_GENERAL ((register_set)0x1ff)
#define REGISTERS_XMM     ((register_set)0xffff0000)

/* A function: its text. */
struct function_text {
  const char *begin, *end;
};

/* Those that may be read after `at`, a line of the function, before they are written. by_hand: the line is inside of a
 * statement written by hand. */
register_set registers_needed(const struct function_text *, const char *at, bool by_hand);
/* Those that a statement written by hand may read before it writes them, or that are needed where it jumps to. */
register_set registers_read(const struct function_text *, const char *text, size_t length);
/* "\txorl %eax, %eax\n" and so on are its names. */
const char *register_name(unsigned bit);

#endif
