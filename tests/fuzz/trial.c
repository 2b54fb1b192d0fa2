#include "tests/fuzz/trial.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "executorch/method.h"
#include "executorch/program.h"
#include "tests/fuzz/instance.h"

extern const et_registry et_linked_registry;

/* A damaged method can loop forever, or request a large amount of memory, which
 * only stresses the heap. */
#define MAX_BYTES (1u << 20)
#define MAX_SCRATCH_BYTES (1u << 24)
#define MAX_INSTRUCTIONS 4096
#define MAX_INPUTS 64

/* The contents of memory before a method is loaded. */
#define FIRST_FILL 0x5A
#define SECOND_FILL 0xC3

/* The results of a method's executions: statuses, sizes and bytes. */
typedef struct et_record {
  uint8_t *bytes;
  size_t size;
  size_t capacity;
} et_record;

typedef struct watch {
  jmp_buf stop;
  size_t instructions;
} watch;

static void count_instruction(void *context, const et_event *event) {
  watch *w = context;
  (void)event;
  if (++w->instructions > MAX_INSTRUCTIONS) {
    longjmp(w->stop, 1);
  }
}

static void ignore_end(void *context, const et_event *event, et_status status) {
  (void)context, (void)event, (void)status;
}

/* Returns the size of planned buffers and of caller-provided inputs and outputs. */
static uint64_t bytes_wanted(const et_method_meta *meta) {
  uint64_t total = 0;
  et_value_meta value;
  for (size_t i = 0; i < et_method_meta_planned_count(meta); i++) {
    size_t bytes = 0;
    et_method_meta_planned_bytes(meta, i, &bytes, NULL);
    total += bytes;
  }
  for (size_t i = 0; i < et_method_meta_input_count(meta); i++) {
    value.nbytes = 0;
    et_method_meta_input(meta, i, &value, NULL);
    total += value.nbytes;
  }
  for (size_t i = 0; i < et_method_meta_output_count(meta); i++) {
    value.nbytes = 0;
    et_method_meta_output(meta, i, &value, NULL);
    total += value.nbytes;
  }
  return total;
}

/* Fills a tensor with small values, which are also valid indices and sizes, or with
 * random bits. */
static void fill(et_random *random, et_scalar_type dtype, uint8_t *bytes,
                 size_t size) {
  const size_t width = et_scalar_type_size((int32_t)dtype);
  const bool small = et_random_below(random, 4) != 0;
  for (size_t i = 0; i < size; i++) {
    bytes[i] = small ? 0 : (uint8_t)et_random_next(random);
  }
  for (size_t i = 0; small && width > 0 && i + width <= size; i += width) {
    const size_t number = et_random_below(random, 3);
    const float real = (float)number - 0.5f;
    if (dtype == ET_SCALAR_TYPE_FLOAT32) {
      memcpy(bytes + i, &real, sizeof real);
    } else {
      bytes[i] = (uint8_t)number;
    }
  }
}

/* Draws a shape with fewer elements than the bound. */
static size_t shorten(et_random *random, et_value_meta *meta) {
  size_t numel = 1;
  for (size_t d = 0; d < meta->rank; d++) {
    if (meta->dynamism != ET_SHAPE_STATIC && meta->sizes[d] > 0 &&
        et_random_below(random, 2) == 0) {
      meta->sizes[d] =
          (int32_t)et_random_below(random, (size_t)meta->sizes[d] + 1);
    }
    numel *= (size_t)meta->sizes[d];
  }
  return numel * et_scalar_type_size((int32_t)meta->dtype);
}

/* Allocates a block that the input borrows. */
static et_guarded set_borrowed_input(et_method *method,
                                     const et_method_meta *program_meta,
                                     size_t index, et_random *random) {
  et_guarded block = {.data = NULL};
  et_value_meta meta;
  if (et_method_meta_input(program_meta, index, &meta, NULL) != ET_STATUS_OK ||
      meta.tag != ET_VALUE_TENSOR) {
    return block;
  }
  block = et_guarded_take(shorten(random, &meta), 1, 0);
  fill(random, meta.dtype, block.data, block.size);
  et_guarded_seal(&block);
  et_method_set_input(method, index, meta.dtype, meta.sizes, meta.rank,
                      block.data, block.size, NULL);
  return block;
}

static void append(et_record *record, const void *bytes, size_t size) {
  if (size > record->capacity - record->size) {
    record->capacity = 2 * (record->size + size);
    record->bytes = realloc(record->bytes, record->capacity);
    if (record->bytes == NULL) {
      abort();
    }
  }
  if (size > 0) {
    memcpy(record->bytes + record->size, bytes, size);
    record->size += size;
  }
}

static void append_output(const et_value *value, et_record *record) {
  append(record, &value->tag, sizeof value->tag);
  switch (value->tag) {
    case ET_VALUE_TENSOR: {
      const et_tensor *tensor = value->u.as_tensor;
      append(record, tensor->sizes, tensor->rank * sizeof *tensor->sizes);
      append(record, tensor->data, et_tensor_nbytes(tensor));
      break;
    }
    case ET_VALUE_INT:
    case ET_VALUE_DOUBLE:
      append(record, &value->u.as_int, sizeof value->u.as_int);
      break;
    case ET_VALUE_BOOL:
      append(record, &value->u.as_bool, sizeof value->u.as_bool);
      break;
    default:
      break;
  }
}

static void append_outputs(const et_method *method, et_record *record) {
  for (size_t i = 0; i < et_method_output_count(method); i++) {
    const et_value *value = NULL;
    const et_status status = et_method_get_output(method, i, &value, NULL);
    append(record, &status, sizeof status);
    if (status == ET_STATUS_OK) {
      append_output(value, record);
    }
  }
}

static void execute(et_method *method, const et_method_meta *meta, watch *w,
                    et_random *random, et_trials *trials, et_record *record) {
  et_guarded blocks[MAX_INPUTS] = {{.data = NULL}};
  const size_t count = et_method_input_count(method);
  for (size_t i = 0; i < count && i < MAX_INPUTS; i++) {
    blocks[i] = set_borrowed_input(method, meta, i, random);
  }
  w->instructions = 0;
  if (setjmp(w->stop) != 0) {
    trials->stopped++;
  } else if (et_method_execute(method, NULL) == ET_STATUS_OK) {
    trials->completed++;
  } else {
    trials->refused++;
  }
  append_outputs(method, record);
  for (size_t i = 0; i < MAX_INPUTS; i++) {
    et_guarded_free(&blocks[i]);
  }
}

/* Loads the method into memory filled with `fill`, and executes it twice. */
static void run_method(const et_method_meta *meta, const char *name,
                       const et_method_requirements *needed, uint8_t fill_byte,
                       et_random *random, et_trials *trials,
                       et_record *record) {
  watch w = {.instructions = 0};
  const et_observer observer = ET_OBSERVER(&w, count_instruction, ignore_end);
  const et_method_options options = {.observer = &observer};
  et_instance instance;
  const et_status status = et_instance_load(
      meta, name, &et_linked_registry, &options, needed, fill_byte, &instance);
  append(record, &status, sizeof status);
  if (status != ET_STATUS_OK) {
    return;
  }
  trials->loaded++;
  execute(instance.method, meta, &w, random, trials, record);
  execute(instance.method, meta, &w, random, trials, record);
  if (!et_instance_free(&instance)) {
    trials->overruns++;
  }
}

static bool same_record(const et_record *a, const et_record *b) {
  return a->size == b->size &&
         (a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
}

static void try_method(const et_program *program, const char *name,
                       et_random *random, et_trials *trials) {
  et_random again = *random;
  et_trials uncounted = {0};
  et_record records[2] = {{.size = 0}, {.size = 0}};
  et_method_meta meta;
  et_method_requirements needed;
  if (et_program_method_meta(program, name, &meta, NULL) != ET_STATUS_OK ||
      bytes_wanted(&meta) > MAX_BYTES ||
      et_method_measure(program, name, &et_linked_registry, NULL, &needed,
                        NULL) != ET_STATUS_OK ||
      needed.method_bytes > MAX_SCRATCH_BYTES ||
      needed.scratch_bytes > MAX_SCRATCH_BYTES) {
    return;
  }
  run_method(&meta, name, &needed, FIRST_FILL, random, trials, &records[0]);
  run_method(&meta, name, &needed, SECOND_FILL, &again, &uncounted,
             &records[1]);
  trials->overruns += uncounted.overruns;
  trials->leaks += same_record(&records[0], &records[1]) ? 0 : 1;
  free(records[0].bytes);
  free(records[1].bytes);
}

/* Open files; each file is one extent. */
typedef struct opened {
  et_program program;
  et_extent extents[ET_TRIAL_FILES];
  et_data_source sources[ET_TRIAL_FILES];
} opened;

/* Opens the files and checks the content keys, but also tries programs whose
 * contents do not match. */
static bool open_files(const et_span *files, size_t count, opened *out) {
  if (count == 1) {
    return et_program_load(files[0], &out->program, NULL) == ET_STATUS_OK;
  }
  for (size_t i = 0; i < count; i++) {
    out->extents[i] = (et_extent){0, files[i]};
    out->sources[i] = (et_data_source){.name = "file",
                                       .size = files[i].size,
                                       .extents = &out->extents[i],
                                       .extent_count = 1};
  }
  if (et_program_load_sources(out->sources, count, &out->program, NULL) !=
      ET_STATUS_OK) {
    return false;
  }
  (void)et_program_check_contents(&out->program, NULL);
  return true;
}

void et_try_program(const et_span *files, size_t count, et_random *random,
                    et_trials *trials) {
  opened files_opened;
  trials->programs++;
  if (!open_files(files, count, &files_opened)) {
    return;
  }
  const et_program program = files_opened.program;
  for (size_t i = 0; i < et_program_method_count(&program); i++) {
    et_string name;
    if (et_program_method_name(&program, i, &name) == ET_STATUS_OK) {
      try_method(&program, name.data, random, trials);
    }
  }
}
