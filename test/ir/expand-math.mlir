// No call of a library and no transcendental operation is left; f32 goes through f64, except for exp and exp2.
// RUN: sectile-opt %s --expand-math --split-input-file | FileCheck %s
// RUN: sectile-opt %s --expand-math=fma=false --split-input-file | FileCheck %s --check-prefix=NOFMA

// CHECK-LABEL: func.func @every
// CHECK-NOT: math.{{exp|log|sin|cos|tan|erf|pow|atan|rsqrt}}
// CHECK-NOT: arith.remf
// CHECK: return
// NOFMA-LABEL: func.func @every
// NOFMA-NOT: math.{{exp|log|sin|cos|tan|erf|pow|atan|rsqrt|fma}}
// NOFMA: return
func.func @every(%x: vector<8xf32>, %y: vector<4xf64>, %z: f64) -> (vector<8xf32>, vector<4xf64>, f64) {
  %0 = math.exp %x : vector<8xf32>
  %1 = math.exp2 %0 : vector<8xf32>
  %2 = math.expm1 %1 : vector<8xf32>
  %3 = math.log %2 : vector<8xf32>
  %4 = math.log2 %3 : vector<8xf32>
  %5 = math.log1p %4 : vector<8xf32>
  %6 = math.tanh %5 : vector<8xf32>
  %7 = math.erf %6 : vector<8xf32>
  %8 = math.sin %7 : vector<8xf32>
  %9 = math.cos %y : vector<4xf64>
  %10 = math.tan %9 : vector<4xf64>
  %11 = math.rsqrt %10 : vector<4xf64>
  %12 = math.powf %11, %y : vector<4xf64>
  %13 = math.atan2 %z, %z : f64
  %14 = arith.remf %13, %z : f64
  return %8, %12, %14 : vector<8xf32>, vector<4xf64>, f64
}

// -----

// CHECK-LABEL: func.func @through_f64
// CHECK: arith.extf %{{.*}} : vector<8xf32> to vector<8xf64>
// CHECK: arith.truncf %{{.*}} : vector<8xf64> to vector<8xf32>
func.func @through_f64(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.log %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

// CHECK-LABEL: func.func @exp_stays_narrow
// CHECK-NOT: f64
// CHECK: return
func.func @exp_stays_narrow(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.exp2 %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

// A dead operation costs nothing.
// CHECK-LABEL: func.func @dead
// CHECK-NEXT: return
func.func @dead(%x: f32) {
  %0 = math.sin %x : f32
  return
}
