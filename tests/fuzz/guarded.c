#define _GNU_SOURCE /* for MAP_ANONYMOUS */

#include "tests/fuzz/guarded.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page(void) { return (size_t)sysconf(_SC_PAGESIZE); }

static size_t round_up(size_t size, size_t unit) {
  return (size + unit - 1) / unit * unit;
}

/* Returns the accessible bytes. */
static uint8_t *begin_of(const et_guarded *block) {
  return block->pages + page();
}

static size_t bytes_of(const et_guarded *block) {
  return block->page_bytes - 2 * page();
}

et_guarded et_guarded_take(size_t size, size_t alignment, uint8_t fill) {
  const size_t aligned = round_up(size, alignment);
  const size_t bytes = round_up(aligned > 0 ? aligned : 1, page());
  et_guarded block = {
      .size = size, .page_bytes = bytes + 2 * page(), .fill = fill};
  block.pages = mmap(NULL, block.page_bytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block.pages == MAP_FAILED ||
      mprotect(begin_of(&block), bytes, PROT_READ | PROT_WRITE) != 0) {
    abort();
  }
  memset(begin_of(&block), fill, bytes);
  block.data = begin_of(&block) + bytes - aligned;
  return block;
}

void et_guarded_seal(const et_guarded *block) {
  if (mprotect(begin_of(block), bytes_of(block), PROT_READ) != 0) {
    abort();
  }
}

bool et_guarded_is_intact(const et_guarded *block) {
  const uint8_t *end = begin_of(block) + bytes_of(block);
  for (const uint8_t *at = begin_of(block); at < end; at++) {
    if (at == block->data) {
      at += block->size;
    }
    if (at < end && *at != block->fill) {
      return false;
    }
  }
  return true;
}

void et_guarded_free(et_guarded *block) {
  const et_guarded none = {.data = NULL};
  if (block->pages != NULL) {
    munmap(block->pages, block->page_bytes);
  }
  *block = none;
}
