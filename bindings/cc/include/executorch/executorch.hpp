// The C++ interface of the runtime: includes all of its headers.
#ifndef EXECUTORCH_EXECUTORCH_HPP_
#define EXECUTORCH_EXECUTORCH_HPP_

#include "executorch/loaded_methods.hpp"
#include "executorch/program.hpp"
#include "executorch/result.hpp"
#include "executorch/tensor.hpp"

#endif  // EXECUTORCH_EXECUTORCH_HPP_
