//! The rayon contender: the kernels of suite.hpp in Rust, with the protocol of protocol.hpp.
mod kernels;
use kernels::*;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::Barrier;

fn fib(n: i64) -> i64 {
    if n < 2 {
        return n;
    }
    let (a, b) = rayon::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn tree_sum(node: &Node) -> i64 {
    if node.left.is_null() {
        return node.value;
    }
    let (left, right) = unsafe { (&*node.left, &*node.right) };
    let (a, b) = rayon::join(|| tree_sum(left), || tree_sum(right));
    node.value + a + b
}

fn skynet_loop(first: i64, leaves: i64) -> i64 {
    if leaves == 1 {
        return first;
    }
    (0..10i64).into_par_iter().map(|i| skynet_loop(first + i * (leaves / 10), leaves / 10)).sum()
}

fn skynet_tasks(first: i64, leaves: i64) -> i64 {
    if leaves == 1 {
        return first;
    }
    let mut sums = [0i64; 10];
    rayon::scope(|s| {
        for (i, sum) in sums.iter_mut().enumerate() {
            s.spawn(move |_| *sum = skynet_tasks(first + i as i64 * (leaves / 10), leaves / 10));
        }
    });
    sums.iter().sum()
}

fn queens(board: &[i8; 16], n: i32, row: i32, from: i32) -> i64 {
    let mut column = from;
    while column < n && unsafe { bench_queen_safe(board.as_ptr(), row, column) } == 0 {
        column += 1;
    }
    if column == n {
        return 0;
    }
    let (below, rest) = rayon::join(
        || {
            if row + 1 == n {
                return 1;
            }
            let mut next = *board;
            next[row as usize] = column as i8;
            queens(&next, n, row + 1, 0)
        },
        || queens(board, n, row, column + 1),
    );
    below + rest
}

fn merge(a: Shared<u32>, a_size: usize, b: Shared<u32>, b_size: usize, to: Shared<u32>) {
    if a_size < b_size {
        return merge(b, b_size, a, a_size, to);
    }
    if b_size < SORT_LEAF {
        return unsafe { bench_merge_leaf(a.get(), a_size as i64, b.get(), b_size as i64, to.get()) };
    }
    let a_half = a_size / 2;
    let b_half = unsafe { bench_lower_bound(b.get(), b_size as i64, *a.add(a_half).get()) } as usize;
    rayon::join(
        || merge(a, a_half, b, b_half, to),
        || merge(a.add(a_half), a_size - a_half, b.add(b_half), b_size - b_half, to.add(a_half + b_half)),
    );
}

fn mergesort(keys: Shared<u32>, other: Shared<u32>, n: usize) {
    if n < SORT_LEAF {
        return unsafe { bench_sort_leaf(keys.get(), n as i64) };
    }
    let q = n / 4;
    let last = n - 3 * q;
    rayon::join(
        || {
            rayon::join(|| mergesort(keys, other, q), || mergesort(keys.add(q), other.add(q), q));
            merge(keys, q, keys.add(q), q, other);
        },
        || {
            rayon::join(
                || mergesort(keys.add(2 * q), other.add(2 * q), q),
                || mergesort(keys.add(3 * q), other.add(3 * q), last),
            );
            merge(keys.add(2 * q), q, keys.add(3 * q), last, other.add(2 * q));
        },
    );
    merge(other, 2 * q, other.add(2 * q), n - 2 * q, keys);
}

fn matmul(a: Shared<f64>, b: Shared<f64>, c: Shared<f64>, n: usize, pitch: usize) {
    if n == MATMUL_LEAF {
        return unsafe { bench_matmul_leaf(a.get(), b.get(), c.get(), pitch as i64) };
    }
    let half = n / 2;
    let down = half * pitch;
    let quadrants = |left: Shared<f64>, right: Shared<f64>| {
        rayon::join(
            || {
                rayon::join(
                    || matmul(left, right, c, half, pitch),
                    || matmul(left, right.add(half), c.add(half), half, pitch),
                )
            },
            || {
                rayon::join(
                    || matmul(left.add(down), right, c.add(down), half, pitch),
                    || matmul(left.add(down), right.add(half), c.add(down + half), half, pitch),
                )
            },
        );
    };
    quadrants(a, b);
    quadrants(a.add(half), b.add(down));
}

struct Asked {
    kernel: String,
    workers: usize,
    repeat: usize,
    size: i64,
    threads: usize,
}

struct Outcome {
    units: f64,
    seconds: Vec<f64>,
    check: String,
    verified: bool,
}

fn measure(asked: &Asked, loops: usize, mut before: impl FnMut(), mut once: impl FnMut()) -> Vec<f64> {
    let mut seconds = Vec::new();
    for round in 0..=asked.repeat {
        before();
        let start = unsafe { bench_now_ns() };
        for _ in 0..loops {
            once();
        }
        let end = unsafe { bench_now_ns() };
        if round > 0 {
            seconds.push((end - start) as f64 * 1e-9 / loops as f64);
        }
    }
    seconds
}

fn verdict(units: f64, seconds: Vec<f64>, value: i64, expected: i64) -> Outcome {
    Outcome { units, seconds, check: value.to_string(), verified: value == expected }
}

fn fib_value(n: i64) -> i64 {
    (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0
}

/// Runs `work` `repeat + 1` times inside the pool. Its result must equal `expected`.
fn compute(asked: &Asked, pool: &rayon::ThreadPool, units: f64, expected: i64, work: impl Fn() -> i64 + Sync) -> Outcome {
    let mut value = 0;
    let seconds = measure(asked, 1, || {}, || value = pool.install(&work));
    verdict(units, seconds, value, expected)
}

/// Runs `work`, which adds to a counter, `repeat + 1` times. One run adds `each`.
fn spin(asked: &Asked, pool: &rayon::ThreadPool, each: i64, work: impl Fn(&AtomicI64) + Sync) -> Outcome {
    let ran = AtomicI64::new(0);
    let seconds = measure(asked, 1, || {}, || pool.install(|| work(&ran)));
    verdict(1.0, seconds, ran.into_inner(), each * (asked.repeat as i64 + 1))
}

fn busy(asked: &Asked, ran: &AtomicI64, add: i64) {
    unsafe { bench_spin_us(asked.size) };
    ran.fetch_add(add, Ordering::SeqCst);
}

fn triad(asked: &Asked, pool: &rayon::ThreadPool) -> Outcome {
    let n = asked.size;
    let from: Vec<i32> = (0..n).map(|i| (i % 1000) as i32).collect();
    let mut to = vec![0i32; n as usize];
    let seconds = measure(asked, 200, || {}, || {
        pool.install(|| to.par_iter_mut().zip(from.par_iter()).for_each(|(a, b)| *a = *b * 2 + 1))
    });
    let sum = to.iter().zip(1i64..).map(|(&a, i)| a as i64 * i).sum();
    let expected = (0..n).map(|i| ((i % 1000) * 2 + 1) * (i + 1)).sum();
    verdict(n as f64, seconds, sum, expected)
}

fn rendezvous(asked: &Asked, pool: &rayon::ThreadPool) -> Outcome {
    let arrived = AtomicI64::new(0);
    let meet = || {
        let here = arrived.fetch_add(1, Ordering::SeqCst) + 1;
        while arrived.load(Ordering::Acquire) < here + here % 2 {
            std::hint::spin_loop();
        }
    };
    let loops = asked.size as usize;
    let mut seconds = Vec::new();
    pool.install(|| {
        seconds = measure(asked, loops, || {}, || {
            rayon::join(meet, meet);
        })
    });
    verdict(1.0, seconds, arrived.load(Ordering::SeqCst), 2 * asked.size * (asked.repeat as i64 + 1))
}

fn heat(asked: &Asked, pool: &rayon::ThreadPool) -> Outcome {
    let n = asked.size as usize;
    let steps = if n >= 2048 { 200 } else { 100 };
    let mut even = vec![0f64; n * n];
    let mut odd = vec![0f64; n * n];
    let (first, second) = (Shared(even.as_mut_ptr()), Shared(odd.as_mut_ptr()));
    let blocks = (n - 2).div_ceil(HEAT_ROWS);
    let seconds = measure(
        asked,
        1,
        || unsafe { bench_heat_init(first.get(), n as i64) },
        || {
            let (mut from, mut to) = (first, second);
            for _ in 0..steps {
                pool.install(|| {
                    (0..blocks).into_par_iter().for_each(|block| {
                        let low = 1 + block * HEAT_ROWS;
                        let high = (low + HEAT_ROWS).min(n - 1);
                        unsafe { bench_heat_rows(from.get(), to.get(), n as i64, low as i64, high as i64) }
                    })
                });
                std::mem::swap(&mut from, &mut to);
            }
        },
    );
    Outcome {
        units: ((n - 2) * (n - 2) * steps) as f64,
        seconds,
        check: unsafe { bench_hash_doubles(even.as_ptr(), (n * n) as i64) }.to_string(),
        verified: unsafe { bench_heat_check(even.as_ptr(), n as i64, steps as i64) } != 0,
    }
}

fn sort(asked: &Asked, pool: &rayon::ThreadPool) -> Outcome {
    let n = asked.size as usize;
    let mut keys = vec![0u32; n];
    let mut other = vec![0u32; n];
    let (first, second) = (Shared(keys.as_mut_ptr()), Shared(other.as_mut_ptr()));
    let seconds = measure(
        asked,
        1,
        || unsafe { bench_keys_init(first.get(), asked.size) },
        || pool.install(|| mergesort(first, second, n)),
    );
    Outcome {
        units: n as f64,
        seconds,
        check: unsafe { bench_hash_keys(keys.as_ptr(), asked.size) }.to_string(),
        verified: unsafe { bench_keys_check(keys.as_ptr(), asked.size) } != 0,
    }
}

fn multiply(asked: &Asked, pool: &rayon::ThreadPool) -> Outcome {
    let n = asked.size as usize;
    if n < MATMUL_LEAF || !n.is_power_of_two() {
        complain("matmul needs a --size that is a power of two of at least 64");
    }
    let (mut a, mut b, mut c) = (vec![0f64; n * n], vec![0f64; n * n], vec![0f64; n * n]);
    unsafe {
        bench_matrix_init(a.as_mut_ptr(), asked.size, 0);
        bench_matrix_init(b.as_mut_ptr(), asked.size, 1);
    }
    let (a, b, to) = (Shared(a.as_mut_ptr()), Shared(b.as_mut_ptr()), Shared(c.as_mut_ptr()));
    let seconds = measure(
        asked,
        1,
        || unsafe { std::slice::from_raw_parts_mut(to.get(), n * n) }.fill(0.0),
        || pool.install(|| matmul(a, b, to, n, n)),
    );
    Outcome {
        units: 2.0 * (n * n) as f64 * n as f64,
        seconds,
        check: unsafe { bench_hash_doubles(c.as_ptr(), (n * n) as i64) }.to_string(),
        verified: unsafe { bench_matmul_check(a.get(), b.get(), to.get(), asked.size) } != 0,
    }
}

// Threads that are not workers make calls one after the other. The runtime has nothing to gain from such a call.

/// `asked.threads` threads, including main, call at once: call(ran), where each thread has its own `ran`. Each call
/// adds `each` to the sum of these numbers. A sample is the time of all calls divided by their number, and long enough for
/// the threads to meet.
fn calls(asked: &Asked, units: i64, numbers: i64, each: i64, call: impl Fn(&mut [i32]) + Sync) -> Outcome {
    const LONG_ENOUGH: f64 = 0.02;
    let threads = asked.threads;
    let (calls, ended, sum) = (AtomicI64::new(1), AtomicBool::new(false), AtomicI64::new(0));
    let meet = Barrier::new(threads);
    let take_part = |ran: &mut [i32]| {
        meet.wait();
        if ended.load(Ordering::Relaxed) {
            sum.fetch_add(ran.iter().map(|&n| n as i64).sum(), Ordering::SeqCst);
            return false;
        }
        for _ in 0..calls.load(Ordering::Relaxed) {
            call(ran);
        }
        meet.wait();
        true
    };
    let empty = || vec![0i32; numbers as usize];
    let (mut made, mut seconds) = (0, Vec::new());
    std::thread::scope(|others| {
        for _ in 1..threads {
            others.spawn(|| {
                let mut ran = empty();
                while take_part(&mut ran) {}
            });
        }
        let mut ran = empty();
        let mut sample = || {
            let start = unsafe { bench_now_ns() };
            take_part(&mut ran);
            made += calls.load(Ordering::Relaxed);
            (unsafe { bench_now_ns() } - start) as f64 * 1e-9
        };
        while sample().min(sample()) < LONG_ENOUGH {
            // two, since one may have waited for a CPU
            calls.fetch_add(calls.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        let of_all = (calls.load(Ordering::Relaxed) * threads as i64) as f64;
        for _ in 0..asked.repeat {
            seconds.push(sample() / of_all);
        }
        ended.store(true, Ordering::Relaxed);
        take_part(&mut ran);
    });
    verdict(units as f64, seconds, sum.into_inner(), each * made * threads as i64)
}

fn call_join(asked: &Asked, pool: &rayon::ThreadPool) -> Outcome {
    calls(asked, 1, 2, 2, |ran| {
        let (first, second) = ran.split_at_mut(1);
        pool.install(|| rayon::join(|| first[0] += 1, || second[0] += 1));
    })
}

fn call_group(asked: &Asked, pool: &rayon::ThreadPool) -> Outcome {
    calls(asked, asked.size, 1, 1, |ran| {
        let counter = Shared(ran.as_mut_ptr());
        pool.scope(|s| {
            for i in 0..asked.size {
                s.spawn(move |_| {
                    if i == 0 {
                        unsafe { *counter.get() += 1 };
                    }
                });
            }
        })
    })
}

fn call_groups(asked: &Asked, pool: &rayon::ThreadPool) -> Outcome {
    let size = asked.size;
    calls(asked, size * (size + 1), size, size, |ran| {
        let counters = Shared(ran.as_mut_ptr());
        pool.scope(|s| {
            for i in 0..size {
                s.spawn(move |_| {
                    rayon::scope(|inner| {
                        for j in 0..size {
                            inner.spawn(move |_| {
                                if j == 0 {
                                    unsafe { *counters.add(i as usize).get() += 1 };
                                }
                            });
                        }
                    })
                });
            }
        })
    })
}

fn call_loop(asked: &Asked, pool: &rayon::ThreadPool) -> Outcome {
    calls(asked, 1, asked.size, asked.size, |ran| pool.install(|| ran.par_iter_mut().for_each(|n| *n += 1)))
}

fn call_reduce(asked: &Asked, pool: &rayon::ThreadPool) -> Outcome {
    let positions = asked.size * (asked.size - 1) / 2;
    calls(asked, 1, asked.size, 1, |ran| {
        let expected = positions + ran[0] as i64;
        let sum: i64 = pool.install(|| ran.par_iter().enumerate().map(|(i, &n)| i as i64 + n as i64).sum());
        ran[0] += (sum == expected) as i32;
    })
}

fn call_work(asked: &Asked, pool: &rayon::ThreadPool) -> Outcome {
    let each = (0..asked.size).map(|i| unsafe { bench_compute(i as i32) } as i64).sum();
    calls(asked, 1, asked.size, each, |ran| {
        pool.install(|| {
            ran.par_iter_mut().enumerate().for_each(|(i, n)| *n += unsafe { bench_compute(i as i32) })
        })
    })
}

const KERNELS: [(&str, i64); 21] = [
    ("fib", 32),
    ("fib_memory", 32),
    ("tree_sum", 24),
    ("skynet_loop", 10_000_000),
    ("skynet_tasks", 10_000_000),
    ("queens", 13),
    ("two_tasks", 100_000),
    ("two_iterations", 100_000),
    ("many_tasks", 10_000),
    ("many_iterations", 10_000),
    ("triad", 1_000_000),
    ("rendezvous", 20_000),
    ("call_join", 2),
    ("call_group", 1000),
    ("call_groups", 32),
    ("call_loop", 100),
    ("call_reduce", 100),
    ("call_work", 1000),
    ("heat", 2048),
    ("mergesort", 1 << 24),
    ("matmul", 2048),
];

fn run(asked: &Asked, pool: &rayon::ThreadPool) -> Outcome {
    let size = asked.size;
    match asked.kernel.as_str() {
        "fib" | "fib_memory" => {
            compute(asked, pool, (fib_value(size + 1) - 1) as f64, fib_value(size), || fib(size))
        }
        "tree_sum" => {
            let root = unsafe { &*bench_tree_build(size as i32) };
            let nodes = (1i64 << size) - 1;
            let outcome = compute(asked, pool, nodes as f64, nodes * (nodes + 1) / 2, || tree_sum(root));
            unsafe { bench_tree_free(root) };
            outcome
        }
        "skynet_loop" => compute(asked, pool, size as f64, size * (size - 1) / 2, || skynet_loop(0, size)),
        "skynet_tasks" => compute(asked, pool, size as f64, size * (size - 1) / 2, || skynet_tasks(0, size)),
        "queens" => {
            let solutions = unsafe { bench_queens_solutions(size as i32) };
            compute(asked, pool, 1.0, solutions, || queens(&[0; 16], size as i32, 0, 0))
        }
        "two_tasks" => spin(asked, pool, 2002, |ran| {
            rayon::join(|| ran.fetch_add(1, Ordering::SeqCst), || ran.fetch_add(1, Ordering::SeqCst));
            rayon::join(|| busy(asked, ran, 1000), || busy(asked, ran, 1000));
        }),
        "two_iterations" => {
            spin(asked, pool, 3, |ran| (1..3i64).into_par_iter().for_each(|i| busy(asked, ran, i)))
        }
        "many_tasks" => spin(asked, pool, 2016, |ran| {
            rayon::scope(|s| {
                for i in 0..64 {
                    s.spawn(move |_| busy(asked, ran, i));
                }
            })
        }),
        "many_iterations" => {
            spin(asked, pool, 2016, |ran| (0..64i64).into_par_iter().for_each(|i| busy(asked, ran, i)))
        }
        "triad" => triad(asked, pool),
        "rendezvous" if asked.workers < 2 => complain("rendezvous needs --workers of at least 2"),
        "rendezvous" => rendezvous(asked, pool),
        "call_join" => call_join(asked, pool),
        "call_group" => call_group(asked, pool),
        "call_groups" => call_groups(asked, pool),
        "call_loop" => call_loop(asked, pool),
        "call_reduce" => call_reduce(asked, pool),
        "call_work" => call_work(asked, pool),
        "heat" => heat(asked, pool),
        "mergesort" => sort(asked, pool),
        "matmul" => multiply(asked, pool),
        other => complain(&format!("no kernel \"{other}\"")),
    }
}

fn complain(sentence: &str) -> ! {
    eprintln!("peer_rayon: {sentence}");
    std::process::exit(2);
}

fn parse() -> Asked {
    let mut asked = Asked { kernel: String::new(), workers: 1, repeat: 1, size: 0, threads: 1 };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        if !word.starts_with("--") || word == "--list" {
            asked.kernel = word;
            continue;
        }
        let number = words.next().and_then(|text| text.parse::<i64>().ok()).filter(|&n| n >= 0);
        let Some(number) = number else { complain(&format!("{word} needs a whole number")) };
        match word.as_str() {
            "--workers" => asked.workers = number.max(1) as usize,
            "--repeat" => asked.repeat = number.max(1) as usize,
            "--size" => asked.size = number,
            "--threads" => asked.threads = number.max(1) as usize,
            _ => complain(&format!("unknown option {word}; allowed: --workers, --repeat, --size, --threads, --list")),
        }
    }
    asked
}

fn main() {
    let mut asked = parse();
    if asked.kernel == "--list" {
        KERNELS.iter().for_each(|(name, _)| println!("{name}"));
        return;
    }
    let Some(&(_, size)) = KERNELS.iter().find(|(name, _)| *name == asked.kernel) else {
        complain(&format!("no kernel \"{}\"", asked.kernel))
    };
    if asked.size == 0 {
        asked.size = size;
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(asked.workers).build().expect("a pool of threads");
    let outcome = run(&asked, &pool);
    let seconds: Vec<String> = outcome.seconds.iter().map(|s| format!("{s:.9}")).collect();
    println!(
        "{{\"kernel\":\"{}\",\"peer\":\"rayon\",\"workers\":{},\"size\":{},\"units\":{},\"seconds\":[{}],\
         \"check\":\"{}\",\"verified\":{},\"peak_bytes\":{},\"resident_bytes\":{},\"steals\":-1,\"remote_steals\":-1}}",
        asked.kernel,
        asked.workers,
        asked.size,
        outcome.units,
        seconds.join(","),
        outcome.check,
        outcome.verified,
        unsafe { bench_peak_bytes() },
        unsafe { bench_resident_bytes() }
    );
    std::process::exit(if outcome.verified { 0 } else { 1 });
}
