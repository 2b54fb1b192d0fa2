/* Data that delegates of several methods share, such as packed weights.
 *
 * Each entry is computed once, in memory that the caller provides. */
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

/* A store in caller-provided memory.
 *
 * The memory must outlive all methods that are loaded with the store. Not
 * thread-safe. The fields are private to the runtime. */
typedef struct et_shared_store {
  et_arena arena;
  struct et_shared_entry *newest;
} et_shared_store;

/* Returns an empty store. `memory` is 64-byte aligned, or empty. */
et_shared_store et_shared_store_over(et_mutable_span memory);

/* Returns the number of bytes that an entry occupies in the store, or SIZE_MAX
 * on overflow. */
size_t et_shared_store_bytes(et_string key, size_t size);

/* Fills the bytes of a new entry, which are 64-byte aligned. */
typedef et_status (*et_shared_fill_fn)(void *context, et_mutable_span bytes,
                                       et_error *error);

/* Returns the entry of `owner` with the key `key` and `size` bytes.
 *
 * If it does not exist, `fill` creates it; if `fill` fails, the entry is
 * discarded. `owner` is the id of a backend, a static string. `key` is copied.
 * Takes time linear in the number of entries.
 *
 * MEMORY_TOO_SMALL: the store is full. INVALID_ARGUMENT: the entry exists with
 * another size. */
et_status et_shared_store_get(et_shared_store *store, const char *owner,
                              et_string key, size_t size,
                              et_shared_fill_fn fill, void *context,
                              et_span *out_bytes, et_error *error);

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_SHARED_STORE_H_ */
