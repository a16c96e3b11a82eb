import { expect, test } from "vitest"
import { child } from "#test/child"
import { isNight, longestTestMs, seed } from "#test/seed"
import { tempDirectory } from "#test/temp"

const SCRIPT = new URL("store-corruption.child.ts", import.meta.url)
const CASES = isNight() ? 2_000 : 200
const LONGEST_CASE_MS = 60_000

test(`[D8][STORE-9] ${CASES} kinds of damage to a store are detected, refused or harmless, and never return a wrong row`, {
  timeout: longestTestMs(),
}, async () => {
  await using directory = await tempDirectory()
  await using run = child(SCRIPT, [directory.path, String(seed()), String(CASES)])
  const outcomes: string[] = []
  for (;;) {
    // The first line also waits until the two stores are created.
    const line = await within(LONGEST_CASE_MS * (outcomes.length === 0 ? 6 : 1), run.nextLine())
    if (line === undefined) break
    outcomes.push(line)
  }
  const { code, stderr } = await run.exited
  expect(code, `SEED=${seed()}\n${stderr}`).toBe(0)
  expect(outcomes).toHaveLength(CASES)
  const allowed = /: (?:equal|STORE_[A-Z_]+|a shorter history of \d+|empty file, begun anew)$/
  expect(
    outcomes.filter((it) => !allowed.test(it)),
    `SEED=${seed()}`,
  ).toEqual([])
  // A log truncated below its header and first frame has no mark of its generation.
  const shorter = outcomes.filter((it) => it.includes("shorter history"))
  const unexplained = shorter.filter((it) => !/ store\.db-wal cut at \d{1,2}:/.test(it))
  expect(unexplained, `SEED=${seed()}`).toEqual([])
  expect(outcomes.filter((it) => it.endsWith("STORE_CORRUPT")).length).toBeGreaterThan(CASES / 5)
})

async function within<Answer>(ms: number, answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`SEED=${seed()}: a case took over ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
