// The text of values that a kernel prints.
#pragma once

#include "runtime/format/image.h"

#include <string>

namespace sectile::drivers {

/// Appends one value: a scalar, or a tile as nested brackets in row-major order. `data` holds the elements in their storage type.
void append_value(std::string& out, const format::Site::Value& value, const void* data);

}  // namespace sectile::drivers
