#include "runtime/method/signature.h"

#include "executorch/value.h"
#include "runtime/core/coded_texts.h"

#define BIT(tag) (1u << ET_VALUE_##tag)
#define NUMBER (BIT(INT) | BIT(BOOL) | BIT(DOUBLE))

/* X(code, tags of the values it takes, type). */
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
static const uint16_t tags_of_codes[] = {
#define TAGS(code, tags, type) tags,
    CODES(TAGS)
#undef TAGS
};

/* 0 for a code that is not known. */
static uint16_t tags_of(char code) {
  for (size_t i = 0; i < sizeof codes; i++) {
    if (codes[i] == (uint8_t)code) {
      return tags_of_codes[i];
    }
  }
  return 0;
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
  const uint16_t tags = tags_of(parameter->code);
  if (tags == 0 || tag > ET_VALUE_OPTIONAL_TENSOR_LIST) {
    return false;
  }
  return (tags >> tag & 1u) != 0 ||
         (parameter->optional && tag == ET_VALUE_NONE);
}

bool et_parameter_is_tensor(const et_parameter *parameter) {
  const uint16_t tensors =
      BIT(TENSOR) | BIT(TENSOR_LIST) | BIT(OPTIONAL_TENSOR_LIST);
  return (tags_of(parameter->code) & tensors) != 0;
}

const char *et_parameter_type(const et_parameter *parameter) {
#define TYPE(code, tags, type) type "\0"
  static const et_coded_texts types = {codes, sizeof codes,
                                       CODES(TYPE) "unknown"};
#undef TYPE
  return et_coded_text(&types, parameter->code);
}
