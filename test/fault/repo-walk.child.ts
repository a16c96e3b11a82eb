import { openTree, walkTree } from "#see/repo"

/** Walks a tree, reads all of it, and prints the result, the time and the memory. */
const root = process.argv[2] ?? "."
const { signal } = new AbortController()
const started = performance.now()
const walk = await walkTree({ root, gitCommonDirectory: undefined }, { signal })
const walkMs = performance.now() - started
let bytes = 0
using tree = openTree(root)
for (const { path } of walk.files) {
  const file = tree.read(path)
  if (file.kind === "read") bytes += file.bytes.length
}
const readMs = performance.now() - started - walkMs
const rssMb = process.resourceUsage().maxRSS / 1_024
const { files, skippedInAll, isWhole } = walk
console.log(
  JSON.stringify({ files: files.length, skippedInAll, isWhole, bytes, walkMs, readMs, rssMb }),
)
