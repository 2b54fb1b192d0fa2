/* Shown by docs/how_to/use_from_c.md. */
#include <stdio.h>

#include "tests/feature_models/running_mean_cc.h"

/* Memory of the methods, and the state that they share. */
static running_mean_update_memory update_memory;
static running_mean_step_memory step_memory;
static running_mean_state state;

static et_status print_update(running_mean_update_method update,
                              const float *rows, int32_t n, et_error *error) {
  const int32_t sizes[] = {n, RUNNING_MEAN_UPDATE_INPUT_ROWS_SIZE_1};
  const size_t count = (size_t)n * RUNNING_MEAN_UPDATE_INPUT_ROWS_SIZE_1;
  const float *centered = NULL;
  const int32_t *centered_sizes = NULL;
  size_t centered_count = 0;
  ET_RETURN_IF_ERROR(
      running_mean_update_set_rows(update, rows, count, sizes, error));
  ET_RETURN_IF_ERROR(running_mean_update_execute(update, error));
  ET_RETURN_IF_ERROR(running_mean_update_get_centered(
      update, &centered, &centered_count, &centered_sizes, error));
  printf("%d rows, last element %.2f\n", (int)centered_sizes[0],
         (double)centered[centered_count - 1]);
  return ET_STATUS_OK;
}

static et_status print_step(running_mean_step_method step, const float *row,
                            et_error *error) {
  const float *centered = NULL;
  ET_RETURN_IF_ERROR(running_mean_step_set_row(step, row, error));
  ET_RETURN_IF_ERROR(running_mean_step_execute(step, error));
  ET_RETURN_IF_ERROR(running_mean_step_get_centered(step, &centered, error));
  printf("first element %.2f\n", (double)centered[0]);
  return ET_STATUS_OK;
}

static et_status run(running_mean_update_method *update,
                     running_mean_step_method *step, et_error *error) {
  static const float rows[8] = {1, 2, 3, 4, 3, 4, 5, 8};
  static const float row[RUNNING_MEAN_STEP_INPUT_ROW_COUNT] = {1, 2, 3, 4};
  ET_RETURN_IF_ERROR(
      running_mean_update_load(&update_memory, NULL, &state, update, error));
  ET_RETURN_IF_ERROR(
      running_mean_step_load(&step_memory, NULL, &state, step, error));
  ET_RETURN_IF_ERROR(print_update(*update, rows, 2, error));
  ET_RETURN_IF_ERROR(print_step(*step, row, error));
  running_mean_update_reset_state(*update); /* the average is 0 again */
  return print_step(*step, row, error);
}

int main(void) {
  running_mean_update_method update = {NULL};
  running_mean_step_method step = {NULL};
  et_error error = ET_ERROR_INIT;
  const et_status status = run(&update, &step, &error);
  if (status != ET_STATUS_OK) {
    fprintf(stderr, "%s: %s\n", et_status_name(status), error.message);
  }
  running_mean_step_unload(step);
  running_mean_update_unload(update);
  return status == ET_STATUS_OK ? 0 : 1;
}
