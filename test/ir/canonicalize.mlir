// Folds of the dialect.
// RUN: sectile-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: tile.kernel @nothing_to_do
// CHECK: %[[T:.*]] = tile.load
// CHECK-NEXT: tile.store %[[T]]
tile.kernel @nothing_to_do(%v: !tile.view<2 x f32>, %n: index) {
  %i = tile.grid extents(%n) steps(%n) : index
  %t = tile.load %v[%i, %i] : !tile.view<2 x f32> -> tensor<4x8xf32>
  %a = tile.transpose %t [0, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  %b = tile.transpose %a [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %c = tile.transpose %b [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %d = tile.reshape %c : tensor<4x8xf32> -> tensor<32xf32>
  %e = tile.reshape %d : tensor<32xf32> -> tensor<4x8xf32>
  %f = tile.broadcast %e : tensor<4x8xf32> -> tensor<4x8xf32>
  %g = tile.cast %f : tensor<4x8xf32> -> tensor<4x8xf32>
  tile.store %g, %v[%i, %i] : tensor<4x8xf32>, !tile.view<2 x f32>
  tile.return
}

// -----

// Integer division folds as it computes: towards zero, and INT_MIN / -1 is INT_MIN.
// CHECK-LABEL: tile.kernel @division
// CHECK-DAG: %[[A:.*]] = arith.constant -3 : i32
// CHECK-DAG: %[[B:.*]] = arith.constant -1 : i32
// CHECK-DAG: %[[C:.*]] = arith.constant -128 : i8
// CHECK: tile.store %[[A]]
// CHECK: tile.store %[[B]]
// CHECK: tile.store %[[C]]
tile.kernel @division(%v: !tile.view<1 x i32>, %w: !tile.view<1 x i8>, %n: index) {
  %i = tile.grid extents(%n) steps(%n) : index
  %m7 = arith.constant -7 : i32
  %two = arith.constant 2 : i32
  %low = arith.constant -128 : i8
  %minus = arith.constant -1 : i8
  %q = tile.div %m7, %two : i32
  %r = tile.rem %m7, %two : i32
  %s = tile.div %low, %minus : i8
  tile.store %q, %v[%i] : i32, !tile.view<1 x i32>
  tile.store %r, %v[%i] : i32, !tile.view<1 x i32>
  tile.store %s, %w[%i] : i8, !tile.view<1 x i8>
  tile.return
}

// -----

// dot + add becomes the product's accumulator.
// CHECK-LABEL: tile.kernel @accumulate
// CHECK: %[[ACC:.*]] = tile.load
// CHECK: tile.dot %{{.*}}, %{{.*}}, %[[ACC]]
// CHECK-NOT: arith.addf
tile.kernel @accumulate(%v: !tile.view<2 x f32>, %n: index) {
  %i = tile.grid extents(%n) steps(%n) : index
  %acc = tile.load %v[%i, %i] : !tile.view<2 x f32> -> tensor<4x4xf32>
  %a = tile.load %v[%i, %n] : !tile.view<2 x f32> -> tensor<4x4xf32>
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %p = tile.dot %a, %a, %zero : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %s = arith.addf %acc, %p : tensor<4x4xf32>
  tile.store %s, %v[%i, %i] : tensor<4x4xf32>, !tile.view<2 x f32>
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @assertions
// CHECK-COUNT-2: tile.assert
// CHECK-NOT: tile.assert
tile.kernel @assertions(%b: i1, %n: index) {
  %i = tile.grid extents(%n) steps(%n) : index
  %true = arith.constant true
  %false = arith.constant false
  %all = arith.constant dense<true> : tensor<4xi1>
  tile.assert %true, "never" : i1
  tile.assert %b, "perhaps" : i1
  tile.assert %false, "always" : i1
  tile.assert %all, "never" : tensor<4xi1>
  tile.return
}
