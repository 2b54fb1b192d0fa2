#include "backends/demo/payload.h"

#include <stdbool.h>
#include <string.h>

#define MAX_DIGITS 9 /* so that a number fits 32 bits */

static const struct {
  const char *name;
  demo_kind kind;
  uint32_t operand_count;
} op_names[] = {
    {"aten.sin.default", DEMO_SIN, 1}, {"aten.cos.default", DEMO_COS, 1},
    {"aten.mm.default", DEMO_MM, 2},   {"aten.add.Tensor", DEMO_ADD, 2},
    {"aten.mul.Tensor", DEMO_MUL, 2},  {"aten.div.Tensor", DEMO_DIV, 2},
    {"conv_relu", DEMO_CONV_RELU, 3},
};

static et_status fail_at(const demo_reader *reader, const char *reason) {
  return et_fail(reader->error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                 "payload, byte %zu: %s", reader->at, reason);
}

/* Advances past `word` if it is next. */
static bool accept(demo_reader *reader, const char *word) {
  const size_t size = strlen(word);
  if (size > reader->text.size - reader->at ||
      memcmp(reader->text.data + reader->at, word, size) != 0) {
    return false;
  }
  reader->at += size;
  return true;
}

static et_status expect(demo_reader *reader, const char *word) {
  if (!accept(reader, word)) {
    return et_fail(reader->error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                   "payload, byte %zu: expected '%s'", reader->at, word);
  }
  return ET_STATUS_OK;
}

static et_status read_number(demo_reader *reader, uint32_t *out) {
  uint32_t number = 0;
  size_t digits = 0;
  while (reader->at < reader->text.size && digits < MAX_DIGITS) {
    const uint8_t byte = reader->text.data[reader->at];
    if (byte < '0' || byte > '9') {
      break;
    }
    number = number * 10 + (byte - (uint32_t)'0');
    reader->at++;
    digits++;
  }
  *out = number;
  return digits != 0 ? ET_STATUS_OK : fail_at(reader, "expected a number");
}

/* Reads the sizes of a constant, such as 16x3x3x3. */
static et_status read_constant(demo_reader *reader, demo_constant_text *out) {
  const demo_constant_text none = {.numel = 1};
  uint64_t numel = 1;
  *out = none;
  do {
    uint32_t size = 0;
    if (out->rank == DEMO_MAX_CONSTANT_RANK) {
      return fail_at(reader, "a constant has more than 4 dims");
    }
    ET_RETURN_IF_ERROR(read_number(reader, &size));
    numel *= size;
    if (numel > DEMO_MAX_NUMEL) {
      return fail_at(reader, "a constant has too many elements");
    }
    out->sizes[out->rank] = (int32_t)size;
    out->rank++;
  } while (accept(reader, "x"));
  out->numel = (uint32_t)numel;
  return ET_STATUS_OK;
}

static et_status read_constants(demo_reader *reader) {
  if (!accept(reader, "constants:")) {
    return ET_STATUS_OK;
  }
  do {
    if (reader->constant_count == DEMO_MAX_CONSTANTS) {
      return fail_at(reader, "more than 64 constants");
    }
    ET_RETURN_IF_ERROR(
        read_constant(reader, &reader->constants[reader->constant_count]));
    reader->constant_count++;
  } while (accept(reader, ";"));
  return expect(reader, "#");
}

et_status demo_reader_open(et_span text, et_error *error,
                           demo_reader *out_reader) {
  const demo_reader reader = {.text = text, .error = error};
  *out_reader = reader;
  ET_RETURN_IF_ERROR(read_number(out_reader, &out_reader->op_count));
  if (out_reader->op_count > DEMO_MAX_OPS) {
    return fail_at(out_reader, "more than 256 ops");
  }
  if (accept(out_reader, "#")) {
    return et_fail(
        error, ET_STATUS_DELEGATE_INCOMPATIBLE,
        "payload: the operands and weights are missing, as in payloads of the "
        "official exporter; compile the model again");
  }
  ET_RETURN_IF_ERROR(expect(out_reader, "version:"));
  ET_RETURN_IF_ERROR(read_number(out_reader, &out_reader->version));
  ET_RETURN_IF_ERROR(expect(out_reader, "#"));
  if (out_reader->version == 0) {
    return ET_STATUS_OK;
  }
  if (out_reader->version != 1) {
    return fail_at(out_reader, "the version is neither 0 nor 1");
  }
  ET_RETURN_IF_ERROR(expect(out_reader, "inputs:"));
  ET_RETURN_IF_ERROR(read_number(out_reader, &out_reader->input_count));
  if (out_reader->input_count > DEMO_MAX_INPUTS) {
    return fail_at(out_reader, "more than 64 inputs");
  }
  ET_RETURN_IF_ERROR(expect(out_reader, "#"));
  return read_constants(out_reader);
}

/* Reads the number of a value in version 1: inputs first, then constants, then
 * results. */
static et_status read_value(demo_reader *reader, demo_value *out) {
  uint32_t number = 0;
  ET_RETURN_IF_ERROR(read_number(reader, &number));
  if (number < reader->input_count) {
    *out = (demo_value)number;
    return ET_STATUS_OK;
  }
  number -= reader->input_count;
  if (number < reader->constant_count) {
    *out = (demo_value)(DEMO_FIRST_CONSTANT + number);
    return ET_STATUS_OK;
  }
  number -= reader->constant_count;
  if (number >= reader->ops_read) {
    return fail_at(reader, "the value is not defined yet");
  }
  *out = (demo_value)(DEMO_FIRST_RESULT + number);
  return ET_STATUS_OK;
}

static et_status read_values(demo_reader *reader, uint32_t max,
                             demo_value *out_values, uint32_t *out_count) {
  uint32_t count = 0;
  do {
    if (count == max) {
      return fail_at(reader, "too many values");
    }
    ET_RETURN_IF_ERROR(read_value(reader, &out_values[count]));
    count++;
  } while (accept(reader, ";"));
  *out_count = count;
  return ET_STATUS_OK;
}

static et_status take_input(demo_reader *reader, demo_value *out) {
  if (reader->input_count == DEMO_MAX_INPUTS) {
    return fail_at(reader, "more than 64 inputs");
  }
  *out = (demo_value)reader->input_count;
  reader->input_count++;
  return ET_STATUS_OK;
}

/* Version 0 has no operands. The ops are a chain. */
static et_status chain_operands(demo_reader *reader, demo_op_text *op) {
  uint32_t first_input = 0;
  if (reader->ops_read != 0) {
    op->operands[0] = (demo_value)(DEMO_FIRST_RESULT + reader->ops_read - 1);
    first_input = 1;
  }
  for (uint32_t i = first_input; i < op->operand_count; i++) {
    ET_RETURN_IF_ERROR(take_input(reader, &op->operands[i]));
  }
  return ET_STATUS_OK;
}

static et_status read_operands(demo_reader *reader, demo_op_text *op) {
  if (reader->version == 0) {
    return chain_operands(reader, op);
  }
  uint32_t count = 0;
  ET_RETURN_IF_ERROR(expect(reader, ", args:"));
  ET_RETURN_IF_ERROR(
      read_values(reader, DEMO_MAX_OPERANDS, op->operands, &count));
  return count == op->operand_count
             ? ET_STATUS_OK
             : fail_at(reader, "the op has the wrong number of operands");
}

static et_status read_name(demo_reader *reader, demo_op_text *op) {
  for (size_t i = 0; i < sizeof op_names / sizeof *op_names; i++) {
    if (accept(reader, op_names[i].name)) {
      op->kind = op_names[i].kind;
      op->operand_count = op_names[i].operand_count;
      return ET_STATUS_OK;
    }
  }
  return fail_at(reader, "unknown op");
}

static et_status read_convolution(demo_reader *reader, demo_op_text *op) {
  ET_RETURN_IF_ERROR(expect(reader, ", stride:"));
  ET_RETURN_IF_ERROR(read_number(reader, &op->stride));
  ET_RETURN_IF_ERROR(expect(reader, ", padding:"));
  ET_RETURN_IF_ERROR(read_number(reader, &op->padding));
  return op->stride > 0 ? ET_STATUS_OK : fail_at(reader, "the stride is 0");
}

et_status demo_reader_op(demo_reader *reader, demo_op_text *out_op) {
  uint32_t handle = 0;
  ET_RETURN_IF_ERROR(expect(reader, "op:demo::"));
  ET_RETURN_IF_ERROR(read_name(reader, out_op));
  ET_RETURN_IF_ERROR(expect(reader, ", numel:"));
  ET_RETURN_IF_ERROR(read_number(reader, &out_op->numel));
  ET_RETURN_IF_ERROR(expect(reader, ", dtype:torch.float32"));
  if (out_op->kind == DEMO_CONV_RELU) {
    ET_RETURN_IF_ERROR(read_convolution(reader, out_op));
  }
  ET_RETURN_IF_ERROR(read_operands(reader, out_op));
  ET_RETURN_IF_ERROR(expect(reader, "<debug_handle>"));
  accept(reader, "-");
  ET_RETURN_IF_ERROR(read_number(reader, &handle));
  reader->ops_read++;
  return expect(reader, "#");
}

/* Checks that the payload ends with the elements of the constants. */
static et_status check_end(const demo_reader *reader) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < reader->constant_count; i++) {
    bytes += sizeof(float) * (uint64_t)reader->constants[i].numel;
  }
  return reader->text.size - reader->at == bytes
             ? ET_STATUS_OK
             : fail_at(reader,
                       "the remaining bytes do not match the size of the "
                       "constants");
}

et_status demo_reader_outputs(demo_reader *reader,
                              demo_value out_values[DEMO_MAX_OUTPUTS],
                              uint32_t *out_count, const uint8_t **out_data) {
  if (reader->version == 0) {
    if (reader->op_count == 0) {
      return fail_at(reader, "the payload has no ops");
    }
    out_values[0] = (demo_value)(DEMO_FIRST_RESULT + reader->op_count - 1);
    *out_count = 1;
  } else {
    ET_RETURN_IF_ERROR(expect(reader, "outputs:"));
    ET_RETURN_IF_ERROR(
        read_values(reader, DEMO_MAX_OUTPUTS, out_values, out_count));
    ET_RETURN_IF_ERROR(expect(reader, "#"));
  }
  *out_data = reader->text.data + reader->at;
  return check_end(reader);
}
