/* Reading et_kernel.signature. */
#ifndef ET_RUNTIME_METHOD_SIGNATURE_H_
#define ET_RUNTIME_METHOD_SIGNATURE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One argument of a call, and where in the text the next one stands. Starts as {text}. */
typedef struct et_parameter {
  const char *next;
  char code;      /* of executorch/kernel.h */
  bool optional;  /* None is allowed */
  bool is_return; /* stands after '>' */
} et_parameter;

/* Moves on to the next parameter. False at the end, where it is not to be asked again. */
bool et_signature_next(et_parameter *parameter);

/* Number of arguments that a call of this signature has. */
size_t et_signature_count(const char *signature);

/* 1u << et_value_tag of each kind of values that it takes besides None; 0 for a code that
 * is not known. */
uint32_t et_parameter_tags(const et_parameter *parameter);

/* Whether a value with that tag (et_value_tag) may stand there. False for a
 * code that is not known. */
bool et_parameter_accepts(const et_parameter *parameter, uint8_t tag);

/* What it says of the code that the call writes there: `w` and `W` in whole. */
static inline bool et_parameter_is_out(const et_parameter *parameter) {
  return parameter->code == 'w' || parameter->code == 'W';
}

/* The parameter's type as a schema spells it: "Tensor", "int[]". */
const char *et_parameter_type(const et_parameter *parameter);

#endif /* ET_RUNTIME_METHOD_SIGNATURE_H_ */
