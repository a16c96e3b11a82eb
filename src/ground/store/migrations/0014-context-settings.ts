import { z } from "zod"
import { isRecord, parseJsonRecord } from "#ground/base"
import { parseRows, type Statements } from "../driver.ts"
import { sql } from "../sql.ts"
import type { Migration } from "./migration.ts"

/**
 * Earlier versions stored settings and state files of hosts whole in the context message of each
 * run, with accounts and other projects. Their text is removed; instructions stay.
 */
export const contextSettings: Migration = {
  number: 14,
  name: "context-settings",
  statements: () => [],
  rewrite: removeSettings,
}

const Key = z.object({ run_id: z.string(), seq: z.int() })
const Row = z.object({ content: z.string(), raw: z.string().nullable() })

async function removeSettings(statements: Statements): Promise<void> {
  const keys = await statements.all(
    sql`SELECT run_id, seq FROM run_messages WHERE type = 'context'`,
  )
  for (const { run_id, seq } of parseRows(Key, keys)) {
    const at = sql`run_id = ${run_id} AND seq = ${seq}`
    const rows = await statements.all(sql`SELECT content, raw FROM run_messages WHERE ${at}`)
    for (const { content, raw } of parseRows(Row, rows)) {
      const remaining = withoutSettings(content, pathsIn(raw))
      if (remaining === content) continue
      await statements.run(sql`UPDATE run_messages SET content = ${remaining} WHERE ${at}`)
    }
  }
}

const REMOVED = "(removed by an upgrade: it may contain private state)"

/** The message has one section per path, in the order of the list. */
function withoutSettings(content: string, paths: readonly string[]): string {
  let at = 0
  const sections: string[] = []
  for (const [index, path] of paths.entries()) {
    const head = `# ${path}\n\n`
    const next = paths[index + 1]
    const end = next === undefined ? content.length : content.indexOf(`\n# ${next}\n\n`, at)
    // Without its sections, the parts of the message are unknown.
    if (!content.startsWith(head, at) || end < 0) return REMOVED
    const isSettings = /\.(?:jsonc?|toml)$/.test(path)
    sections.push(isSettings ? `${head}${REMOVED}\n---` : content.slice(at, end))
    at = end + 1
  }
  return paths.length === 0 ? content : sections.join("\n")
}

function pathsIn(raw: string | null): readonly string[] {
  const files = parseJsonRecord(raw ?? "")?.["files"]
  const listed: readonly unknown[] = Array.isArray(files) ? files : []
  return listed.flatMap((it) =>
    isRecord(it) && typeof it["path"] === "string" ? [it["path"]] : [],
  )
}
