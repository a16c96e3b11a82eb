import { SourceToolMissing } from "./errors.ts"
import type { Connection } from "./wire/connection.ts"

export function requireTool(slug: string, tool: string, connection: Connection): void {
  const isThere = connection.tools.some((it) => it.name === tool)
  if (!isThere) throw toolMissing(slug, tool, connection)
}

export function toolMissing(slug: string, tool: string, { tools }: Connection) {
  const has = tools.map((it) => it.name).join(", ")
  return SourceToolMissing({ slug, tool, has: has.slice(0, 100) || "none" })
}
