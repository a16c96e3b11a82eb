/**
 * Damages copies of a store in every implemented way, opens each and reads it. Prints one line per
 * case: the damage and the outcome. The outcome "WRONG" must never occur.
 */
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { append, codeOf, openTestStore, readTexts, say } from "./store-journal.ts"

const [folder = "", start = "0", count = "0"] = process.argv.slice(2)
let state = Number(start)
const texts = Array.from({ length: 120 }, (_, index) => `text ${index} ${"abc".repeat(index % 50)}`)

await makeSource(`${folder}/source`, texts)
await makeSource(
  `${folder}/other`,
  texts.map((it) => `other ${it}`),
)
for (let number = 0; number < Number(count); number++) await damageAndLook(number)

/**
 * Closed cleanly once, then opened and written to: half of the data is in the log, as after a
 * crash.
 */
async function makeSource(to: string, all: readonly string[]): Promise<void> {
  const file = `${to}-live/store.db`
  const half = all.length / 2
  const first = await openTestStore({ kind: "sqlite", file })
  for (const text of all.slice(0, half)) await append(first, text)
  await first.close()
  const second = await openTestStore({ kind: "sqlite", file })
  for (const text of all.slice(half)) await append(second, text)
  mkdirSync(to)
  for (const name of ["store.db", "store.db-wal", "store.db-shm", "store.clean.json"]) {
    copyFileSync(`${to}-live/${name}`, `${to}/${name}`)
  }
  await second.close()
}

async function damageAndLook(number: number): Promise<void> {
  const directory = `${folder}/case-${number}`
  cpSync(`${folder}/source`, directory, { recursive: true })
  const target = chance(3) === 0 ? "store.db-wal" : "store.db"
  const done = damage(directory, target)
  say(`${number} ${done}: ${await look(`${directory}/store.db`)}`)
  rmSync(directory, { recursive: true, force: true })
}

function damage(directory: string, target: string): string {
  const file = `${directory}/${target}`
  const bytes = readFileSync(file)
  const at = chance(bytes.length)
  const length = 1 + chance(64)
  const kind = chance(6)
  switch (kind) {
    case 0:
    case 1:
      for (let index = at; index < Math.min(bytes.length, at + length); index++) {
        bytes[index] = (bytes[index] ?? 0) ^ (1 + chance(255))
      }
      writeFileSync(file, bytes)
      return `${length} bytes turned at ${at} of ${target}`
    case 2:
      writeFileSync(file, bytes.fill(0, at, at + length))
      return `${length} bytes zeroed at ${at} of ${target}`
    case 3:
      writeFileSync(file, bytes.subarray(0, at))
      return `${target} cut at ${at}`
    case 4:
      copyFileSync(`${folder}/other/store.db-wal`, `${directory}/store.db-wal`)
      return "the log of another store"
    default: {
      const garbage = Buffer.from(Array.from({ length: 65_536 }, () => chance(256)))
      const start = chance(2) === 0 ? 0 : Math.min(at, Math.max(0, bytes.length - 4_096))
      writeFileSync(file, Buffer.concat([bytes.subarray(0, start), garbage]))
      return `64 kB of garbage at ${start} of ${target}`
    }
  }
}

/**
 * A truncated log has lost its newest commits, as after a crash of the machine, but never others.
 */
async function look(file: string): Promise<string> {
  const size = statSync(file).size
  try {
    await using store = await openTestStore({ kind: "sqlite", file })
    const found = await readTexts(store)
    const isPrefix = found.every((it, index) => it === texts[index])
    if (!isPrefix) return "WRONG rows"
    if (found.length === texts.length) return "equal"
    return size === 0 ? "empty file, begun anew" : `a shorter history of ${found.length}`
  } catch (error) {
    return codeOf(error)
  }
}

/** A repeatable integer below `limit`: the same seed damages the same bytes. */
function chance(limit: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 2 ** 32) * limit)
}
