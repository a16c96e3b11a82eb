import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"

/**
 * Compares the grammars with the table of grammars/README.md: `node scripts/grammars.ts [--fetch]
 * [--folder grammars]`. With --fetch it downloads them first.
 */
const { values } = parseArgs({
  options: { fetch: { type: "boolean", default: false }, folder: { type: "string" } },
})
const folder = resolve(values.folder ?? join(import.meta.dirname, "../grammars"))
const rows = readTable(readFileSync(join(folder, "README.md"), "utf8"))
if (values.fetch) fetchAll(folder, rows)
const wrong = findWrong(folder, rows)
for (const line of wrong) process.stdout.write(`FAIL  ${line}\n`)
process.stdout.write(`grammars: ${rows.length} files, ${wrong.length} wrong\n`)
process.exitCode = wrong.length > 0 || rows.length === 0 ? 1 : 0

type Row = {
  readonly file: string
  readonly from: string
  readonly version: string
  readonly path: string
  readonly sizeBytes: number
  readonly sha256: string
}

function readTable(page: string): readonly Row[] {
  const lines = page.split("\n").filter((it) => it.startsWith("| `"))
  return lines.map((line) => {
    const cells = line.split("|").map((it) => it.trim().replaceAll("`", ""))
    const [, file = "", from = "", version = "", path = "", , size = "", sha256 = ""] = cells
    return { file, from, version, path, sizeBytes: Number(size), sha256 }
  })
}

function findWrong(place: string, table: readonly Row[]): readonly string[] {
  const files = readdirSync(place).filter((it) => it.endsWith(".wasm"))
  const unlisted = files.filter((it) => !table.some((row) => row.file === it))
  return [
    ...unlisted.map(
      (it) => `${it} has no row in the table: add a row with its origin, or delete the file.`,
    ),
    ...table.flatMap((row) => wrongWith(place, row, files)),
  ]
}

function wrongWith(place: string, row: Row, files: readonly string[]): readonly string[] {
  const remedy = "Download it again: node scripts/grammars.ts --fetch."
  if (!files.includes(row.file)) return [`${row.file} is missing. ${remedy}`]
  const bytes = readFileSync(join(place, row.file))
  const sha256 = createHash("sha256").update(bytes).digest("hex")
  const isRight = bytes.length === row.sizeBytes && sha256 === row.sha256
  return isRight ? [] : [`${row.file} has another hash than the table. ${remedy}`]
}

/** npm unpacks the packages without running them; only the grammar is copied from each. */
function fetchAll(place: string, table: readonly Row[]): void {
  const scratch = mkdtempSync(join(tmpdir(), "qm-grammars-"))
  try {
    for (const [spec, sharing] of Map.groupBy(table, (it) => `${it.from}@${it.version}`)) {
      const args = ["pack", spec, "--ignore-scripts", "--silent", "--pack-destination", scratch]
      const archive = execFileSync("npm", args, { cwd: scratch, encoding: "utf8" }).trim()
      for (const { path, file } of sharing) {
        execFileSync("tar", ["-xzf", archive, `package/${path}`], { cwd: scratch })
        copyFileSync(join(scratch, "package", path), join(place, file))
      }
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
