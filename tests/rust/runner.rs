//! Runs a model: `runner MODEL ARGUMENT…`. Prints each output as its name, sizes and bytes.
//!
//! Arguments are raw little-endian elements in hexadecimal, integers, or paths of files.

use std::error::Error;
use std::fmt::Write;

use constants::Constants;
use executorch::{Data, Element, Float16, Shaped, Tensor};
use external::OneRow;
use integer_inputs_rs::{ForwardInputs, IntegerInputs};
use kv_cache_decoder_rs::{DecodeInputs, KvCacheDecoder, PrefillInputs};
use odd_names_rs::{MatchInputs, OddNames};
use two_dynamic_sizes::TwoDynamicSizes;

type Outcome = Result<(), Box<dyn Error>>;

trait Hex: Element {
    fn bytes(self) -> Vec<u8>;
}

macro_rules! hex {
    ($($type:ty)*) => {
        $(impl Hex for $type {
            fn bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
        })*
    };
}

hex! { f32 i64 }

impl Hex for bool {
    fn bytes(self) -> Vec<u8> {
        vec![u8::from(self)]
    }
}

impl Hex for Float16 {
    fn bytes(self) -> Vec<u8> {
        self.0.to_le_bytes().to_vec()
    }
}

fn show<T: Hex, const RANK: usize>(name: &str, tensor: Tensor<'_, T, RANK>) {
    let mut text = String::new();
    for element in tensor {
        for byte in element.bytes() {
            write!(text, "{:02x}", byte).unwrap();
        }
    }
    println!("{} {:?} {}", name, tensor.sizes(), text);
}

fn bytes(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect()
}

fn floats(text: &str) -> Vec<f32> {
    bytes(text).chunks_exact(4).map(|chunk| f32::from_le_bytes(chunk.try_into().unwrap())).collect()
}

fn integers(text: &str) -> Vec<i64> {
    bytes(text).chunks_exact(8).map(|chunk| i64::from_le_bytes(chunk.try_into().unwrap())).collect()
}

fn integer_inputs(arguments: &[String]) -> Outcome {
    let mut net = IntegerInputs::load()?;
    let rows = net.forward(ForwardInputs {
        x: &floats(&arguments[0]),
        start: arguments[1].parse()?,
        count: arguments[2].parse()?,
        scale: arguments[3].parse()?,
    })?;
    show("output_0", rows);
    Ok(())
}

fn two_dynamic_sizes(arguments: &[String]) -> Outcome {
    let mut net = TwoDynamicSizes::load()?;
    let (rows, columns) = (arguments[1].parse()?, arguments[2].parse()?);
    show("output_0", net.forward(Shaped::new(&floats(&arguments[0]), [rows, columns]))?);
    Ok(())
}

/// The prompt, then single tokens; then the same prompt after a reset.
fn kv_cache_decoder(arguments: &[String]) -> Outcome {
    let mut net = KvCacheDecoder::load()?;
    let (prompt, next) = (integers(&arguments[0]), integers(&arguments[1]));
    let positions: Vec<i64> = (0..prompt.len() as i64).collect();
    for _ in 0..2 {
        show("prefill", net.prefill(PrefillInputs { tokens: &prompt, positions: &positions })?);
        for (index, token) in next.iter().enumerate() {
            let position = (prompt.len() + index) as i64;
            show("decode", net.decode(DecodeInputs { tokens: &[*token], positions: &[position] })?);
        }
        net.reset_state();
    }
    Ok(())
}

fn external(arguments: &[String]) -> Outcome {
    let mut net = OneRow::load(Data::read(&arguments[0])?, Data::read(&arguments[1])?)?;
    show("output_0", net.forward(&floats(&arguments[2]))?);
    Ok(())
}

fn constants(arguments: &[String]) -> Outcome {
    let mut net = Constants::load()?;
    println!("{} {} {} {}", net.get_dim()?, net.get_scale()?, net.is_quant()?, net.get_name()?.to_owned());
    show("get_bias", net.get_bias()?);
    show("forward", net.forward(&floats(&arguments[0]))?);
    Ok(())
}

fn odd_names(arguments: &[String]) -> Outcome {
    let mut net = OddNames::load()?;
    let (a, b) = (floats(&arguments[0]), floats(&arguments[1]));
    show("load", net.load_(&a)?);
    let outputs = net.match_(MatchInputs { crate_: &a, fn_: &b })?;
    show("struct", outputs.struct_);
    show("a-b", outputs.a_b);
    Ok(())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let run = match arguments[0].as_str() {
        "integer_inputs" => integer_inputs,
        "two_dynamic_sizes" => two_dynamic_sizes,
        "kv_cache_decoder" => kv_cache_decoder,
        "external" => external,
        "constants" => constants,
        "odd_names" => odd_names,
        name => panic!("no model {}", name),
    };
    if let Err(error) = run(&arguments[1..]) {
        eprintln!("{}", error);
        std::process::exit(1);
    }
}
