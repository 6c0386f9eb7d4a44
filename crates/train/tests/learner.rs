//! A trainer over a run: it can stop and go on, and there is only one.

use std::ops::ControlFlow;
use std::sync::LazyLock;

use burn::tensor::Device;
use outflank_net::{Architecture, Model, Precision, Weights};
use outflank_records::chunk;
use outflank_rules::Size;
use outflank_run::{ChunkKey, Location, Run, Store};
use outflank_search::{SearchConfig, Uniform};
use outflank_selfplay::{SelfplayConfig, play_games};
use outflank_train::{
    Growth, LearnError, Learner, LearningPlan, ReanalysisConfig, ReanalysisPlan, TrainingConfig,
    WindowConfig,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn architecture() -> Architecture {
    Architecture {
        size: Size::Four,
        blocks: 1,
        channels: 16,
        ..Architecture::default()
    }
}

fn training() -> TrainingConfig {
    TrainingConfig {
        batch_size: 16,
        samples_per_position: 1.0,
        // Smaller than two generations, so that old positions leave it.
        window: WindowConfig {
            least: 60,
            share: 0.5,
            exponent: 1.0,
            most: 120,
        },
        ..TrainingConfig::default()
    }
}

fn run() -> Run {
    let store = Store::open(&Location::Memory).expect("memory is there");
    let run = Run::open_or_create(store).expect("an empty store becomes a run");
    run.write_config("").expect("an empty store has none");
    run
}

/// Publishes the games of a generation: the same in every run, whatever its network is.
fn publish(run: &Run, generation: u64) {
    let config = SelfplayConfig {
        search: SearchConfig {
            simulations: 4,
            ..SearchConfig::default()
        },
        opening_plies: [0, 3],
        solve_empties: 3,
        ..SelfplayConfig::default()
    };
    let seeds: Vec<u64> = (0..8).map(|game| 100 * generation + game).collect();
    let mut games = vec![None; seeds.len()];
    play_games(
        &config,
        Size::Four,
        &seeds,
        &[],
        1,
        || Uniform,
        |index, game| {
            games[index] = Some(game);
            ControlFlow::Continue(())
        },
    );
    let games: Vec<_> = games.into_iter().flatten().collect();
    let key = ChunkKey {
        generation,
        worker: "test".parse().expect("a name"),
        seq: 0,
    };
    run.publish_chunk(&key, chunk::encode(&games).expect("few games"))
        .expect("published");
}

fn search() -> &'static SearchConfig {
    static SEARCH: LazyLock<SearchConfig> = LazyLock::new(SearchConfig::default);
    &SEARCH
}

fn plan<'a>(architecture: &'a Architecture, training: &'a TrainingConfig) -> LearningPlan<'a> {
    LearningPlan {
        architecture,
        start: None,
        training,
        reanalysis: ReanalysisPlan {
            search: search(),
            precision: Precision::F32,
            threads: 2,
        },
        seed: 5,
        generations: 4,
    }
}

fn model(run: &Run) -> Vec<u8> {
    let latest = run.latest().expect("readable").expect("there is a model");
    let name = Model::FILE.parse().expect("a name");
    run.read_model(&latest, &name)
        .expect("the model is there")
        .to_vec()
}

#[test]
fn a_trainer_that_starts_again_goes_on_as_if_it_had_not_stopped() {
    let (architecture, training, device) = (architecture(), training(), Device::flex());
    let whole = run();
    let mut learner =
        Learner::open(&whole, plan(&architecture, &training), &device).expect("a new run");
    let parts = run();
    Learner::open(&parts, plan(&architecture, &training), &device).expect("a new run");
    assert_eq!(model(&whole), model(&parts), "equal seeds, equal networks");
    for generation in 0..4 {
        publish(&whole, generation);
        publish(&parts, generation);
        let lesson = learner.learn(|_, _| ()).expect("there are games");
        let mut again = Learner::open(&parts, plan(&architecture, &training), &device)
            .expect("the run goes on");
        assert_eq!(again.latest().seq, generation);
        let lesson_again = again.learn(|_, _| ()).expect("there are games");
        assert_eq!(lesson.window, lesson_again.window);
        assert_eq!(lesson.losses, lesson_again.losses);
        assert_eq!(model(&whole), model(&parts), "generation {generation}");
    }
    let audit = parts.audit(&[]).expect("readable");
    assert_eq!(
        (audit.entries, audit.games, audit.problems),
        (5, 32, Vec::new())
    );
}

#[test]
fn old_positions_are_searched_anew_and_again_the_same_after_a_start() {
    let (architecture, device) = (architecture(), Device::flex());
    let without = TrainingConfig {
        window: WindowConfig {
            least: 1000,
            most: 1000,
            ..WindowConfig::default()
        },
        ..training()
    };
    let with = TrainingConfig {
        reanalysis: ReanalysisConfig {
            share: 0.5,
            simulations: 4,
        },
        ..without.clone()
    };
    let [whole, parts, plain] = [run(), run(), run()];
    let open = |run, training, threads| {
        let mut plan = plan(&architecture, training);
        plan.reanalysis.threads = threads;
        Learner::open(run, plan, &device).expect("a run")
    };
    let mut learner = open(&whole, &with, 1);
    open(&parts, &with, 3);
    let mut other = open(&plain, &without, 1);
    for generation in 0..3 {
        for run in [&whole, &parts, &plain] {
            publish(run, generation);
        }
        let lesson = learner.learn(|_, _| ()).expect("there are games");
        let again = open(&parts, &with, 3).learn(|_, _| ());
        let plain_lesson = other.learn(|_, _| ()).expect("there are games");
        assert_eq!(model(&whole), model(&parts), "generation {generation}");
        let samples = lesson.reanalysed.samples;
        assert_eq!(samples, again.expect("there are games").reanalysed.samples);
        assert_eq!(plain_lesson.reanalysed.samples, 0);
        let drawn = lesson.steps * with.batch_size as u64;
        if generation == 0 {
            assert_eq!(samples, 0, "all games are new");
            assert_eq!(model(&whole), model(&plain));
        } else {
            assert!(samples > 0 && samples < drawn / 2, "{samples} of {drawn}");
            assert_ne!(model(&whole), model(&plain));
        }
    }
}

#[test]
fn a_network_grows_and_the_training_goes_on() {
    let (architecture, device) = (architecture(), Device::flex());
    let training = TrainingConfig {
        growth: vec![Growth {
            generation: 1,
            blocks: architecture.blocks + 1,
            channels: architecture.channels + 16,
        }],
        ..training()
    };
    let shape = |run: &Run| {
        let model = Model::from_bytes(&model(run)).expect("a model");
        let architecture = model.weights.architecture().clone();
        (architecture.blocks, architecture.channels)
    };
    let (small, large) = (
        (architecture.blocks, architecture.channels),
        (architecture.blocks + 1, architecture.channels + 16),
    );
    let (whole, parts) = (run(), run());
    let mut learner =
        Learner::open(&whole, plan(&architecture, &training), &device).expect("a new run");
    for generation in 0..3 {
        publish(&whole, generation);
        publish(&parts, generation);
        learner.learn(|_, _| ()).expect("there are games");
        let mut again = Learner::open(&parts, plan(&architecture, &training), &device)
            .expect("the run goes on");
        again.learn(|_, _| ()).expect("there are games");
        assert_eq!(shape(&whole), if generation == 0 { small } else { large });
        assert_eq!(model(&whole), model(&parts), "generation {generation}");
    }
}

#[test]
fn auxiliary_heads_learn_too() {
    let architecture = Architecture {
        reply_head: true,
        soft_policy_head: true,
        ..architecture()
    };
    let (training, run) = (training(), run());
    let mut learner =
        Learner::open(&run, plan(&architecture, &training), &Device::flex()).expect("a new run");
    let fresh = Model::from_bytes(&model(&run)).expect("a model").weights;
    publish(&run, 0);
    let losses = learner.learn(|_, _| ()).expect("there are games").losses;
    assert!(losses.reply > 0.0 && losses.soft_policy > 0.0);
    let learned = Model::from_bytes(&model(&run)).expect("a model").weights;
    for head in ["policy.reply.weight", "policy.soft.weight"] {
        assert_ne!(fresh.get(head), learned.get(head), "{head}");
    }
}

#[test]
fn a_run_can_begin_with_another_network() {
    let (architecture, training, device) = (architecture(), training(), Device::flex());
    let other = Weights::init(architecture.clone(), &mut ChaCha8Rng::seed_from_u64(99));
    let run = run();
    let plan = LearningPlan {
        start: Some(&other),
        ..plan(&architecture, &training)
    };
    Learner::open(&run, plan, &device).expect("a new run");
    let stored = Model::from_bytes(&model(&run)).expect("a model");
    assert_eq!(stored.weights, other);
}

#[test]
fn of_two_trainers_one_has_to_stop() {
    let (architecture, training, device) = (architecture(), training(), Device::flex());
    let run = run();
    let mut first =
        Learner::open(&run, plan(&architecture, &training), &device).expect("a new run");
    let mut second =
        Learner::open(&run, plan(&architecture, &training), &device).expect("the same run");
    publish(&run, 0);
    first.learn(|_, _| ()).expect("the first is in time");
    let errors = [
        second.gather().map(drop).expect_err("nothing to wait for"),
        second.learn(|_, _| ()).map(drop).expect_err("too late"),
    ];
    for error in errors {
        assert!(matches!(error, LearnError::Rival { seq: 1, .. }), "{error}");
    }
    assert_eq!(run.history().expect("readable").len(), 2);
}

#[test]
fn a_generation_without_games_and_a_network_of_another_shape_are_refused() {
    let (architecture, training, device) = (architecture(), training(), Device::flex());
    let run = run();
    let mut learner =
        Learner::open(&run, plan(&architecture, &training), &device).expect("a new run");
    let error = learner.learn(|_, _| ()).expect_err("nothing to learn from");
    assert!(matches!(error, LearnError::NoPositions(0)), "{error}");
    let wider = Architecture {
        channels: 32,
        ..architecture.clone()
    };
    let error = Learner::open(&run, plan(&wider, &training), &device)
        .err()
        .expect("another shape");
    let message = error.to_string();
    assert!(
        message.contains("16") && message.contains("32"),
        "{message}"
    );
}
