#include "runtime/replay/recording.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <string.h>

#include "runtime/replay/calls.h"

void et_recording_put(et_recording *r, const void *bytes, size_t size) {
  assert_true(size <= sizeof r->bytes - r->size);
  memcpy(r->bytes + r->size, bytes, size);
  r->size += size;
}

void et_recording_put_u32(et_recording *r, uint32_t value) {
  et_recording_put(r, &value, sizeof value);
}

void et_recording_put_floats(et_recording *r, const float *data,
                             int32_t count) {
  const uint8_t head[3] = {ET_RECORD_TENSOR, ET_SCALAR_TYPE_FLOAT32, 1};
  const uint64_t size = (uint64_t)count * sizeof *data;
  et_recording_put(r, head, sizeof head);
  et_recording_put(r, &count, sizeof count);
  et_recording_put(r, "\0", 1); /* dim order */
  et_recording_put(r, &size, sizeof size);
  et_recording_put(r, data, (size_t)size);
}
