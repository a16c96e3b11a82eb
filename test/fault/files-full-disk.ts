import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { AppError, createJsonl, listDirectory, readJsonl, writeFileAtomic } from "#ground/base"

/** Fills its disk and then tries to write: `files-full-disk.ts <disk> <bytes left free>`. */
const [disk = "", freeBytes = "0"] = process.argv.slice(2)
const state = join(disk, "state.json")
const ledger = join(disk, "ledger.jsonl")
const jsonl = createJsonl(ledger)
const old = JSON.stringify({ text: "old".repeat(30_000) })
const large = { text: "new".repeat(60_000) }

await writeFileAtomic(state, old)
for (let n = 0; n < 10; n++) await jsonl.append({ n })
const release = fillDisk()

report("atomic write", await codeOf(writeFileAtomic(state, JSON.stringify(large))))
report("old bytes kept", readFileSync(state, "utf8") === old)
report("names after", await names())
report("append", await codeOf(jsonl.append(large)))
report("append again", await codeOf(jsonl.append(large)))
const torn = await readJsonl(ledger)
report("records kept", torn.records.length)
report(
  "at most a torn tail",
  torn.warnings.every((it) => it.kind === "truncated_tail" || it.kind === "bad_line"),
)

release()
report("atomic write with room", await codeOf(writeFileAtomic(state, JSON.stringify(large))))
report("new bytes there", readFileSync(state, "utf8") === JSON.stringify(large))
report("append with room", await codeOf(jsonl.append({ n: 10 })))
report("records after", (await readJsonl(ledger)).records.length)

function fillDisk(): () => void {
  const filler = openSync(join(disk, "filler"), "w")
  const piece = Buffer.alloc(4_096)
  let size = 0
  try {
    for (;;) size += writeSync(filler, piece)
  } catch {
    ftruncateSync(filler, size - Number(freeBytes))
  }
  return () => {
    ftruncateSync(filler, 0)
    closeSync(filler)
  }
}

async function codeOf(attempt: Promise<void>): Promise<string> {
  try {
    await attempt
    return "written"
  } catch (error) {
    return error instanceof AppError ? error.code : String(error)
  }
}

async function names(): Promise<readonly string[]> {
  const listed = await listDirectory(disk)
  return listed.kind === "listed" ? listed.entries.map((it) => it.name) : []
}

function report(step: string, found: unknown): void {
  console.log(JSON.stringify([step, found]))
}
