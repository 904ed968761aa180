#!/bin/sh
# Drain one berth, replace the worker, let it take jobs again. Usage: deploy.sh BERTH [VERSION]
set -eu

berth=${1:?usage: deploy.sh BERTH [VERSION]}
version=${2:-latest}
lock=/run/lock/harbour-deploy

# 75 is EX_TEMPFAIL: the pipeline tries again, and only for this code.
mkdir "$lock" 2>/dev/null || { echo "deploy.sh: another deploy holds $lock" >&2; exit 75; }
trap 'rmdir "$lock"' EXIT

harbourctl berth drain "$berth" --wait 120
harbourctl worker replace "$berth" --image "images.harbour.example/worker:$version"

# A lease that outlived its worker shows up as E3104; release it before the health check (WP-ST-9).
harbourctl lease release "$berth" --if-stale
harbourctl berth open "$berth" --wait-healthy 60
