/* Reading et_kernel.signature. */
#ifndef ET_RUNTIME_METHOD_SIGNATURE_H_
#define ET_RUNTIME_METHOD_SIGNATURE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One argument of a call. */
typedef struct et_parameter {
  char code;      /* of core/kernel.h */
  bool optional;  /* None is allowed */
  bool is_return; /* stands after '>' */
} et_parameter;

/* The parameter at *cursor, and moves on. False at the end. Start with {text,
 * false}. */
typedef struct et_signature_cursor {
  const char *next;
  bool in_returns;
} et_signature_cursor;

bool et_signature_next(et_signature_cursor *cursor, et_parameter *out);

/* Number of arguments that a call of this signature has. */
size_t et_signature_count(const char *signature);

/* Whether a value with that tag (et_value_tag) may stand there. False for a
 * code that is not known. */
bool et_parameter_accepts(const et_parameter *parameter, uint8_t tag);

/* Whether it is a tensor or a list of tensors, which has an et_tensor_rule. */
bool et_parameter_is_tensor(const et_parameter *parameter);

/* The parameter's type as a schema spells it: "Tensor", "int[]". */
const char *et_parameter_type(const et_parameter *parameter);

#endif /* ET_RUNTIME_METHOD_SIGNATURE_H_ */
