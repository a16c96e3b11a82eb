import { createRequire } from "node:module"
import { z } from "zod"

const Package = z.object({ version: z.string() })

/** The versions a bug report needs. */
export function versions() {
  const found: unknown = createRequire(import.meta.url)("../../../package.json")
  return {
    qm: Package.parse(found).version,
    node: process.versions.node,
    sqlite: process.versions["sqlite"] ?? "unknown",
    platform: `${process.platform}-${process.arch}`,
  }
}
