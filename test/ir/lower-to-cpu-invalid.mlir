// What no target lowers is named; nothing crashes.
// RUN: sectile-opt %s --split-input-file --verify-diagnostics --lower-to-cpu

tile.kernel @poison(%x: !tile.view<1 x f32>) {
  %c1 = arith.constant 1 : index
  %i = tile.grid extents(%c1) steps(%c1) : index
  // expected-error @+1 {{is not an operation of kernels}}
  %t = ub.poison : tensor<4xf32>
  tile.store %t, %x[%i] : tensor<4xf32>, !tile.view<1 x f32>
  tile.return
}

// -----

tile.kernel @region(%x: !tile.view<1 x f32>) {
  %c1 = arith.constant 1 : index
  %i = tile.grid extents(%c1) steps(%c1) : index
  %t = tile.load %x[%i] : !tile.view<1 x f32> -> tensor<4xf32>
  // expected-error @+1 {{is not an operation of kernels}}
  %y = scf.execute_region -> tensor<4xf32> { scf.yield %t : tensor<4xf32> }
  tile.store %y, %x[%i] : tensor<4xf32>, !tile.view<1 x f32>
  tile.return
}

// -----

tile.kernel @view_of_a_condition(%x: !tile.view<1 x f32>, %b: i1) {
  %c1 = arith.constant 1 : index
  %i = tile.grid extents(%c1) steps(%c1) : index
  // expected-error @+1 {{which is neither a tile nor a scalar of a kernel}}
  %v = scf.if %b -> (!tile.view<1 x f32>) { scf.yield %x : !tile.view<1 x f32> } else { scf.yield %x : !tile.view<1 x f32> }
  %t = tile.load %v[%i] : !tile.view<1 x f32> -> tensor<4xf32>
  tile.store %t, %x[%i] : tensor<4xf32>, !tile.view<1 x f32>
  tile.return
}

// -----

tile.kernel @wide_float(%x: !tile.view<1 x f32>) {
  %c1 = arith.constant 1 : index
  %i = tile.grid extents(%c1) steps(%c1) : index
  // expected-error @+1 {{has the type 'f80'}}
  %y = arith.constant 1.0 : f80
  %w = arith.truncf %y : f80 to f32
  tile.store %w, %x[%i] : f32, !tile.view<1 x f32>
  tile.return
}

// -----

tile.kernel @vector(%x: !tile.view<1 x f32>) {
  %c1 = arith.constant 1 : index
  %i = tile.grid extents(%c1) steps(%c1) : index
  // expected-error @+1 {{has the type 'vector<4xf32>'}}
  %y = arith.constant dense<1.0> : vector<4xf32>
  %z = builtin.unrealized_conversion_cast %y : vector<4xf32> to tensor<4xf32>
  tile.store %z, %x[%i] : tensor<4xf32>, !tile.view<1 x f32>
  tile.return
}

// -----

tile.kernel @function(%x: !tile.view<1 x f32>) {
  %c1 = arith.constant 1 : index
  %i = tile.grid extents(%c1) steps(%c1) : index
  %t = tile.load %x[%i] : !tile.view<1 x f32> -> tensor<4xf32>
  // expected-error @+1 {{is not an operation of kernels}}
  %z = math.cbrt %t : tensor<4xf32>
  tile.store %z, %x[%i] : tensor<4xf32>, !tile.view<1 x f32>
  tile.return
}
