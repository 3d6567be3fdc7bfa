#!/bin/bash
# A client program for asif drive: a store of files, one a key, with a lock.
#
#   asif drive examples/drive/files.sh --ops get,put,cas
#
# STORE is the folder (default /tmp). With STALE=1 get reads a copy that is up to date only now and then.
store=${STORE:-/tmp}/$ASIF_PREFIX
mkdir -p "$store"
get() { cat "$store/$1" 2>/dev/null || echo nil; }
put() { echo "$2" >"$store/$1.new" && mv "$store/$1.new" "$store/$1"; }
while read -r op key a b; do
  copy=
  [ -z "${STALE-}" ] || [ "$op" != get ] || copy=$(cat "$store/$key.copy" 2>/dev/null)
  if [ -n "$copy" ]; then
    echo "ok $copy"
    [ $((RANDOM % 4)) != 0 ] || rm -f "$store/$key.copy"
    continue
  fi
  exec 9>"$store/lock" && flock 9
  case $op in
  get) now=$(get "$key") && echo "ok $now" && [ -z "${STALE-}" ] || { echo "$now" >"$store/$key.copied" && mv "$store/$key.copied" "$store/$key.copy"; } ;;
  put) put "$key" "$a" && echo ok ;;
  cas) if [ "$(get "$key")" = "$a" ]; then put "$key" "$b" && echo ok true; else echo ok false; fi ;;
  *) echo "fail $op is not known" ;;
  esac
  exec 9>&-
done
