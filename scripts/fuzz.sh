#!/usr/bin/env bash
# Fuzzes every reader of files, lines and pasted text, so many seconds each (default 600), from the
# corpus that is kept in crates/fuzz/corpus. Needs `cargo install cargo-fuzz`.
#
#     scripts/fuzz.sh [SECONDS [TARGET...]]
#
# An input that panics, hangs (5 s) or takes too much memory (512 MB) ends it, and is kept in
# crates/fuzz/artifacts. New inputs that reach new code go to $FUZZ_CORPUS (default: a temporary
# folder, so that the kept corpus only changes on purpose).
set -euo pipefail
cd "$(dirname "$0")/../crates/fuzz"

seconds=${1:-600}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(cargo fuzz list --fuzz-dir .)
found=${FUZZ_CORPUS:-$(mktemp -d)}
for target in "${targets[@]}"; do
    mkdir -p "$found/$target"
    # Nothing here needs an address sanitizer, which would need a nightly compiler.
    cargo fuzz run --fuzz-dir . --sanitizer none "$target" "$found/$target" "corpus/$target" -- \
        -max_total_time="$seconds" -timeout=5 -rss_limit_mb=512 -print_final_stats=1
done
