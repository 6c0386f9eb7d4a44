#!/usr/bin/env bash
# Runs in a bucket: the tests of the crate `run` against an S3 server on this machine.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
server=
cleanup() {
    [ -n "$server" ] && kill "$server" 2>/dev/null
    jobs -p | xargs -r kill 2>/dev/null || true
    rm -rf "$scratch"
}
trap cleanup EXIT

python3 -m venv "$scratch/python"
"$scratch/python/bin/pip" install --quiet 'moto[server]'
export PATH="$scratch/python/bin:$PATH"
export AWS_ACCESS_KEY_ID=outflank AWS_SECRET_ACCESS_KEY=outflank-secret AWS_REGION=us-east-1 AWS_ALLOW_HTTP=true
export NO_PROXY=127.0.0.1 no_proxy=127.0.0.1

# start NAME PORT COMMAND...: a server, and a bucket in it
start() {
    local name=$1 port=$2
    shift 2
    "$@" >"$scratch/$name.log" 2>&1 &
    server=$!
    export AWS_ENDPOINT=http://127.0.0.1:$port
    for _ in $(seq 120); do
        if "$scratch/python/bin/python" - "$AWS_ENDPOINT" <<'PYTHON' 2>/dev/null; then return; fi
import sys
import boto3
client = boto3.client("s3", endpoint_url=sys.argv[1])
if "outflank" not in [bucket["Name"] for bucket in client.list_buckets()["Buckets"]]:
    client.create_bucket(Bucket="outflank")
PYTHON
        sleep 0.5
    done
    echo "$name does not answer; its log:" >&2
    tail "$scratch/$name.log" >&2
    exit 1
}

start moto 5555 moto_server -H 127.0.0.1 -p 5555
echo "== the tests of the crate run"
OUTFLANK_TEST_BUCKET=s3://outflank cargo test --quiet --package outflank-run --features s3
