// One mistake a kernel; every message is part of the interface.
// RUN: sectile-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{declares no grid; call grid(tiles(extent, step), ...) once}}
tile.kernel @no_grid(%v: !tile.view<1 x f32>) {
  tile.return
}

// -----

tile.kernel @two_grids(%n: index) {
  // expected-note @+1 {{the first one is here}}
  %a = tile.grid extents(%n) steps(%n) : index
  // expected-error @+1 {{is the kernel's second grid; declare it once}}
  %b = tile.grid extents(%n) steps(%n) : index
  tile.return
}

// -----

tile.kernel @effect_first(%v: !tile.view<1 x f32>, %n: index) {
  // expected-error @+1 {{has an effect before the grid}}
  %x = tile.load %v[%n] : !tile.view<1 x f32> -> tensor<4xf32>
  %a = tile.grid extents(%n) steps(%n) : index
  tile.return
}

// -----

tile.kernel @rank(%v: !tile.view<2 x f32>, %n: index) {
  %a = tile.grid extents(%n) steps(%n) : index
  // expected-error @+1 {{needs 2 offsets for a view of rank 2, not 1}}
  %x = tile.load %v[%n] : !tile.view<2 x f32> -> tensor<4x4xf32>
  tile.return
}

// -----

tile.kernel @readonly(%v: !tile.view<1 x f32, readonly>, %n: index, %f: f32) {
  %a = tile.grid extents(%n) steps(%n) : index
  %t = tile.splat %f : f32 -> tensor<4xf32>
  // expected-error @+1 {{writes to a read-only view}}
  tile.store %t, %v[%n] : tensor<4xf32>, !tile.view<1 x f32, readonly>
  tile.return
}

// -----

tile.kernel @stretch(%n: index, %f: f32) {
  %a = tile.grid extents(%n) steps(%n) : index
  %t = tile.splat %f : f32 -> tensor<4xf32>
  // expected-error @+1 {{cannot stretch 4 to 8; only axes of size 1 repeat}}
  %b = tile.broadcast %t : tensor<4xf32> -> tensor<8xf32>
  tile.return
}

// -----

tile.kernel @inner(%n: index, %f: f32) {
  %a = tile.grid extents(%n) steps(%n) : index
  %t = tile.splat %f : f32 -> tensor<4x3xf32>
  %u = tile.splat %f : f32 -> tensor<4x4xf32>
  // expected-error @+1 {{cannot multiply 4x3 by 4x4}}
  %b = tile.dot %t, %u, %u : tensor<4x3xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  tile.return
}

// -----

tile.kernel @captures(%n: index, %f: f32) {
  %a = tile.grid extents(%n) steps(%n) : index
  %t = tile.splat %f : f32 -> tensor<4xf32>
  %r = tile.reduce(%t) axis=0 {
  ^bb0(%x: f32, %y: f32):
    // expected-error @+1 {{uses a value from outside its combine region}}
    %w = arith.addf %x, %f : f32
    tile.yield %w : f32
  } : tensor<4xf32> -> tensor<1xf32>
  tile.return
}

// -----

tile.kernel @axis(%n: index, %f: f32) {
  %a = tile.grid extents(%n) steps(%n) : index
  %t = tile.splat %f : f32 -> tensor<4xf32>
  // expected-error @+1 {{names axis 1 of a value with 1 axes}}
  %r = tile.flip %t axis=1 : tensor<4xf32>
  tile.return
}

// -----

tile.kernel @count(%n: index, %f: f32) {
  %a = tile.grid extents(%n) steps(%n) : index
  %t = tile.splat %f : f32 -> tensor<4xf32>
  // expected-error @+1 {{cannot turn 4 into 5: the element counts differ}}
  %r = tile.reshape %t : tensor<4xf32> -> tensor<5xf32>
  tile.return
}

// -----

tile.kernel @order(%v: !tile.view<1 x f32>, %n: index, %f: f32) {
  %a = tile.grid extents(%n) steps(%n) : index
  // expected-error @+1 {{has the unknown memory order 'soon'}}
  %r = tile.atomic_rmw "add" %f, %v[%n] {order = "soon"} : f32, !tile.view<1 x f32>, index -> f32
  tile.return
}

// -----

// expected-error @+1 {{a view has rank 1 to 5, not 6}}
tile.kernel @six(%v: !tile.view<6 x f32>) {
  tile.return
}
