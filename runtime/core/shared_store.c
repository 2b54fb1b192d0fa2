#include "executorch/shared_store.h"

#include <stdint.h>
#include <string.h>

#include "executorch/checked.h"

/* Alignment of entries and of their data. */
#define ALIGNMENT 64

/* The header of an entry, followed by its data and its key. */
typedef struct et_shared_entry {
  struct et_shared_entry *next;
  const char *owner;
  et_string key;
  et_span bytes;
} et_shared_entry;

et_shared_store et_shared_store_over(et_mutable_span memory) {
  const et_shared_store store = {et_arena_over(memory), NULL};
  return store;
}

/* Allocates an entry, its data and its key. */
static bool take_entry(et_arena *arena, size_t key_size, size_t size,
                       void **out_entry, void **out_bytes, void **out_key) {
  void *end = NULL;
  return et_arena_take(arena, 1, sizeof(et_shared_entry), ALIGNMENT,
                       out_entry) &&
         et_arena_take(arena, 1, size, ALIGNMENT, out_bytes) &&
         et_arena_take(arena, 1, key_size, 1, out_key) &&
         et_arena_take(arena, 0, 1, ALIGNMENT, &end);
}

size_t et_shared_store_bytes(et_string key, size_t size) {
  et_arena arena = et_arena_measuring();
  void *none = NULL;
  return take_entry(&arena, key.size, size, &none, &none, &none) ? arena.used
                                                                 : SIZE_MAX;
}

static const et_shared_entry *find(const et_shared_store *store,
                                   const char *owner, et_string key) {
  const et_shared_entry *entry = store->newest;
  while (
      entry != NULL &&
      (strcmp(entry->owner, owner) != 0 || entry->key.size != key.size ||
       (key.size != 0 && memcmp(entry->key.data, key.data, key.size) != 0))) {
    entry = entry->next;
  }
  return entry;
}

/* Creates an entry that is not in the list yet. */
static et_status make_entry(et_shared_store *store, const char *owner,
                            et_string key, size_t size,
                            et_shared_entry **out_entry, et_error *error) {
  const size_t used = store->arena.used;
  void *entry = NULL;
  void *bytes = NULL;
  void *text = NULL;
  if (store->arena.data == NULL ||
      !take_entry(&store->arena, key.size, size, &entry, &bytes, &text)) {
    store->arena.used = used;
    return et_fail(
        error, ET_STATUS_MEMORY_TOO_SMALL,
        "the shared store has %zu bytes left, but needs %zu for %s; enlarge it",
        store->arena.data != NULL ? store->arena.size - used : 0,
        et_shared_store_bytes(key, size), owner);
  }
  if (key.size != 0) {
    memcpy(text, key.data, key.size);
  }
  const et_shared_entry made = {
      store->newest, owner, {text, key.size}, {bytes, size}};
  *out_entry = entry;
  **out_entry = made;
  return ET_STATUS_OK;
}

static et_status add(et_shared_store *store, const char *owner, et_string key,
                     size_t size, et_shared_fill_fn fill, void *context,
                     et_span *out_bytes, et_error *error) {
  const size_t used = store->arena.used;
  et_shared_entry *entry = NULL;
  ET_RETURN_IF_ERROR(make_entry(store, owner, key, size, &entry, error));
  const et_mutable_span bytes = {(uint8_t *)(uintptr_t)entry->bytes.data, size};
  const et_status status = fill(context, bytes, error);
  if (status != ET_STATUS_OK) {
    store->arena.used = used;
    return status;
  }
  store->newest = entry;
  *out_bytes = entry->bytes;
  return ET_STATUS_OK;
}

et_status et_shared_store_get(et_shared_store *store, const char *owner,
                              et_string key, size_t size,
                              et_shared_fill_fn fill, void *context,
                              et_span *out_bytes, et_error *error) {
  const et_shared_entry *entry = find(store, owner, key);
  if (entry == NULL) {
    return add(store, owner, key, size, fill, context, out_bytes, error);
  }
  if (entry->bytes.size != size) {
    return et_fail(
        error, ET_STATUS_INVALID_ARGUMENT,
        "%s requests %zu bytes, but the entry of the shared store has %zu; "
        "use another key",
        owner, size, entry->bytes.size);
  }
  *out_bytes = entry->bytes;
  return ET_STATUS_OK;
}
