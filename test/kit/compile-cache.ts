import path from "node:path"

// Workers, children and threads use the launcher's compile cache. Vitest disables it for a run with
// coverage, but coverage is measured only in the worker itself, where this file, which every worker
// loads first, comes too late to matter.
delete process.env["NODE_DISABLE_COMPILE_CACHE"]
process.env["NODE_COMPILE_CACHE"] ??= path.join(
  import.meta.dirname,
  "../../node_modules/.cache/quartermaster",
)
