use std::sync::Arc;

use outflank_kernels::{
    BoardShape, ByteTower, ByteWorkspace, ConvParameters, Dense, Isa, Precision, QuantizedTower,
    QuantizedWorkspace, Tower, TowerWorkspace,
};
use outflank_rules::Board;
use outflank_search::{Evaluation, Evaluator};

use crate::architecture::Architecture;
use crate::calibration::calibration_boards;
use crate::evaluation::{evaluation, expect_size};
use crate::features::encode_channels_last;
use crate::weights::Weights;

/// A network compiled for the CPU it runs on: weights packed once for the kernels, activations in
/// buffers that are used again. The default evaluator wherever a CPU evaluates.
///
/// A position's evaluation has the same bits in any batch. A clone shares the packed weights and
/// has buffers of its own, so that every thread can have one.
#[derive(Clone, Debug)]
pub struct CompiledNetwork {
    layers: Arc<Layers>,
    buffers: Buffers,
}

/// The packed layers. The convolutions that begin the two heads are one layer of both.
#[derive(Debug)]
struct Layers {
    architecture: Architecture,
    tower: PackedTower,
    heads: Dense,
    policy: Dense,
    hidden: Dense,
    value: Dense,
}

#[derive(Debug)]
enum PackedTower {
    Full(Tower),
    Int16(QuantizedTower),
    Int8(ByteTower),
}

#[derive(Clone, Debug, Default)]
struct Buffers {
    tower: TowerWorkspace,
    quantized: QuantizedWorkspace,
    bytes: ByteWorkspace,
    /// `[boards, planes]`
    bits: Vec<u64>,
    /// `[boards, side, side, planes]`
    planes: Vec<f32>,
    /// `[boards, side, side, channels]`
    features: Vec<f32>,
    /// `[boards, side, side, policy_channels + value_channels]`
    heads: Vec<f32>,
    /// `[boards, side, side, policy_channels]`
    policy_input: Vec<f32>,
    /// `[boards, side, side, value_channels]`
    value_input: Vec<f32>,
    /// `[boards, area]`
    policy: Vec<f32>,
    /// `[boards, value_hidden]`
    hidden: Vec<f32>,
    /// `[boards, 4]`: win, draw, loss, margin
    value: Vec<f32>,
}

/// Boards that go through the whole network together: enough to fill the kernels' blocks, few
/// enough for all activations to stay in the cache.
const BOARDS: usize = 24;

impl CompiledNetwork {
    /// Packs the weights for the fastest instructions of this machine, in f32.
    pub fn new(weights: &Weights) -> CompiledNetwork {
        CompiledNetwork::with_precision(weights, Precision::F32)
    }

    /// Packs the weights with a tower in the given precision; the heads stay in f32. Integers are
    /// faster, and slightly off. Their ranges are those of a fixed set of positions, so that the
    /// same weights always make the same network.
    pub fn with_precision(weights: &Weights, precision: Precision) -> CompiledNetwork {
        CompiledNetwork::with_isa(weights, precision, Isa::detect())
    }

    /// Packs the weights for a chosen instruction set.
    pub fn with_isa(weights: &Weights, precision: Precision, isa: Isa) -> CompiledNetwork {
        CompiledNetwork {
            layers: Arc::new(Layers::new(weights, precision, isa)),
            buffers: Buffers::default(),
        }
    }

    /// In what the tower computes; never [`Precision::Auto`].
    pub fn precision(&self) -> Precision {
        match self.layers.tower {
            PackedTower::Full(_) => Precision::F32,
            PackedTower::Int16(_) => Precision::Int16,
            PackedTower::Int8(_) => Precision::Int8,
        }
    }

    /// What the network was built from.
    pub fn architecture(&self) -> &Architecture {
        &self.layers.architecture
    }
}

impl Evaluator for CompiledNetwork {
    /// # Panics
    /// If a board has another size than the network.
    fn evaluate(&mut self, boards: &[Board], out: &mut Vec<Evaluation>) {
        out.clear();
        expect_size(&self.layers.architecture, boards);
        for boards in boards.chunks(BOARDS) {
            self.layers.forward(boards, &mut self.buffers);
            let area = self.layers.architecture.size.area();
            let policy = self.buffers.policy.chunks_exact(area);
            for (policy, value) in policy.zip(self.buffers.value.as_chunks::<4>().0) {
                let [win, draw, loss, margin] = *value;
                let size = self.layers.architecture.size;
                out.push(evaluation(size, policy, [win, draw, loss], margin));
            }
        }
    }
}

impl Layers {
    fn new(weights: &Weights, precision: Precision, isa: Isa) -> Layers {
        let architecture = weights.architecture().clone();
        let Architecture {
            size,
            policy_channels,
            value_channels,
            channels,
            ..
        } = architecture;
        let get = |name: &str| weights.get(name).expect("weights have every tensor");
        let conv = |name: &str| ConvParameters {
            weight: get(&format!("{name}.weight")),
            bias: get(&format!("{name}.bias")),
        };
        let join = |names: [&str; 2]| [get(names[0]), get(names[1])].concat();
        let dense = |inputs, weight: &[f32], bias: &[f32], relu| {
            Dense::new(isa, inputs, weight, bias, relu).expect("layers fit their architecture")
        };
        let blocks: Vec<[ConvParameters; 2]> = (0..architecture.blocks)
            .map(|block| ["conv1", "conv2"].map(|name| conv(&format!("tower.{block}.{name}"))))
            .collect();
        let shape = BoardShape::new(size.side()).expect("every size has kernels");
        let inputs = architecture.features.len();
        let stem = conv("stem");
        let tower = match precision.on(isa) {
            Precision::F32 | Precision::Auto => {
                Tower::new(isa, shape, inputs, stem, &blocks).map(PackedTower::Full)
            }
            Precision::Int16 => {
                let boards = calibration_boards(size);
                let mut planes = vec![0.0; boards.len() * size.area() * inputs];
                encode_boards(&architecture, &boards, &mut planes);
                QuantizedTower::new(isa, shape, inputs, stem, &blocks, &planes)
                    .map(PackedTower::Int16)
            }
            Precision::Int8 => {
                let mut planes = Vec::new();
                encode_bits(&architecture, &calibration_boards(size), &mut planes);
                ByteTower::new(isa, shape, inputs, stem, &blocks, &planes).map(PackedTower::Int8)
            }
        };
        Layers {
            tower: tower.expect("layers fit their architecture"),
            heads: dense(
                channels,
                &join(["policy.conv.weight", "value.conv.weight"]),
                &join(["policy.conv.bias", "value.conv.bias"]),
                true,
            ),
            policy: dense(
                policy_channels * size.area(),
                &channels_last(get("policy.dense.weight"), policy_channels, size.area()),
                get("policy.dense.bias"),
                false,
            ),
            hidden: dense(
                value_channels * size.area(),
                &channels_last(get("value.dense.weight"), value_channels, size.area()),
                get("value.dense.bias"),
                true,
            ),
            value: dense(
                architecture.value_hidden,
                &join(["value.outcome.weight", "value.margin.weight"]),
                &join(["value.outcome.bias", "value.margin.bias"]),
                false,
            ),
            architecture,
        }
    }

    fn forward(&self, boards: &[Board], buffers: &mut Buffers) {
        let Architecture {
            size,
            policy_channels,
            value_channels,
            ..
        } = self.architecture;
        let squares = boards.len() * size.area();
        let inputs = self.architecture.features.len();
        let features = sized(&mut buffers.features, squares * self.architecture.channels);
        if let PackedTower::Int8(_) = &self.tower {
            encode_bits(&self.architecture, boards, &mut buffers.bits);
        } else {
            let planes = sized(&mut buffers.planes, squares * inputs);
            encode_boards(&self.architecture, boards, planes);
        }
        let (planes, bits) = (&buffers.planes, &buffers.bits);
        match &self.tower {
            PackedTower::Full(tower) => tower.forward(planes, features, &mut buffers.tower),
            PackedTower::Int16(tower) => tower.forward(planes, features, &mut buffers.quantized),
            PackedTower::Int8(tower) => tower.forward(bits, features, &mut buffers.bytes),
        }

        let heads = sized(
            &mut buffers.heads,
            squares * (policy_channels + value_channels),
        );
        self.heads.forward(features, heads);
        let policy_input = sized(&mut buffers.policy_input, squares * policy_channels);
        let value_input = sized(&mut buffers.value_input, squares * value_channels);
        let rows = policy_input
            .chunks_exact_mut(policy_channels)
            .zip(value_input.chunks_exact_mut(value_channels));
        let both = heads.chunks_exact(policy_channels + value_channels);
        for ((policy, value), both) in rows.zip(both) {
            policy.copy_from_slice(&both[..policy_channels]);
            value.copy_from_slice(&both[policy_channels..]);
        }

        self.policy
            .forward(policy_input, sized(&mut buffers.policy, squares));
        let hidden = sized(
            &mut buffers.hidden,
            boards.len() * self.architecture.value_hidden,
        );
        self.hidden.forward(value_input, hidden);
        self.value
            .forward(hidden, sized(&mut buffers.value, boards.len() * 4));
    }
}

/// Writes the planes of some boards, `[boards, side, side, planes]`.
fn encode_boards(architecture: &Architecture, boards: &[Board], planes: &mut [f32]) {
    let len = architecture.size.area() * architecture.features.len();
    for (board, planes) in boards.iter().zip(planes.chunks_exact_mut(len)) {
        encode_channels_last(&architecture.features, board, planes);
    }
}

/// The planes of some boards as bitboards, `[boards, planes]`.
fn encode_bits(architecture: &Architecture, boards: &[Board], planes: &mut Vec<u64>) {
    planes.clear();
    for board in boards {
        let features = architecture.features.iter();
        planes.extend(features.map(|feature| feature.squares(board)));
    }
}

/// Reorders the inputs of a dense layer from `[channels, squares]`, as burn flattens them, to
/// `[squares, channels]`, as the kernels keep them.
fn channels_last(weight: &[f32], channels: usize, squares: usize) -> Vec<f32> {
    let mut reordered = Vec::with_capacity(weight.len());
    for row in weight.chunks_exact(channels * squares) {
        for square in 0..squares {
            reordered.extend((0..channels).map(|channel| row[channel * squares + square]));
        }
    }
    reordered
}

fn sized(buffer: &mut Vec<f32>, len: usize) -> &mut [f32] {
    buffer.resize(len, 0.0);
    buffer
}
