#include "backends/cpu/microkernels/elementwise.h"

#include "backends/cpu/microkernels/activate.h"
#include "backends/cpu/microkernels/elementary.h"

/* One instruction: the words behind its opcode. */
typedef void instruction(const uint32_t *words, const float *const *registers,
                         float *to, size_t count);

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
ET_INLINE et_f32 sine(et_f32 a) { return et_f32_each(sinf, a); }
ET_INLINE et_f32 cosine(et_f32 a) { return et_f32_each(cosf, a); }

/* NaN wins. */
ET_INLINE et_f32 larger(et_f32 a, et_f32 b) {
  return et_f32_select((a > b) | (a != a), a, b);
}

ET_INLINE et_f32 smaller(et_f32 a, et_f32 b) {
  return et_f32_select((a < b) | (a != a), a, b);
}

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

#define DEFINE_ONE(NAME, function)                                             \
  static void run_##NAME(const uint32_t *words, const float *const *registers, \
                         float *to, size_t count) {                            \
    map_one(function, registers[words[0]], to, count);                         \
  }
#define DEFINE_TWO(NAME, function)                                             \
  static void run_##NAME(const uint32_t *words, const float *const *registers, \
                         float *to, size_t count) {                            \
    map_two(function, registers[words[0]], registers[words[1]], to, count);    \
  }
DEFINE_TWO(ADD, add)
DEFINE_TWO(SUB, subtract)
DEFINE_TWO(MUL, multiply)
DEFINE_TWO(DIV, divide)
DEFINE_TWO(MAX, larger)
DEFINE_TWO(MIN, smaller)
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

static void run_WHERE(const uint32_t *words, const float *const *registers,
                      float *to, size_t count) {
  const float *c = registers[words[0]];
  const float *a = registers[words[1]];
  const float *b = registers[words[2]];
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

static float float_of_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

static void run_CONSTANT(const uint32_t *words, const float *const *registers,
                         float *to, size_t count) {
  (void)registers;
  const et_f32 value = et_f32_all(float_of_bits(words[0]));
  size_t i = 0;
  for (; i + ET_CPU_LANES <= count; i += ET_CPU_LANES) {
    et_f32_store(to + i, value);
  }
  et_f32_store_some(to + i, value, count - i);
}

static void run_ACTIVATE(const uint32_t *words, const float *const *registers,
                         float *to, size_t count) {
  const et_cpu_activation activation = {words[1], float_of_bits(words[2]),
                                        float_of_bits(words[3])};
  if (to != registers[words[0]]) {
    memcpy(to, registers[words[0]], count * sizeof(float));
  }
  ET_CPU_NAME(et_cpu_activate_f32)(&activation, to, count, 1, count);
}

#define INSTRUCTION_ENTRY(NAME, code, registers) [code] = run_##NAME,
static instruction *const instructions[] = {
    ET_CPU_ELEMENTWISE_LIST(INSTRUCTION_ENTRY)};

void ET_CPU_NAME(et_cpu_elementwise_f32)(const et_cpu_elementwise *map,
                                         et_cpu_elementwise_state *state,
                                         float *out, size_t count) {
  const uint32_t *words = map->words;
  const size_t room = et_cpu_elementwise_block(map);
  for (size_t i = 0; i < map->count; i++, words += ET_CPU_ELEMENTWISE_WORDS) {
    const size_t result = map->operands + i;
    float *to = i + 1 == map->count ? out : state->rooms + result * room;
    instructions[words[0]](words + 1, state->registers, to, count);
    state->registers[result] = to;
  }
}
