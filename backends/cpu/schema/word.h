/* Attribute words as floats, and back. */
#ifndef BACKENDS_CPU_SCHEMA_WORD_H_
#define BACKENDS_CPU_SCHEMA_WORD_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline float et_cpu_float_of_word(uint32_t word) {
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

static inline uint32_t et_cpu_word_of_float(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  return word;
}

#endif /* BACKENDS_CPU_SCHEMA_WORD_H_ */
