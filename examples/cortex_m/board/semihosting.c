#include "board/semihosting.h"

#include <stdint.h>

#include "board/board.h"

/* Numbers of "Semihosting for AArch32 and AArch64", Arm. */
enum {
  kWriteText = 0x04,
  kExitWithCode = 0x20,
  kApplicationExit = 0x20026,
};

static void call(uint32_t operation, const void *argument) {
  register uint32_t r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void board_write(const char *text) { call(kWriteText, text); }

_Noreturn void semihosting_exit(int code) {
  const uint32_t block[] = {kApplicationExit, (uint32_t)code};
  call(kExitWithCode, block);
  for (;;) {
  }
}
