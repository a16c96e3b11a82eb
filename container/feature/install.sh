#!/bin/sh
# Installs qm in a development container. VERSION comes from the options of the feature.
set -eu
version=${VERSION:-latest}

case $version in
  *[!0-9A-Za-z.-]* | '')
    echo "quartermaster: \"$version\" is not a version. Use a number such as 0.1.0, or latest." >&2
    exit 1
    ;;
esac
if ! command -v npm >/dev/null 2>&1; then
  echo "quartermaster: npm was not found. Add the feature \"node\" or an image with Node 24." >&2
  exit 1
fi
major=$(node --print 'process.versions.node.split(".")[0]')
if [ "$major" -lt 24 ]; then
  echo "quartermaster: needs Node 24 or later and found $major. Set the version of the feature \"node\"." >&2
  exit 1
fi
npm install --global "quartermaster@$version"
