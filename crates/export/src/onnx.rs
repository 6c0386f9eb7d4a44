//! The network as an ONNX model.
//!
//! The graph is the one of [`outflank_net::Network::forward`] in the order of axes that ONNX
//! prefers, `[batch, channels, rows, columns]`. Field numbers are those of `onnx.proto`.

use outflank_net::{Architecture, Model, Weights};

use crate::protobuf::Message;

/// The version of the file's layout, and of the operators: old enough for every runtime of the last
/// years, new enough for axes as inputs.
const IR_VERSION: i64 = 8;
const OPSET: i64 = 17;

/// Types of elements.
const FLOAT: i64 = 1;
const INT64: i64 = 7;

/// The model as the bytes of an ONNX file. Equal models make equal bytes.
///
/// One input, `planes` `[batch, planes, side, side]`, as [`outflank_net::encode`] makes it. Four
/// outputs, all seen by the player to move: `policy` `[batch, area]`, logits of the squares row by
/// row; `outcome` `[batch, 3]`, probabilities of win, draw and loss; `margin` `[batch]`, the
/// expected final disc difference in discs, empty squares to the winner; `ownership`
/// `[batch, side, side]`, the expected owner of each square at the end, from -1 to 1. Any batch.
///
/// Weights keep the names that they have in the model's own file; those of heads that only help in
/// training are left out.
pub fn to_onnx(model: &Model) -> Vec<u8> {
    let architecture = model.weights.architecture();
    let opset = Message::default().text(1, "").int(2, OPSET);
    let property = |key: &str, value: &str| Message::default().text(1, key).text(2, value);
    let features: Vec<String> = architecture
        .features
        .iter()
        .map(ToString::to_string)
        .collect();
    Message::default()
        .int(1, IR_VERSION)
        .text(2, "outflank")
        .text(3, env!("CARGO_PKG_VERSION"))
        .text(6, &format!("Outflank network for Reversi: {architecture}"))
        .message(7, &graph(&model.weights))
        .message(8, &opset)
        .message(14, &property("outflank", &model.description()))
        .message(14, &property("features", &features.join(",")))
        .into_bytes()
}

fn graph(weights: &Weights) -> Message {
    let architecture = weights.architecture();
    let (area, side) = (architecture.size.area(), architecture.size.side());
    let mut graph = Graph::default();

    let x = graph.conv("planes", "stem", 3);
    let mut x = graph.relu(x);
    for block in 0..architecture.blocks {
        let y = graph.conv(&x, &format!("tower.{block}.conv1"), 3);
        let y = graph.relu(y);
        let y = graph.conv(&y, &format!("tower.{block}.conv2"), 3);
        let sum = format!("tower.{block}.sum");
        graph.node("Add", &[&y, &x], &sum, &[]);
        x = graph.relu(sum);
    }

    let y = graph.head(&x, "policy.conv");
    graph.dense(&y, "policy.dense", "policy");

    let y = graph.head(&x, "value.conv");
    graph.dense(&y, "value.dense", "value.dense");
    let hidden = graph.relu("value.dense".to_owned());
    graph.dense(&hidden, "value.outcome", "value.outcome");
    graph.node("Softmax", &["value.outcome"], "outcome", &[int("axis", 1)]);
    graph.dense(&hidden, "value.margin", "value.margin");
    let half = (area / 2) as f32;
    graph.constant("discs", FLOAT, &[], &half.to_le_bytes());
    graph.node("Mul", &["value.margin", "discs"], "value.discs", &[]);
    graph.constant("axis", INT64, &[1], &1i64.to_le_bytes());
    graph.node("Squeeze", &["value.discs", "axis"], "margin", &[]);

    let y = graph.conv(&x, "ownership", 1);
    graph.node("Squeeze", &[&y, "axis"], "ownership.squares", &[]);
    graph.node("Tanh", &["ownership.squares"], "ownership", &[]);

    let mut tensors = architecture
        .tensors()
        .into_iter()
        .zip(weights.tensors())
        .filter(|(spec, _)| graph.uses(&spec.name))
        .map(|(spec, values)| {
            let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
            tensor(&spec.name, FLOAT, &spec.shape, &bytes)
        })
        .collect::<Vec<_>>();
    tensors.append(&mut graph.constants);
    Message::default()
        .messages(1, &graph.nodes)
        .text(2, "outflank")
        .messages(5, &tensors)
        .message(11, &input(architecture))
        .messages(12, &outputs(area, side))
}

fn input(architecture: &Architecture) -> Message {
    let side = architecture.size.side();
    let shape = [architecture.features.len(), side, side];
    let text = "1 on the squares of a set, 0 elsewhere; the sets are listed in the metadata \
                'features', sides seen by the player to move";
    value("planes", &shape, text)
}

fn outputs(area: usize, side: usize) -> [Message; 4] {
    [
        value(
            "policy",
            &[area],
            "logits of the squares, row by row from a1; mask the illegal ones before a softmax",
        ),
        value(
            "outcome",
            &[3],
            "probabilities of a win, a draw and a loss of the player to move",
        ),
        value(
            "margin",
            &[],
            "expected final disc difference for the player to move, in discs, empty squares to \
             the winner",
        ),
        value(
            "ownership",
            &[side, side],
            "expected final owner of each square: 1 the player to move, -1 the opponent",
        ),
    ]
}

/// The nodes and constants so far.
#[derive(Default)]
struct Graph {
    nodes: Vec<Message>,
    constants: Vec<Message>,
    /// The layers whose weights the nodes refer to.
    layers: Vec<String>,
}

impl Graph {
    /// Adds an operator; a node is named like its output.
    fn node(&mut self, operator: &str, inputs: &[&str], output: &str, attributes: &[Message]) {
        let node = inputs
            .iter()
            .fold(Message::default(), |node, input| node.text(1, input))
            .text(2, output)
            .text(3, output)
            .text(4, operator)
            .messages(5, attributes);
        self.nodes.push(node);
    }

    /// Whether a layer has this tensor as its weight or bias.
    fn uses(&self, tensor: &str) -> bool {
        let layer = tensor.rsplit_once('.').map(|(layer, _)| layer);
        self.layers.iter().any(|used| Some(used.as_str()) == layer)
    }

    fn constant(&mut self, name: &str, element: i64, shape: &[usize], bytes: &[u8]) {
        self.constants.push(tensor(name, element, shape, bytes));
    }

    /// A convolution that keeps the size of the board; returns its output.
    fn conv(&mut self, input: &str, layer: &str, kernel: i64) -> String {
        self.layers.push(layer.to_owned());
        let output = format!("{layer}.out");
        let border = kernel / 2;
        self.node(
            "Conv",
            &[input, &format!("{layer}.weight"), &format!("{layer}.bias")],
            &output,
            &[
                ints("kernel_shape", &[kernel; 2]),
                ints("pads", &[border; 4]),
            ],
        );
        output
    }

    fn relu(&mut self, input: String) -> String {
        let output = format!("{input}.relu");
        self.node("Relu", &[&input], &output, &[]);
        output
    }

    /// The convolution that begins a head, its squares in one row: `[batch, channels * area]`.
    fn head(&mut self, input: &str, layer: &str) -> String {
        let y = self.conv(input, layer, 1);
        let y = self.relu(y);
        let output = format!("{layer}.flat");
        self.node("Flatten", &[&y], &output, &[int("axis", 1)]);
        output
    }

    fn dense(&mut self, input: &str, layer: &str, output: &str) {
        self.layers.push(layer.to_owned());
        self.node(
            "Gemm",
            &[input, &format!("{layer}.weight"), &format!("{layer}.bias")],
            output,
            &[int("transB", 1)],
        );
    }
}

/// An attribute that is a whole number; 2 is its type.
fn int(name: &str, value: i64) -> Message {
    Message::default().text(1, name).int(3, value).int(20, 2)
}

/// An attribute that is a list of whole numbers; 7 is its type.
fn ints(name: &str, values: &[i64]) -> Message {
    Message::default().text(1, name).ints(8, values).int(20, 7)
}

/// A tensor from the little-endian bytes of its elements.
fn tensor(name: &str, element: i64, shape: &[usize], bytes: &[u8]) -> Message {
    let shape: Vec<i64> = shape.iter().map(|&length| length as i64).collect();
    Message::default()
        .ints(1, &shape)
        .int(2, element)
        .text(8, name)
        .bytes(9, bytes)
}

/// An input or output `[batch, shape..]` of the graph.
fn value(name: &str, shape: &[usize], description: &str) -> Message {
    let batch = Message::default().text(2, "batch");
    let lengths = shape
        .iter()
        .map(|&length| Message::default().int(1, length as i64));
    let dimensions: Vec<Message> = std::iter::once(batch).chain(lengths).collect();
    let shape = Message::default().messages(1, &dimensions);
    let tensor_type = Message::default().int(1, FLOAT).message(2, &shape);
    Message::default()
        .text(1, name)
        .message(2, &Message::default().message(1, &tensor_type))
        .text(3, description)
}
