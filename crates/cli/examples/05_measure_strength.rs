//! Honest matches (crate `arena`): the shipped network against alpha-beta search, with an interval.

use std::error::Error;
use std::path::Path;

use outflank_arena::{
    Builtin, FactoryFn, MatchConfig, OpeningSet, Player, SearchPlayer, SearchPlayerConfig,
    play_match,
};
use outflank_net::{CompiledNetwork, Model};
use outflank_rules::Size;

fn main() -> Result<(), Box<dyn Error>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/cli/shipped/8x8.safetensors");
    let network = CompiledNetwork::new(&Model::load(&file)?.weights);
    let mut config = SearchPlayerConfig::default();
    config.search.simulations = 32;

    // A factory makes one player for each thread of the match.
    let ours = FactoryFn::new("shipped", || {
        let player = SearchPlayer::new("shipped", network.clone(), config.clone());
        Ok(Box::new(player.expect("the settings are in range")) as Box<dyn Player>)
    });
    let theirs: Builtin = "alpha-beta:3".parse()?;

    // Each opening is played twice, with colours exchanged.
    let pairs = 10;
    let openings = OpeningSet::random(Size::Eight, 6, pairs, 1)?;
    let config = MatchConfig {
        pairs,
        ..MatchConfig::default()
    };
    let result = play_match([&ours, &theirs], &openings, &config, &mut ())?;
    println!("{result}");
    Ok(())
}
