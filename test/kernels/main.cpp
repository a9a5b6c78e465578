// Catch2's main function lives here alone, so that the test files compile quickly.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
