//! What JavaScript calls. Objects pass as JSON, errors as messages.

use std::time::Duration;

use outflank_net::Model;
use outflank_rules::Size;
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::text::replay;
use crate::{Thinker, read, view, write};

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data can be written")
}

fn message(error: impl std::fmt::Display) -> JsError {
    JsError::new(&error.to_string())
}

/// [`view`](crate::view).
#[wasm_bindgen(js_name = viewGame)]
pub fn view_game(start: &str, moves: &str) -> Result<String, JsError> {
    Ok(json(&view(start, moves)?))
}

/// The start position of a board of this side.
#[wasm_bindgen(js_name = startPosition)]
pub fn start_position(side: u8) -> Result<String, JsError> {
    let size = Size::try_from(side)?;
    Ok(outflank_rules::Position::start(size).notation())
}

/// [`read`](crate::read).
#[wasm_bindgen(js_name = readGame)]
pub fn read_game(text: &str, side: u8) -> Result<String, JsError> {
    Ok(json(&read(text, Size::try_from(side)?)?))
}

/// [`write`](crate::write()).
#[wasm_bindgen(js_name = writeGame)]
pub fn write_game(
    start: &str,
    moves: &str,
    black: &str,
    white: &str,
    format: &str,
) -> Result<String, JsError> {
    let format = serde_json::from_value(format.into())?;
    let game = replay(start.parse()?, moves)?;
    Ok(write(&game, [black, white], format)?)
}

/// A [`Thinker`] with its model.
#[wasm_bindgen]
pub struct Engine(Thinker);

#[wasm_bindgen]
impl Engine {
    /// Takes the bytes of a model's file, and the size of the endgame solver's table in megabytes.
    #[wasm_bindgen(constructor)]
    pub fn new(model: &[u8], table: usize) -> Result<Engine, JsError> {
        Ok(Engine(Thinker::new(
            &Model::from_bytes(model)?,
            table << 20,
        )))
    }

    /// Side of the board that the model plays on, and what it is.
    pub fn describe(&self) -> String {
        json(&self.0.description())
    }

    /// Begins to think about a task.
    pub fn begin(&mut self, task: &str) -> Result<(), JsError> {
        self.0.begin(serde_json::from_str(task)?).map_err(message)
    }

    /// Goes on for about so many milliseconds; the state of the thought.
    pub fn step(&mut self, milliseconds: u32) -> String {
        json(&self.0.step(Duration::from_millis(milliseconds.into())))
    }
}
