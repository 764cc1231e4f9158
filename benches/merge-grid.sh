#!/usr/bin/env bash
# Which merge settings load and compact a table fastest?
#
# Runs `chimera load` against a fresh server for each pair of settings, parallel_chunk_merges × merge_chunks_per_job, and prints a table:
# seconds to load and to compacted, the tail between them, disk chunks at the end of the load and at most, bytes written by flushes and
# merges for each byte flushed, and CPU seconds of the server. "unset" is what the engine chooses by itself. The rows are the same in
# every cell: an id, 10 to 100 words drawn by Zipf's law from 100 000, a number.
#
# usage: benches/merge-grid.sh [ROWS [PAIR…]]       default: 1000000 rows, pairs 1,2 1,5 2,2 2,5 4,5 unset
#        benches/merge-grid.sh 10000000 all         1, 2, 3, 4, 5 × 2, 3, 4, 5, 8, 16, and unset
#
#   CHIMERA         the binary (default: release/chimera under CARGO_TARGET_DIR or target)
#   THREADS         connections that load (default: 2)
#   BATCH           rows of a statement (default: 1000)
#   CUTOFF          optimize_cutoff of the table (default: 16)
#   ENGINE          rowwise or columnar (default: rowwise)
#   RT_MEM_LIMIT    RAM chunk at which the table is flushed (default: 8M, about 70 flushes of a million rows; use 128M for ten)
#   FOLDER          where data goes, a folder of its own for each cell (default: a temporary one)
#
# Needs Linux (/proc). Benchmarks on a busy machine mislead: the load average is printed with the table.

set -uo pipefail

rows=${1:-1000000}
(($# > 0)) && shift
pairs=("$@")
if ((${#pairs[@]} == 0)); then
    pairs=(1,2 1,5 2,2 2,5 4,5 unset)
elif [[ ${pairs[0]} == all ]]; then
    pairs=()
    for slots in 1 2 3 4 5; do
        for fan_in in 2 3 4 5 8 16; do
            pairs+=("$slots,$fan_in")
        done
    done
    pairs+=(unset)
fi

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
binary=${CHIMERA:-${CARGO_TARGET_DIR:-$checkout/target}/release/chimera}
[[ -x $binary ]] || { echo "no binary at $binary: cargo build --release, or set CHIMERA" >&2; exit 1; }
folder=${FOLDER:-$(mktemp -d)}
server=

stop_server() {
    [[ -n $server ]] || return 0
    kill "$server" 2>/dev/null
    wait "$server" 2>/dev/null
    server=
}
trap 'stop_server; [[ -n ${FOLDER:-} ]] || rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM

# start_server PAIR: a server with an empty data_dir and the settings of the pair. Sets server and port.
start_server() {
    local cell=$folder/$1 settings=
    if [[ $1 != unset ]]; then
        settings="parallel_chunk_merges = ${1%,*}"$'\n'"    merge_chunks_per_job = ${1#*,}"
    fi
    rm -rf "$cell"
    mkdir -p "$cell/data" || return 1
    port=$((20000 + RANDOM % 10000))
    printf 'searchd {\n    listen = 127.0.0.1:%d:mysql\n    data_dir = %s/data\n    %s\n}\n' "$port" "$cell" "$settings" >"$cell/chimera.conf"
    "$binary" --config "$cell/chimera.conf" >"$cell/server.log" 2>&1 &
    server=$!
    for _ in $(seq 150); do
        kill -0 "$server" 2>/dev/null || { tail -n 5 "$cell/server.log" >&2; return 1; }
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return 0
        sleep 0.1
    done
    return 1
}

# User and system seconds of the server.
cpu_seconds() {
    awk -v ticks="$(getconf CLK_TCK)" '{ sub(/^.*\) /, ""); printf "%.1f", ($12 + $13) / ticks }' "/proc/$server/stat"
}

printf '%s rows, %s, %s connections, batches of %s, cutoff %s, rt_mem_limit %s, %s cores, load average before %s\n' "$rows" "${ENGINE:-rowwise}" \
    "${THREADS:-2}" "${BATCH:-1000}" "${CUTOFF:-16}" "${RT_MEM_LIMIT:-8M}" "$(nproc)" "$(cut -d' ' -f1 /proc/loadavg)"
printf '%-7s %9s %11s %8s %14s %6s %6s %8s %8s %10s\n' pair 'load, s' compacted tail 'chunks:loaded' peak end written 'CPU, s' 'rows/s'

failed=0
for pair in "${pairs[@]}"; do
    [[ $pair =~ ^([0-9]+,[0-9]+|unset)$ ]] || { echo "$pair: a pair such as 2,5, or unset, expected" >&2; exit 1; }
    if ! start_server "$pair"; then
        echo "$pair: the server did not start"
        failed=1
        continue
    fi
    "$binary" load --port="$port" --quiet --drop --wait --cache-gen-workers=2 --threads="${THREADS:-2}" --batch-size="${BATCH:-1000}" \
        --total="$rows" \
        --init="CREATE TABLE test(id bigint, name text, type int) optimize_cutoff='${CUTOFF:-16}' rt_mem_limit='${RT_MEM_LIMIT:-8M}' engine='${ENGINE:-rowwise}'" \
        --load="INSERT INTO test(id,name,type) VALUES(<increment>,'<text/10/100>',<int/1/100>)" >"$folder/report" || failed=1
    cpu=$(cpu_seconds)
    awk -F ';' -v pair="$pair" -v cpu="$cpu" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 {
            printf "%-7s %9.1f %11.1f %8.1f %14s %6s %6s %7sx %8.1f %10.0f\n", pair, $at["load_seconds"], $at["compacted_seconds"], $at["tail_seconds"],
                $at["chunks_loaded"], $at["chunks_peak"], $at["chunks"], $at["write_amplification"], cpu, $at["per_second"]
        }
        END { if (NR < 2) print pair ": no report" }' "$folder/report"
    stop_server
    [[ -n ${FOLDER:-} ]] || rm -rf "${folder:?}/$pair"
done
exit "$failed"
