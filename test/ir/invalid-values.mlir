// One mistake a kernel; every message is part of the interface.
// RUN: sectile-opt %s --split-input-file --verify-diagnostics

tile.kernel @cast_shape(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  // expected-error @+1 {{needs source and result of one shape, not 4x8 and 4x4}}
  %y = tile.cast %t : tensor<4x8xf32> -> tensor<4x4xi32>
  tile.return
}

// -----

tile.kernel @div_floats(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  // expected-error @+1 {{operand #0 must be integer tile or scalar, but got 'tensor<4x8xf32>'}}
  %y = tile.div %t, %t : tensor<4x8xf32>
  tile.return
}

// -----

tile.kernel @rem_floats(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  // expected-error @+1 {{operand #0 must be integer tile or scalar, but got 'tensor<4x8xf32>'}}
  %y = tile.rem %t, %t : tensor<4x8xf32>
  tile.return
}

// -----

tile.kernel @shl_floats(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  // expected-error @+1 {{operand #0 must be integer tile or scalar, but got 'tensor<4x8xf32>'}}
  %y = tile.shl %t, %t : tensor<4x8xf32>
  tile.return
}

// -----

tile.kernel @shr_floats(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  // expected-error @+1 {{operand #0 must be integer tile or scalar, but got 'tensor<4x8xf32>'}}
  %y = tile.shr %t, %t : tensor<4x8xf32>
  tile.return
}

// -----

tile.kernel @mulhi_floats(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %w[%n, %n] : !tile.view<2 x f32> -> tensor<4x8xf32>
  // expected-error @+1 {{operand #0 must be integer tile or scalar, but got 'tensor<4x8xf32>'}}
  %y = tile.mulhi %t, %t : tensor<4x8xf32>
  tile.return
}

// -----

tile.kernel @program_id_axis(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  // expected-error @+1 {{names axis 3 of a grid of 1 axis}}
  %y = tile.program_id 3
  tile.return
}

// -----

tile.kernel @num_programs_axis(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  // expected-error @+1 {{names axis 1 of a grid of 1 axis}}
  %y = tile.num_programs 1
  tile.return
}

// -----

tile.kernel @stages_on_no_loop(%n: index) {
  // expected-error @+1 {{is no loop and takes no `tile.stages`}}
  %i = tile.grid extents(%n) steps(%n) {tile.stages = 2 : i64} : index
  tile.return
}

// -----

tile.kernel @no_stages(%n: index) {
  %i = tile.grid extents(%n) steps(%n) : index
  // expected-error @+1 {{takes an i64 of at least 1 as `tile.stages`, not 0 : i64}}
  scf.for %k = %n to %n step %n {
  } {tile.stages = 0 : i64}
  tile.return
}

// -----

tile.kernel @stages_of_a_narrow_type(%n: index) {
  %i = tile.grid extents(%n) steps(%n) : index
  // expected-error @+1 {{takes an i64 of at least 1 as `tile.stages`, not 3 : i32}}
  scf.for %k = %n to %n step %n {
  } {tile.stages = 3 : i32}
  tile.return
}
