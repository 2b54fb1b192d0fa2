#include "runtime/method/signature.h"

#include "executorch/value.h"

#define BIT(tag) (1u << ET_VALUE_##tag)
#define NUMBER (BIT(INT) | BIT(BOOL) | BIT(DOUBLE))

/* Code, tags of the values it takes, type. */
typedef struct code_row {
  char code;
  uint16_t tags;
  const char *type;
} code_row;

static const code_row codes[] = {
    {'t', BIT(TENSOR), "Tensor"},
    {'w', BIT(TENSOR), "out Tensor"},
    {'m', BIT(TENSOR), "Tensor to update"},
    {'i', BIT(INT), "int"},
    {'b', BIT(BOOL), "bool"},
    {'d', BIT(DOUBLE), "float"},
    {'n', NUMBER, "Scalar"},
    {'s', BIT(STRING), "str"},
    {'I', BIT(INT_LIST), "int[]"},
    {'D', BIT(DOUBLE_LIST), "float[]"},
    {'B', BIT(BOOL_LIST), "bool[]"},
    {'T', BIT(TENSOR_LIST), "Tensor[]"},
    {'W', BIT(TENSOR_LIST), "out Tensor[]"},
    {'O', BIT(OPTIONAL_TENSOR_LIST) | BIT(TENSOR_LIST), "Tensor?[]"},
    {'x', NUMBER, "out Scalar"},
};

static const code_row *find_code(char code) {
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
    if (codes[i].code == code) {
      return &codes[i];
    }
  }
  return NULL;
}

bool et_signature_next(et_signature_cursor *cursor, et_parameter *out) {
  if (*cursor->next == '>') {
    cursor->in_returns = true;
    cursor->next++;
  }
  out->optional = *cursor->next == '?';
  cursor->next += out->optional ? 1 : 0;
  out->code = *cursor->next;
  out->is_return = cursor->in_returns;
  if (out->code == '\0') {
    return false;
  }
  cursor->next++;
  return true;
}

size_t et_signature_count(const char *signature) {
  et_signature_cursor cursor = {signature, false};
  et_parameter parameter;
  size_t count = 0;
  while (et_signature_next(&cursor, &parameter)) {
    count++;
  }
  return count;
}

bool et_parameter_accepts(const et_parameter *parameter, uint8_t tag) {
  const code_row *row = find_code(parameter->code);
  if (row == NULL || tag > ET_VALUE_OPTIONAL_TENSOR_LIST) {
    return false;
  }
  return (row->tags >> tag & 1u) != 0 ||
         (parameter->optional && tag == ET_VALUE_NONE);
}

bool et_parameter_is_tensor(const et_parameter *parameter) {
  const uint16_t tensors =
      BIT(TENSOR) | BIT(TENSOR_LIST) | BIT(OPTIONAL_TENSOR_LIST);
  const code_row *row = find_code(parameter->code);
  return row != NULL && (row->tags & tensors) != 0;
}

const char *et_parameter_type(const et_parameter *parameter) {
  const code_row *row = find_code(parameter->code);
  return row != NULL ? row->type : "unknown";
}
