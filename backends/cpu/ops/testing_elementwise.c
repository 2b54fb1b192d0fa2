#include "backends/cpu/ops/testing_elementwise.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "backends/cpu/microkernels/elementwise.h"

double et_test_elementwise_result(uint32_t opcode, double a, double b) {
  switch (opcode) {
    case ET_CPU_ELEMENTWISE_ADD:
      return a + b;
    case ET_CPU_ELEMENTWISE_SUB:
      return a - b;
    case ET_CPU_ELEMENTWISE_MUL:
      return a * b;
    case ET_CPU_ELEMENTWISE_DIV:
      return a / b;
    case ET_CPU_ELEMENTWISE_MAX:
      return a > b ? a : b;
    case ET_CPU_ELEMENTWISE_MIN:
      return a < b ? a : b;
    case ET_CPU_ELEMENTWISE_POW:
      return pow(a, b);
    case ET_CPU_ELEMENTWISE_NEG:
      return -a;
    case ET_CPU_ELEMENTWISE_ABS:
      return fabs(a);
    case ET_CPU_ELEMENTWISE_EXP:
      return exp(a);
    case ET_CPU_ELEMENTWISE_LOG:
      return log(a);
    case ET_CPU_ELEMENTWISE_SQRT:
      return sqrt(a);
    case ET_CPU_ELEMENTWISE_RSQRT:
      return 1 / sqrt(a);
    case ET_CPU_ELEMENTWISE_RECIPROCAL:
      return 1 / a;
    case ET_CPU_ELEMENTWISE_SIN:
      return sin(a);
    case ET_CPU_ELEMENTWISE_COS:
      return cos(a);
    case ET_CPU_ELEMENTWISE_ERF:
      return erf(a);
    case ET_CPU_ELEMENTWISE_FLOOR:
      return floor(a);
    case ET_CPU_ELEMENTWISE_CEIL:
      return ceil(a);
    case ET_CPU_ELEMENTWISE_ROUND:
      return nearbyint(a);
    case ET_CPU_ELEMENTWISE_EQ:
      return a == b;
    case ET_CPU_ELEMENTWISE_NE:
      return a != b;
    case ET_CPU_ELEMENTWISE_LT:
      return a < b;
    case ET_CPU_ELEMENTWISE_LE:
      return a <= b;
    case ET_CPU_ELEMENTWISE_GT:
      return a > b;
    case ET_CPU_ELEMENTWISE_GE:
      return a >= b;
    case ET_CPU_ELEMENTWISE_WHERE:
      return a != 0 ? b : a;
    case ET_CPU_ELEMENTWISE_AND:
      return a != 0 && b != 0;
    case ET_CPU_ELEMENTWISE_OR:
      return a != 0 || b != 0;
    case ET_CPU_ELEMENTWISE_NOT:
      return a == 0;
    default:
      fail_msg("opcode %u", opcode);
      return 0;
  }
}
