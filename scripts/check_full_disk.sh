#!/usr/bin/env bash
# A disk that is full, then one that is read-only, end training with one clear line and exit code 2; with
# room again the same command goes on and finishes. Mounts a small file system, so it needs root.
# Usage: scripts/check_full_disk.sh PATH_TO_OUTFLANK
set -euo pipefail
outflank=$(realpath "${1:?usage: scripts/check_full_disk.sh PATH_TO_OUTFLANK}")
folder=$(mktemp -d)
mount -t tmpfs -o size=2500k tmpfs "$folder"
trap 'umount -l "$folder"; rmdir "$folder"' EXIT
train=("$outflank" train --config 4x4 --run "$folder/run" --no-rating --generations 8)

# Runs training, which must fail with one line that says why; sets `message`.
must_fail() {
    local status=0
    message=$("${train[@]}" 2>&1 >/dev/null | grep '^outflank: ') || true
    "${train[@]}" >/dev/null 2>&1 || status=$?
    [ "$status" -eq 2 ] || { echo "expected exit code 2, got $status"; exit 1; }
    [ "$(wc -l <<<"$message")" -eq 1 ] || { echo "expected one line, got: $message"; exit 1; }
    grep -qi "$1" <<<"$message" || { echo "expected '$1' in: $message"; exit 1; }
    echo "$message"
}

must_fail 'no space left'
mount -o remount,ro "$folder"
must_fail 'read-only'
mount -o remount,rw,size=64m "$folder"
"${train[@]}"
"$outflank" inspect "$folder/run" --all | tail -n 3
