/* One entry of ContainerMetadata.ranges, decoded. */
#ifndef ET_RUNTIME_PROGRAM_RANGE_RECORD_H_
#define ET_RUNTIME_PROGRAM_RANGE_RECORD_H_

#include <stdbool.h>
#include <stdint.h>

#include "runtime/program/flatbuffer.h"

/* The size of one dimension, or an integer: min + k * step, at most max, for k >= 0. */
typedef struct et_range_record {
  int64_t value; /* index of a Tensor or Int of the plan */
  int64_t dim;   /* of the tensor; -1 for an Int */
  int64_t min;
  int64_t max;
  int64_t step; /* at least 1 */
  int64_t
      same_as; /* index of an entry with the same k; its own index without one */
} et_range_record;

/* The numbers of all entries of a plan; empty where it has no list. */
et_fb_vector et_range_list(et_fb_table plan);

uint32_t et_range_count(et_fb_vector list);

/* Entry `index` < et_range_count, which may be invalid. */
void et_range_read(et_fb_vector list, uint32_t index, et_range_record *out);

/* The first entry whose value is not below `value`; the count if there is none.
 * Entries are sorted by value, then by dim. O(log count). */
uint32_t et_range_first(et_fb_vector list, int64_t value);

/* Whether entry `index` comes after the one before it and fits these values. */
bool et_range_is_valid(et_fb_vector list, uint32_t index, et_fb_vector values);

/* k of `number`, which is not less than min. */
uint64_t et_range_steps(const et_range_record *record, int64_t number);

/* Whether a valid record allows `number`. */
bool et_range_has(const et_range_record *record, int64_t number);

#endif /* ET_RUNTIME_PROGRAM_RANGE_RECORD_H_ */
