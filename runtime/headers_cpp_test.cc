// The public headers compile as C++17, and link.

#include "runtime/core/arena.h"
#include "runtime/core/backend.h"
#include "runtime/core/checked.h"
#include "runtime/core/format.h"
#include "runtime/core/kernel.h"
#include "runtime/core/limits.h"
#include "runtime/core/scalar_type.h"
#include "runtime/core/span.h"
#include "runtime/core/status.h"
#include "runtime/core/tensor.h"
#include "runtime/core/value.h"
#include "runtime/extension/file_loader.h"
#include "runtime/extension/hosted_method.h"
#include "runtime/method/method.h"
#include "runtime/program/program.h"

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
