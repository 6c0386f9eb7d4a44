//! Thinks about tasks natively, to compare the browser with: one JSON task a line in, what was
//! found and the position after the best move out.
//!
//! ```sh
//! cargo run --release -p outflank-web --example think -- model.safetensors < tasks.jsonl
//! ```

use std::error::Error;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Duration;

use outflank_net::Model;
use outflank_rules::Position;
use outflank_web::{Task, Thinker};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args()
        .nth(1)
        .ok_or("expected the file of a model")?;
    let mut thinker = Thinker::new(&Model::load(Path::new(&path))?, 16 << 20);
    for line in std::io::stdin().lock().lines() {
        let task: Task = serde_json::from_str(&line?)?;
        thinker.begin(task)?;
        let thought = loop {
            let thought = thinker.step(Duration::from_millis(50));
            let thought = thought.ok_or("a task was begun")?;
            if thought.done {
                break thought;
            }
        };
        let position: Position = thought.position.parse()?;
        let best = thought.best.as_ref().ok_or("the game is not over")?;
        let next = position.apply(best.parse()?)?.notation();
        println!("{}", json!({ "thought": thought, "next": next }));
        std::io::stdout().flush()?;
    }
    Ok(())
}
