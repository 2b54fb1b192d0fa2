/* Links the code that runs a method, with a model's registry, to measure its
 * size. The program is not run. */
#include "executorch/method.h"
#include "executorch/program.h"

extern const et_registry et_linked_registry;

int main(int argc, char **argv) {
  const et_span file = {(const uint8_t *)argv[0], (size_t)argc};
  const et_method_memory memory = {.planned = NULL};
  const et_value *value = NULL;
  et_method_requirements needed;
  et_method *method = NULL;
  et_program program;
  et_error error;
  return et_program_load(file, &program, &error) != ET_STATUS_OK ||
         et_method_measure(&program, argv[0], &et_linked_registry, NULL,
                           &needed, &error) != ET_STATUS_OK ||
         et_method_load(&program, argv[0], &et_linked_registry, NULL, &memory,
                        &method, &error) != ET_STATUS_OK ||
         et_method_set_input(method, 0, ET_SCALAR_TYPE_FLOAT32, NULL, 0, argv,
                             0, &error) != ET_STATUS_OK ||
         et_method_execute(method, &error) != ET_STATUS_OK ||
         et_method_get_output(method, 0, &value, &error) != ET_STATUS_OK;
}
