#include "executorch/program.h"

et_status et_program_load_observed(const et_data_source *sources, size_t count,
                                   const et_observer *observer,
                                   et_program *out_program,
                                   et_error *out_error) {
  const et_event event = {ET_EVENT_PROGRAM_LOAD, 0,
                          count > 0 ? sources[0].name : "", NULL, 0};
  observer->begin(observer->context, &event);
  const et_status status =
      et_program_load_sources(sources, count, out_program, out_error);
  observer->end(observer->context, &event, status);
  return status;
}
