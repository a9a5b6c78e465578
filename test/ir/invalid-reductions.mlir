// One mistake a kernel; every message is part of the interface.
// RUN: sectile-opt %s --split-input-file --verify-diagnostics

tile.kernel @scan_shape(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  // expected-error @+1 {{gives results of type 'tensor<4x8xf32>'}}
  %y = tile.scan(%t) axis=0 { ^bb0(%p: f32, %q: f32): tile.yield %p : f32 } : tensor<4x8xf32> -> tensor<1x8xf32>
  tile.return
}

// -----

tile.kernel @scan_region(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  // expected-error @+1 {{needs a region with 2 arguments}}
  %y = tile.scan(%t) axis=0 { ^bb0(%p: f32): tile.yield %p : f32 } : tensor<4x8xf32> -> tensor<4x8xf32>
  tile.return
}

// -----

tile.kernel @sort_axis(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  // expected-error @+1 {{names axis 2 of a value with 2 axes}}
  %y, %z = tile.sort %t axis=2 : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4x8xi32>
  tile.return
}

// -----

tile.kernel @sort_indices(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  // expected-error @+1 {{gives i32 indices}}
  %y, %z = tile.sort %t axis=1 : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4x8xf32>
  tile.return
}

// -----

tile.kernel @topk_size(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  // expected-error @+1 {{has a result of shape 4x9 for a source of shape 4x8}}
  %y, %z = tile.topk %t axis=1 : tensor<4x8xf32> -> tensor<4x9xf32>, tensor<4x9xi32>
  tile.return
}
