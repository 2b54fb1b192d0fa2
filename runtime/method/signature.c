#include "runtime/method/signature.h"

#include "executorch/value.h"
#include "runtime/core/error.h"

#define BIT(tag) (1u << ET_VALUE_##tag)
#define NUMBER (BIT(INT) | BIT(BOOL) | BIT(DOUBLE))

/* X(code, accepted value tags, type). */
#define CODES(X)                                                    \
  X('t', BIT(TENSOR), "Tensor")                                     \
  X('w', BIT(TENSOR), "out Tensor")                                 \
  X('m', BIT(TENSOR), "Tensor to update")                           \
  X('i', BIT(INT), "int")                                           \
  X('b', BIT(BOOL), "bool")                                         \
  X('d', BIT(DOUBLE), "float")                                      \
  X('n', NUMBER, "Scalar")                                          \
  X('s', BIT(STRING), "str")                                        \
  X('I', BIT(INT_LIST), "int[]")                                    \
  X('D', BIT(DOUBLE_LIST), "float[]")                               \
  X('B', BIT(BOOL_LIST), "bool[]")                                  \
  X('T', BIT(TENSOR_LIST), "Tensor[]")                              \
  X('W', BIT(TENSOR_LIST), "out Tensor[]")                          \
  X('O', BIT(OPTIONAL_TENSOR_LIST) | BIT(TENSOR_LIST), "Tensor?[]") \
  X('x', NUMBER, "out Scalar")

static const uint8_t codes[] = {
#define CODE(code, tags, type) code,
    CODES(CODE)
#undef CODE
};
/* The last entry is for unknown codes. */
static const uint16_t tags_of_codes[sizeof codes + 1] = {
#define TAGS(code, tags, type) tags,
    CODES(TAGS)
#undef TAGS
};

static size_t row_of(const et_parameter *parameter) {
  size_t i = 0;
  while (i < sizeof codes && codes[i] != (uint8_t)parameter->code) {
    i++;
  }
  return i;
}

uint32_t et_parameter_tags(const et_parameter *parameter) {
  return tags_of_codes[row_of(parameter)];
}

bool et_signature_next(et_parameter *parameter) {
  const char *next = parameter->next;
  if (*next == '>') {
    parameter->is_return = true;
    next++;
  }
  parameter->optional = *next == '?';
  next += parameter->optional;
  parameter->code = *next;
  parameter->next = next + 1; /* not used beyond the end */
  return parameter->code != '\0';
}

size_t et_signature_count(const char *signature) {
  et_parameter parameter = {.next = signature};
  size_t count = 0;
  while (et_signature_next(&parameter)) {
    count++;
  }
  return count;
}

bool et_parameter_accepts(const et_parameter *parameter, uint8_t tag) {
  const uint32_t tags = et_parameter_tags(parameter);
  if (tag == ET_VALUE_NONE) {
    return parameter->optional && tags != 0;
  }
  return (tags >> (tag & 31u) & 1u) != 0;
}

const char *et_parameter_type(const et_parameter *parameter) {
#define TYPE(code, tags, type) type,
  static const char *const types[] = {CODES(TYPE) "unknown"};
  return types[row_of(parameter)];
}
