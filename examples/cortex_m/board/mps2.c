/* MPS2 boards: startup, and output through semihosting. */
#include <stdint.h>
#include <string.h>

#include "board/board.h"

/* Semihosting calls, which a debugger or an emulator handles. The numbers are
 * from Arm's "Semihosting for AArch32 and AArch64". */
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

static _Noreturn void semihosting_exit(int code) {
  const uint32_t block[] = {kApplicationExit, (uint32_t)code};
  call(kExitWithCode, block);
  for (;;) {
  }
}

/* Addresses that sections.ld defines. */
extern uint8_t board_stack_top[];
extern uint8_t board_data_start[], board_data_end[];
extern const uint8_t board_data_in_flash[];
extern uint8_t board_bss_start[], board_bss_end[];

int main(void);

/* The register that enables coprocessors 10 and 11, the floating-point unit. */
static volatile uint32_t *const kCoprocessorAccess =
    (volatile uint32_t *)0xE000ED88u;
enum { kFloatingPoint = 0xF << 20 };

void board_reset(void) {
  *kCoprocessorAccess |= kFloatingPoint;
  __asm__ volatile("dsb\n\tisb" ::: "memory");
  memcpy(board_data_start, board_data_in_flash,
         (size_t)(board_data_end - board_data_start));
  memset(board_bss_start, 0, (size_t)(board_bss_end - board_bss_start));
  semihosting_exit(main());
}

static void fault(void) {
  board_write("a processor fault occurred\n");
  semihosting_exit(2);
}

/* The initial stack pointer, the reset handler, and the exceptions that can
 * occur with all interrupts disabled: the non-maskable interrupt and faults. */
typedef struct vectors {
  uint8_t *stack;
  void (*reset)(void);
  void (*exceptions[6])(void);
} vectors;

__attribute__((section(".vectors"),
               used)) static const vectors board_vectors = {
    board_stack_top, board_reset, {fault, fault, fault, fault, fault, fault}};
