/* From reset to main: memory as C expects it, and floating point on. */
#include <stdint.h>
#include <string.h>

#include "board/board.h"
#include "board/semihosting.h"

/* Addresses that sections.ld gives. */
extern uint8_t board_stack_top[];
extern uint8_t board_data_start[], board_data_end[];
extern const uint8_t board_data_in_flash[];
extern uint8_t board_bss_start[], board_bss_end[];

int main(void);

/* The register that gives access to coprocessors 10 and 11, which are floating
 * point. */
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
  board_write("the processor met a fault\n");
  semihosting_exit(2);
}

/* The stack, reset, and the exceptions that can happen where no interrupt is
 * enabled: non-maskable interrupt and faults. */
typedef struct vectors {
  uint8_t *stack;
  void (*reset)(void);
  void (*exceptions[6])(void);
} vectors;

__attribute__((section(".vectors"),
               used)) static const vectors board_vectors = {
    board_stack_top, board_reset, {fault, fault, fault, fault, fault, fault}};
