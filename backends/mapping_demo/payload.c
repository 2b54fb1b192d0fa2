#include "backends/mapping_demo/payload.h"

#include <stdbool.h>
#include <string.h>

#include "executorch/checked.h"

#define MAGIC UINT32_C(0x3150444d) /* "MDP1" */
#define HEADER_WORDS 3u
#define STEP_WORDS 16u
#define MAX_SIZE UINT32_C(65536)
#define MAX_NUMEL (UINT32_C(1) << 28)

static uint32_t word_at(et_span bytes, size_t index) {
  const uint8_t *at = bytes.data + 4 * index;
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
         (uint32_t)at[3] << 24;
}

static et_status fail(et_error *error, const char *reason) {
  return et_fail(error, ET_STATUS_DELEGATE_INCOMPATIBLE, "payload: %s", reason);
}

static et_status fail_step(et_error *error, uint32_t index,
                           const char *reason) {
  return et_fail(error, ET_STATUS_DELEGATE_INCOMPATIBLE, "payload, step %u: %s",
                 (unsigned)index, reason);
}

et_status mapping_demo_open(et_span bytes, et_error *error,
                            mapping_demo_payload *out) {
  const size_t header = sizeof(uint32_t) * HEADER_WORDS;
  if (bytes.size < header || word_at(bytes, 0) != MAGIC) {
    return fail(error,
                "it names no operands and no weights, as the official "
                "exporter writes it; compile the model again");
  }
  const mapping_demo_payload payload = {bytes, word_at(bytes, 1),
                                        word_at(bytes, 2)};
  if (payload.step_count == 0 || payload.step_count > MAPPING_DEMO_MAX_STEPS) {
    return fail(error, "the number of steps is not within 1 to 64");
  }
  if (bytes.size <
      header + sizeof(uint32_t) * STEP_WORDS * payload.step_count) {
    return fail(error, "it ends among its steps");
  }
  if (payload.input_numel > MAX_NUMEL) {
    return fail(error, "the input has too many elements");
  }
  *out = payload;
  return ET_STATUS_OK;
}

static size_t first_word(uint32_t step) {
  return HEADER_WORDS + (size_t)STEP_WORDS * step;
}

/* Elements of value `number`, an operand of a step that comes later. */
static uint32_t numel_of(const mapping_demo_payload *payload, uint32_t number) {
  return number == 0 ? payload->input_numel
                     : word_at(payload->bytes, first_word(number - 1) + 3);
}

static bool product_is(const uint32_t *factors, size_t count, size_t expected) {
  size_t product = 1;
  for (size_t i = 0; i < count; i++) {
    if (!et_checked_mul(product, factors[i], &product)) {
      return false;
    }
  }
  return product == expected;
}

static bool images_are(uint32_t batch, const mapping_demo_image *image,
                       size_t numel) {
  const uint32_t sizes[] = {batch, image->channels, image->height,
                            image->width};
  return product_is(sizes, 4, numel);
}

/* Whether windows over `in` give as many results as there are in `out`. */
static bool windows_fit(uint32_t in, uint32_t window, uint32_t out,
                        const mapping_demo_convolution *c) {
  const uint32_t padded = in + 2 * c->padding;
  return padded >= window && out == (padded - window) / c->stride + 1;
}

static void read_convolution(et_span bytes, size_t word,
                             mapping_demo_convolution *out) {
  uint32_t *const fields[] = {
      &out->batch,     &out->in.channels,   &out->in.height,
      &out->in.width,  &out->out.channels,  &out->out.height,
      &out->out.width, &out->window_height, &out->window_width,
      &out->stride,    &out->padding,
  };
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    *fields[i] = word_at(bytes, word + i);
  }
}

static bool sizes_are_small(et_span bytes, size_t word) {
  for (size_t i = 0; i < 11; i++) {
    if (word_at(bytes, word + i) > MAX_SIZE) {
      return false;
    }
  }
  return true;
}

/* Finds the weights, and that all of them are there. */
static bool find_weights(const mapping_demo_payload *payload, uint32_t at,
                         mapping_demo_convolution *c) {
  const size_t begin = sizeof(uint32_t) * first_word(payload->step_count);
  const uint64_t there = (payload->bytes.size - begin) / sizeof(float);
  const uint32_t factors[] = {c->out.channels, c->in.channels, c->window_height,
                              c->window_width};
  size_t count = 1;
  for (size_t i = 0; i < 4; i++) {
    if (!et_checked_mul(count, factors[i], &count)) {
      return false;
    }
  }
  if (!et_checked_add(count, c->out.channels, &count) ||
      !et_range_in(at, count, there)) {
    return false;
  }
  c->weights = payload->bytes.data + begin + sizeof(float) * (size_t)at;
  return true;
}

static et_status check_convolution(const mapping_demo_payload *payload,
                                   uint32_t index, et_error *error,
                                   mapping_demo_step *step) {
  const size_t word = first_word(index) + 4;
  mapping_demo_convolution *c = &step->convolution;
  read_convolution(payload->bytes, word, c);
  if (!sizes_are_small(payload->bytes, word) || c->stride == 0 ||
      !windows_fit(c->in.height, c->window_height, c->out.height, c) ||
      !windows_fit(c->in.width, c->window_width, c->out.width, c) ||
      !images_are(c->batch, &c->in, numel_of(payload, step->operands[0])) ||
      !images_are(c->batch, &c->out, step->numel)) {
    return fail_step(error, index, "the convolution's sizes contradict");
  }
  return find_weights(payload, word_at(payload->bytes, word + 11), c)
             ? ET_STATUS_OK
             : fail_step(error, index, "its weights are not there");
}

static et_status check_elementwise(const mapping_demo_payload *payload,
                                   uint32_t index, et_error *error,
                                   const mapping_demo_step *step) {
  const bool is_one = step->kind != MAPPING_DEMO_DIV;
  const bool fits =
      numel_of(payload, step->operands[0]) == step->numel &&
      (is_one || numel_of(payload, step->operands[1]) == step->numel);
  return fits ? ET_STATUS_OK
              : fail_step(error, index, "operands of another size");
}

et_status mapping_demo_read_step(const mapping_demo_payload *payload,
                                 uint32_t index, et_error *error,
                                 mapping_demo_step *out) {
  const size_t word = first_word(index);
  mapping_demo_step step = {.kind = word_at(payload->bytes, word)};
  step.operands[0] = word_at(payload->bytes, word + 1);
  step.operands[1] = word_at(payload->bytes, word + 2);
  step.numel = word_at(payload->bytes, word + 3);
  if (step.kind >= MAPPING_DEMO_KIND_COUNT) {
    return fail_step(error, index, "there is no such kind");
  }
  if (step.operands[0] > index || step.operands[1] > index) {
    return fail_step(error, index, "an operand comes later");
  }
  if (step.numel > MAX_NUMEL) {
    return fail_step(error, index, "its result has too many elements");
  }
  ET_RETURN_IF_ERROR(step.kind == MAPPING_DEMO_CONV_RELU
                         ? check_convolution(payload, index, error, &step)
                         : check_elementwise(payload, index, error, &step));
  *out = step;
  return ET_STATUS_OK;
}
