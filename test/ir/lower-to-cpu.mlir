// Kernels become functions of loops over native vectors; element-wise operations, loads and stores fuse into one loop.
// RUN: sectile-opt %s --split-input-file --lower-to-cpu | FileCheck %s
// RUN: sectile-opt %s --split-input-file --lower-to-cpu=level=x86-64-v4 | FileCheck %s --check-prefix=V4
// RUN: not sectile-opt %s --split-input-file --lower-to-cpu=level=z80 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: unknown level 'z80'; known are x86-64-v2

// CHECK-LABEL: func.func @add(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64, %arg3: !llvm.ptr, %arg4: !llvm.ptr)
// CHECK-SAME: tile.arena_bytes = 0
// CHECK: scf.for
// CHECK: scf.if
// CHECK: scf.for
// CHECK: llvm.load {{.*}} -> vector<8xf32>
// CHECK: arith.addf {{.*}} : vector<8xf32>
// CHECK: llvm.store {{.*}} : vector<8xf32>
// CHECK: } else {
// CHECK: llvm.intr.masked.load
// CHECK: llvm.intr.masked.store
// CHECK-NOT: tile.kernel
// V4-LABEL: func.func @add
// V4: arith.addf {{.*}} : vector<16xf32>
tile.kernel @add(%x: !tile.view<1 x f32, readonly> {tile.unit_axis = 0 : i64, tile.disjoint}, %y: !tile.view<1 x f32> {tile.unit_axis = 0 : i64, tile.disjoint}) {
  %c128 = arith.constant 128 : index
  %n = tile.view_size %y 0 : !tile.view<1 x f32>
  %i = tile.grid extents(%n) steps(%c128) : index
  %a = tile.load %x[%i] : !tile.view<1 x f32, readonly> -> tensor<128xf32>
  %b = arith.addf %a, %a : tensor<128xf32>
  tile.store %b, %y[%i] : tensor<128xf32>, !tile.view<1 x f32>
  tile.return
}

// -----

// The tile may overlap what is stored in between: it is read where it is written in the program, into the arena.
// CHECK-LABEL: func.func @overlap
// CHECK-SAME: tile.arena_bytes = 512
tile.kernel @overlap(%x: !tile.view<1 x f32> {tile.unit_axis = 0 : i64}, %y: !tile.view<1 x f32> {tile.unit_axis = 0 : i64}) {
  %c128 = arith.constant 128 : index
  %c1 = arith.constant 1 : index
  %i = tile.grid extents(%c128) steps(%c128) : index
  %a = tile.load %x[%i] : !tile.view<1 x f32> -> tensor<128xf32>
  tile.store %a, %y[%c1] : tensor<128xf32>, !tile.view<1 x f32>
  tile.store %a, %y[%i] : tensor<128xf32>, !tile.view<1 x f32>
  tile.return
}

// -----

// Tiles that die before others are made share memory; code does not grow with the tile.
// CHECK-LABEL: func.func @reuse
// CHECK-SAME: tile.arena_bytes = 2097152
tile.kernel @reuse(%x: !tile.view<2 x f32> {tile.unit_axis = 1 : i64, tile.disjoint}, %y: !tile.view<2 x f32> {tile.unit_axis = 1 : i64, tile.disjoint}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = tile.grid extents(%c1) steps(%c1) : index
  %a = tile.load %x[%c0, %c0] : !tile.view<2 x f32> -> tensor<4x65536xf32>
  %b = tile.scan(%a) axis=1 { ^bb0(%l: f32, %r: f32): %s = arith.addf %l, %r : f32  tile.yield %s : f32 } : tensor<4x65536xf32> -> tensor<4x65536xf32>
  %c = tile.scan(%b) axis=1 { ^bb0(%l: f32, %r: f32): %s = arith.maximumf %l, %r : f32  tile.yield %s : f32 } : tensor<4x65536xf32> -> tensor<4x65536xf32>
  tile.store %c, %y[%c0, %c0] : tensor<4x65536xf32>, !tile.view<2 x f32>
  tile.return
}
