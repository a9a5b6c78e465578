// Every operation prints, parses and survives bytecode.
// RUN: sectile-opt %s | sectile-opt | FileCheck %s
// RUN: sectile-opt %s --emit-bytecode | sectile-opt | FileCheck %s
// RUN: sectile-opt %s --mlir-print-op-generic | sectile-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @views
tile.kernel @views(%v: !tile.view<3 x f32>, %i: index) {
  // CHECK: tile.view_size %{{.*}} 0 : <3 x f32>
  %n = tile.view_size %v 0 : !tile.view<3 x f32>
  // CHECK: tile.view_stride %{{.*}} 2
  %s = tile.view_stride %v 2 : !tile.view<3 x f32>
  // CHECK: tile.grid extents(%{{.*}}, %{{.*}}) steps(%{{.*}}, %{{.*}}) {in_order} : index, index
  %a, %b = tile.grid extents(%n, %s) steps(%i, %i) {in_order} : index, index
  // CHECK: tile.program_id 1
  %p = tile.program_id 1
  // CHECK: tile.num_programs 0
  %q = tile.num_programs 0
  // CHECK: tile.view_slice %{{.*}} 1[%{{.*}}] : <3 x f32> -> <2 x f32>
  %slice = tile.view_slice %v 1 [%p] : !tile.view<3 x f32> -> !tile.view<2 x f32>
  // CHECK: tile.view_transpose %{{.*}} [1, 0] : <2 x f32> -> <2 x f32>
  %t = tile.view_transpose %slice [1, 0] : !tile.view<2 x f32> -> !tile.view<2 x f32>
  // CHECK: tile.subview
  %w = tile.subview %t [%a, %b] [%n, %n] [%q, %q] : !tile.view<2 x f32> -> !tile.view<2 x f32>
  // CHECK: tile.view_broadcast
  %bc = tile.view_broadcast %w [%n, %n, %n] [-1, 0, 1] : !tile.view<2 x f32> -> !tile.view<3 x f32>
  // CHECK: tile.view_reshape
  %r = tile.view_reshape %w [%n] : !tile.view<2 x f32> -> !tile.view<1 x f32>
  // CHECK: tile.load %{{.*}}[%{{.*}}] : <1 x f32> -> tensor<7xf32>
  %x = tile.load %r[%a] : !tile.view<1 x f32> -> tensor<7xf32>
  %f = arith.constant 1.0 : f32
  // CHECK: tile.load %{{.*}}[%{{.*}}] fill(%{{.*}}) : <1 x f32>, f32 -> tensor<7xf32>
  %y = tile.load %r[%a] fill(%f) : !tile.view<1 x f32>, f32 -> tensor<7xf32>
  // CHECK: tile.iota 0 : tensor<7xindex>
  %io = tile.iota 0 : tensor<7xindex>
  %m = arith.cmpf olt, %x, %y : tensor<7xf32>
  // CHECK: tile.gather
  %g = tile.gather %r[%io] mask(%m : tensor<7xi1>) fill(%f : f32) : !tile.view<1 x f32>, tensor<7xindex> -> tensor<7xf32>
  // CHECK: tile.scatter
  tile.scatter %g, %r[%io] mask(%m : tensor<7xi1>) : tensor<7xf32>, !tile.view<1 x f32>, tensor<7xindex>
  // CHECK: tile.atomic_rmw "add"
  %old = tile.atomic_rmw "add" %g, %r[%io] {order = "acq_rel"} : tensor<7xf32>, !tile.view<1 x f32>, tensor<7xindex> -> tensor<7xf32>
  // CHECK: tile.atomic_cas
  %cas = tile.atomic_cas %g, %old, %r[%io] : tensor<7xf32>, tensor<7xf32>, !tile.view<1 x f32>, tensor<7xindex> -> tensor<7xf32>
  // CHECK: tile.fence
  tile.fence
  // CHECK: tile.store
  tile.store %cas, %r[%a] : tensor<7xf32>, !tile.view<1 x f32>
  // CHECK: tile.assume
  %c = arith.cmpi sgt, %n, %q : index
  tile.assume %c
  // CHECK: tile.print "x is" %{{.*}} : tensor<7xf32>
  tile.print "x is" %x : tensor<7xf32>
  // CHECK: tile.assert %{{.*}}, "small" : tensor<7xi1>
  tile.assert %m, "small" : tensor<7xi1>
  tile.return
}

// CHECK-LABEL: tile.kernel @tiles
tile.kernel @tiles(%a: i32, %n: index) {
  %o = tile.grid extents(%n) steps(%n) : index
  // CHECK: tile.splat %{{.*}} : i32 -> tensor<1x4xi32>
  %s = tile.splat %a : i32 -> tensor<1x4xi32>
  // CHECK: tile.broadcast
  %b = tile.broadcast %s : tensor<1x4xi32> -> tensor<3x4xi32>
  // CHECK: tile.div %{{.*}}, %{{.*}} {is_unsigned}
  %d = tile.div %b, %b {is_unsigned} : tensor<3x4xi32>
  // CHECK: tile.rem
  %r = tile.rem %b, %d : tensor<3x4xi32>
  // CHECK: tile.shl
  %sl = tile.shl %r, %b : tensor<3x4xi32>
  // CHECK: tile.shr
  %sr = tile.shr %sl, %b {is_unsigned} : tensor<3x4xi32>
  // CHECK: tile.mulhi
  %mh = tile.mulhi %sr, %b : tensor<3x4xi32>
  // CHECK: tile.cast %{{.*}} {source_unsigned} : tensor<3x4xi32> -> tensor<3x4xf32>
  %f = tile.cast %mh {source_unsigned} : tensor<3x4xi32> -> tensor<3x4xf32>
  // CHECK: tile.reshape
  %rs = tile.reshape %f : tensor<3x4xf32> -> tensor<12xf32>
  // CHECK: tile.transpose %{{.*}} [1, 0]
  %t = tile.transpose %f [1, 0] : tensor<3x4xf32> -> tensor<4x3xf32>
  // CHECK: tile.join
  %j = tile.join %rs, %rs : tensor<12xf32>, tensor<12xf32> -> tensor<12x2xf32>
  // CHECK: tile.split
  %p, %q = tile.split %j : tensor<12x2xf32> -> tensor<12xf32>, tensor<12xf32>
  // CHECK: tile.cat %{{.*}}, %{{.*}} axis=0
  %c = tile.cat %p, %q axis=0 : tensor<12xf32>, tensor<12xf32> -> tensor<24xf32>
  // CHECK: tile.extract
  %e = tile.extract %c[%o] : tensor<24xf32> -> tensor<5xf32>
  %i = tile.iota 0 : tensor<5xindex>
  // CHECK: tile.gather_along %{{.*}}[%{{.*}}] axis=0
  %g = tile.gather_along %c[%i] axis=0 : tensor<24xf32>, tensor<5xindex> -> tensor<5xf32>
  // CHECK: tile.flip %{{.*}} axis=0
  %fl = tile.flip %g axis=0 : tensor<5xf32>
  // CHECK: tile.histogram
  %h = tile.histogram %b : tensor<3x4xi32> -> tensor<10xi32>
  %z = arith.constant 0.0 : f32
  %acc = tile.splat %z : f32 -> tensor<3x3xf32>
  // CHECK: tile.dot
  %dot = tile.dot %f, %t, %acc : tensor<3x4xf32>, tensor<4x3xf32> -> tensor<3x3xf32>
  // CHECK: tile.reduce(%{{.*}}) axis=1
  %sum = tile.reduce(%dot) axis=1 { ^bb0(%x: f32, %y: f32): %w = arith.addf %x, %y : f32 tile.yield %w : f32 } : tensor<3x3xf32> -> tensor<3x1xf32>
  // CHECK: tile.scan(%{{.*}}) axis=0 reverse
  %sc = tile.scan(%dot) axis=0 reverse { ^bb0(%x: f32, %y: f32): %w = arith.mulf %x, %y : f32 tile.yield %w : f32 } : tensor<3x3xf32> -> tensor<3x3xf32>
  // CHECK: tile.sort %{{.*}} axis=0 {descending}
  %sv, %si = tile.sort %fl axis=0 {descending} : tensor<5xf32> -> tensor<5xf32>, tensor<5xi32>
  // CHECK: tile.topk
  %kv, %ki = tile.topk %fl axis=0 {largest} : tensor<5xf32> -> tensor<2xf32>, tensor<2xi32>
  tile.return
}
