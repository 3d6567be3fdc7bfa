#!/bin/bash
# make test-stores: real servers under asif drive. Each set up as it should be must be linearizable, and each as it should not be must
# be caught.
#
#   tests/stores.sh ASIF [SECONDS [WORD...]]   cases whose names contain any of the words; each is driven so long
#
# Everything runs on this machine, in a folder of its own, at ports from 17000 on; nothing is left running.
set -u
asif=$1 seconds=${2:-20}
shift; shift
case $asif in /*) ;; *) asif=$PWD/$asif ;; esac
root=$PWD
work=$(mktemp -d)
chmod 755 "$work"
cd "$work" || exit 1
bad=0 ran=0
postgres_bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)

stop_all() {
  for f in "$work"/*.pid; do
    [ -e "$f" ] && pid=$(head -1 "$f") && kill -CONT "$pid" 2>/dev/null && kill -9 "$pid" 2>/dev/null
    rm -f "$f"
  done
}
trap 'stop_all; cd /; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

wait_for() { # PORT
  for _ in $(seq 300); do
    (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
    sleep 0.1
  done
  echo "nothing listens at port $1"
  return 1
}

wanted() {
  [ $# -gt 1 ] || return 0
  name=$1
  shift
  for word; do case $name in *"$word"*) return 0 ;; esac; done
  return 1
}

# drive NAME VERDICT ARGUMENT...: VERDICT is right or wrong.
drive() {
  name=$1 want=$2
  shift 2
  "$asif" drive "$@" -t "$seconds" -o "$name.edn" >"$name.out" 2>&1
  got=$?
  verdict=$(tail -1 "$name.out" | cut -c1-110)
  numbers=$(grep -oE '[0-9]+ operations ok, [0-9]+ failed, [0-9]+ unknown' "$name.out" | head -1)
  ran=$((ran + 1))
  ! grep -q 'could not be switched' "$name.out" || got=fault
  case $want$got in
  right0 | wrong1) printf 'ok   %-28s %s; %s\n' "$name" "$numbers" "$verdict" ;;
  *)
    bad=$((bad + 1))
    printf 'FAIL %-28s should be %s, ended with %s\n' "$name" "$want" "$got"
    tail -30 "$name.out"
    ;;
  esac
}

redis() { # NAME PORT ARGUMENT...: starts one
  mkdir -p "$1"
  redis-server --port "$2" --bind 127.0.0.1 --dir "$work/$1" --pidfile "$work/$1.pid" --daemonize yes "${@:3}" >/dev/null
  wait_for "$2"
}
redis_cases() {
  if wanted redis-one "$@"; then
    redis a 17001 --save ''
    drive redis-one right redis://127.0.0.1:17001 --fault "pause:@$work/a.pid" --every 2s
    stop_all
  fi
  if wanted redis-fsync "$@"; then
    redis a 17001 --save '' --appendonly yes --appendfsync always
    again="redis-server --port 17001 --bind 127.0.0.1 --dir $work/a --pidfile $work/a.pid --daemonize yes --save '' --appendonly yes --appendfsync always"
    drive redis-fsync right redis://127.0.0.1:17001 --rate 300 --fault "kill:@$work/a.pid:$again" --every 2s
    stop_all
  fi
  if wanted redis-nothing-saved "$@"; then
    redis a 17001 --save ''
    again="redis-server --port 17001 --bind 127.0.0.1 --dir $work/a --pidfile $work/a.pid --daemonize yes --save ''"
    drive redis-nothing-saved wrong redis://127.0.0.1:17001 --fault "kill:@$work/a.pid:$again" --every 2s
    stop_all
  fi
  if wanted redis-replica-reads "$@"; then
    redis a 17001 --save ''
    redis b 17002 --save '' --replicaof 127.0.0.1 17001
    drive redis-replica-reads wrong redis://127.0.0.1:17001,127.0.0.1:17002 --option replica-reads --fault "pause:@$work/b.pid" --every 1s
    stop_all
  fi
  if wanted redis-failover "$@"; then
    # The replica becomes the primary, without what had not been sent to it: it was paused meanwhile.
    redis a 17001 --save ''
    redis b 17002 --save '' --replicaof 127.0.0.1 17001
    cat >failover.sh <<END
kill -STOP \$(cat $work/b.pid); sleep 1; kill -9 \$(cat $work/a.pid); kill -CONT \$(cat $work/b.pid)
redis-cli -p 17002 replicaof no one >/dev/null
redis-cli -p 17002 config set port 17001 >/dev/null
END
    drive redis-failover wrong redis://127.0.0.1:17001 --fault "failover: sh $work/failover.sh / true" --every 3s
    stop_all
  fi
}

memcached_start() { # ARGUMENT...
  user=
  [ "$(id -u)" != 0 ] || user='-u nobody'
  memcached -p 17101 -U 0 -l 127.0.0.1 $user "$@" >memcached.log 2>&1 &
  echo $! >m.pid
  disown
  wait_for 17101
}
memcached_cases() {
  if wanted memcached-one "$@"; then
    memcached_start
    drive memcached-one right memcached://127.0.0.1:17101 --ops get,put,cas,delete --fault "pause:@$work/m.pid" --every 2s
    stop_all
  fi
  if wanted memcached-evicts "$@"; then
    memcached_start -m 2 -I 512k
    drive memcached-evicts wrong memcached://127.0.0.1:17101 --ops get,put -k 60000 -r 0 -n 8
    stop_all
  fi
}

etcd_node() { # NUMBER
  cluster=e1=http://127.0.0.1:17211,e2=http://127.0.0.1:17212,e3=http://127.0.0.1:17213
  etcd --name "e$1" --data-dir "$work/e$1" --listen-client-urls "http://127.0.0.1:1720$1" \
    --advertise-client-urls "http://127.0.0.1:1720$1" --listen-peer-urls "http://127.0.0.1:1721$1" \
    --initial-advertise-peer-urls "http://127.0.0.1:1721$1" --initial-cluster $cluster --logger zap --log-level error \
    --unsafe-no-fsync >"e$1.log" 2>&1 &
  echo $! >"e$1.pid"
  disown
}
etcd_start() {
  rm -rf e1 e2 e3
  for n in 1 2 3; do etcd_node $n; done
  for n in 1 2 3; do wait_for 1720$n; done
  for _ in $(seq 100); do
    ETCDCTL_API=3 etcdctl --endpoints http://127.0.0.1:17201 put ready 1 >/dev/null 2>&1 && return
    sleep 0.2
  done
}
etcd_cases() {
  nodes=etcd://127.0.0.1:17201,127.0.0.1:17202,127.0.0.1:17203
  if wanted etcd-three "$@"; then
    etcd_start
    drive etcd-three right $nodes -n 6 --rate 300 --timeout 2s --fault "pause:@$work/e1.pid ;; pause:@$work/e2.pid ;; pause:@$work/e3.pid" --every 3s
    stop_all
  fi
  if wanted etcd-serializable "$@"; then
    etcd_start
    drive etcd-serializable wrong $nodes -n 6 --option serializable --ops get,put -k 2 --fault "pause:@$work/e1.pid ;; pause:@$work/e2.pid ;; pause:@$work/e3.pid" --every 1s
    stop_all
  fi
}

# PostgreSQL runs as somebody who is not root.
other_user=
[ "$(id -u)" != 0 ] || other_user='setpriv --reuid=nobody --regid=nogroup --clear-groups'
postgres() { # NAME PORT SETTING...
  $other_user "$postgres_bin/postgres" -D "$work/$1.d" -p "$2" -c listen_addresses=127.0.0.1 -c "unix_socket_directories=$work/$1.s" \
    -c max_connections=60 "${@:3}" >"$1.log" 2>&1 &
  echo $! >"$1.pid"
  for _ in $(seq 200); do
    "$postgres_bin/pg_isready" -q -h 127.0.0.1 -p "$2" && return
    sleep 0.1
  done
}
postgres_new() {
  rm -rf "$1.d" "$1.s"
  mkdir "$1.d" "$1.s"
  [ "$(id -u)" != 0 ] || chown nobody:nogroup "$1.d" "$1.s"
  $other_user "$postgres_bin/initdb" -D "$work/$1.d" -U asif -A trust --no-sync >initdb.out 2>&1 || cat initdb.out
}
postgres_stop() {
  for n; do
    [ ! -e "$n.pid" ] || { kill -CONT "$(cat "$n.pid")"; kill -INT "$(cat "$n.pid")" 2>/dev/null; wait "$(cat "$n.pid")" 2>/dev/null; rm -f "$n.pid"; }
  done
}
postgres_cases() {
  cc -O -I"$(pg_config --includedir)" "$root/examples/drive/postgres.c" -lpq -o postgres-client || { bad=$((bad + 1)); return; }
  one='host=127.0.0.1 port=17301 user=asif dbname=postgres connect_timeout=5'
  two='host=127.0.0.1 port=17302 user=asif dbname=postgres connect_timeout=5'
  if wanted postgres-one "$@"; then
    postgres_new p && postgres p 17301
    drive postgres-one right "./postgres-client '$one'" --ops get,put,cas,delete --rate 500
    postgres_stop p
  fi
  if wanted postgres-split-cas "$@"; then
    postgres_new p && postgres p 17301 -c fsync=off
    SPLIT_CAS=1 drive postgres-split-cas wrong "./postgres-client '$one'" --ops get,put,cas -k 1 -n 10 -r 0
    postgres_stop p
  fi
  if wanted postgres-async "$@"; then
    # What was acknowledged is not on the disk yet when all of it is killed.
    postgres_new p && postgres p 17301 -c synchronous_commit=off -c wal_writer_delay=10s -c wal_writer_flush_after=0
    cat >again.sh <<END
rm -f $work/p.d/postmaster.pid
cd $work
work=$work postgres_bin=$postgres_bin other_user='$other_user'
$(declare -f postgres)
postgres p 17301 -c synchronous_commit=off -c wal_writer_delay=10s -c wal_writer_flush_after=0
END
    drive postgres-async wrong "./postgres-client '$one'" --rate 500 --timeout 3s \
      --fault "crash: pkill -9 -f '$work/p[.]d'; sleep 0.5 / bash $work/again.sh" --every 3s
    pkill -9 -f "$work/p[.]d"
    rm -f p.pid
  fi
  if wanted postgres-replica-reads "$@"; then
    postgres_new p && postgres p 17301
    rm -rf q.d q.s; mkdir q.s; mkdir q.d; chmod 700 q.d
    [ "$(id -u)" != 0 ] || chown nobody:nogroup q.d q.s
    $other_user "$postgres_bin/pg_basebackup" -h 127.0.0.1 -p 17301 -U asif -D "$work/q.d" -R -c fast >basebackup.out 2>&1 || cat basebackup.out
    postgres q 17302
    drive postgres-replica-reads wrong "./postgres-client '$one' '$two'" --ops get,put -k 2 -r 0
    postgres_stop q p
  fi
}

need() { # NAME PROGRAM
  [ -x "$2" ] || command -v "$2" >/dev/null 2>&1 && return
  echo "skip $1: there is no $2 (tools/deps stores)"
  return 1
}
! need redis redis-server || redis_cases "$@"
! need memcached memcached || memcached_cases "$@"
! need etcd etcd || etcd_cases "$@"
! need postgres "${postgres_bin:-/usr/lib/postgresql}/postgres" || postgres_cases "$@"
echo "$ran runs, $bad not as they should be"
[ $ran -gt 0 ] && [ $bad = 0 ]
