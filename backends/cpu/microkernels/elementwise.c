/* Implements the interpreter of elementwise.h: one function per opcode, y[i] = f(a[i], b[i], c[i]).
 *
 * A function processes one block of contiguous float32 elements, one vector at a time; the last
 * vector may be partial. Simple functions are bound by L1 loads and stores, others by
 * arithmetic. */
#include "backends/cpu/microkernels/elementwise.h"

#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/microkernels/elementary.h"

/* Executes one instruction on `count` elements. */
typedef void function(const et_cpu_instruction_f32 *in,
                      const float *const *registers, float *to, size_t count);

typedef et_f32 of_one(et_f32 a);
typedef et_f32 of_two(et_f32 a, et_f32 b);

ET_INLINE void map_one(of_one *function, const float *a, float *to,
                       size_t count) {
  size_t i = 0;
  for (; i + ET_CPU_LANES <= count; i += ET_CPU_LANES) {
    et_f32_store(to + i, function(et_f32_load(a + i)));
  }
  if (i < count) {
    const size_t left = count - i;
    et_f32_store_some(to + i, function(et_f32_load_some(a + i, left)), left);
  }
}

ET_INLINE void map_two(of_two *function, const float *a, const float *b,
                       float *to, size_t count) {
  size_t i = 0;
  for (; i + ET_CPU_LANES <= count; i += ET_CPU_LANES) {
    et_f32_store(to + i, function(et_f32_load(a + i), et_f32_load(b + i)));
  }
  if (i < count) {
    const size_t left = count - i;
    const et_f32 x = et_f32_load_some(a + i, left);
    const et_f32 y = et_f32_load_some(b + i, left);
    et_f32_store_some(to + i, function(x, y), left);
  }
}

ET_INLINE et_f32 add(et_f32 a, et_f32 b) { return a + b; }
ET_INLINE et_f32 subtract(et_f32 a, et_f32 b) { return a - b; }
ET_INLINE et_f32 multiply(et_f32 a, et_f32 b) { return a * b; }
ET_INLINE et_f32 divide(et_f32 a, et_f32 b) { return a / b; }
ET_INLINE et_f32 negate(et_f32 a) { return -a; }
ET_INLINE et_f32 reciprocal(et_f32 a) { return et_f32_all(1.0f) / a; }
ET_INLINE et_f32 rsqrt(et_f32 a) { return reciprocal(et_f32_sqrt(a)); }
ET_INLINE et_f32 sine(et_f32 a) { return et_f32_apply(sinf, a); }
ET_INLINE et_f32 cosine(et_f32 a) { return et_f32_apply(cosf, a); }

ET_INLINE et_f32 truth(et_i32 mask) {
  return et_f32_select(mask, et_f32_all(1.0f), et_f32_all(0.0f));
}

ET_INLINE et_i32 is_true(et_f32 a) { return a != et_f32_all(0.0f); }

ET_INLINE et_f32 equal(et_f32 a, et_f32 b) { return truth(a == b); }
ET_INLINE et_f32 not_equal(et_f32 a, et_f32 b) { return truth(a != b); }
ET_INLINE et_f32 less(et_f32 a, et_f32 b) { return truth(a < b); }
ET_INLINE et_f32 less_equal(et_f32 a, et_f32 b) { return truth(a <= b); }
ET_INLINE et_f32 greater(et_f32 a, et_f32 b) { return truth(a > b); }
ET_INLINE et_f32 greater_equal(et_f32 a, et_f32 b) { return truth(a >= b); }
ET_INLINE et_f32 negation(et_f32 a) { return truth(~is_true(a)); }

ET_INLINE et_f32 both(et_f32 a, et_f32 b) {
  return truth(is_true(a) & is_true(b));
}

ET_INLINE et_f32 either(et_f32 a, et_f32 b) {
  return truth(is_true(a) | is_true(b));
}

#define DEFINE_ONE(NAME, of)                                       \
  static void run_##NAME(const et_cpu_instruction_f32 *in,         \
                         const float *const *registers, float *to, \
                         size_t count) {                           \
    map_one(of, registers[in->registers[0]], to, count);           \
  }
#define DEFINE_TWO(NAME, of)                                                  \
  static void run_##NAME(const et_cpu_instruction_f32 *in,                    \
                         const float *const *registers, float *to,            \
                         size_t count) {                                      \
    map_two(of, registers[in->registers[0]], registers[in->registers[1]], to, \
            count);                                                           \
  }
DEFINE_TWO(ADD, add)
DEFINE_TWO(SUB, subtract)
DEFINE_TWO(MUL, multiply)
DEFINE_TWO(DIV, divide)
DEFINE_TWO(MAX, et_f32_max)
DEFINE_TWO(MIN, et_f32_min)
DEFINE_TWO(POW, et_f32_pow)
DEFINE_ONE(NEG, negate)
DEFINE_ONE(ABS, et_f32_abs)
DEFINE_ONE(EXP, et_f32_exp)
DEFINE_ONE(LOG, et_f32_log)
DEFINE_ONE(SQRT, et_f32_sqrt)
DEFINE_ONE(RSQRT, rsqrt)
DEFINE_ONE(RECIPROCAL, reciprocal)
DEFINE_ONE(SIN, sine)
DEFINE_ONE(COS, cosine)
DEFINE_ONE(ERF, et_f32_erf)
DEFINE_ONE(FLOOR, et_f32_floor)
DEFINE_ONE(CEIL, et_f32_ceil)
DEFINE_ONE(ROUND, et_f32_round)
DEFINE_TWO(EQ, equal)
DEFINE_TWO(NE, not_equal)
DEFINE_TWO(LT, less)
DEFINE_TWO(LE, less_equal)
DEFINE_TWO(GT, greater)
DEFINE_TWO(GE, greater_equal)
DEFINE_TWO(AND, both)
DEFINE_TWO(OR, either)
DEFINE_ONE(NOT, negation)

ET_INLINE et_f32 chosen(et_f32 condition, et_f32 a, et_f32 b) {
  return et_f32_select(is_true(condition), a, b);
}

static void run_WHERE(const et_cpu_instruction_f32 *in,
                      const float *const *registers, float *to, size_t count) {
  const float *c = registers[in->registers[0]];
  const float *a = registers[in->registers[1]];
  const float *b = registers[in->registers[2]];
  size_t i = 0;
  for (; i + ET_CPU_LANES <= count; i += ET_CPU_LANES) {
    et_f32_store(to + i, chosen(et_f32_load(c + i), et_f32_load(a + i),
                                et_f32_load(b + i)));
  }
  if (i < count) {
    const size_t left = count - i;
    const et_f32 last =
        chosen(et_f32_load_some(c + i, left), et_f32_load_some(a + i, left),
               et_f32_load_some(b + i, left));
    et_f32_store_some(to + i, last, left);
  }
}

static void run_CONSTANT(const et_cpu_instruction_f32 *in,
                         const float *const *registers, float *to,
                         size_t count) {
  (void)registers;
  const et_f32 value = et_f32_all(in->value);
  size_t i = 0;
  for (; i + ET_CPU_LANES <= count; i += ET_CPU_LANES) {
    et_f32_store(to + i, value);
  }
  et_f32_store_some(to + i, value, count - i);
}

static void run_ACTIVATE(const et_cpu_instruction_f32 *in,
                         const float *const *registers, float *to,
                         size_t count) {
  if (to != registers[in->registers[0]]) {
    memcpy(to, registers[in->registers[0]], count * sizeof(float));
  }
  ET_CPU_NAME(et_cpu_activate_f32)(&in->activation, to, count, 1, count);
}

static function *const functions[] = {
    [ET_CPU_OPCODE_CONSTANT] = run_CONSTANT,
    [ET_CPU_OPCODE_ACTIVATE] = run_ACTIVATE,
    [ET_CPU_OPCODE_ADD] = run_ADD,
    [ET_CPU_OPCODE_SUB] = run_SUB,
    [ET_CPU_OPCODE_MUL] = run_MUL,
    [ET_CPU_OPCODE_DIV] = run_DIV,
    [ET_CPU_OPCODE_MAX] = run_MAX,
    [ET_CPU_OPCODE_MIN] = run_MIN,
    [ET_CPU_OPCODE_POW] = run_POW,
    [ET_CPU_OPCODE_NEG] = run_NEG,
    [ET_CPU_OPCODE_ABS] = run_ABS,
    [ET_CPU_OPCODE_EXP] = run_EXP,
    [ET_CPU_OPCODE_LOG] = run_LOG,
    [ET_CPU_OPCODE_SQRT] = run_SQRT,
    [ET_CPU_OPCODE_RSQRT] = run_RSQRT,
    [ET_CPU_OPCODE_RECIPROCAL] = run_RECIPROCAL,
    [ET_CPU_OPCODE_SIN] = run_SIN,
    [ET_CPU_OPCODE_COS] = run_COS,
    [ET_CPU_OPCODE_ERF] = run_ERF,
    [ET_CPU_OPCODE_FLOOR] = run_FLOOR,
    [ET_CPU_OPCODE_CEIL] = run_CEIL,
    [ET_CPU_OPCODE_ROUND] = run_ROUND,
    [ET_CPU_OPCODE_EQ] = run_EQ,
    [ET_CPU_OPCODE_NE] = run_NE,
    [ET_CPU_OPCODE_LT] = run_LT,
    [ET_CPU_OPCODE_LE] = run_LE,
    [ET_CPU_OPCODE_GT] = run_GT,
    [ET_CPU_OPCODE_GE] = run_GE,
    [ET_CPU_OPCODE_WHERE] = run_WHERE,
    [ET_CPU_OPCODE_AND] = run_AND,
    [ET_CPU_OPCODE_OR] = run_OR,
    [ET_CPU_OPCODE_NOT] = run_NOT,
};

void ET_CPU_NAME(et_cpu_elementwise_f32)(const et_cpu_elementwise *program,
                                         et_cpu_elementwise_state *state,
                                         float *out, size_t count) {
  const size_t block = et_cpu_elementwise_block(program);
  for (size_t i = 0; i < program->count; i++) {
    const et_cpu_instruction_f32 in = et_cpu_instruction_f32_read(
        program->instructions + i * ET_CPU_INSTRUCTION_F32_WORDS);
    const size_t result = program->operands + i;
    float *to = i + 1 == program->count ? out : state->buffers + result * block;
    functions[in.opcode](&in, state->registers, to, count);
    state->registers[result] = to;
  }
}
