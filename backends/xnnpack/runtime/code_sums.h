/* Sums of codes that lie one behind the other. */
#ifndef BACKENDS_XNNPACK_RUNTIME_CODE_SUMS_H_
#define BACKENDS_XNNPACK_RUNTIME_CODE_SUMS_H_

#include <stddef.h>
#include <stdint.h>

/* Of bytes with signs. */
int32_t et_xnn_sum_of_bytes(const uint8_t *bytes, size_t count);

/* Of `count` codes, an even number, two a byte, each 8 above what it stands for. */
int32_t et_xnn_sum_of_nibbles(const uint8_t *bytes, size_t count);

#endif /* BACKENDS_XNNPACK_RUNTIME_CODE_SUMS_H_ */
