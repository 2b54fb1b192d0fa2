#include "backends/cpu/runtime/testing/cpu_payload_writer.h"

#include <assert.h>
#include <string.h>

static void add(cpu_section *section, uint32_t word) {
  assert(section->count < CPU_WRITER_WORDS);
  section->words[section->count++] = word;
}

static void add_all(cpu_section *section, const uint32_t *words, size_t count) {
  for (size_t i = 0; i < count; i++) {
    add(section, words[i]);
  }
}

uint32_t cpu_write_dim(cpu_writer *writer, et_cpu_dim dim) {
  const uint32_t words[4] = {dim.op, dim.a, dim.b, dim.maximum};
  add_all(&writer->dims, words, 4);
  return writer->dim_count++;
}

uint32_t cpu_write_const(cpu_writer *writer, uint32_t value) {
  const et_cpu_dim dim = {ET_CPU_DIM_OP_CONST, value, 0, value};
  return cpu_write_dim(writer, dim);
}

uint32_t cpu_write_floats(cpu_writer *writer, et_cpu_place place,
                          uint32_t index, uint32_t offset, const uint32_t *dims,
                          uint32_t rank) {
  uint32_t order = 0;
  for (uint32_t i = 0; i < rank; i++) {
    order |= i << 4 * i;
  }
  const uint32_t words[6] = {
      ET_SCALAR_TYPE_FLOAT32, rank, (uint32_t)place, index, offset, order};
  add_all(&writer->values, words, 6);
  add_all(&writer->values, dims, rank);
  return writer->value_count++;
}

uint32_t cpu_write_data(cpu_writer *writer, const char *key, uint32_t bytes) {
  const uint32_t size = (uint32_t)strlen(key);
  const uint32_t words[3] = {writer->key_bytes, size, bytes};
  assert(writer->key_bytes + size <= sizeof writer->keys);
  memcpy(writer->keys + writer->key_bytes, key, size);
  writer->key_bytes += size;
  add_all(&writer->data, words, 3);
  return writer->data_count++;
}

uint32_t cpu_write_op(cpu_writer *writer, uint32_t kind,
                      const uint32_t counts[5], const uint32_t *values,
                      const uint32_t *dims, const uint32_t *attributes) {
  add(&writer->ops, kind);
  add_all(&writer->ops, counts, 5);
  add_all(&writer->ops, values, counts[0] + counts[1] + counts[2]);
  add_all(&writer->ops, dims, counts[3]);
  add_all(&writer->ops, attributes, counts[4]);
  return writer->op_count++;
}

uint32_t cpu_write_unary(cpu_writer *writer, uint32_t kind, uint32_t in,
                         uint32_t out, uint32_t attribute) {
  const uint32_t counts[5] = {1, 1, 0, 0, 1};
  const uint32_t values[2] = {in, out};
  return cpu_write_op(writer, kind, counts, values, NULL, &attribute);
}

static size_t put_words(cpu_writer *writer, size_t at, const uint32_t *words,
                        size_t count) {
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < 4; k++) {
      writer->bytes[at++] = (uint8_t)(words[i] >> 8 * k);
    }
  }
  return at;
}

et_span cpu_write_finish(cpu_writer *writer) {
  const size_t keys = (writer->key_bytes + 3) / 4;
  const size_t words = 11 + writer->dims.count + writer->values.count +
                       writer->data.count + writer->ops.count + keys;
  const uint32_t header[11] = {
      ET_CPU_MAGIC,          ET_CPU_VERSION,     (uint32_t)words,
      writer->inputs,        writer->outputs,    writer->dim_count,
      writer->value_count,   writer->data_count, writer->op_count,
      writer->scratch_bytes, writer->key_bytes};
  size_t at = put_words(writer, 0, header, 11);
  at = put_words(writer, at, writer->dims.words, writer->dims.count);
  at = put_words(writer, at, writer->values.words, writer->values.count);
  at = put_words(writer, at, writer->data.words, writer->data.count);
  at = put_words(writer, at, writer->ops.words, writer->ops.count);
  memcpy(writer->bytes + at, writer->keys, writer->key_bytes);
  const et_span span = {writer->bytes, 4 * words};
  return span;
}
