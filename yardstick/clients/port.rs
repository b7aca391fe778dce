// A port in Rust: `rustc -O port.rs`, asked by `refrank conform run ./port` (docs/port/another_language.md).
use std::io::BufRead;
use std::str::FromStr;

const OFFERS: &str = r#"["function quantize","lemma dcg","training ls"]"#;

// What is here is an example of each kind, and yours to change. None is "not offered", and a panic is an answer, too.
fn answer(call: &str, given: &str) -> Option<String> {
    match call {
        "function quantize" => {
            let (x, cuts) = (read::<f64>(given, "x"), read::<f64>(given, "cuts"));
            let code = |x: &f64| cuts.iter().filter(|cut| *cut <= x).count();
            Some(format!("{:?}", x.iter().map(code).collect::<Vec<_>>()))
        }
        "lemma dcg" => {
            let (y, score) = (read::<f64>(given, "y"), read::<f64>(given, "score"));
            let mut order: Vec<usize> = (0..y.len()).collect();
            order.sort_by(|&i, &j| score[j].partial_cmp(&score[i]).unwrap());
            let gains = order.iter().zip(2..).map(|(&i, place)| (y[i].exp2() - 1.0) / f64::from(place).ln());
            Some(text(gains.sum()))
        }
        "training ls" if given.contains(r#""weight":null"#) && given.contains(r#""target":"2^k-1""#) => {
            let y = read::<f64>(given, "y");
            let start = y.iter().map(|label| label.exp2() - 1.0).sum::<f64>() / y.len() as f64;
            println!(r#"{{"stage":"start","at":{{}},"fields":{{"values":[{}]}}}}"#, text(start));
            Some("null".to_string())
        }
        _ => None,
    }
}

// Reads the entries of an array in C order, without parsing JSON: a line has no spaces, and each array is written as
// "name":{"dtype":"float64","shape":[2],"values":[0.5,"inf"]}. Of null, it panics.
fn read<T: FromStr>(given: &str, name: &str) -> Vec<T> {
    let array = given.split_once(&format!(r#""{name}":{{"dtype":"#)).expect(name).1;
    let values = array.split_once(r#""values":["#).unwrap().1.split_once(']').unwrap().0;
    values.split_terminator(',').map(|value| value.trim_matches('"').parse().ok().expect(name)).collect()
}

// Writes a number: JSON has no NaN and no infinity.
fn text(x: f64) -> String {
    format!("\"{x:?}\"")
}

fn main() {
    println!(r#"{{"name":"a port in Rust","offers":{OFFERS}}}"#);
    for line in std::io::stdin().lock().lines().map(Result::unwrap) {
        let (call, given) = line[9..].split_once('"').unwrap(); // {"call":"training ls","arguments":{...}}
        match answer(call, given) {
            Some(value) => println!(r#"{{"value":{value}}}"#),
            None => println!(r#"{{"not offered":"{call}"}}"#),
        }
    }
}
