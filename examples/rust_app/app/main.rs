//! Prints the most probable class of each photo: `app CLASSES.json PHOTO.ppm …`.

use std::error::Error;
use std::{env, fs, process};

use classifier::Classifier;

const SIDE: usize = 224;

/// Reads a binary PPM file without comments. Returns the central square, 7/8 of the shorter side, as
/// float32 [3, SIDE, SIDE] with values from -1 to 1.
fn read_photo(path: &str) -> Result<Vec<f32>, Box<dyn Error>> {
    let file = fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    let parts: Vec<&[u8]> = file.splitn(5, u8::is_ascii_whitespace).collect();
    let (width, height, pixels) = match parts[..] {
        [b"P6", width, height, b"255", pixels] => (width, height, pixels),
        _ => return Err(format!("{path}: not a binary PPM file with 8 bits per channel").into()),
    };
    let width: usize = std::str::from_utf8(width)?.parse()?;
    let height: usize = std::str::from_utf8(height)?.parse()?;
    if Some(pixels.len()) != width.checked_mul(height).and_then(|count| count.checked_mul(3)) {
        return Err(format!("{path}: {} bytes of pixels for {width} x {height}", pixels.len()).into());
    }
    let side = width.min(height) * 7 / 8;
    let (left, top) = ((width - side) / 2, (height - side) / 2);
    let mut image = Vec::with_capacity(3 * SIDE * SIDE);
    for channel in 0..3 {
        for y in 0..SIDE {
            for x in 0..SIDE {
                let pixel = (top + y * side / SIDE) * width + left + x * side / SIDE;
                image.push(f32::from(pixels[pixel * 3 + channel]) / 127.5 - 1.0);
            }
        }
    }
    Ok(image)
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (classes, photos) = arguments.split_first().ok_or("usage: app CLASSES.json PHOTO.ppm …")?;
    // {"0": "tench, Tinca tinca", …}: text 3 between quotes is the name of class 0.
    let classes = fs::read_to_string(classes)?;
    let names: Vec<&str> = classes.split('"').skip(3).step_by(4).collect();
    let mut classifier = Classifier::load()?;
    for photo in photos {
        let scores = classifier.forward(&read_photo(photo)?)?;
        let best = (0..scores.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b]));
        println!("{}", best.map_or("no class", |best| names[best]));
    }
    Ok(())
}

fn main() {
    if let Err(error) = run() {
        eprintln!("{error}");
        process::exit(1);
    }
}
