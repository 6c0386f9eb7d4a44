//! A session with an engine that takes no time.

use std::io::Cursor;

use outflank_protocols::{
    Depth, Engine, Line, Protocol, ServeOptions, Task, ThinkError, Thought, serve,
};
use outflank_rules::Size;

/// Plays the first legal move.
struct Quick;

impl Engine for Quick {
    fn name(&self) -> String {
        "Quick".to_owned()
    }

    fn version(&self) -> String {
        "1".to_owned()
    }

    fn plays(&self, _size: Size) -> bool {
        true
    }

    fn think(
        &mut self,
        task: &Task,
        _progress: &mut dyn FnMut(&[Line]),
    ) -> Result<Thought, ThinkError> {
        let first = task.game.position().board.moves().next();
        let line = Line {
            moves: vec![first.expect("the mover has a move")],
            evaluation: 0.0,
            depth: Depth::Plies(1),
        };
        Ok(Thought {
            lines: vec![line],
            nodes: 1,
        })
    }
}

/// Serves these bytes as the input of a session, to its end.
pub fn session(protocol: Protocol, bytes: &[u8]) {
    let input = Cursor::new(bytes.to_vec());
    let mut output = Vec::new();
    let options = ServeOptions::default();
    serve(protocol, Quick, input, &mut output, options).expect("memory can be written");
}
