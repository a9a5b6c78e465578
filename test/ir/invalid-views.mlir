// One mistake a kernel; every message is part of the interface.
// RUN: sectile-opt %s --split-input-file --verify-diagnostics

tile.kernel @view_size_axis(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  // expected-error @+1 {{names axis 1 of a value with 1 axes}}
  %y = tile.view_size %v 1 : !tile.view<1 x f32>
  tile.return
}

// -----

tile.kernel @view_stride_axis(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  // expected-error @+1 {{names axis -1 of a value with 1 axes}}
  %y = tile.view_stride %v -1 : !tile.view<1 x f32>
  tile.return
}

// -----

tile.kernel @view_slice_rank(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  // expected-error @+1 {{needs a view of rank 2 or more}}
  %y = tile.view_slice %v 0[%n] : !tile.view<1 x f32> -> !tile.view<1 x f32>
  tile.return
}

// -----

tile.kernel @view_slice_writable(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  // expected-error @+1 {{cannot make a read-only view writable}}
  %y = tile.view_slice %r 0[%n] : !tile.view<2 x f32, readonly> -> !tile.view<1 x f32>
  tile.return
}

// -----

tile.kernel @view_transpose_order(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  // expected-error @+1 {{needs a permutation of 0 ... 1}}
  %y = tile.view_transpose %w [1, 1] : !tile.view<2 x f32> -> !tile.view<2 x f32>
  tile.return
}

// -----

tile.kernel @subview_sizes(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  // expected-error @+1 {{needs one offset, size and step per axis}}
  %y = tile.subview %w[%n] [%n] [%n] : !tile.view<2 x f32> -> !tile.view<2 x f32>
  tile.return
}

// -----

tile.kernel @view_broadcast_axes(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  // expected-error @+1 {{needs every axis of the source once, in order}}
  %y = tile.view_broadcast %v[%n, %n] [-1, -1] : !tile.view<1 x f32> -> !tile.view<2 x f32>
  tile.return
}

// -----

tile.kernel @view_broadcast_sizes(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  // expected-error @+1 {{needs one size per axis of the result}}
  %y = tile.view_broadcast %v[%n] [-1, 0] : !tile.view<1 x f32> -> !tile.view<2 x f32>
  tile.return
}

// -----

tile.kernel @view_reshape_rank(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  // expected-error @+1 {{gives a view of rank 2, not 1}}
  %y = tile.view_reshape %v[%n, %n] : !tile.view<1 x f32> -> !tile.view<1 x f32>
  tile.return
}

// -----

tile.kernel @view_reshape_element(%v: !tile.view<1 x f32>, %w: !tile.view<2 x f32>, %r: !tile.view<2 x f32, readonly>, %n: index, %b: i1, %h: i32, %f: f32) {
  %i = tile.grid extents(%n) steps(%n) : index
  // expected-error @+1 {{keeps the element type of the view}}
  %y = tile.view_reshape %v[%n] : !tile.view<1 x f32> -> !tile.view<1 x f64>
  tile.return
}
