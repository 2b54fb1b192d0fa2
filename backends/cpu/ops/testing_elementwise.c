#include "backends/cpu/ops/testing.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "backends/cpu/microkernels/elementwise.h"

double et_test_elementwise_result(uint32_t opcode, double a, double b) {
  switch (opcode) {
    case ET_CPU_OPCODE_ADD:
      return a + b;
    case ET_CPU_OPCODE_SUB:
      return a - b;
    case ET_CPU_OPCODE_MUL:
      return a * b;
    case ET_CPU_OPCODE_DIV:
      return a / b;
    case ET_CPU_OPCODE_MAX:
      return a > b ? a : b;
    case ET_CPU_OPCODE_MIN:
      return a < b ? a : b;
    case ET_CPU_OPCODE_POW:
      return pow(a, b);
    case ET_CPU_OPCODE_NEG:
      return -a;
    case ET_CPU_OPCODE_ABS:
      return fabs(a);
    case ET_CPU_OPCODE_EXP:
      return exp(a);
    case ET_CPU_OPCODE_LOG:
      return log(a);
    case ET_CPU_OPCODE_SQRT:
      return sqrt(a);
    case ET_CPU_OPCODE_RSQRT:
      return 1 / sqrt(a);
    case ET_CPU_OPCODE_RECIPROCAL:
      return 1 / a;
    case ET_CPU_OPCODE_SIN:
      return sin(a);
    case ET_CPU_OPCODE_COS:
      return cos(a);
    case ET_CPU_OPCODE_ERF:
      return erf(a);
    case ET_CPU_OPCODE_FLOOR:
      return floor(a);
    case ET_CPU_OPCODE_CEIL:
      return ceil(a);
    case ET_CPU_OPCODE_ROUND:
      return nearbyint(a);
    case ET_CPU_OPCODE_EQ:
      return a == b;
    case ET_CPU_OPCODE_NE:
      return a != b;
    case ET_CPU_OPCODE_LT:
      return a < b;
    case ET_CPU_OPCODE_LE:
      return a <= b;
    case ET_CPU_OPCODE_GT:
      return a > b;
    case ET_CPU_OPCODE_GE:
      return a >= b;
    case ET_CPU_OPCODE_WHERE:
      return a != 0 ? b : a;
    case ET_CPU_OPCODE_AND:
      return a != 0 && b != 0;
    case ET_CPU_OPCODE_OR:
      return a != 0 || b != 0;
    case ET_CPU_OPCODE_NOT:
      return a == 0;
    default:
      fail_msg("opcode %u", (unsigned)opcode);
      return 0;
  }
}
