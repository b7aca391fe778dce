// The smallest case in which a port differs from refrank: `rustc $name.rs && ./$name` ends with 0 once it agrees.
// $parameters
#![allow(dead_code)]

const N_SAMPLES: usize = $n_samples;
const N_FEATURES: usize = $n_features;
const X: &[f64] = $X; // (N_SAMPLES, N_FEATURES) in C order
const Y: &[i64] = $y; // (N_SAMPLES), as QID and WEIGHT
const QID: &[i64] = $qid;
const WEIGHT: &[f64] = $weight; // empty: there are no weights
const EXPECTED: &[$type] = $expected; // $shape in C order

// Here, call your port: return $field of stage $stage$at.
fn compute() -> Vec<$type> {
    vec![]
}

fn main() {
    assert_eq!(format!("{:?}", compute()), format!("{EXPECTED:?}")); // to the bit
}
