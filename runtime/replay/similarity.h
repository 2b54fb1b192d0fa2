/* Compares outputs of a quantized model with those of the float model. */
#ifndef ET_RUNTIME_REPLAY_SIMILARITY_H_
#define ET_RUNTIME_REPLAY_SIMILARITY_H_

#include "executorch/status.h"
#include "executorch/tensor.h"
#include "runtime/replay/calls.h"

typedef struct et_similarity {
  double sqnr; /* energy of the expected tensor over that of the error, in dB */
  double cosine; /* cosine of the angle between both tensors as vectors */
} et_similarity;

/* Compares the dequantized elements of `actual` with `expected`. Equal tensors
 * have an infinite SQNR and a cosine of 1. INVALID_TYPE: the shapes differ. */
et_status et_similarity_of(const et_tensor *actual, et_record_steps steps,
                           const et_record *expected,
                           et_similarity *out_similarity, et_error *error);

#endif /* ET_RUNTIME_REPLAY_SIMILARITY_H_ */
