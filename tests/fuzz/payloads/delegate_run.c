#include "tests/fuzz/payloads/delegate_run.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/guarded.h"
#include "tests/fuzz/mutate.h"

/* A changed payload can request a large amount of memory, which only stresses
 * the heap. */
#define MAX_HANDLE_BYTES (1u << 22)
#define MAX_ARGUMENT_BYTES (1u << 20)

#define THREADS 3

#define MEMORY_ALIGNMENT 64

/* Bytes that both instances must agree on: statuses, sizes and elements. */
typedef struct record {
  uint8_t *bytes;
  size_t size;
  size_t capacity;
} record;

static void append(record *r, const void *bytes, size_t size) {
  if (r->size + size > r->capacity) {
    r->capacity = 2 * (r->size + size);
    r->bytes = realloc(r->bytes, r->capacity);
    if (r->bytes == NULL) {
      abort();
    }
  }
  if (size > 0) {
    memcpy(r->bytes + r->size, bytes, size);
    r->size += size;
  }
}

static bool same(const record *a, const record *b) {
  return a->size == b->size &&
         (a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
}

/* One loaded instance. */
typedef struct instance {
  const et_run *run;
  size_t index;
  uint8_t fill;
  const et_parallel *parallel;
  et_run_data data[ET_RUN_DATA]; /* in guarded blocks */
  et_guarded handle_block;
  et_guarded scratch_block;
  et_span payload;
  size_t scratch_bytes;
  void *handle;
  record results;
  et_run_result *result;
} instance;

/* Calls `function` in reverse order, which is valid for any number of
 * threads. */
static void run_backward(void *context, size_t count,
                         void (*function)(void *data, size_t index),
                         void *data) {
  (void)context;
  for (size_t i = count; i-- > 0;) {
    function(data, i);
  }
}

static et_status find_data(const et_backend_context *context, et_string key,
                           et_span *out_bytes, et_error *error) {
  const instance *in = context->data_context;
  for (size_t i = 0; i < in->run->data_count; i++) {
    const et_run_data *data = &in->data[i];
    if (data->key.size == key.size &&
        (key.size == 0 || memcmp(data->key.data, key.data, key.size) == 0)) {
      *out_bytes = data->bytes;
      return ET_STATUS_OK;
    }
  }
  return et_fail(error, ET_STATUS_NOT_FOUND, "no such data");
}

/* Random elements are mostly small numbers, which are also valid indices. Half
 * of the integer tensors are sorted, like ends of groups. */
static void fill_random(et_random *random, et_scalar_type dtype, uint8_t *bytes,
                        size_t size) {
  const size_t width = et_scalar_type_size((int32_t)dtype);
  const bool small = et_random_below(random, 4) != 0;
  const bool is_sorted = et_random_below(random, 2) == 0;
  size_t last = 0;
  for (size_t i = 0; i < size; i++) {
    bytes[i] = small ? 0 : (uint8_t)et_random_next(random);
  }
  for (size_t i = 0; small && width > 0 && i + width <= size; i += width) {
    const size_t number = et_random_below(random, 3);
    const float real = (float)number - 0.5f;
    if (dtype == ET_SCALAR_TYPE_FLOAT32) {
      memcpy(bytes + i, &real, sizeof real);
    } else if (dtype == ET_SCALAR_TYPE_FLOAT16 ||
               dtype == ET_SCALAR_TYPE_BFLOAT16) {
      bytes[i + 1] = (uint8_t)(0x34 + 4 * number); /* about 0.25, 1 and 4 */
    } else {
      last = is_sorted ? last + number / 2 : number;
      bytes[i] = (uint8_t)(last < 128 ? last : 127);
    }
  }
}

static void fill_input(const et_run_argument *argument, et_random *random,
                       et_guarded *block) {
  if (argument->content.size == 0) {
    fill_random(random, argument->dtype, block->data, block->size);
    return;
  }
  for (size_t at = 0; at < block->size;) {
    const size_t left = block->size - at;
    const size_t size =
        left < argument->content.size ? left : argument->content.size;
    memcpy(block->data + at, argument->content.data, size);
    at += size;
  }
}

/* An argument in memory. */
typedef struct held {
  et_value value;
  et_tensor tensor;
  int32_t sizes[ET_MAX_RANK];
  int32_t strides[ET_MAX_RANK];
  et_guarded block;
} held;

/* Returns the number of bytes of the argument in this call; SIZE_MAX if a
 * tensor exceeds MAX_ARGUMENT_BYTES. */
static size_t bytes_of(const et_run_argument *argument, size_t call) {
  uint64_t bytes = et_scalar_type_size((int32_t)argument->dtype);
  for (uint8_t i = 0; i < argument->rank && !argument->is_int; i++) {
    bytes *= (uint64_t)argument->sizes[call][i];
    if (bytes > MAX_ARGUMENT_BYTES) {
      return SIZE_MAX;
    }
  }
  return (size_t)bytes;
}

static bool are_small(const et_run *run) {
  size_t total = 0;
  for (size_t call = 0; call < ET_RUN_CALLS; call++) {
    for (size_t i = 0; i < run->argument_count; i++) {
      const size_t bytes = bytes_of(&run->arguments[i], call);
      if (bytes > MAX_ARGUMENT_BYTES - total) {
        return false;
      }
      total += bytes;
    }
  }
  return true;
}

static void hold(const instance *in, size_t index, size_t call,
                 et_random *random, held *out) {
  const et_run_argument *argument = &in->run->arguments[index];
  out->value =
      (et_value){.tag = ET_VALUE_INT, .u.as_int = argument->integers[call]};
  out->block.data = NULL;
  if (argument->is_int) {
    return;
  }
  const size_t bytes = bytes_of(argument, call);
  const size_t width = et_scalar_type_size((int32_t)argument->dtype);
  out->block = et_guarded_take(bytes, width < 8 ? width : 8, in->fill);
  if (argument->role != ET_RUN_OUTPUT) {
    fill_input(argument, random, &out->block);
  }
  if (argument->role == ET_RUN_INPUT) {
    et_guarded_seal(&out->block);
  }
  memcpy(out->sizes, argument->sizes[call], sizeof out->sizes);
  out->tensor = (et_tensor){.data = bytes > 0 ? out->block.data : NULL,
                            .capacity = bytes,
                            .sizes = out->sizes,
                            .strides = out->strides,
                            .dim_order = argument->dim_order,
                            .dtype = argument->dtype,
                            .rank = argument->rank,
                            .dynamism = ET_SHAPE_DYNAMIC_BOUND};
  et_tensor_layout(out->sizes, argument->dim_order, argument->rank,
                   out->strides, &out->tensor.numel, NULL);
  out->value.tag = ET_VALUE_TENSOR;
  out->value.u.as_tensor = &out->tensor;
}

/* Returns the bits of infinity without the sign; larger values are NaN. Returns
 * 0 if the type has no NaN. */
static uint32_t infinity_of(et_scalar_type dtype) {
  switch (dtype) {
    case ET_SCALAR_TYPE_FLOAT32:
      return 0x7F800000;
    case ET_SCALAR_TYPE_FLOAT16:
      return 0x7C00;
    case ET_SCALAR_TYPE_BFLOAT16:
      return 0x7F80;
    default:
      return 0;
  }
}

/* Makes all NaN equal, because the NaN payload of a sum depends on how work is
 * divided. */
static void unify_nans(et_scalar_type dtype, uint8_t *bytes, size_t size) {
  const size_t width = et_scalar_type_size((int32_t)dtype);
  const uint32_t infinity = infinity_of(dtype);
  for (size_t i = 0; infinity != 0 && i + width <= size; i += width) {
    uint32_t word = 0;
    memcpy(&word, bytes + i, width);
    if ((word & (width == 2 ? 0x7FFFu : 0x7FFFFFFFu)) > infinity) {
      memset(bytes + i, 0xFF, width);
    }
  }
}

/* Records results, and checks the memory around the argument. */
static void release(instance *in, size_t index, et_status status, held *h) {
  if (h->block.pages == NULL) {
    return;
  }
  if (status == ET_STATUS_OK &&
      in->run->arguments[index].role != ET_RUN_INPUT) {
    append(&in->results, h->sizes, h->tensor.rank * sizeof h->sizes[0]);
    unify_nans(h->tensor.dtype, h->block.data, et_tensor_nbytes(&h->tensor));
    append(&in->results, h->block.data, et_tensor_nbytes(&h->tensor));
  }
  if (!et_guarded_is_intact(&h->block)) {
    in->result->is_overrun = true;
  }
  et_guarded_free(&h->block);
}

static void call_once(instance *in, size_t call, et_random *random) {
  static held arguments[ET_RUN_ARGUMENTS];
  et_value *values[ET_RUN_ARGUMENTS];
  memset(arguments, 0, sizeof arguments);
  for (size_t i = 0; i < in->run->argument_count; i++) {
    hold(in, i, call, random, &arguments[i]);
    values[i] = &arguments[i].value;
  }
  et_error_clear(&in->result->error);
  const et_execute_context context = {
      .scratch = {in->scratch_bytes > 0 ? in->scratch_block.data : NULL,
                  in->scratch_bytes},
      .parallel = in->parallel,
      .error = &in->result->error};
  const et_status status = in->run->backend->execute(
      in->handle, &context, values, in->run->argument_count);
  append(&in->results, &status, sizeof status);
  if (status == ET_STATUS_OK) {
    in->result->end = ET_RUN_COMPLETED;
  }
  for (size_t i = 0; i < in->run->argument_count; i++) {
    release(in, i, status, &arguments[i]);
  }
}

/* Loads the payload. Returns false if it is refused or too large. */
static bool load(instance *in) {
  const et_run *run = in->run;
  et_run_result *result = in->result;
  et_backend_requirements needed = {.handle_bytes = 0};
  et_backend_context context = {.size = sizeof context,
                                .payload = in->payload,
                                .method_name = "forward",
                                .find_data = find_data,
                                .data_context = in,
                                .options = run->options[in->index],
                                .option_count = run->option_count,
                                .parallel = in->parallel,
                                .error = &result->error,
                                .parts = run->parts,
                                .part_count = run->part_count};
  et_error_clear(&result->error);
  result->end = ET_RUN_REFUSED;
  et_status status = run->backend->measure(&context, &needed);
  append(&in->results, &status, sizeof status);
  append(&in->results, &needed, sizeof needed);
  if (status != ET_STATUS_OK) {
    return false;
  }
  if (needed.handle_bytes > MAX_HANDLE_BYTES) {
    result->end = ET_RUN_TOO_LARGE;
    return false;
  }
  in->handle_block =
      et_guarded_take(needed.handle_bytes, MEMORY_ALIGNMENT, in->fill);
  et_arena arena = et_arena_over(
      (et_mutable_span){in->handle_block.data, needed.handle_bytes});
  context.arena = &arena;
  status = run->backend->init(&context, &in->handle);
  append(&in->results, &status, sizeof status);
  if (status != ET_STATUS_OK) {
    return false;
  }
  if (needed.scratch_bytes > MAX_HANDLE_BYTES || !are_small(run)) {
    result->end = ET_RUN_TOO_LARGE;
    return false;
  }
  in->scratch_bytes = needed.scratch_bytes;
  in->scratch_block =
      et_guarded_take(needed.scratch_bytes, MEMORY_ALIGNMENT, in->fill);
  return true;
}

static void unload(instance *in) {
  et_guarded *blocks[] = {&in->handle_block, &in->scratch_block};
  if (in->handle != NULL && in->run->backend->destroy != NULL) {
    in->run->backend->destroy(in->handle);
  }
  for (size_t i = 0; i < 2; i++) {
    if (blocks[i]->pages != NULL && !et_guarded_is_intact(blocks[i])) {
      in->result->is_overrun = true;
    }
    et_guarded_free(blocks[i]);
  }
}

static void run_instance(instance *in, et_random random) {
  if (load(in)) {
    in->result->end = ET_RUN_CALL_REFUSED;
    for (size_t call = 0; call < ET_RUN_CALLS; call++) {
      call_once(in, call, &random);
    }
  }
  unload(in);
}

static et_guarded copy_of(et_span bytes, size_t alignment) {
  const et_guarded block = et_guarded_take(bytes.size, alignment, 0);
  if (bytes.size > 0) {
    memcpy(block.data, bytes.data, bytes.size);
  }
  et_guarded_seal(&block);
  return block;
}

et_run_result et_run_delegate(const et_run *run, et_random *random) {
  const et_parallel threads = {.thread_count = THREADS, .run = run_backward};
  et_run_result result = {.end = ET_RUN_REFUSED};
  et_guarded payload = copy_of(run->payload, run->alignment);
  et_guarded blocks[ET_RUN_DATA];
  instance instances[2] = {{.run = run, .result = &result, .fill = 0x5A},
                           {.run = run,
                            .result = &result,
                            .index = 1,
                            .fill = 0xC3,
                            .parallel = &threads}};
  for (size_t i = 0; i < run->data_count; i++) {
    blocks[i] = copy_of(run->data[i].bytes, MEMORY_ALIGNMENT);
    for (size_t k = 0; k < 2; k++) {
      instances[k].data[i] = (et_run_data){
          run->data[i].key, {blocks[i].data, run->data[i].bytes.size}};
    }
  }
  for (size_t k = 0; k < 2; k++) {
    instances[k].payload = (et_span){payload.data, run->payload.size};
    run_instance(&instances[k], *random);
  }
  result.is_leak = !same(&instances[0].results, &instances[1].results);
  for (size_t i = 0; i < run->data_count; i++) {
    et_guarded_free(&blocks[i]);
  }
  free(instances[0].results.bytes);
  free(instances[1].results.bytes);
  et_guarded_free(&payload);
  return result;
}
