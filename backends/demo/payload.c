#include "backends/demo/payload.h"

#include <stdbool.h>
#include <string.h>

#define MAX_DIGITS 9 /* so that a number fits 32 bits */

static const struct {
  const char *name;
  demo_kind kind;
  uint32_t operand_count;
} op_names[] = {
    {"aten.sin.default", DEMO_SIN, 1},
    {"aten.mm.default", DEMO_MM, 2},
    {"aten.add.Tensor", DEMO_ADD, 2},
    {"aten.mul.Tensor", DEMO_MUL, 2},
};

static et_status fail_at(const demo_reader *reader, const char *reason) {
  return et_fail(reader->error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                 "payload, byte %zu: %s", reader->at, reason);
}

/* Moves over `word` when the text goes on with it. */
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

et_status demo_reader_open(et_span text, et_error *error,
                           demo_reader *out_reader) {
  const demo_reader reader = {.text = text, .error = error};
  *out_reader = reader;
  ET_RETURN_IF_ERROR(read_number(out_reader, &out_reader->op_count));
  if (out_reader->op_count > DEMO_MAX_OPS) {
    return fail_at(out_reader, "more ops than 256");
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
    return fail_at(out_reader, "more inputs than 64");
  }
  return expect(out_reader, "#");
}

/* A value's number in version 1; results count on behind the inputs. */
static et_status read_value(demo_reader *reader, demo_value *out) {
  uint32_t number = 0;
  ET_RETURN_IF_ERROR(read_number(reader, &number));
  if (number < reader->input_count) {
    *out = (demo_value)number;
    return ET_STATUS_OK;
  }
  if (number - reader->input_count >= reader->ops_read) {
    return fail_at(reader, "there is no such value yet");
  }
  *out = (demo_value)(DEMO_MAX_INPUTS + number - reader->input_count);
  return ET_STATUS_OK;
}

static et_status read_values(demo_reader *reader, uint32_t max,
                             demo_value *out_values, uint32_t *out_count) {
  uint32_t count = 0;
  do {
    if (count == max) {
      return fail_at(reader, "too many values are listed");
    }
    ET_RETURN_IF_ERROR(read_value(reader, &out_values[count]));
    count++;
  } while (accept(reader, ";"));
  *out_count = count;
  return ET_STATUS_OK;
}

static et_status take_input(demo_reader *reader, demo_value *out) {
  if (reader->input_count == DEMO_MAX_INPUTS) {
    return fail_at(reader, "more inputs than 64");
  }
  *out = (demo_value)reader->input_count;
  reader->input_count++;
  return ET_STATUS_OK;
}

/* Version 0 says no operands: a straight chain is assumed. */
static et_status chain_operands(demo_reader *reader, demo_op_text *op) {
  uint32_t first_input = 0;
  if (reader->ops_read != 0) {
    op->operands[0] = (demo_value)(DEMO_MAX_INPUTS + reader->ops_read - 1);
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
             : fail_at(reader, "the op takes another number of operands");
}

static et_status read_name(demo_reader *reader, demo_op_text *op) {
  for (size_t i = 0; i < sizeof op_names / sizeof *op_names; i++) {
    if (accept(reader, op_names[i].name)) {
      op->kind = op_names[i].kind;
      op->operand_count = op_names[i].operand_count;
      return ET_STATUS_OK;
    }
  }
  return fail_at(reader, "expected sin, mm, add or mul");
}

et_status demo_reader_op(demo_reader *reader, demo_op_text *out_op) {
  uint32_t handle = 0;
  ET_RETURN_IF_ERROR(expect(reader, "op:demo::"));
  ET_RETURN_IF_ERROR(read_name(reader, out_op));
  ET_RETURN_IF_ERROR(expect(reader, ", numel:"));
  ET_RETURN_IF_ERROR(read_number(reader, &out_op->numel));
  ET_RETURN_IF_ERROR(expect(reader, ", dtype:torch.float32"));
  ET_RETURN_IF_ERROR(read_operands(reader, out_op));
  ET_RETURN_IF_ERROR(expect(reader, "<debug_handle>"));
  accept(reader, "-");
  ET_RETURN_IF_ERROR(read_number(reader, &handle));
  reader->ops_read++;
  return expect(reader, "#");
}

et_status demo_reader_outputs(demo_reader *reader,
                              demo_value out_values[DEMO_MAX_OUTPUTS],
                              uint32_t *out_count) {
  if (reader->version == 0) {
    if (reader->op_count == 0) {
      return fail_at(reader, "there is no op whose result is the output");
    }
    out_values[0] = (demo_value)(DEMO_MAX_INPUTS + reader->op_count - 1);
    *out_count = 1;
  } else {
    ET_RETURN_IF_ERROR(expect(reader, "outputs:"));
    ET_RETURN_IF_ERROR(
        read_values(reader, DEMO_MAX_OUTPUTS, out_values, out_count));
    ET_RETURN_IF_ERROR(expect(reader, "#"));
  }
  return reader->at == reader->text.size
             ? ET_STATUS_OK
             : fail_at(reader, "the payload goes on behind its end");
}
