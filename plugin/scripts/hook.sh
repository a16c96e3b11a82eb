#!/bin/sh
# Starts the hook process that `qm init` installed. It ends silently with 0 if there is none, and if
# `qm init` wrote its own hooks into this host, which then handle the event.
kit=${QM_HOME:-${HOME:-}/.qm}/kit
case ${1:-} in
  claude-code) settings=${CLAUDE_CONFIG_DIR:-${HOME:-}/.claude}/settings.json ;;
  codex) settings=${CODEX_HOME:-${HOME:-}/.codex}/hooks.json ;;
  *) exit 0 ;;
esac
[ -r "$kit/paths" ] && [ -r "$kit/qm-hook.mjs" ] || exit 0
grep -qsF 'kit/qm-hook.mjs' "$settings" && exit 0
IFS= read -r node < "$kit/paths" || exit 0
[ -x "$node" ] || exit 0
exec "$node" "$kit/qm-hook.mjs" "$@"
