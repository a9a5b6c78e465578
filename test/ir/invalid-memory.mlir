// One mistake a kernel; every message is part of the interface.
// RUN: sectile-opt %s --split-input-file --verify-diagnostics

tile.kernel @gather_indices(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  %x = tile.cast %t : tensor<4x8xf32> -> tensor<4x8xindex>
  // expected-error @+1 {{needs 2 index tiles for a view of rank 2, not 1}}
  %y = tile.gather %w[%x] : !tile.view<2 x f32>, tensor<4x8xindex> -> tensor<4x8xf32>
  tile.return
}

// -----

tile.kernel @gather_mask_shape(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  %x = tile.cast %t : tensor<4x8xf32> -> tensor<4x8xindex>
  %m = arith.cmpi eq, %h, %h : i32
  // expected-error @+1 {{needs mask and value of one shape, not scalar and 4x8}}
  %y = tile.gather %w[%x, %x] mask(%m : i1) : !tile.view<2 x f32>, tensor<4x8xindex>, tensor<4x8xindex> -> tensor<4x8xf32>
  tile.return
}

// -----

tile.kernel @scatter_readonly(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  %x = tile.cast %t : tensor<4x8xf32> -> tensor<4x8xindex>
  // expected-error @+1 {{writes to a read-only view}}
  tile.scatter %t, %r[%x, %x] : tensor<4x8xf32>, !tile.view<2 x f32, readonly>, tensor<4x8xindex>, tensor<4x8xindex>
  tile.return
}

// -----

tile.kernel @scatter_element(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  %k = tile.cast %t : tensor<4x8xf32> -> tensor<4x8xi32>
  %x = tile.cast %t : tensor<4x8xf32> -> tensor<4x8xindex>
  // expected-error @+1 {{moves 'i32' through a view of 'f32'}}
  tile.scatter %k, %w[%x, %x] : tensor<4x8xi32>, !tile.view<2 x f32>, tensor<4x8xindex>, tensor<4x8xindex>
  tile.return
}

// -----

tile.kernel @atomic_rmw_kind(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  %x = tile.cast %t : tensor<4x8xf32> -> tensor<4x8xindex>
  // expected-error @+1 {{has the unknown kind 'minus'}}
  %y = tile.atomic_rmw "minus" %t, %w[%x, %x] : tensor<4x8xf32>, !tile.view<2 x f32>, tensor<4x8xindex>, tensor<4x8xindex> -> tensor<4x8xf32>
  tile.return
}

// -----

tile.kernel @atomic_rmw_bits(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  %x = tile.cast %t : tensor<4x8xf32> -> tensor<4x8xindex>
  // expected-error @+1 {{'xor' needs integers}}
  %y = tile.atomic_rmw "xor" %t, %w[%x, %x] : tensor<4x8xf32>, !tile.view<2 x f32>, tensor<4x8xindex>, tensor<4x8xindex> -> tensor<4x8xf32>
  tile.return
}

// -----

tile.kernel @atomic_rmw_order(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  %x = tile.cast %t : tensor<4x8xf32> -> tensor<4x8xindex>
  // expected-error @+1 {{has the unknown memory order 'soon'}}
  %y = tile.atomic_rmw "add" %t, %w[%x, %x] {order = "soon"} : tensor<4x8xf32>, !tile.view<2 x f32>, tensor<4x8xindex>, tensor<4x8xindex> -> tensor<4x8xf32>
  tile.return
}

// -----

tile.kernel @atomic_cas_readonly(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  %x = tile.cast %t : tensor<4x8xf32> -> tensor<4x8xindex>
  // expected-error @+1 {{writes to a read-only view}}
  %y = tile.atomic_cas %t, %t, %r[%x, %x] : tensor<4x8xf32>, tensor<4x8xf32>, !tile.view<2 x f32, readonly>, tensor<4x8xindex>, tensor<4x8xindex> -> tensor<4x8xf32>
  tile.return
}

// -----

tile.kernel @fence_scope(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  // expected-error @+1 {{has the unknown scope 'galaxy'}}
  tile.fence {scope = "galaxy"}
  tile.return
}

// -----

tile.kernel @assert_float(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  // expected-error @+1 {{operand #0 must be i1 tile or scalar, but got 'f32'}}
  tile.assert %f, "text" : f32
  tile.return
}

// -----

tile.kernel @assume_tile(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  // expected-error @+1 {{operand #0 must be 1-bit signless integer, but got 'tensor<4x8xf32>'}}
  "tile.assume"(%t) : (tensor<4x8xf32>) -> ()
  tile.return
}

// -----

tile.kernel @print_view(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  // expected-error @+1 {{operand #0 must be variadic of tile or scalar, but got '!tile.view<1 x f32>'}}
  tile.print "x" %v : !tile.view<1 x f32>
  tile.return
}
