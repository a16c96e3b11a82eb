import { readdir, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { createIds, systemRandom } from "#ground/base"
import { hookFixture } from "#test/hook-fixture"
import { createOverrides } from "./overrides.ts"

const MINUTE_MS = 60_000

async function scene() {
  const it = await hookFixture()
  const overrides = createOverrides({ ...it, ids: createIds({ ...it, random: systemRandom }) })
  return Object.assign(it, {
    ...overrides,
    reasonFor: async (path: string) => (await overrides.covering(path, it.clock.now()))?.reason,
  })
}

test("[GUARD-31] an override covers its paths and everything below them until it expires", async () => {
  await using it = await scene()
  const made = await it.allow({ paths: ["src/a", "b.ts/"], reason: "agreed", minutes: 30 })
  expect(made).toMatchObject({ paths: ["src/a", "b.ts"], until: it.clock.now() + 30 * MINUTE_MS })
  const paths = ["src/a", "src/a/x.ts", "src/ab", "src", "b.ts"]
  const covered = await Promise.all(paths.map(it.reasonFor))
  expect(covered).toEqual(["agreed", "agreed", undefined, undefined, "agreed"])
  await it.clock.advance(30 * MINUTE_MS - 1)
  expect(await it.reasonFor("b.ts")).toBe("agreed")
  await it.clock.advance(1)
  expect(await it.reasonFor("b.ts")).toBeUndefined()
})

test("[GUARD-31] an override is readable by its owner only, appears in the log, and is deleted after a day", async () => {
  await using it = await scene()
  const by = { session: "mine", host: "codex" }
  const { id } = await it.allow({ paths: ["."], reason: "all of it", minutes: 5, by })
  expect(await it.reasonFor("any/thing.ts")).toBe("all of it")
  const folder = join(it.stateDirectory, "overrides")
  expect((await stat(join(folder, `${id}.json`))).mode & 0o777).toBe(0o600)
  expect(await it.lines("verdicts/2020-01-09.jsonl")).toMatchObject([
    { verdict: "override", session: "mine", host: "codex", paths: ["."], text: "all of it" },
  ])
  await it.clock.advance(25 * 60 * MINUTE_MS)
  const { id: next } = await it.allow({ paths: ["a"], reason: "again", minutes: 5 })
  expect(await readdir(folder)).toEqual([`${next}.json`])
})

test("[GUARD-31] invalid, renamed and misplaced files permit no edit", async () => {
  await using it = await scene()
  const now = it.clock.now()
  const { id } = await it.allow({ paths: ["a"], reason: "real", minutes: 5 })
  const folder = join(it.stateDirectory, "overrides")
  const other = id.at(-2) === "0" ? "1" : "0"
  const name = (n: number) => join(folder, `${id.slice(0, -2)}${other}${n}.json`)
  const made = { id: "x", paths: ["b"], reason: "none", at: now, until: now + MINUTE_MS }
  const odd = [
    "",
    "null",
    "{",
    JSON.stringify({ ...made, paths: "b" }),
    JSON.stringify({ ...made, until: "tomorrow" }),
    JSON.stringify({ ...made, until: now }),
    JSON.stringify({ ...made, at: now + 10 * MINUTE_MS, until: now + 90 * MINUTE_MS }),
    JSON.stringify({ ...made, at: now - 5 * 60 * MINUTE_MS, until: now * 2 }),
  ]
  for (const [n, text] of odd.entries()) await writeFile(name(n), text)
  await writeFile(join(folder, "mine.json"), JSON.stringify(made))
  await writeFile(join(it.stateDirectory, "elsewhere"), JSON.stringify(made))
  await symlink(join(it.stateDirectory, "elsewhere"), name(9))
  expect(await it.reasonFor("b")).toBeUndefined()
  await writeFile(name(8), JSON.stringify(made))
  expect(await it.reasonFor("b")).toBe("none")
})
