import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { configPage, configSchema } from "./reference/config.ts"
import { collectErrors, errorsPage } from "./reference/errors.ts"
import { eventsPage } from "./reference/events.ts"
import { kitPage } from "./reference/kit.ts"
import { livePage } from "./reference/live.ts"
import { cliPage, manualPage, operationsPage } from "./reference/operations.ts"
import { textsPage } from "./reference/texts.ts"

/**
 * Generates the reference from the code: `npm run reference`. With `--check` it writes nothing,
 * lists outdated files, and fails; `npm run check` does that.
 */
const ROOT = join(import.meta.dirname, "..")

type Page = { readonly path: string; readonly text: string }

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } })
const pages = await buildPages()
const lagging = pages.filter((page) => readOrEmpty(page.path) !== page.text)
if (values.check) refuse(lagging)
else lagging.forEach(write)
process.stdout.write(`reference: ${pages.length} files, ${lagging.length} changed\n`)

async function buildPages(): Promise<readonly Page[]> {
  return [
    { path: "docs/reference/errors.md", text: errorsPage(await collectErrors(ROOT)) },
    { path: "docs/reference/events.md", text: eventsPage() },
    { path: "docs/reference/config.md", text: configPage() },
    { path: "docs/reference/config.schema.json", text: configSchema() },
    { path: "docs/reference/kit.md", text: await kitPage(ROOT) },
    { path: "docs/reference/live.md", text: livePage() },
    { path: "docs/reference/operations.md", text: operationsPage() },
    { path: "docs/reference/cli.md", text: await cliPage() },
    { path: "docs/reference/qm.1", text: await manualPage() },
    { path: "docs/reference/texts.md", text: textsPage(ROOT) },
  ]
}

function refuse(pagesThatLag: readonly Page[]): void {
  for (const { path } of pagesThatLag) process.stdout.write(`${path} lags behind the code\n`)
  if (pagesThatLag.length > 0) process.exitCode = 1
}

function write({ path, text }: Page): void {
  const file = join(ROOT, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function readOrEmpty(path: string): string {
  const file = join(ROOT, path)
  return existsSync(file) ? readFileSync(file, "utf8") : ""
}
