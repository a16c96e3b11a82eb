import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { z } from "zod"
import { pluginFiles, readTemplates } from "#act/kit"

/**
 * Generates the plugin for Claude Code and Codex, the one for Agent Plugins clients, and the entry of
 * the MCP registry: `npm run plugin`. With `--check` it writes nothing, lists outdated files, and fails;
 * `npm run check` does that.
 */
const ROOT = join(import.meta.dirname, "..")

/** Folders with generated files only: a file that no template generates any more is removed. */
const GENERATED = "{plugin/{hooks,skills,agents},agent-plugin/{skills,scripts}}/**/*.*"

const Package = z.object({
  version: z.string(),
  description: z.string(),
  license: z.string(),
  mcpName: z.string(),
})

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } })
const about = Package.parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")))
const files = pluginFiles({
  templates: await readTemplates(join(ROOT, "templates")),
  about,
  mcpScript: readFileSync(join(ROOT, "plugin/scripts/mcp.sh"), "utf8"),
})
const lagging = files.filter((it) => readOrEmpty(it.path) !== it.text)
const paths = new Set(files.map((it) => it.path))
const stale = globSync(GENERATED, { cwd: ROOT }).filter((it) => !paths.has(it))
if (values.check) refuse([...lagging.map((it) => it.path), ...stale])
else write()
process.stdout.write(
  `plugin: ${files.length} files, ${lagging.length + stale.length} ${values.check ? "outdated" : "changed"}\n`,
)

function refuse(paths: readonly string[]): void {
  for (const path of paths) process.stdout.write(`${path} is outdated; run npm run plugin\n`)
  if (paths.length > 0) process.exitCode = 1
}

function write(): void {
  for (const { path, text } of lagging) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true })
    writeFileSync(join(ROOT, path), text)
  }
  for (const path of stale) rmSync(join(ROOT, path))
}

function readOrEmpty(path: string): string {
  const file = join(ROOT, path)
  return existsSync(file) ? readFileSync(file, "utf8") : ""
}
