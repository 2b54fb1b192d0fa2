/* Pointers with a length. */
#ifndef EXECUTORCH_SPAN_H_
#define EXECUTORCH_SPAN_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Borrowed read-only bytes. */
typedef struct et_span {
  const uint8_t *data; /* may be NULL if size is 0 */
  size_t size;         /* bytes */
} et_span;

/* Borrowed writable bytes. */
typedef struct et_mutable_span {
  uint8_t *data;
  size_t size;
} et_mutable_span;

/* Borrowed text without a terminating NUL. */
typedef struct et_string {
  const char *data;
  size_t size;
} et_string;

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_SPAN_H_ */
