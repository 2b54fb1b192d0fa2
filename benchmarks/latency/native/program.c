#include "benchmarks/latency/native/program.h"

#include <stdlib.h>
#include <string.h>

#include "backends/cpu/threads/pool.h"
#include "executorch/file_loader.h"
#include "executorch/hosted_method.h"

#define METHOD "forward"

/* Of all kernels and backends of this project. */
extern const et_registry bench_registry;

struct bench_program {
  et_file file;
  et_program program;
  et_hosted_method hosted;
  et_observer observer;
  bench_steps *steps; /* NULL: not watched */
  et_cpu_pool *pool;  /* NULL: one thread */
};

static et_status watch(bench_program *program, int counter, et_error *error) {
  program->steps = malloc(sizeof *program->steps);
  if (program->steps == NULL) {
    return et_fail(error, ET_STATUS_MEMORY_TOO_SMALL, "no memory for steps");
  }
  bench_steps_init(program->steps, counter);
  program->observer = bench_steps_observer(program->steps);
  return ET_STATUS_OK;
}

static et_status lend(bench_program *program, size_t threads, et_error *error) {
  et_cpu_pool *pool = aligned_alloc(ET_CPU_POOL_LINE, sizeof *pool);
  if (pool == NULL) {
    return et_fail(error, ET_STATUS_MEMORY_TOO_SMALL, "no memory for threads");
  }
  const et_status status = et_cpu_pool_create(pool, threads, error);
  if (status != ET_STATUS_OK) {
    free(pool);
    return status;
  }
  program->pool = pool;
  return ET_STATUS_OK;
}

static et_status load_method(bench_program *program, const char *isa,
                             et_error *error) {
  et_backend_option option = {"isa", {ET_VALUE_STRING, {0}}};
  option.value.u.as_string.data = isa;
  option.value.u.as_string.size = strlen(isa);
  const et_backend_options held = {"CpuBackend", &option, isa[0] != '\0'};
  const et_method_options options = {
      .parallel = program->pool != NULL ? &program->pool->parallel : NULL,
      .observer = program->steps != NULL ? &program->observer : NULL,
      .backend_options = &held,
      .backend_options_count = 1};
  return et_hosted_method_load(&program->program, METHOD, &bench_registry,
                               &options, &program->hosted, error);
}

static et_status load(bench_program *program, const char *path, const char *isa,
                      size_t threads, const int *counter, et_error *error) {
  if (threads > 1) {
    ET_RETURN_IF_ERROR(lend(program, threads, error));
  }
  if (counter != NULL) {
    ET_RETURN_IF_ERROR(watch(program, *counter, error));
  }
  ET_RETURN_IF_ERROR(et_file_open(path, &program->file, error));
  ET_RETURN_IF_ERROR(
      et_program_load(program->file.bytes, &program->program, error));
  return load_method(program, isa, error);
}

static int32_t report(et_status status, const et_error *from, char *error) {
  if (status != ET_STATUS_OK) {
    memcpy(error, from->message, sizeof from->message);
  }
  return (int32_t)status;
}

bench_program *bench_program_open(const char *path, const char *isa,
                                  size_t threads, const int *counter,
                                  char *error) {
  et_error failure = {0};
  bench_program *program = calloc(1, sizeof *program);
  if (program == NULL) {
    return NULL;
  }
  if (report(load(program, path, isa, threads, counter, &failure), &failure,
             error)) {
    bench_program_close(program);
    return NULL;
  }
  return program;
}

void bench_program_close(bench_program *program) {
  et_hosted_method_free(&program->hosted);
  et_file_close(&program->file);
  if (program->pool != NULL) {
    et_cpu_pool_destroy(program->pool);
    free(program->pool);
  }
  free(program->steps);
  free(program);
}

size_t bench_program_planned_bytes(const bench_program *program) {
  return program->hosted.planned_bytes;
}

size_t bench_program_scratch_bytes(const bench_program *program) {
  return program->hosted.requirements.scratch_bytes;
}

size_t bench_program_method_bytes(const bench_program *program) {
  return program->hosted.requirements.method_bytes;
}

int32_t bench_program_set_input(bench_program *program, size_t index,
                                int32_t dtype, const int32_t *sizes,
                                size_t rank, const void *data, size_t size,
                                char *error) {
  et_error failure = {0};
  const et_status status =
      et_method_set_input(program->hosted.method, index, (et_scalar_type)dtype,
                          sizes, rank, data, size, &failure);
  return report(status, &failure, error);
}

int32_t bench_program_run(bench_program *program, char *error) {
  et_error failure = {0};
  if (program->steps != NULL) {
    bench_steps_begin_run(program->steps);
  }
  const et_status status = et_method_execute(program->hosted.method, &failure);
  if (program->steps != NULL) {
    bench_steps_end_run(program->steps);
  }
  return report(status, &failure, error);
}

const void *bench_program_output(const bench_program *program, size_t index,
                                 size_t *out_size) {
  const et_value *value = NULL;
  const et_status status =
      et_method_get_output(program->hosted.method, index, &value, NULL);
  if (status != ET_STATUS_OK || value->tag != ET_VALUE_TENSOR) {
    return NULL;
  }
  *out_size = et_tensor_nbytes(value->u.as_tensor);
  return value->u.as_tensor->data;
}

const bench_steps *bench_program_steps(const bench_program *program) {
  return program->steps;
}
