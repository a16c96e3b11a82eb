import { readFile } from "node:fs/promises"
import { expect, test } from "vitest"
import { child } from "#test/child"
import { isNight } from "#test/seed"
import { tempDirectory } from "#test/temp"

const RACER = new URL("claims.child.ts", import.meta.url)
const HOLDER = new URL("claims-holder.child.ts", import.meta.url)
const PROCESSES = 8
const ROUNDS = isNight() ? 2_000 : 200
const HOUR_MS = 3_600_000

type ClaimReport = {
  readonly won: readonly { readonly path: string; readonly fence: number }[]
  readonly intruders: number
  readonly lost: number
  readonly refused: number
}

test(`[C4] [LEDGER-11] ${PROCESSES} processes win ${ROUNDS} claims each, and no claim has two winners`, async () => {
  await using temp = await tempDirectory("memory")
  const told = await Promise.all(
    Array.from({ length: PROCESSES }, (_, index) =>
      race([temp.path, "p".repeat(index + 1), String(ROUNDS), "src/a.ts,src/b.ts,docs"]),
    ),
  )
  expect(told.map((it) => it.intruders)).toEqual(Array(PROCESSES).fill(0))
  expect(told.map((it) => it.lost)).toEqual(Array(PROCESSES).fill(0))
  const won = told.flatMap((it) => it.won).map((it) => `${it.path} ${it.fence}`)
  expect(new Set(won).size).toBe(won.length)
  expect(won.length).toBe(PROCESSES * ROUNDS)
  // Without a refusal the processes never competed.
  expect(told.reduce((sum, it) => sum + it.refused, 0)).toBeGreaterThan(ROUNDS)
}, 1_200_000)

test("[C4] [LEDGER-12] processes that claim a folder and files in it never hold both", async () => {
  await using temp = await tempDirectory("memory")
  const told = await Promise.all(
    ["src", "src/a.ts", "src/a.ts", "src"].map((path, index) =>
      race([temp.path, "p".repeat(index + 1), "30", path, "src"]),
    ),
  )
  expect(told.map((it) => it.lost)).toEqual([0, 0, 0, 0])
  expect(told.map((it) => it.intruders)).toEqual([0, 0, 0, 0])
  expect(told.map((it) => it.won.length)).toEqual([30, 30, 30, 30])
})

test.for(isNight() ? [0, -1, 1, -24, 24] : [-24, 24])(
  "[C4] [LEDGER-14] the late write of a stopped holder is refused after another, whose clock is %i h off, took the path",
  async (hours) => {
    await using temp = await tempDirectory()
    await using first = child(HOLDER, [temp.path, "first", "1000"])
    expect(await first.nextLine()).toBe("taken 1")
    first.send("write")
    expect(await first.nextLine()).toBe("written")
    first.kill("SIGSTOP")

    await using second = await holderOf(temp.path, "second", hours * HOUR_MS)
    first.send("write")
    first.kill("SIGCONT")
    expect(await first.nextLine()).toBe("LEDGER_CLAIM_LOST")
    second.send("write")
    expect(await second.nextLine()).toBe("written")

    const text = await readFile(`${temp.path}/journal.jsonl`, "utf8")
    const lines = text.trim().split("\n")
    expect(lines.map((it) => JSON.parse(it).session)).toEqual(["first", "second"])
    const fences = lines.map((it) => Number(JSON.parse(it).fence))
    expect(fences[1]).toBeGreaterThan(fences[0] ?? 0)
  },
)

test.for(isNight() ? [-24, -1, 1, 24] : [24])(
  "[C4] [LEDGER-15] an active holder keeps its path from another whose clock is %i h off",
  async (hours) => {
    await using temp = await tempDirectory()
    await using first = child(HOLDER, [temp.path, "first", "600000"])
    expect(await first.nextLine()).toBe("taken 1")
    const args = [temp.path, "second", "600000", String(hours * HOUR_MS)]
    await using second = child(HOLDER, args)
    expect(await second.nextLine()).toBe("held")
    first.send("write")
    expect(await first.nextLine()).toBe("written")
  },
)

async function race(args: readonly string[]): Promise<ClaimReport> {
  await using racer = child(RACER, args)
  const line = await racer.nextLine()
  if (line === undefined) throw new Error((await racer.exited).stderr)
  return JSON.parse(line) as ClaimReport
}

/** Retries until it gets the path, when the lease of the stopped holder has expired. */
async function holderOf(directory: string, session: string, wallOffsetMs: number) {
  const args = [directory, session, "600000", String(wallOffsetMs)]
  for (let tries = 0; tries < 100; tries++) {
    const asked = child(HOLDER, args)
    if ((await asked.nextLine())?.startsWith("taken") === true) return asked
    await asked[Symbol.asyncDispose]()
  }
  throw new Error("the path was never free")
}
