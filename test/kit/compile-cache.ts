import path from "node:path"

// Workers, children and threads take what the launcher's own start has compiled already. Vitest
// turns this off for a run with coverage, but only in a worker itself is coverage measured: there
// this file, which every worker loads first, comes too late to matter.
delete process.env["NODE_DISABLE_COMPILE_CACHE"]
process.env["NODE_COMPILE_CACHE"] ??= path.join(
  import.meta.dirname,
  "../../node_modules/.cache/quartermaster",
)
