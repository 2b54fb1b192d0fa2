/* Like linked.c, with an observer of all events. */
#include "executorch/method.h"
#include "executorch/observer.h"
#include "executorch/program.h"

extern const et_registry et_linked_registry;

static void begin(void *context, const et_event *event) {
  (void)context;
  (void)event;
}

static void end(void *context, const et_event *event, et_status status) {
  (void)context;
  (void)event;
  (void)status;
}

int main(int argc, char **argv) {
  const et_extent extent = {.bytes = {(const uint8_t *)argv[0], (size_t)argc}};
  const et_data_source source = {argv[0], (size_t)argc, &extent, 1, NULL, NULL};
  const et_method_memory memory = {.planned = NULL};
  const et_observer observer = ET_OBSERVER(NULL, begin, end);
  const et_method_options options = {.observer = &observer};
  et_method *method = NULL;
  et_program program;
  et_error error;
  et_error_clear(&error);
  return et_program_load_observed(&source, 1, &observer, &program, &error) !=
             ET_STATUS_OK ||
         et_method_load(&program, argv[0], &et_linked_registry, &options,
                        &memory, &method, &error) != ET_STATUS_OK ||
         et_method_execute(method, &error) != ET_STATUS_OK;
}
