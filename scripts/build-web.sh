#!/usr/bin/env bash
# Rebuilds crates/web/dist, the page that `outflank export --web` writes: the module of crate web, and
# the scripts and style of crates/web/page. Needs node with npm, and Rust's target
# wasm32-unknown-unknown, which rustup adds where it can.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
page=crates/web/page
dist=${1:-crates/web/dist}
tools=$target/web-tools

# The tool must be of the version that the crate was built with.
version=$(sed -n 's/^wasm-bindgen = "=\(.*\)".*/\1/p' Cargo.toml)
if ! "$tools/bin/wasm-bindgen" --version 2>/dev/null | grep -qF "$version"; then
    cargo install --quiet wasm-bindgen-cli --version "$version" --root "$tools"
fi

if ! [ -d "$(rustc --print target-libdir --target wasm32-unknown-unknown)" ]; then
    rustup target add wasm32-unknown-unknown
fi
# Two modules: one for every browser, one for those that can multiply and add at once. Paths of this
# machine say nothing to others, and would make the modules differ from machine to machine.
module() {
    local flags="-C target-feature=$1 --remap-path-prefix=$PWD=outflank"
    flags+=" --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo --remap-path-prefix=$(rustc --print sysroot)=rust"
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS=$flags \
        cargo build --package outflank-web --lib --target wasm32-unknown-unknown --profile web
    "$tools/bin/wasm-bindgen" --target web --remove-name-section --remove-producers-section \
        --out-dir "$page/pkg" "$target/wasm32-unknown-unknown/web/outflank_web.wasm"
    cp "$page/pkg/outflank_web_bg.wasm" "$dist/$2"
}
mkdir -p "$dist"
module +simd128,+relaxed-simd outflank-relaxed.wasm
module +simd128 outflank.wasm

npm --prefix "$page" ci --no-audit --no-fund --loglevel=error
(cd "$page" && npx --no-install tsc)

bundle() {
    "$page/node_modules/.bin/esbuild" "$page/src/$1.ts" --outfile="$dist/$2.js" \
        --bundle --minify --format=iife --target=es2022 --log-level=warning \
        --log-override:empty-import-meta=silent # the module is always given to the glue
}
bundle main page
bundle worker worker
bundle sw sw
"$page/node_modules/.bin/esbuild" "$page/style.css" --outfile="$dist/style.css" --minify --log-level=warning
cp "$page/index.html" "$page/icon.svg" "$page/manifest.webmanifest" "$dist"
ls -l "$dist"
