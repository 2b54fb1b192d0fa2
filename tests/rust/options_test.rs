//! Tests options of loading: threads, options of backends and observers; and inputs that the
//! compiler does not plan.

use std::sync::{Arc, Mutex};

use borrowed_inputs_rs::{BorrowedInputs, ForwardInputs};
use convolutions_rs::Convolutions;
use executorch::{Error, Event, EventKind, Observer, Options, Status};
use integer_inputs_rs::{ForwardInputs as Window, IntegerInputs};

fn image() -> Vec<f32> {
    (0..17 * 19 * 3).map(|i| 0.01 * (i % 97) as f32).collect()
}

fn convolve(options: &Options) -> Result<Vec<f32>, Error> {
    let mut net = Convolutions::load_with(options)?;
    let first = net.forward(&image())?.to_vec();
    assert_eq!(net.forward(&image())?.elements(), first);
    Ok(first)
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let expected = convolve(&Options::default()).unwrap();
    for count in [1, 2, 4] {
        let mut options = Options::default();
        options.set_threads(count);
        assert_eq!(convolve(&options).unwrap(), expected);
    }
}

#[test]
fn objects_with_threads_can_move_to_other_threads() {
    let expected = convolve(&Options::default()).unwrap();
    let mut options = Options::default();
    options.set_threads(2);
    let nets: Vec<_> = (0..3).map(|_| Convolutions::load_with(&options).unwrap()).collect();
    drop(options);
    let threads: Vec<_> = nets
        .into_iter()
        .map(|mut net| std::thread::spawn(move || net.forward(&image()).unwrap().to_vec()))
        .collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), expected);
    }
}

#[test]
fn wrong_numbers_of_threads_are_errors() {
    for count in [0, 65] {
        let mut options = Options::default();
        options.set_threads(count);
        assert_eq!(convolve(&options).unwrap_err().status(), Status::InvalidArgument);
    }
}

#[test]
fn backends_receive_their_options() {
    let mut options = Options::default();
    options.set_backend_option("Other", "isa", 7);
    options.set_backend_option("CpuBackend", "isa", "none");
    let error = convolve(&options).unwrap_err();
    assert!(error.message().contains("option 'isa' must be plain, "), "{}", error);
    options.set_backend_option("CpuBackend", "isa", true);
    let error = convolve(&options).unwrap_err();
    assert!(error.message().contains("option 'isa' must be a string"), "{}", error);
    options.set_backend_option("CpuBackend", "isa", "plain");
    convolve(&options).unwrap();
    let text = format!("{:?}", options);
    assert!(text.contains("(\"CpuBackend\", \"isa\", Text(\"plain\"))"), "{}", text);
}

/// Records the kind and the name of each event, and its result.
#[derive(Default)]
struct Recorder {
    open: Mutex<Vec<(EventKind, u32)>>,
    ended: Mutex<Vec<(EventKind, String, Result<(), Status>)>>,
}

impl Observer for Recorder {
    fn begin(&self, event: &Event<'_>) {
        self.open.lock().unwrap().push((event.kind, event.index));
    }

    fn end(&self, event: &Event<'_>, result: Result<(), Status>) {
        assert_eq!(self.open.lock().unwrap().pop(), Some((event.kind, event.index)));
        self.ended.lock().unwrap().push((event.kind, event.name.to_owned(), result));
    }
}

fn observed() -> (Arc<Recorder>, Options) {
    let recorder = Arc::new(Recorder::default());
    let mut options = Options::default();
    options.set_observer(recorder.clone());
    (recorder, options)
}

#[test]
fn observer_receives_events_of_kernels() {
    let (recorder, options) = observed();
    let mut net = IntegerInputs::load_with(&options).unwrap();
    let load = (EventKind::MethodLoad, "forward".to_owned(), Ok(()));
    assert_eq!(*recorder.ended.lock().unwrap(), [load]);
    recorder.ended.lock().unwrap().clear();
    net.forward(Window { x: &[0.0; 18], start: 1, count: 2, scale: 5 }).unwrap();
    let ended = recorder.ended.lock().unwrap();
    assert!(ended.iter().any(|(kind, name, result)| {
        *kind == EventKind::Kernel && name.starts_with("aten::") && result.is_ok()
    }));
    assert!(recorder.open.lock().unwrap().is_empty());
}

#[test]
fn observer_receives_events_of_delegates() {
    let (recorder, options) = observed();
    convolve(&options).unwrap();
    let ended = recorder.ended.lock().unwrap();
    let kinds = |kind| ended.iter().filter(|(other, _, _)| *other == kind).count();
    assert!(ended.contains(&(EventKind::Delegate, "CpuBackend".to_owned(), Ok(()))));
    assert!(kinds(EventKind::Step) > kinds(EventKind::Delegate));
}

#[test]
fn observer_receives_failures() {
    let (recorder, mut options) = observed();
    options.set_backend_option("CpuBackend", "isa", "none");
    let status = convolve(&options).unwrap_err().status();
    let load = (EventKind::MethodLoad, "forward".to_owned(), Err(status));
    assert_eq!(*recorder.ended.lock().unwrap(), [load]);
}

#[test]
fn unplanned_inputs_are_copied() {
    let mut net = BorrowedInputs::load().unwrap();
    for scale in [1.0, 2.0] {
        let outputs = {
            let rows = vec![scale; 12];
            let bias = vec![0.5; 4];
            net.forward(ForwardInputs { rows: &rows, bias: &bias }).unwrap()
        };
        assert_eq!(outputs.sum.sizes(), [3, 4]);
        assert_eq!(outputs.sum.elements(), [scale + 0.5; 12]);
        assert_eq!(outputs.rows.elements(), [scale; 12]);
    }
    net.reset_state();
}

#[test]
fn unplanned_inputs_have_bounds() {
    let mut net = BorrowedInputs::load().unwrap();
    let bias = [0.0; 4];
    let rows = vec![1.0; 4000];
    let result = net.forward(ForwardInputs { rows: &rows, bias: &bias }).map(drop);
    let error = result.unwrap_err();
    assert!(error.message().starts_with("rows: size 1000 of dim 0 "), "{}", error);
    assert!(net.forward(ForwardInputs { rows: &rows[..32], bias: &bias }).is_ok());
}
