/* Writes files of recorded calls in tests. */
#ifndef ET_RUNTIME_REPLAY_RECORDING_H_
#define ET_RUNTIME_REPLAY_RECORDING_H_

#include <stddef.h>
#include <stdint.h>

/* A file that is being written. An all-zero struct is an empty file. */
typedef struct et_recording {
  uint8_t bytes[512];
  size_t size;
} et_recording;

/* Each function fails the test if the recording is full. */
void et_recording_put(et_recording *r, const void *bytes, size_t size);
void et_recording_put_u32(et_recording *r, uint32_t value);

/* Writes a float32 tensor of rank 1. */
void et_recording_put_floats(et_recording *r, const float *data, int32_t count);

#endif /* ET_RUNTIME_REPLAY_RECORDING_H_ */
