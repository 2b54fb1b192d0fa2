/* Parses et_kernel.signature. */
#ifndef ET_RUNTIME_METHOD_SIGNATURE_H_
#define ET_RUNTIME_METHOD_SIGNATURE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One parameter, and the position of the next. Initialize with {text}. */
typedef struct et_parameter {
  const char *next;
  char code;      /* see executorch/kernel.h */
  bool optional;  /* None is allowed */
  bool is_return; /* is after '>' */
} et_parameter;

/* Advances to the next parameter. Returns false at the end; do not call it
 * again. */
bool et_signature_next(et_parameter *parameter);

/* Returns the number of arguments of a call, including return values. */
size_t et_signature_count(const char *signature);

/* Returns the accepted value kinds except None, as bits 1u << et_value_tag; 0
 * for an unknown code. */
uint32_t et_parameter_tags(const et_parameter *parameter);

/* Returns true if the parameter accepts values with this tag (et_value_tag).
 * False for an unknown code. */
bool et_parameter_accepts(const et_parameter *parameter, uint8_t tag);

/* Returns true if the call overwrites the argument completely (`w` or `W`). */
static inline bool et_parameter_is_out(const et_parameter *parameter) {
  return parameter->code == 'w' || parameter->code == 'W';
}

/* Returns the parameter's type as in schemas: "Tensor", "int[]". */
const char *et_parameter_type(const et_parameter *parameter);

#endif /* ET_RUNTIME_METHOD_SIGNATURE_H_ */
