//! Several players at once, from the games to the ladder, through JSON.

use std::ops::ControlFlow;

use outflank_arena::{
    Builtin, Ladder, LadderConfig, MatchConfig, MatchObserver, OpeningSet, PlayedGame,
    PlayerFactory, Progress, Schedule, TournamentError, TournamentResult, play_match,
    play_tournament,
};
use outflank_rules::Size;

fn builtins(names: &[&str]) -> Vec<Builtin> {
    names.iter().map(|name| name.parse().expect(name)).collect()
}

fn factories(players: &[Builtin]) -> Vec<&dyn PlayerFactory> {
    players
        .iter()
        .map(|player| player as &dyn PlayerFactory)
        .collect()
}

fn config() -> MatchConfig {
    MatchConfig {
        pairs: 10,
        threads: 2,
        seed: 8,
        ..MatchConfig::default()
    }
}

#[test]
fn a_round_robin_becomes_a_crosstable_a_ladder_and_json() {
    let players = builtins(&["random", "greedy", "alpha-beta:1", "alpha-beta:3"]);
    let openings = OpeningSet::random(Size::Eight, 5, 10, 3).expect("enough exist");
    let result = play_tournament(
        &factories(&players),
        Schedule::RoundRobin,
        &openings,
        &config(),
        &mut (),
    )
    .expect("built-in players start");
    assert_eq!(result.matches.len(), 6);
    assert_eq!(result.between("greedy", "random").games(), 20);
    assert_eq!(
        result.between("greedy", "random"),
        result.between("random", "greedy").reversed()
    );

    let table = result.to_string();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 5, "{table}");
    assert!(
        lines[1].contains("1 alpha-beta:3") && lines[1].ends_with("60"),
        "{table}"
    );
    assert!(lines[4].contains("4 random"), "{table}");

    let ladder = Ladder::fit(&result.scores(), &LadderConfig::default()).expect("valid settings");
    assert_eq!(ladder.players[0].name, "alpha-beta:3");
    assert_eq!(ladder.rating("random").expect("it played").elo, 0.0);
    assert_eq!(ladder.suggest(4, 20).len(), 4);

    // serde_json reads numbers back to within rounding only, so those are compared apart.
    let json = serde_json::to_string(&result).expect("plain data");
    let read: TournamentResult = serde_json::from_str(&json).expect("it was just written");
    assert_eq!(read.players, result.players);
    for (read, written) in read.matches.iter().zip(&result.matches) {
        assert_eq!(read.games, written.games);
        assert_eq!(read.openings, written.openings);
        assert_eq!(read.summary.pairs, written.summary.pairs);
        assert!((read.summary.elo.low - written.summary.elo.low).abs() < 1e-9);
    }
    let json = serde_json::to_string(&ladder).expect("plain data");
    let read: Ladder = serde_json::from_str(&json).expect("it was just written");
    assert_eq!(read.groups, ladder.groups);
    assert!(read.suggest(4, 20).is_empty());

    // Any match can be played again from what its result says.
    let again = MatchConfig {
        seed: result.matches[4].seed,
        ..config()
    };
    let again = play_match([&players[1], &players[3]], &openings, &again, &mut ());
    assert!(again.expect("built-in players start") == result.matches[4]);
}

#[test]
fn a_gauntlet_is_the_first_against_the_rest() {
    let players = builtins(&["greedy", "random", "alpha-beta:1"]);
    let openings = OpeningSet::random(Size::Six, 5, 10, 3).expect("enough exist");
    let play = |schedule, observer: &mut dyn MatchObserver| {
        play_tournament(
            &factories(&players),
            schedule,
            &openings,
            &config(),
            observer,
        )
        .expect("built-in players start")
    };
    let result = play(Schedule::Gauntlet, &mut ());
    let met: Vec<[&str; 2]> = result
        .matches
        .iter()
        .map(|result| [result.players[0].as_str(), result.players[1].as_str()])
        .collect();
    assert_eq!(met, [["greedy", "random"], ["greedy", "alpha-beta:1"]]);

    // The observer hears of each match and can end everything.
    struct Stop(Vec<String>);
    impl MatchObserver for Stop {
        fn begin(&mut self, players: [&str; 2], progress: &Progress) {
            assert_eq!(progress.pairs_planned, 10);
            self.0.push(players.join(" v. "));
        }

        fn pair(&mut self, _: &[PlayedGame; 2], progress: &Progress) -> ControlFlow<()> {
            match self.0.len() == 2 && progress.pairs_done == 3 {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        }
    }
    let mut stop = Stop(Vec::new());
    let result = play(Schedule::RoundRobin, &mut stop);
    assert_eq!(stop.0, ["greedy v. random", "greedy v. alpha-beta:1"]);
    assert_eq!(result.matches.len(), 2);
    assert_eq!(result.matches[1].games.len(), 6);
    assert!(result.matches[1].was_stopped() && !result.matches[0].was_stopped());
}

#[test]
fn players_need_names_of_their_own() {
    let openings = OpeningSet::start(Size::Eight);
    let play = |names: &[&str]| {
        let players = builtins(names);
        let factories = factories(&players);
        play_tournament(
            &factories,
            Schedule::default(),
            &openings,
            &config(),
            &mut (),
        )
    };
    assert_eq!(play(&["random"]), Err(TournamentError::TooFew(1)));
    let same = TournamentError::SameName("greedy".to_owned());
    assert_eq!(play(&["greedy", "random", "greedy"]), Err(same));
}
