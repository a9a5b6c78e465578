// Sectile: kernels over tiles as C++ templates. Include this file.
#pragma once

#include "sectile/control.h"
#include "sectile/kernel.h"
#include "sectile/ops_memory.h"
#include "sectile/ops_reduce.h"
#include "sectile/random.h"

#if __has_include("sectile/runtime.h")
#include "sectile/runtime.h"
#endif
