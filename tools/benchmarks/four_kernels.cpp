// A user's file with four kernels, timed through the host compiler at -O0.
#include "kernels.h"

void run(sectile::Tensor<float, 1>& x, sectile::Tensor<float, 2>& a, sectile::Tensor<float, 3>& q) {
  using namespace bench;
  auto cpu = sectile::Device::cpu();
  sectile::launch<vector_add<1024>>(cpu, x, x, x);
  sectile::launch<softmax<float, 1024>>(cpu, a, a);
  sectile::launch<matmul<float, MatmulConfig{}>>(cpu, a, a, a);
  sectile::launch<attention<float, AttentionConfig{}>>(cpu, q, q, q, q, 0.125f);
}
