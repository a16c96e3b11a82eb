#!/bin/sh
# Starts `qm mcp`: the qm on the PATH, or the one that ran `qm init`, because a host started from a
# desktop may have a short PATH.

# Clients of Agent Plugins start a server in the plugin's folder. The repository is where they run.
if [ -n "${PLUGIN_ROOT:-}" ] && [ "$PWD" -ef "$PLUGIN_ROOT" ]; then
  client=$(readlink "/proc/$PPID/cwd" 2>/dev/null ||
    lsof -a -d cwd -p "$PPID" -Fn 2>/dev/null | sed -n 's/^n//p')
  if [ -d "$client" ]; then cd "$client" || exit 1; fi
fi

if command -v qm >/dev/null 2>&1; then exec qm mcp; fi
paths=${QM_HOME:-${HOME:-}/.qm}/kit/paths
if [ -r "$paths" ]; then
  { IFS= read -r node && IFS= read -r main; } < "$paths"
  if [ -x "$node" ] && [ -r "$main" ]; then exec "$node" "$main" mcp; fi
fi
echo 'Quartermaster: qm is not on the PATH. Run: npm install -g quartermaster' >&2
exit 127
