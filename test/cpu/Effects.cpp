#include "Cases.h"
namespace sectile::test {
void effectCases(const std::string &) {}
}
