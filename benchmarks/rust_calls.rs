//! Compares a call through the generated crate with the same call in C.

use add_rs::{Add, ForwardInputs};

const ROUNDS: usize = 200;
const CALLS: u32 = 2000;

extern "C" {
    fn rust_calls_cpu_time() -> u64;
    fn rust_calls_load() -> i32;
    fn rust_calls_add(a: *const f32, b: *const f32) -> f32;
}

/// Returns the nanoseconds of one of CALLS calls.
fn duration(mut call: impl FnMut() -> f32, sum: &mut f32) -> f64 {
    // SAFETY: the function only reads a clock.
    let cpu_time = || unsafe { rust_calls_cpu_time() };
    let begin = cpu_time();
    for _ in 0..CALLS {
        *sum += call();
    }
    (cpu_time() - begin) as f64 / f64::from(CALLS)
}

fn main() {
    let (a, b) = ([1.0; 9], [2.0; 9]);
    let mut sum = 0.0;
    let mut net = Add::load().expect("the model can be loaded");
    // SAFETY: the C side has no other callers.
    assert_eq!(unsafe { rust_calls_load() }, 0);
    let (mut in_c, mut in_rust) = (f64::MAX, f64::MAX);
    for _ in 0..ROUNDS {
        // SAFETY: the model is loaded, and both inputs have nine elements.
        let c = duration(|| unsafe { rust_calls_add(a.as_ptr(), b.as_ptr()) }, &mut sum);
        in_c = in_c.min(c);
        let inputs = || ForwardInputs { input_0: &a, input_1: &b };
        let rust = duration(|| net.forward(inputs()).map_or(-1.0, |result| result[0]), &mut sum);
        in_rust = in_rust.min(rust);
    }
    let (difference, ratio) = (in_rust - in_c, in_rust / in_c);
    println!(
        "C {in_c:.1} ns, Rust {in_rust:.1} ns, difference {difference:.1} ns, ratio {ratio:.3} (sum {sum})"
    );
}
