/* Changes single fields of payloads of the CPU backend. */
#include <stdio.h>
#include <string.h>

#include "backends/cpu/runtime/cpu_backend.h"
#include "backends/cpu/runtime/isa.h"
#include "backends/cpu/schema/op_fields.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/payloads/cpu_arguments.h"
#include "tests/fuzz/payloads/cpu_fields.h"
#include "tests/fuzz/payloads/cpu_seeds.h"

/* A change of one field of an undamaged payload. */
typedef struct change {
  et_random *random;
  const et_cpu_payload *payload;
} change;

static uint32_t get(const et_payload *payload, size_t at) {
  uint32_t word = 0;
  memcpy(&word, payload->bytes + 4 * at, sizeof word);
  return word;
}

static void set(et_payload *payload, size_t at, int64_t value) {
  const uint32_t word = (uint32_t)value;
  memcpy(payload->bytes + 4 * at, &word, sizeof word);
}

/* Inserts zeros, or removes words if `count` is negative. */
static void splice(et_payload *payload, size_t at, ptrdiff_t count) {
  uint8_t *from = payload->bytes + 4 * at;
  const size_t bytes = 4 * (size_t)(count < 0 ? -count : count);
  const size_t left = payload->size - 4 * at;
  if (count < 0) {
    memmove(from, from + bytes, left - bytes);
    payload->size -= bytes;
  } else {
    memmove(from + bytes, from, left);
    memset(from, 0, bytes);
    payload->size += bytes;
  }
  set(payload, 2, (int64_t)(payload->size / 4));
}

/* Inserts or removes one element of a list, and adjusts its count. */
static void change_list(const change *c, const et_cpu_field *f,
                        et_payload *payload, int64_t highest) {
  const uint32_t count = get(payload, f->at);
  const size_t step = f->step <= count ? f->step : 1;
  const bool removes = count > 0 && et_random_below(c->random, 2) == 0;
  const size_t elements = count / step;
  const size_t place = et_random_below(c->random, elements + (removes ? 0 : 1));
  const size_t fixed = count % step;
  const size_t at = f->list + fixed + place * step;
  if (removes) {
    splice(payload, at, -(ptrdiff_t)step);
    set(payload, f->at, (int64_t)(count - step));
    return;
  }
  splice(payload, at, (ptrdiff_t)step);
  set(payload, f->at, (int64_t)(count + step));
  for (size_t i = 0; i < step; i++) {
    const bool copies = elements > 0 && et_random_below(c->random, 2) == 0;
    const size_t source = place == 0 ? at + step + i : at - step + i;
    set(payload, at + i,
        copies ? get(payload, source)
               : (int64_t)et_random_below(c->random, (size_t)highest));
  }
}

static void change_rank(const change *c, const et_cpu_field *f,
                        et_payload *payload) {
  uint32_t order = 0;
  change_list(c, f, payload, c->payload->dim_count + 1);
  const uint32_t rank = get(payload, f->at);
  for (uint32_t i = 0; i < rank && i < 8; i++) {
    order |= i << 4 * i;
  }
  set(payload, f->at + 4, order);
}

/* Gives one dim of one value a size that no other value has. */
static void change_value_size(const change *c, const et_cpu_field *f,
                              et_payload *payload) {
  const uint32_t count = c->payload->dim_count;
  const size_t end =
      ET_CPU_PAYLOAD_HEADER_WORDS + (size_t)ET_CPU_DIM_WORDS * count;
  const uint32_t old = et_cpu_dim_at(c->payload, get(payload, f->at)).maximum;
  const int64_t size = et_near(c->random, old, 0, INT32_MAX);
  splice(payload, end, ET_CPU_DIM_WORDS);
  set(payload, 5, count + 1);
  set(payload, end, ET_CPU_DIM_OP_CONST);
  set(payload, end + 1, size);
  set(payload, end + 3, size);
  set(payload, f->at + ET_CPU_DIM_WORDS, count);
}

/* Makes the dim the size of an input that has it. */
static void change_to_dynamic(const change *c, const et_cpu_field *f,
                              et_payload *payload) {
  const uint32_t dim =
      (uint32_t)((f->at - ET_CPU_PAYLOAD_HEADER_WORDS) / ET_CPU_DIM_WORDS);
  size_t at = c->payload->values_at;
  size_t found = 0;
  et_cpu_value value;
  for (uint32_t i = 0; i < c->payload->value_count; i++) {
    et_cpu_read_value(c->payload, &at, &value);
    for (uint32_t k = 0; k < value.rank && value.place == ET_CPU_PLACE_INPUT;
         k++) {
      if (et_cpu_word(c->payload, value.dims_at + k) == dim &&
          et_random_below(c->random, ++found) == 0) {
        set(payload, f->at, ET_CPU_DIM_OP_SIZE);
        set(payload, f->at + 1, value.index);
        set(payload, f->at + 2, value.order >> 4 * k & 15);
      }
    }
  }
}

static void change_word(const change *c, const et_cpu_field *f,
                        et_payload *payload) {
  const uint32_t old = get(payload, f->at);
  const bool is_float =
      f->is_float || (f->is_any && et_random_below(c->random, 2) == 0);
  set(payload, f->at,
      is_float ? (int64_t)et_near_float(c->random, old)
               : et_near(c->random, (int32_t)old, f->low, f->high));
}

static void change_field(const change *c, const et_cpu_field *f,
                         et_payload *payload) {
  const uint32_t values = c->payload->value_count;
  const uint32_t dims = c->payload->dim_count;
  const bool is_outside = et_random_below(c->random, 16) == 0;
  const uint32_t old = get(payload, f->at);
  switch (f->role) {
    case ET_CPU_CHANGE_WORD:
      change_word(c, f, payload);
      break;
    case ET_CPU_CHANGE_TENSOR:
      set(payload, f->at,
          is_outside ? values : et_random_below(c->random, values));
      break;
    case ET_CPU_CHANGE_DIM_REF:
      set(payload, f->at, is_outside ? dims : et_random_below(c->random, dims));
      break;
    case ET_CPU_CHANGE_CODE:
      set(payload, f->at,
          is_outside
              ? et_random_below(c->random, 64)
              : et_cpu_all_op_fields[et_random_below(c->random,
                                                     et_cpu_op_fields_count)]
                    .part->id);
      break;
    case ET_CPU_CHANGE_DTYPE:
      set(payload, f->at, (int64_t)et_random_below(c->random, 17));
      break;
    case ET_CPU_CHANGE_LIST:
      change_list(c, f, payload, f->name[0] == 'a' ? 16 : (int64_t)values + 1);
      break;
    case ET_CPU_CHANGE_RANK:
      change_rank(c, f, payload);
      break;
    case ET_CPU_CHANGE_VALUE_SIZE:
      change_value_size(c, f, payload);
      break;
    case ET_CPU_CHANGE_SIZE: {
      const int64_t size =
          et_near(c->random, get(payload, f->at + 1), 0, INT32_MAX);
      set(payload, f->at + 1, size);
      set(payload, f->at + 3, size);
      break;
    }
    case ET_CPU_CHANGE_DYNAMIC:
      change_to_dynamic(c, f, payload);
      break;
    default:
      set(payload, f->at, et_near(c->random, old, f->low, f->high));
      break;
  }
}

static et_mutation mutate(const et_seed *seed, et_random *random,
                          et_payload *payload) {
  et_cpu_payload opened;
  const change c = {random, &opened};
  et_mutation mutation;
  et_cpu_payload_open(seed->payload, NULL, &opened);
  const et_cpu_field f = et_cpu_draw_field(&opened, random);
  change_field(&c, &f, payload);
  mutation.kind = f.kind;
  mutation.field = f.id;
  snprintf(mutation.text, sizeof mutation.text, "%s.%s at word %zu: %d to %d",
           f.owner, f.name, f.at, (int)et_cpu_word(&opened, f.at),
           (int)get(payload, f.at));
  return mutation;
}

static const et_backend_part *const *all_parts(void) {
  static const et_backend_part *parts[256];
  for (size_t i = 0; i < et_cpu_op_fields_count; i++) {
    parts[i] = et_cpu_all_op_fields[i].part;
  }
  return parts;
}

/* Returns true if an op relies on unverified properties of its weights that the
 * compiler computed: column sums, and a bound on products. Some instruction
 * sets use them, others do not, so results differ if they are wrong. */
static bool relies_on_weights(const et_cpu_payload *payload) {
  size_t at = payload->ops_at;
  et_cpu_op_record op;
  for (uint32_t i = 0; i < payload->op_count; i++) {
    et_cpu_read_op(payload, &at, &op);
    const size_t kind = et_cpu_kind_of(op.kind);
    if (kind == et_cpu_op_fields_count) {
      continue;
    }
    const char *const *inputs = et_cpu_all_op_fields[kind].tensors;
    for (size_t k = 0; k < et_cpu_schema_of(kind)->input_rules; k++) {
      if (strcmp(inputs[k], "sums") == 0 || strcmp(inputs[k], "others") == 0) {
        return true;
      }
    }
  }
  return false;
}

static void describe(const et_seed *seed, et_random *random, et_run *run) {
  et_cpu_payload payload;
  et_draw_isas(random, run);
  run->parts = all_parts();
  run->part_count = et_cpu_op_fields_count;
  if (et_cpu_payload_open(run->payload, NULL, &payload) == ET_STATUS_OK &&
      payload.input_count + payload.output_count <= ET_RUN_ARGUMENTS &&
      payload.dim_count <= ET_CPU_ARGUMENT_DIMS) {
    et_cpu_describe_arguments(&payload, random, run);
    if (relies_on_weights(&payload)) {
      run->options[1][0] = run->options[0][0];
    }
  }
  for (size_t i = 0; i < run->argument_count; i++) {
    run->arguments[i].content = seed->contents[i];
  }
}

static size_t kind_count(void) { return et_cpu_op_fields_count + 1; }

static const char *kind_name(size_t kind) {
  return kind < et_cpu_op_fields_count ? et_cpu_schema_of(kind)->name
                                       : "payload";
}

const et_target et_fuzz_target = {.name = "cpu_payload_fuzz",
                                  .backend = &et_cpu_backend,
                                  .alignment = 4,
                                  .kind_count = kind_count,
                                  .kind_name = kind_name,
                                  .add_seeds = et_cpu_add_seeds,
                                  .mutate = mutate,
                                  .describe = describe};
