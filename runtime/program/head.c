#include "runtime/program/head.h"

#include <string.h>

#include "runtime/core/reason.h"

et_status et_head_check_identifier(et_span file, const char *identifier,
                                   const char *what, et_error *error) {
  if (file.size < ET_HEAD_MAGIC_AT) {
    return et_fail_program(error, "a file of %zu bytes is too short for %s",
                           file.size, what);
  }
  const uint8_t *found = file.data + ET_HEAD_IDENTIFIER_AT;
  if (memcmp(found, identifier, 4) != 0) {
    return et_fail_program(
        error, "bytes %x %x %x %x are not the identifier of %s; expected '%s'",
        (unsigned)found[0], (unsigned)found[1], (unsigned)found[2],
        (unsigned)found[3], what, identifier);
  }
  return ET_STATUS_OK;
}

et_status et_head_check_extent(const et_data_source *source, uint64_t needed,
                               const char *what, et_error *error) {
  const size_t there =
      source->extent_count != 0 && source->extents[0].offset == 0
          ? source->extents[0].bytes.size
          : 0;
  return needed <= there
             ? ET_STATUS_OK
             : et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                       "source '%s': the first extent must start at 0 and hold "
                       "the %llu bytes of %s, but holds %zu",
                       source->name, (unsigned long long)needed, what, there);
}
