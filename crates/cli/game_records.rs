//! Games of other programs as records of a run, and the other way round.

use outflank_formats::{AnnotatedGame, Ending as Stated, GameResult};
use outflank_records::{Ending, GameRecord, Players, PlyRecord, ReplayError};
use outflank_rules::{Color, Game, Position};

/// A record as a game for other programs: what the searches found stays behind.
///
/// A solved game is one whose players agreed on the score, and a resigned one has only a winner.
pub fn to_game(record: &GameRecord) -> Result<AnnotatedGame, ReplayError> {
    record.verify()?;
    let mut game = Game::new(record.size);
    for ply in &record.plies {
        game.play(ply.mv).expect("the record was verified");
    }
    let is_over = game.is_over();
    let mut game = AnnotatedGame::from(game);
    if let Some(players) = &record.players {
        game.tags.black.name.clone_from(&players.black);
        game.tags.white.name.clone_from(&players.white);
    }
    let margin = f64::from(record.black_margin);
    let score = |ending| GameResult::Score { margin, ending };
    game.tags.result = Some(match record.ending {
        Ending::Played => score(Stated::Played),
        Ending::Solved if is_over => score(Stated::Played),
        Ending::Solved => score(Stated::Agreed),
        Ending::Resigned => GameResult::Win {
            winner: if margin > 0.0 {
                Color::Black
            } else {
                Color::White
            },
            ending: Stated::Resigned,
        },
    });
    Ok(game)
}

/// A game as a record, without searches; the reason if it cannot be one.
///
/// The board has the last word about a game that was played out. An unfinished one has the score
/// that its players agreed on, or else counts as resigned.
pub fn to_record(game: &AnnotatedGame) -> Result<GameRecord, String> {
    let start = game.game().start();
    let size = start.board.size();
    if start != Position::start(size) {
        return Err("it begins at another position than the usual one".to_owned());
    }
    let (margin, ending) = match (game.final_margin(), game.tags.result) {
        (Some(margin), _) => (margin, Ending::Played),
        (None, Some(GameResult::Score { margin, ending })) => {
            let agreed = ending == Stated::Agreed && margin.fract() == 0.0;
            let margin = if agreed {
                margin
            } else {
                away_from_zero(margin)
            };
            match margin as i32 {
                0 if !agreed => return Err("it is an unfinished game without a winner".to_owned()),
                margin if agreed => (margin, Ending::Solved),
                margin => (margin, Ending::Resigned),
            }
        }
        (None, Some(GameResult::Win { winner, .. })) => (winner.sign(), Ending::Resigned),
        (None, None) => return Err("it is an unfinished game without a result".to_owned()),
    };
    let area = size.area() as i32;
    if margin.abs() > area {
        return Err(format!("its score of {margin:+} is more than {area} discs"));
    }
    let (black, white) = (&game.tags.black.name, &game.tags.white.name);
    let plies = game.plies().map(|(mv, _)| PlyRecord { mv, search: None });
    Ok(GameRecord {
        size,
        seed: 0,
        players: (!black.is_empty() || !white.is_empty()).then(|| Players {
            black: black.clone(),
            white: white.clone(),
        }),
        plies: plies.collect(),
        ending,
        black_margin: margin as i8,
    })
}

/// Whole discs, of which a win has at least one.
fn away_from_zero(margin: f64) -> f64 {
    margin.abs().ceil().copysign(margin)
}

#[cfg(test)]
mod tests {
    use outflank_rules::Size;

    use super::*;

    fn unfinished(result: Option<GameResult>) -> AnnotatedGame {
        let game = Game::from_transcript(Position::start(Size::Eight), "f5d6c3d3c4");
        let mut game = AnnotatedGame::from(game.expect("legal"));
        game.tags.result = result;
        game.tags.white.name = "Ann".to_owned();
        game
    }

    #[test]
    fn endings_there_and_back() {
        let score = |margin, ending| Some(GameResult::Score { margin, ending });
        let win = |winner, ending| Some(GameResult::Win { winner, ending });
        for (result, margin, ending) in [
            (score(6.0, Stated::Agreed), 6, Ending::Solved),
            (score(0.0, Stated::Agreed), 0, Ending::Solved),
            (score(-0.5, Stated::Played), -1, Ending::Resigned),
            (score(12.0, Stated::TimeOut), 12, Ending::Resigned),
            (win(Color::White, Stated::Resigned), -1, Ending::Resigned),
        ] {
            let game = unfinished(result);
            let record = to_record(&game).expect("a record");
            assert_eq!((record.black_margin, record.ending), (margin, ending));
            let back = to_game(&record).expect("a game");
            assert_eq!(back.game(), game.game());
            assert_eq!(back.tags.white.name, "Ann");
            assert_eq!(to_record(&back).map(|back| back.ending), Ok(ending));
        }
        // The shortest game: the board decides, whatever is stated.
        let game = Game::from_transcript(Position::start(Size::Eight), "e6f4e3f6g5d6e7f5c5");
        let mut game = AnnotatedGame::from(game.expect("legal"));
        game.tags.result = score(-64.0, Stated::TimeOut);
        let record = to_record(&game).expect("a record");
        assert_eq!((record.black_margin, record.ending), (64, Ending::Played));
    }

    #[test]
    fn what_is_no_record_is_refused() {
        let score = |margin, ending| Some(GameResult::Score { margin, ending });
        for (result, reason) in [
            (None, "without a result"),
            (score(0.0, Stated::Played), "without a winner"),
            (score(70.0, Stated::Agreed), "more than 64"),
            (score(1e300, Stated::Resigned), "more than 64"),
        ] {
            let refused = to_record(&unfinished(result)).expect_err(reason);
            assert!(refused.contains(reason), "{refused}");
        }
        let position = "-----OX--XO----- O".parse().expect("a position");
        assert!(to_record(&AnnotatedGame::new(position)).is_err());
    }
}
