// Catch2, version 2 or 3.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Matchers::ContainsSubstring;
#else
#include <catch2/catch.hpp>
/// Version 3's name for version 2's matcher.
inline auto ContainsSubstring(const std::string& part) { return Catch::Matchers::Contains(part); }
#endif
