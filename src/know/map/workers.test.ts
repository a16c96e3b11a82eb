import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { LANGUAGE_NAMES } from "./facts.ts"
import { createMap } from "./map.ts"
import { createParser } from "./parse/parser.ts"
import { createSourceIndex } from "./source-index.ts"
import { createWorkers, type SourceFile } from "./workers.ts"

const FIXTURES = join(import.meta.dirname, "../../../test/languages")
const DYING = new URL("../../../test/kit/fake-parser-thread.ts", import.meta.url)

function fixtures(): readonly SourceFile[] {
  return LANGUAGE_NAMES.map((language) => ({
    path: `tideline.${language}`,
    language,
    text: readFileSync(join(FIXTURES, `${language}.txt`), "utf8"),
  }))
}

function sourceFiles(...texts: readonly string[]): readonly SourceFile[] {
  return texts.map((text, at) => ({ path: `${at}.go`, language: "go", text }))
}

describe("parsing on two threads", () => {
  test("gives the same facts in the given order, also for a duplicate text", async () => {
    const files = [...fixtures(), ...fixtures().toReversed()]
    const parser = createParser()
    const expected = []
    for (const file of files) expected.push({ path: file.path, facts: await parser.parse(file) })
    await using workers = createWorkers()
    expect(await workers.parseMany(files)).toEqual(expected)
  })

  test("two simultaneous calls do not mix", async () => {
    await using workers = createWorkers({ entry: DYING })
    const [one, two] = await Promise.all([
      workers.parseMany(sourceFiles("a", "b")),
      workers.parseMany(sourceFiles("c")),
    ])
    expect([...one, ...two].map((it) => it.facts.references[0]?.name)).toEqual(["a", "b", "c"])
  })

  test("no file needs no thread", async () => {
    await using workers = createWorkers({ entry: new URL("./no-such-file.ts", import.meta.url) })
    expect(await workers.parseMany([])).toEqual([])
  })

  test("progress rises to the number of files", async () => {
    await using workers = createWorkers({ entry: DYING })
    const progress: number[] = []
    const files = sourceFiles(...Array.from({ length: 200 }, (_, at) => `tide ${at}`))
    await workers.parseMany(files, { onProgress: (done) => progress.push(done) })
    expect(progress.toSorted((a, b) => a - b)).toEqual(progress)
    expect(progress.at(-1)).toBe(200)
  })

  test("a signal stops it between two batches", async () => {
    await using workers = createWorkers({ entry: DYING })
    const stop = new AbortController()
    const files = sourceFiles(...Array.from({ length: 500 }, (_, at) => `tide ${at}`))
    const parsing = workers.parseMany(files, {
      signal: stop.signal,
      onProgress: () => stop.abort(new Error("enough")),
    })
    await expect(parsing).rejects.toThrow("enough")
    expect(await workers.parseMany(sourceFiles("a"))).toHaveLength(1)
  })
})

describe("texts that end their thread", () => {
  test("a crash costs one file, whatever is in its batch", async () => {
    await using workers = createWorkers({ entry: DYING })
    const parsed = await workers.parseMany(sourceFiles("a", "exit", "b", "exit", "c"))
    expect(
      parsed.map((it) => it.facts.references[0]?.name ?? it.facts.problems[0]?.reason),
    ).toEqual(["a", "crashed", "b", "crashed", "c"])
  })

  test("a hanging text costs one file", async () => {
    await using workers = createWorkers({ entry: DYING, threads: 1, longestSilenceMs: 2_000 })
    const parsed = await workers.parseMany(sourceFiles("a", "loop", "b"))
    expect(
      parsed.map((it) => it.facts.references[0]?.name ?? it.facts.problems[0]?.reason),
    ).toEqual(["a", "too-slow", "b"])
  })

  test("a used-up thread is replaced, and the next one reads the rest of its batch", async () => {
    await using workers = createWorkers({ entry: DYING, threads: 1 })
    const parsed = await workers.parseMany(sourceFiles("a", "spend", "b"))
    expect(parsed.map((it) => it.facts.references[0]?.name)).toEqual(["a", "spend", "b"])
  })

  test("a bug is thrown, not reported as a problem of a file", async () => {
    await using workers = createWorkers({ entry: DYING })
    await expect(workers.parseMany(sourceFiles("a", "throw"))).rejects.toThrow("a bug of ours")
    await using broken = createWorkers({ entry: new URL("./no-such-file.ts", import.meta.url) })
    await expect(broken.parseMany(sourceFiles("a"))).rejects.toThrow("cannot parse")
  })
})

test("[MAP-7] resolves an import from text to files", async () => {
  await using map = createMap()
  const texts = {
    "src/quay.ts": 'import { Ship } from "./ship.js"\n',
    "src/ship.ts": "export class Ship {}\n",
  }
  const files = Object.entries(texts).map(([path, text]) => {
    const language = map.languageOf(path, text) ?? "bash"
    return { path, text, language }
  })
  const parsed = await map.parseMany(files)
  const index = createSourceIndex(parsed)
  const [imported] = parsed[0]?.facts.imports ?? []
  expect(
    imported && map.resolveImport({ path: "src/quay.ts", language: "typescript" }, imported, index),
  ).toEqual(["src/ship.ts"])
})
