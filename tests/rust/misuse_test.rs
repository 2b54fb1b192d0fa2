//! Tests errors, ownership of outputs, and threads.

use std::path::PathBuf;
use std::thread;

use executorch::{Aligned, Data, Error, Options, Shaped, Status};
use external::OneRow;
use integer_inputs_rs::{ForwardInputs, IntegerInputs};
use noise_rs::Noise;
use one_row_rs::OneRow as Embedded;
use two_dynamic_sizes::TwoDynamicSizes;

fn fails<T>(result: Result<T, Error>, status: Status, message: &str) {
    match result {
        Ok(_) => panic!("expected: {}", message),
        Err(error) => {
            assert_eq!(error.message(), message);
            assert_eq!(error.status(), status);
            assert_eq!(error.to_string(), format!("{}: {}", status.name(), message));
        }
    }
}

fn path(variable: &str) -> PathBuf {
    PathBuf::from(std::env::var_os(variable).expect("the test sets the variable"))
}

fn files() -> (Data, Data) {
    (Data::read(path("PROGRAM")).unwrap(), Data::read(path("WEIGHTS")).unwrap())
}

fn temporary(name: &str) -> PathBuf {
    PathBuf::from(std::env::var_os("TEST_TMPDIR").expect("Bazel sets it")).join(name)
}

#[test]
fn wrong_element_counts_are_errors_that_name_the_input() {
    let mut net = Embedded::load().unwrap();
    for count in [0, 7, 9, 16] {
        let message = format!("x: {} elements; pass 8", count);
        fails(net.forward(&vec![0.0; count]), Status::InvalidArgument, &message);
    }
    assert_eq!(net.forward(&[0.0; 8]).unwrap().sizes(), [1, 4]);
}

fn window(net: &mut IntegerInputs, count: usize, start: i64) -> Result<(), Error> {
    let x = vec![0.0; count];
    net.forward(ForwardInputs { x: &x, start, count: 2, scale: 5 }).map(drop)
}

#[test]
fn sizes_and_integers_out_of_range_are_errors_that_name_the_input() {
    let mut net = IntegerInputs::load().unwrap();
    let message = "x: 20 elements; pass a multiple of 3";
    fails(window(&mut net, 20, 1), Status::InvalidArgument, message);
    let message = "x: size 9 of dim 0 is out of range; pass 6 to 8";
    fails(window(&mut net, 27, 1), Status::NotSupported, message);
    let message = "start: 4 is out of range; pass 0 to 3";
    fails(window(&mut net, 18, 4), Status::NotSupported, message);
    window(&mut net, 18, 3).unwrap();
}

#[test]
fn sizes_must_match_the_elements() {
    let mut net = TwoDynamicSizes::load().unwrap();
    let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let rows = net.forward(Shaped::new(&x, [2, 3])).unwrap();
    assert_eq!((rows.sizes(), rows.strides(), rows[[2, 0]], rows[1]), ([3, 2], [2, 1], 6.0, 8.0));
    assert_eq!(rows.get_at([3, 0]), None);
    let message = "x: 6 elements; pass 8";
    fails(net.forward(Shaped::new(&x, [2, 4])), Status::InvalidArgument, message);
    let message = format!("x: 6 elements; pass {}", usize::MAX);
    fails(net.forward(Shaped::new(&x, [usize::MAX, 2])), Status::InvalidArgument, &message);
    assert!(net.forward(Shaped::new(&[], [0, 3])).is_err());
    assert!(net.forward(Shaped::new(&[], [0, usize::MAX])).is_err());
}

#[test]
fn missing_file_is_an_error_with_its_path() {
    let error = Data::read("/missing/net.pte").unwrap_err();
    assert_eq!(error.status(), Status::AccessFailed);
    assert!(error.message().starts_with("/missing/net.pte: No such file"), "{}", error);
    assert!(error.message().ends_with("; pass the path of a .pte or .ptd file"), "{}", error);
    assert!(Data::read(std::env::temp_dir()).is_err());
}

#[test]
fn damaged_files_are_errors() {
    let (program, weights) = files();
    let content = program.bytes().to_vec();
    let path = temporary("truncated.pte");
    for size in [8, content.len() / 2, content.len() - 1] {
        std::fs::write(&path, &content[..size]).unwrap();
        let error = OneRow::load(Data::read(&path).unwrap(), weights.clone()).err().unwrap();
        assert!(matches!(error.status(), Status::InvalidProgram | Status::InvalidArgument), "{}", error);
        assert!(error.message().starts_with(&format!("{}: ", path.display())), "{}", error);
    }
    for size in [0, 3, 7] {
        std::fs::write(&path, &content[..size]).unwrap();
        let message = format!(
            "{}: a file of {} bytes is too short; pass the path of a .pte or .ptd file",
            path.display(),
            size
        );
        fails(Data::read(&path), Status::AccessFailed, &message);
    }
    let path = temporary("damaged.ptd");
    let mut damaged = weights.bytes().to_vec();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    std::fs::write(&path, &damaged).unwrap();
    let error = OneRow::load(program, Data::read(&path).unwrap()).err().unwrap();
    assert_eq!(error.status(), Status::InvalidExternalData);
    assert!(error.message().starts_with(&format!("{}: named_data[", path.display())), "{}", error);
}

#[test]
fn another_program_is_an_error() {
    let (_, weights) = files();
    let other = Data::read(path("OTHER_PROGRAM")).unwrap();
    let mut net = match OneRow::load(other, weights) {
        Ok(net) => net,
        Err(_) => return,
    };
    assert!(net.forward(&[0.0; 8]).is_err());
}

#[test]
fn misaligned_bytes_are_an_error() {
    static BYTES: Aligned<[u8; 80]> = Aligned([0; 80]);
    let (_, weights) = files();
    let misaligned: &'static [u8] = &BYTES.0[1..];
    let error = OneRow::load(misaligned, weights).err().unwrap();
    assert_eq!(error.status(), Status::InvalidArgument);
}

#[test]
fn files_can_be_dropped_and_objects_can_move() {
    let mut net = {
        let (program, weights) = files();
        OneRow::load(program, weights).unwrap()
    };
    let before = net.forward(&[0.5; 8]).unwrap().to_vec();
    let mut moved = Box::new(net);
    assert_eq!(moved.forward(&[0.5; 8]).unwrap().to_vec(), before);
}

#[test]
fn objects_work_on_several_threads() {
    let expected = Embedded::load().unwrap().forward(&[0.5; 8]).unwrap().to_vec();
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let mut net = Embedded::load().unwrap();
            thread::spawn(move || {
                (0..200).map(|_| net.forward(&[0.5; 8]).unwrap().to_vec()).collect::<Vec<_>>()
            })
        })
        .collect();
    for thread in threads {
        for scores in thread.join().unwrap() {
            assert_eq!(scores, expected);
        }
    }
}

#[test]
fn many_loads_do_not_keep_memory() {
    for _ in 0..500 {
        let (program, weights) = files();
        OneRow::load(program, weights).unwrap();
    }
}

#[test]
fn random_numbers_need_a_seed() {
    let mut net = Noise::load().unwrap();
    assert!(net.forward(&[0.0; 4]).is_err());
    let mut options = Options::default();
    options.random_seed = Some(7);
    let mut first = Noise::load_with(&options).unwrap();
    let mut second = Noise::load_with(&options).unwrap();
    let numbers = first.forward(&[0.0; 4]).unwrap().to_vec();
    assert_eq!(second.forward(&[0.0; 4]).unwrap().to_vec(), numbers);
    assert_ne!(first.forward(&[0.0; 4]).unwrap().to_vec(), numbers);
}

#[test]
fn instructions_of_a_call_are_limited() {
    let mut options = Options::default();
    options.max_steps = 1;
    let mut net = IntegerInputs::load_with(&options).unwrap();
    assert_eq!(window(&mut net, 18, 1).unwrap_err().status(), Status::OutOfResources);
}
