/* Measures how the time to open a program and load a method grows with the
 * number of segments and tensors. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "executorch/hosted_method.h"
#include "executorch/program.h"
#include "executorch/value.h"
#include "runtime/program/schema.h"
#include "runtime/testing/flatbuffer_writer.h"

#define RUNS 5
#define PART_BYTES 16 /* size of a segment or tensor */

static const uint32_t COUNTS[] = {1000, 10000, 100000};
#define COUNT_COUNT (sizeof COUNTS / sizeof *COUNTS)

static void end_with(const char *message) {
  fprintf(stderr, "%s\n", message);
  exit(1);
}

/* Writer of a program with one method. */
typedef struct file {
  et_fb_writer writer;
  size_t program;
  size_t plan;
} file;

static size_t add_vector_of_tables(et_fb_writer *writer, size_t owner,
                                   uint16_t field, uint32_t count) {
  const size_t vector = et_fb_add_vector(writer, NULL, count, 4);
  et_fb_refer(writer, owner, field, vector);
  return vector;
}

static size_t add_element(et_fb_writer *writer, size_t vector, uint32_t index,
                          uint16_t fields) {
  const size_t table = et_fb_add_table(writer, fields);
  et_fb_refer_element(writer, vector, index, table);
  return table;
}

static void start(file *f, size_t capacity, int64_t planned_bytes) {
  const int64_t sizes[2] = {0, planned_bytes};
  et_fb_writer *writer = &f->writer;
  writer->data = aligned_alloc(64, capacity);
  writer->capacity = capacity;
  writer->size = 0;
  if (writer->data == NULL) {
    end_with("out of memory for the program");
  }
  et_fb_append(writer, 40, 1); /* root, identifier, extended header */
  f->program = et_fb_add_table(writer, 8);
  const size_t plans =
      add_vector_of_tables(writer, f->program, ET_PROGRAM_EXECUTION_PLAN, 1);
  f->plan = add_element(writer, plans, 0, 10);
  et_fb_refer(writer, f->plan, ET_PLAN_NAME, et_fb_add_text(writer, "forward"));
  et_fb_refer(writer, f->plan, ET_PLAN_BUFFER_SIZES,
              et_fb_add_vector(writer, sizes, 2, sizeof *sizes));
}

/* Ends the tables and appends segments. */
static et_span finish(file *f, size_t segment_bytes) {
  et_fb_writer *writer = &f->writer;
  et_fb_append(writer, 0, 128);
  const uint64_t base = writer->size;
  const uint64_t fields[3] = {base, base, segment_bytes};
  et_fb_append(writer, segment_bytes, 1);
  et_fb_put_u32(writer, 0, (uint32_t)f->program);
  memcpy(writer->data + 4, "ET12eh00", 8);
  et_fb_put_u32(writer, 12, 32);
  memcpy(writer->data + 16, fields, sizeof fields);
  const et_span span = {writer->data, writer->size};
  return span;
}

/* Writes `count` segments, each with a key. */
static et_span write_segments(file *f, uint32_t count) {
  et_fb_writer *writer = &f->writer;
  start(f, 4096 + (size_t)count * 192, 0);
  const size_t segments =
      add_vector_of_tables(writer, f->program, ET_PROGRAM_SEGMENTS, count);
  for (uint32_t i = 0; i < count; i++) {
    const size_t segment = add_element(writer, segments, i, 2);
    et_fb_set_i64(writer, segment, ET_SEGMENT_OFFSET, (int64_t)i * PART_BYTES);
    et_fb_set_i64(writer, segment, ET_SEGMENT_SIZE, PART_BYTES);
  }
  const size_t named =
      add_vector_of_tables(writer, f->program, ET_PROGRAM_NAMED_DATA, count);
  for (uint32_t i = 0; i < count; i++) {
    char key[16];
    snprintf(key, sizeof key, "%08x", (unsigned)i);
    const size_t entry = add_element(writer, named, i, 2);
    et_fb_refer(writer, entry, ET_NAMED_DATA_KEY, et_fb_add_text(writer, key));
    et_fb_set_i32(writer, entry, ET_NAMED_DATA_SEGMENT, (int32_t)i);
  }
  return finish(f, (size_t)count * PART_BYTES);
}

/* Writes tensor `index`, with its own memory. */
static void add_tensor(et_fb_writer *writer, size_t values, uint32_t index) {
  const int32_t size = PART_BYTES / sizeof(float);
  const uint8_t dim_order = 0;
  const size_t value = add_element(writer, values, index, 2);
  const size_t tensor = et_fb_add_table(writer, 10);
  const size_t allocation = et_fb_add_table(writer, 3);
  et_fb_set_i8(writer, value, ET_EVALUE_TAG, ET_VALUE_TENSOR);
  et_fb_refer(writer, value, ET_EVALUE_VALUE, tensor);
  et_fb_set_i8(writer, tensor, ET_TENSOR_SCALAR_TYPE, ET_SCALAR_TYPE_FLOAT32);
  et_fb_refer(writer, tensor, ET_TENSOR_ALLOCATION, allocation);
  et_fb_refer(writer, tensor, ET_TENSOR_SIZES,
              et_fb_add_vector(writer, &size, 1, sizeof size));
  et_fb_refer(writer, tensor, ET_TENSOR_DIM_ORDER,
              et_fb_add_vector(writer, &dim_order, 1, 1));
  et_fb_set_i32(writer, allocation, ET_ALLOCATION_MEMORY_ID, 1);
  et_fb_set_i32(writer, allocation, ET_ALLOCATION_OFFSET_LOW,
                (int32_t)index * PART_BYTES);
}

static void add_call(et_fb_writer *writer, size_t instructions,
                     uint32_t index) {
  const int32_t from = (int32_t)index;
  const int32_t args[3] = {from, from + 1, from + 1};
  const size_t instruction = add_element(writer, instructions, index, 2);
  const size_t call = et_fb_add_table(writer, 2);
  et_fb_set_i8(writer, instruction, ET_INSTRUCTION_TAG,
               ET_INSTRUCTION_KERNEL_CALL);
  et_fb_refer(writer, instruction, ET_INSTRUCTION_ARGS, call);
  et_fb_refer(writer, call, ET_KERNEL_CALL_ARGS,
              et_fb_add_vector(writer, args, 3, sizeof *args));
}

/* Writes a chain of `count` tensors, each computed from the previous one. */
static et_span write_tensors(file *f, uint32_t count) {
  const int32_t first = 0;
  const int32_t last = (int32_t)count - 1;
  et_fb_writer *writer = &f->writer;
  start(f, 4096 + (size_t)count * 512, (int64_t)count * PART_BYTES);
  et_fb_refer(writer, f->plan, ET_PLAN_INPUTS,
              et_fb_add_vector(writer, &first, 1, sizeof first));
  et_fb_refer(writer, f->plan, ET_PLAN_OUTPUTS,
              et_fb_add_vector(writer, &last, 1, sizeof last));
  const size_t operators =
      add_vector_of_tables(writer, f->plan, ET_PLAN_OPERATORS, 1);
  const size_t op = add_element(writer, operators, 0, 2);
  et_fb_refer(writer, op, ET_OPERATOR_NAME, et_fb_add_text(writer, "copy"));
  const size_t values =
      add_vector_of_tables(writer, f->plan, ET_PLAN_VALUES, count);
  for (uint32_t i = 0; i < count; i++) {
    add_tensor(writer, values, i);
  }
  const size_t chains =
      add_vector_of_tables(writer, f->plan, ET_PLAN_CHAINS, 1);
  const size_t chain = add_element(writer, chains, 0, 4);
  const size_t instructions =
      add_vector_of_tables(writer, chain, ET_CHAIN_INSTRUCTIONS, count - 1);
  for (uint32_t i = 0; i + 1 < count; i++) {
    add_call(writer, instructions, i);
  }
  return finish(f, 0);
}

static et_status copy_nothing(et_kernel_context *context, et_value **args) {
  (void)context;
  (void)args;
  return ET_STATUS_OK;
}

static const et_kernel kernels[] = {
    {.name = "copy", .signature = "tw>w", .run = copy_nothing},
};
static const et_kernel_table table = {kernels, 1};
static const et_registry registry = {.kernels = &table};

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static double open_program(et_span span, et_program *program) {
  et_error error;
  et_error_clear(&error);
  const double begin = seconds();
  if (et_program_load(span, program, &error) != ET_STATUS_OK) {
    end_with(error.message);
  }
  return seconds() - begin;
}

static double load_method(const et_program *program) {
  et_error error;
  et_hosted_method hosted;
  et_error_clear(&error);
  const double begin = seconds();
  if (et_hosted_method_load(program, "forward", &registry, NULL, &hosted,
                            &error) != ET_STATUS_OK) {
    end_with(error.message);
  }
  const double taken = seconds() - begin;
  et_hosted_method_free(&hosted);
  return taken;
}

/* Returns the minimum times of opening and of loading over several runs. */
static void measure(et_span span, double *out_open, double *out_load) {
  for (int run = 0; run < RUNS; run++) {
    et_program program;
    const double opened = open_program(span, &program);
    const double loaded = load_method(&program);
    *out_open = run == 0 || opened < *out_open ? opened : *out_open;
    *out_load = run == 0 || loaded < *out_load ? loaded : *out_load;
  }
}

/* Prints times in ms and the exponent of their growth. */
static void print_row(const char *name, const double times[COUNT_COUNT]) {
  printf("%-40s", name);
  for (size_t i = 0; i < COUNT_COUNT; i++) {
    printf("%12.2f", times[i] * 1e3);
  }
  const double growth = times[COUNT_COUNT - 1] / times[0];
  const double range = (double)COUNTS[COUNT_COUNT - 1] / COUNTS[0];
  printf("%8.2f\n", log(growth) / log(range));
}

int main(void) {
  double segments[COUNT_COUNT];
  double tensors[COUNT_COUNT];
  double methods[COUNT_COUNT];
  double ignored = 0;
  for (size_t i = 0; i < COUNT_COUNT; i++) {
    file f;
    measure(write_segments(&f, COUNTS[i]), &segments[i], &ignored);
    free(f.writer.data);
    measure(write_tensors(&f, COUNTS[i]), &tensors[i], &methods[i]);
    free(f.writer.data);
  }
  printf("%-40s%12u%12u%12u%8s\n", "ms for a count of", (unsigned)COUNTS[0],
         (unsigned)COUNTS[1], (unsigned)COUNTS[2], "slope");
  print_row("et_program_load, segments and keys", segments);
  print_row("et_program_load, tensors", tensors);
  print_row("et_method_load, tensors", methods);
  return 0;
}
