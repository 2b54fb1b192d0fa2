/* Decodes one entry of ContainerMetadata.ranges. */
#ifndef ET_RUNTIME_PROGRAM_RANGE_RECORD_H_
#define ET_RUNTIME_PROGRAM_RANGE_RECORD_H_

#include <stdbool.h>
#include <stdint.h>

#include "runtime/program/flatbuffer.h"

/* The values of a dimension or an int: min + k * step <= max, with k >= 0. */
typedef struct et_range_record {
  int64_t value; /* index of a Tensor or Int in the plan */
  int64_t dim;   /* dimension of the tensor; -1 for an Int */
  int64_t min;
  int64_t max;
  int64_t step;    /* at least 1 */
  int64_t same_as; /* index of an entry with the same k, or its own index */
} et_range_record;

/* Returns the raw list of all entries of a plan; empty without one. */
et_fb_vector et_range_list(et_fb_table plan);

uint32_t et_range_count(et_fb_vector list);

/* Reads entry `index` < et_range_count. The entry may be invalid. */
void et_range_read(et_fb_vector list, uint32_t index, et_range_record *out);

/* Returns the first entry with a value >= `value`, or the count if there is
 * none. Entries are sorted by value, then dim. O(log count). */
uint32_t et_range_first(et_fb_vector list, int64_t value);

/* Returns true if entry `index` is sorted after the previous one, and is valid
 * for these values. */
bool et_range_is_valid(et_fb_vector list, uint32_t index, et_fb_vector values);

/* Returns the number of steps from min to `number`, which is at least min. */
uint64_t et_range_steps(const et_range_record *record, int64_t number);

/* Returns true if a valid record allows `number`. */
bool et_range_has(const et_range_record *record, int64_t number);

#endif /* ET_RUNTIME_PROGRAM_RANGE_RECORD_H_ */
