import { readFile, stat, symlink, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import type { Log } from "#ground/base"
import type { PipelineSummary } from "#ground/contract"
import { tempDirectory } from "#test/temp"
import { answerOf } from "./prior.ts"
import { readAnswer, readSummary, writeResults } from "./result-files.ts"
import { RESEARCH, RESEARCH_STAGES, resultsOf } from "./results.fixture.ts"
import { summaryOf } from "./summary.ts"

const RESULTS = resultsOf({ stages: RESEARCH_STAGES, outputs: RESEARCH })
const SUMMARY = summaryOf(RESULTS)
const ANSWER = answerOf(RESULTS)

function watching<Content>(content: Content) {
  const said: unknown[] = []
  const say = (sentence: string, fields?: unknown) => void said.push([sentence, fields])
  const log: Log = { debug: say, info: say, warn: say, error: say }
  return { said, log, rebuild: async () => content }
}

const REBUILT: PipelineSummary = { ...SUMMARY, text: "made again" }

test("each run has three files, readable by their owner only, that read back unchanged", async () => {
  await using temp = await tempDirectory()
  const place = { directory: path.join(temp.path, "pipelines"), run: "p-12" }
  await writeResults(place, { summary: SUMMARY, answer: ANSWER, document: "# Fees\n" })
  const folder = path.join(place.directory, "p-12")
  expect(await readFile(path.join(folder, "document.md"), "utf8")).toBe("# Fees\n")
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  expect((await stat(path.join(folder, "answer.json"))).mode & 0o777).toBe(0o600)
  const watch = watching(REBUILT)
  expect(await readSummary(place, watch)).toEqual(SUMMARY)
  expect(
    await readAnswer(place, { ...watch, rebuild: async () => ({ ...ANSWER, run: "x" }) }),
  ).toEqual(ANSWER)
  expect(watch.said).toEqual([])
})

const DAMAGES: readonly [string, (text: string) => string | undefined][] = [
  ["missing", () => undefined],
  ["empty", () => ""],
  ["truncated in the middle", (text) => text.slice(0, text.length / 2)],
  ["truncated by two bytes", (text) => text.slice(0, -2)],
  ["edited in one character", (text) => text.replace("Rescue boats", "Rescue goats")],
  ["of another schema", () => '{"version":1,"sha256":"x","content":{}}'],
  ["not JSON", () => "hello"],
]

test.each(DAMAGES)("a summary that is %s is rebuilt with a log entry", async (_, damage) => {
  await using temp = await tempDirectory()
  const place = { directory: temp.path, run: "p-12" }
  const file = path.join(temp.path, "p-12", "pipeline-summary.json")
  await writeResults(
    { ...place, run: "p-13" },
    { summary: SUMMARY, answer: undefined, document: undefined },
  )
  const written = await readFile(path.join(temp.path, "p-13", "pipeline-summary.json"), "utf8")
  const damaged = damage(written)
  if (damaged !== undefined) {
    await writeResults(place, { summary: SUMMARY, answer: undefined, document: undefined })
    await writeFile(file, damaged)
  }
  const watch = watching(REBUILT)
  expect(await readSummary(place, watch)).toEqual(REBUILT)
  expect(watch.said).toHaveLength(1)
  const next = watching(SUMMARY)
  expect(await readSummary(place, next)).toEqual(REBUILT)
  expect(next.said).toEqual([])
})

test("a link in place of a result file is neither followed nor overwritten through", async () => {
  await using temp = await tempDirectory()
  const place = { directory: temp.path, run: "p-12" }
  await writeResults(place, { summary: SUMMARY, answer: undefined, document: undefined })
  const target = path.join(temp.path, "elsewhere.json")
  await writeFile(target, "{}")
  await symlink(target, path.join(temp.path, "p-12", "answer.json"))
  const watch = watching({ ...ANSWER, run: "made again" })
  expect((await readAnswer(place, watch)).run).toBe("made again")
  expect(await readFile(target, "utf8")).toBe("{}")
  expect(watch.said).toHaveLength(2)
})

test("a run id that contains a path reads and writes nothing", async () => {
  await using temp = await tempDirectory()
  const place = { directory: temp.path, run: "../p-12" }
  await expect(
    writeResults(place, { summary: SUMMARY, answer: undefined, document: undefined }),
  ).rejects.toThrow("a run id is a name")
})
