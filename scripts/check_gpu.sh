#!/usr/bin/env bash
# Evaluation, training and self-play on a GPU: compiles the program with burn's wgpu backend, compares with the
# CPU, and trains a little. Takes any adapter that wgpu finds, and says which; fails without one. One in software
# will do (Debian's package mesa-vulkan-drivers has one), only that its speed says nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo test --workspace --features wgpu --test gpu -- --nocapture
cargo build --workspace --bins --features wgpu
outflank=${CARGO_TARGET_DIR:-target}/debug/outflank

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/8x8.toml" <<'TOML'
name = "8x8"
generations = 2
games_per_generation = 16
games_per_chunk = 8

[network]
blocks = 1
channels = 16

[selfplay.search]
simulations = 4

[training]
batch_size = 16
samples_per_position = 1.0

[tracking]
share = 0.0
TOML
"$outflank" train --config "$folder/8x8.toml" --device wgpu --run "$folder/8x8" --no-rating
# What a GPU has learned, the CPU goes on with.
"$outflank" train --generations 3 --run "$folder/8x8" --no-rating
"$outflank" arena "$folder/8x8" random --games 20
