/* Op cast: conversion of x to another dtype. */
#include "backends/cpu/schema/cast.h"

#include "backends/cpu/microkernels/elementwise.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"

static et_cpu_widen_function *const widen_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_widen);
static et_cpu_narrow_function *const narrow_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_narrow);

/* Number of elements per chunk. */
#define CHUNK 16384

static bool is_float16(uint8_t dtype) {
  return dtype == ET_SCALAR_TYPE_FLOAT16 || dtype == ET_SCALAR_TYPE_BFLOAT16;
}

static bool is_integer(uint8_t dtype) {
  return dtype == ET_SCALAR_TYPE_INT64 || dtype == ET_SCALAR_TYPE_INT32;
}

static bool is_supported(uint8_t from, uint8_t to) {
  return (is_float16(from) && to == ET_SCALAR_TYPE_FLOAT32) ||
         (from == ET_SCALAR_TYPE_FLOAT32 && (is_float16(to) || is_integer(to)));
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_cast_args args = et_cpu_cast_args_of(op);
  ET_CPU_CHECK(error, is_supported(args.x->dtype, args.y->dtype),
               "cast: %s to %s is not supported",
               et_scalar_type_name(args.x->dtype),
               et_scalar_type_name(args.y->dtype));
  return et_cpu_check_elements(op, args.x, (int64_t)args.y->numel, error);
}

/* Truncates and saturates. Returns 0 for NaN. */
static int64_t integer_of(float x) {
  if (x >= -0x1p63f && x < 0x1p63f) {
    return (int64_t)x;
  }
  return x < 0 ? INT64_MIN : x > 0 ? INT64_MAX : 0;
}

/* Keeps the lower 32 bits of an int64, as in PyTorch. */
static void write_integers(const float *x, const et_cpu_tensor *y, size_t first,
                           size_t count) {
  for (size_t i = 0; i < count; i++) {
    const int64_t value = integer_of(x[i]);
    if (y->dtype == ET_SCALAR_TYPE_INT64) {
      ((int64_t *)y->data)[first + i] = value;
    } else {
      ((uint32_t *)y->data)[first + i] = (uint32_t)(uint64_t)value;
    }
  }
}

typedef struct work {
  const et_cpu_tensor *x;
  const et_cpu_tensor *y;
  et_cpu_widen_function *widen;
  et_cpu_narrow_function *narrow;
} work;

static void run_chunk(void *data, size_t index) {
  const work *w = data;
  const size_t first = index * CHUNK;
  const size_t count = et_cpu_part(w->y->numel, CHUNK, index);
  if (is_float16(w->x->dtype)) {
    w->widen((const uint16_t *)w->x->data + first, (float *)w->y->data + first,
             count, w->x->dtype == ET_SCALAR_TYPE_BFLOAT16);
  } else if (is_float16(w->y->dtype)) {
    w->narrow((const float *)w->x->data + first, (uint16_t *)w->y->data + first,
              count, w->y->dtype == ET_SCALAR_TYPE_BFLOAT16);
  } else {
    write_integers((const float *)w->x->data + first, w->y, first, count);
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_cast_args args = et_cpu_cast_args_of(op);
  work w = {args.x, args.y, widen_variants[run->isa],
            narrow_variants[run->isa]};
  et_cpu_for_each(run, et_cpu_parts(w.y->numel, CHUNK), run_chunk, &w);
}

static const et_cpu_op_type op_type = {&et_cpu_cast_schema, check, run};
const et_backend_part et_cpu_op_cast = {ET_CPU_OP_CAST, &op_type};
