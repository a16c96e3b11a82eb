/**
 * On a small disk: fills it, tries every write, frees space, writes again. Prints one line of JSON.
 */
import { createHash } from "node:crypto"
import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { insertNote, Note, plainNote, selectNotes } from "../conformance/tables.ts"
import { append, openTestStore, outcomeOf, readTexts, say } from "./store-journal.ts"

const [disk = "", freeBytes = "0"] = process.argv.slice(2)
const file = `${disk}/qm/store.db`
const filler = `${disk}/filler`
const store = await openTestStore({ kind: "sqlite", file })
for (let number = 0; number < 20; number++) await append(store, `before ${number}`)
await store.db.run(insertNote(plainNote("kept", "kept text")))
const hashOfFile = () => createHash("sha256").update(readFileSync(file)).digest("hex")
const before = { hash: hashOfFile(), texts: await readTexts(store) }

fill()
const stored = await storeUntilFull()
const whenFull = {
  event: await outcomeOf(() => append(store, "x".repeat(40_000))),
  row: await outcomeOf(() => store.db.run(insertNote(plainNote("new", "x".repeat(40_000))))),
  backup: await outcomeOf(() => store.backup(`${disk}/backups`)),
}
const textsWhenFull = await readTexts(store)
const notesWhenFull = await store.db.all(Note, selectNotes)

rmSync(filler)
const whenFreed = {
  event: await outcomeOf(() => append(store, "after")),
  row: await outcomeOf(() => store.db.run(insertNote(plainNote("new", "x".repeat(40_000))))),
  backup: await outcomeOf(() => store.backup(`${disk}/backups`)),
}
const { findings } = await store.check()
const stopped = (await store.status()).stopped ?? null
await store.close()
await using again = await openTestStore({ kind: "sqlite", file })
say(
  JSON.stringify({
    whenFull,
    whenFreed,
    findings,
    stopped,
    isKept: JSON.stringify(textsWhenFull) === JSON.stringify([...before.texts, ...stored]),
    notesWhenFull: notesWhenFull.map((it) => it.body),
    textsAfterReopen: (await readTexts(again)).slice(0, 20).join() === before.texts.join(),
  }),
)

/** Fills to the last byte, then frees the given space. */
function fill(): void {
  let size = 0
  for (let piece = 65_536; piece >= 1; piece = Math.floor(piece / 2)) {
    try {
      for (;;) {
        writeFileSync(filler, Buffer.alloc(piece, "f"), { flag: "a" })
        size += piece
      }
    } catch {
      truncateSync(filler, size)
    }
  }
  truncateSync(filler, Math.max(0, size - Number(freeBytes)))
}

/** With a little free space some writes succeed first; their data must be present afterwards. */
async function storeUntilFull(): Promise<readonly string[]> {
  const done: string[] = []
  for (let number = 0; number < 1_000; number++) {
    const text = `partial ${number} ${"p".repeat(1_500)}`
    if ((await outcomeOf(() => append(store, text))) !== "done") return done
    done.push(text)
  }
  return done
}
