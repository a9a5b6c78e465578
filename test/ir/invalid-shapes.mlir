// One mistake a kernel; every message is part of the interface.
// RUN: sectile-opt %s --split-input-file --verify-diagnostics

tile.kernel @cat_shapes(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  %k = tile.cast %t : tensor<4x8xf32> -> tensor<4x8xi32>
  // expected-error @+1 {{gives 8 elements on axis 0, not 4}}
  %y = tile.cat %t, %t axis=0 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  tile.return
}

// -----

tile.kernel @cat_axis(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  // expected-error @+1 {{names axis 2 of a value with 2 axes}}
  %y = tile.cat %t, %t axis=2 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  tile.return
}

// -----

tile.kernel @extract_rank(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  // expected-error @+1 {{needs 2 offsets, not 1}}
  %y = tile.extract %t[%n] : tensor<4x8xf32> -> tensor<4xf32>
  tile.return
}

// -----

tile.kernel @extract_element(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  // expected-error @+1 {{needs source and result of one element type, not 'f32' and 'i32'}}
  %y = tile.extract %t[%n, %n] : tensor<4x8xf32> -> tensor<4x4xi32>
  tile.return
}

// -----

tile.kernel @gather_along_shape(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  %k = tile.cast %t : tensor<4x8xf32> -> tensor<4x8xi32>
  // expected-error @+1 {{needs indices and result of one shape, not 4x8 and 4x4}}
  %y = tile.gather_along %t[%k] axis=0 : tensor<4x8xf32>, tensor<4x8xi32> -> tensor<4x4xf32>
  tile.return
}

// -----

tile.kernel @gather_along_floats(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  // expected-error @+1 {{needs integer indices}}
  %y = tile.gather_along %t[%t] axis=0 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  tile.return
}

// -----

tile.kernel @histogram_floats(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  // expected-error @+1 {{counts integers}}
  %y = tile.histogram %t : tensor<4x8xf32> -> tensor<4xi32>
  tile.return
}

// -----

tile.kernel @histogram_result(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  %k = tile.cast %t : tensor<4x8xf32> -> tensor<4x8xi32>
  // expected-error @+1 {{gives one axis of i32 counts}}
  %y = tile.histogram %k : tensor<4x8xi32> -> tensor<4xf32>
  tile.return
}

// -----

tile.kernel @iota_axis(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  // expected-error @+1 {{names axis 1 of a value with 1 axes}}
  %y = tile.iota 1 : tensor<4xindex>
  tile.return
}

// -----

tile.kernel @iota_element(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  // expected-error @+1 {{gives index elements}}
  %y = tile.iota 0 : tensor<4xf32>
  tile.return
}

// -----

tile.kernel @join_types(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  %k = tile.cast %t : tensor<4x8xf32> -> tensor<4x8xi32>
  // expected-error @+1 {{joins two tiles of one type}}
  %y = tile.join %t, %k : tensor<4x8xf32>, tensor<4x8xi32> -> tensor<4x8x2xf32>
  tile.return
}

// -----

tile.kernel @join_result(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  // expected-error @+1 {{gives the operands' shape with a last axis of size 2}}
  %y = tile.join %t, %t : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x16xf32>
  tile.return
}

// -----

tile.kernel @split_axis(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  // expected-error @+1 {{needs a last axis of size 2}}
  %y, %z = tile.split %t : tensor<4x8xf32> -> tensor<4xf32>, tensor<4xf32>
  tile.return
}

// -----

tile.kernel @transpose_twice(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  // expected-error @+1 {{needs a permutation of 0 ... 1}}
  %y = tile.transpose %t [0, 0] : tensor<4x8xf32> -> tensor<4x4xf32>
  tile.return
}

// -----

tile.kernel @transpose_result(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  // expected-error @+1 {{has a result shape that does not follow from its permutation}}
  %y = tile.transpose %t [1, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  tile.return
}
