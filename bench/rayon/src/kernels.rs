//! The kernels that all contenders share; see kernels.hpp.
use std::ffi::c_int;

#[repr(C)]
pub struct Node {
    pub value: i64,
    pub left: *const Node,
    pub right: *const Node,
}
unsafe impl Sync for Node {}

extern "C" {
    pub fn bench_now_ns() -> i64;
    pub fn bench_spin_us(microseconds: i64);
    pub fn bench_compute(seed: c_int) -> c_int;
    pub fn bench_tree_build(depth: c_int) -> *const Node;
    pub fn bench_tree_free(root: *const Node);
    pub fn bench_queen_safe(board: *const i8, row: c_int, column: c_int) -> c_int;
    pub fn bench_queens_solutions(n: c_int) -> i64;
    pub fn bench_heat_init(grid: *mut f64, n: i64);
    pub fn bench_heat_rows(from: *const f64, to: *mut f64, n: i64, first: i64, last: i64);
    pub fn bench_heat_check(grid: *const f64, n: i64, steps: i64) -> c_int;
    pub fn bench_keys_init(keys: *mut u32, n: i64);
    pub fn bench_sort_leaf(keys: *mut u32, n: i64);
    pub fn bench_merge_leaf(a: *const u32, a_size: i64, b: *const u32, b_size: i64, to: *mut u32);
    pub fn bench_lower_bound(keys: *const u32, n: i64, key: u32) -> i64;
    pub fn bench_keys_check(keys: *const u32, n: i64) -> c_int;
    pub fn bench_matrix_init(m: *mut f64, n: i64, which: c_int);
    pub fn bench_matmul_leaf(a: *const f64, b: *const f64, c: *mut f64, pitch: i64);
    pub fn bench_matmul_check(a: *const f64, b: *const f64, c: *const f64, n: i64) -> c_int;
    pub fn bench_hash_keys(keys: *const u32, n: i64) -> u64;
    pub fn bench_hash_doubles(values: *const f64, n: i64) -> u64;
    pub fn bench_peak_bytes() -> i64;
    pub fn bench_resident_bytes() -> i64;
}

pub const MATMUL_LEAF: usize = 64;
pub const SORT_LEAF: usize = 2048;
pub const HEAT_ROWS: usize = 32;

/// A pointer that tasks may share. The algorithm must ensure that they touch disjoint parts, as in C++.
#[derive(Clone, Copy)]
pub struct Shared<T>(pub *mut T);
unsafe impl<T> Send for Shared<T> {}
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    pub fn add(self, n: usize) -> Self {
        Shared(unsafe { self.0.add(n) })
    }
    pub fn get(self) -> *mut T {
        self.0
    }
}
