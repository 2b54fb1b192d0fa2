/* Data that the delegates of several methods share, such as packed weights: made
 * once, in memory that the caller gives. */
#ifndef EXECUTORCH_SHARED_STORE_H_
#define EXECUTORCH_SHARED_STORE_H_

#include <stddef.h>

#include "executorch/arena.h"
#include "executorch/span.h"
#include "executorch/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct et_shared_entry;

/* A store over memory of the caller, which must outlive the methods that are
 * loaded with it. Used by one thread at a time; to be read by the runtime's own
 * code only. */
typedef struct et_shared_store {
  et_arena arena;
  struct et_shared_entry *newest;
} et_shared_store;

/* An empty store. `memory` is aligned to 64, or empty. */
et_shared_store et_shared_store_over(et_mutable_span memory);

/* Bytes of the store that an entry takes; SIZE_MAX when that would wrap. */
size_t et_shared_store_bytes(et_string key, size_t size);

/* Makes the bytes of an entry, aligned to 64. */
typedef et_status (*et_shared_fill_fn)(void *context, et_mutable_span bytes,
                                       et_error *error);

/* The `size` bytes that `owner` (the id of a backend, static) keeps under `key`,
 * which is copied. Has `fill` make them when nobody has yet; an entry whose `fill`
 * fails is not kept. MEMORY_TOO_SMALL when the store is full; INVALID_ARGUMENT
 * when the entry there is has another size. Takes time linear in the number of
 * entries. */
et_status et_shared_store_get(et_shared_store *store, const char *owner,
                              et_string key, size_t size,
                              et_shared_fill_fn fill, void *context,
                              et_span *out_bytes, et_error *error);

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_SHARED_STORE_H_ */
