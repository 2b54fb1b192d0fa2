//! Tests a crate that does not use the standard library, and its errors without a heap.

use executorch::{Error, Status};
use one_row_no_std::OneRow;

#[test]
fn crate_without_std_runs() {
    let mut net = OneRow::load().unwrap();
    let first = net.forward(&[0.5; 8]).unwrap().to_vec();
    assert_eq!(net.forward(&[0.5; 8]).unwrap().elements(), first);
}

#[test]
fn messages_are_truncated_at_a_character() {
    let error = OneRow::load().unwrap().forward(&[0.0; 7]).map(drop).unwrap_err();
    assert_eq!(error.message(), "x: 7 elements; pass 8");
    let text = format!("a{}", "\u{e9}".repeat(200));
    let error = Error::new(Status::Internal, format_args!("{}", text));
    assert_eq!(error.message(), &text[..239]);
}
