/* Compiled once for each instruction set, with its LIMIT_NAME and
 * LIMIT_BYTES. */
#include "benchmarks/latency/native/latency.h"

typedef float floats __attribute__((vector_size(LIMIT_BYTES)));
typedef uint64_t words __attribute__((vector_size(LIMIT_BYTES)));

#define LANES (LIMIT_BYTES / sizeof(float))

/* Variables, not an array: compilers keep arrays of vectors in memory. Twelve
 * accumulators cover two units with a latency of five cycles. */
#define EACH_SUM(X) \
  X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define SUMS 12
#define EACH_STREAM(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define STREAMS 8

static float total(floats sums) {
  float result = 0;
  for (size_t lane = 0; lane < LANES; lane++) {
    result += sums[lane];
  }
  return result;
}

/* Accumulators start at different values other than 2, so that the compiler
 * cannot merge them. */
#define BEGIN(s) floats sum##s = (floats){0} + (float)((s) + 3);
#define MULTIPLY_ADD(s) sum##s = sum##s * factor + term;
#define ADD_UP(s) result += total(sum##s);

float LIMIT_NAME(bench_fma)(uint64_t operations) {
  const floats factor = (floats){0} + 0.5f;
  const floats term = (floats){0} + 1.0f;
  float result = 0;
  EACH_SUM(BEGIN)
  for (uint64_t done = 0; done < operations; done += 2 * SUMS * LANES) {
    EACH_SUM(MULTIPLY_ADD)
  }
  EACH_SUM(ADD_UP)
  return result;
}

#define BEGIN_STREAM(s) words stream##s = {0};
#define TAKE(s) stream##s ^= in[i + (s)];
#define MIX(s) all ^= stream##s;

uint64_t LIMIT_NAME(bench_read)(const void *data, size_t size) {
  const words *in = data;
  words all = {0};
  uint64_t result = 0;
  EACH_STREAM(BEGIN_STREAM)
  for (size_t i = 0; i + STREAMS <= size / sizeof *in; i += STREAMS) {
    EACH_STREAM(TAKE)
  }
  EACH_STREAM(MIX)
  for (size_t lane = 0; lane < sizeof all / sizeof result; lane++) {
    result ^= all[lane];
  }
  return result;
}
