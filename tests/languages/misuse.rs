//! Prints the message of each misuse in Rust: `case: STATUS: message`.

use executorch::{Data, Result};
use feature_models_external_weights_one_row::FeatureModelsExternalWeightsOneRow as OneRow;
use feature_models_integer_inputs::{FeatureModelsIntegerInputs as Window, ForwardInputs};

fn show<T>(name: &str, result: Result<T>) {
    match result {
        Ok(_) => println!("{}: OK: ", name),
        Err(error) => println!("{}: {}", name, error),
    }
}

fn run_with_wrong_inputs() -> Result<()> {
    let mut net = Window::load()?;
    let mut run = |name: &str, rows: &[f32], start: i64| {
        show(name, net.forward(ForwardInputs { x: rows, start, count: 2, scale: 5 }));
    };
    run("size", &[0.0; 27], 0);
    run("count", &[0.0; 20], 0);
    run("integer", &[0.0; 18], 4);
    Ok(())
}

fn load_wrong_files(program_path: &str, weights_path: &str) -> Result<()> {
    let (program, weights) = (Data::read(program_path)?, Data::read(weights_path)?);
    let write = |path: &str, bytes: &[u8]| std::fs::write(path, bytes).unwrap();
    write("short.pte", &program.bytes()[..2]);
    write("part.pte", &program.bytes()[..64]);
    write("part.ptd", &weights.bytes()[..64]);
    write("net.ptd", weights.bytes());
    show("missing", Data::read("missing.pte"));
    show("short", Data::read("short.pte"));
    show("truncated program", OneRow::load(Data::read("part.pte")?, weights.clone()));
    show("truncated weights", OneRow::load(program.clone(), Data::read("part.ptd")?));
    show("no program", OneRow::load(Data::read("net.ptd")?, weights.clone()));
    let mut net = OneRow::load(program, weights)?;
    show("fixed count", net.forward(&[0.0; 7]));
    Ok(())
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    run_with_wrong_inputs().unwrap();
    load_wrong_files(&arguments[1], &arguments[2]).unwrap();
}
