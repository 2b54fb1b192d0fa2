// Tests that the public headers compile as C++17, and link.

#include "executorch/arena.h"
#include "executorch/backend.h"
#include "executorch/checked.h"
#include "executorch/file_loader.h"
#include "executorch/hosted_method.h"
#include "executorch/kernel.h"
#include "executorch/method.h"
#include "executorch/method_layout.h"
#include "executorch/observer.h"
#include "executorch/parallel.h"
#include "executorch/program.h"
#include "executorch/scalar_type.h"
#include "executorch/shared_store.h"
#include "executorch/span.h"
#include "executorch/status.h"
#include "executorch/tensor.h"
#include "executorch/value.h"

static_assert(ET_METHOD_BYTES(1u, 1u, 1u, 1u, 1u, 1u, 1u, 1u, 1u, 1u, 1) >
                  sizeof(et_value),
              "usable in constant expressions");

int main() {
  et_error error;
  et_error_clear(&error);
  et_program program;
  const et_span empty = {nullptr, 0};
  return et_program_load(empty, &program, &error) ==
                 ET_STATUS_INVALID_ARGUMENT
             ? 0
             : 1;
}
