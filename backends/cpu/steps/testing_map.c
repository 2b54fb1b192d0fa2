#include "backends/cpu/steps/testing_map.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "backends/cpu/simd/map.h"

double et_test_map_result(uint32_t opcode, double a, double b) {
  switch (opcode) {
    case ET_CPU_MAP_ADD:
      return a + b;
    case ET_CPU_MAP_SUB:
      return a - b;
    case ET_CPU_MAP_MUL:
      return a * b;
    case ET_CPU_MAP_DIV:
      return a / b;
    case ET_CPU_MAP_MAX:
      return a > b ? a : b;
    case ET_CPU_MAP_MIN:
      return a < b ? a : b;
    case ET_CPU_MAP_POW:
      return pow(a, b);
    case ET_CPU_MAP_NEG:
      return -a;
    case ET_CPU_MAP_ABS:
      return fabs(a);
    case ET_CPU_MAP_EXP:
      return exp(a);
    case ET_CPU_MAP_LOG:
      return log(a);
    case ET_CPU_MAP_SQRT:
      return sqrt(a);
    case ET_CPU_MAP_RSQRT:
      return 1 / sqrt(a);
    case ET_CPU_MAP_RECIPROCAL:
      return 1 / a;
    case ET_CPU_MAP_SIN:
      return sin(a);
    case ET_CPU_MAP_COS:
      return cos(a);
    case ET_CPU_MAP_ERF:
      return erf(a);
    case ET_CPU_MAP_FLOOR:
      return floor(a);
    case ET_CPU_MAP_CEIL:
      return ceil(a);
    case ET_CPU_MAP_ROUND:
      return nearbyint(a);
    case ET_CPU_MAP_EQ:
      return a == b;
    case ET_CPU_MAP_NE:
      return a != b;
    case ET_CPU_MAP_LT:
      return a < b;
    case ET_CPU_MAP_LE:
      return a <= b;
    case ET_CPU_MAP_GT:
      return a > b;
    case ET_CPU_MAP_GE:
      return a >= b;
    case ET_CPU_MAP_WHERE:
      return a != 0 ? b : a;
    case ET_CPU_MAP_AND:
      return a != 0 && b != 0;
    case ET_CPU_MAP_OR:
      return a != 0 || b != 0;
    case ET_CPU_MAP_NOT:
      return a == 0;
    default:
      fail_msg("opcode %u", opcode);
      return 0;
  }
}
