// The entry point of a unit test program.
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
int main(int count, char** arguments) { return Catch::Session().run(count, arguments); }
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
