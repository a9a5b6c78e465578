// Work in a child process, so that crashes and endless loops are findings.
#pragma once

#include <functional>
#include <string>

namespace sectile::fuzz {

/// Calls `work` in a child; what it returns, or of which signal it died. A child gets 100 seconds.
std::string inChild(const std::function<std::string()> &work);

}  // namespace sectile::fuzz
