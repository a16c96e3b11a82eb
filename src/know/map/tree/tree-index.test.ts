import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { sql } from "#ground/store"
import { testClock } from "#test/clock"
import { faultyDb, InjectedFault } from "#test/faulty-db"
import { indexOn, madeIndex, madeTree, memorySource } from "#test/indexed-tree"
import { isNight, seed } from "#test/seed"
import { MOST_DEAD_CONTENTS, MOST_SEGMENTS, MOST_TREES } from "../limits.ts"
import { stateOf } from "./merge-segments.ts"
import { dumpTree } from "./store/dump.ts"
import {
  deleteContents,
  NumberRow,
  SegmentIdRow,
  selectNumbers,
  selectSegmentIds,
  updateState,
} from "./store/queries.ts"
import type { ScanOptions, TreeIndex, TreeSource } from "./types.ts"

const { signal } = new AbortController()
const INCREMENTAL: ScanOptions = { mode: "incremental", signal }

const HARBOUR = {
  "src/quay.ts":
    'import { Ship } from "./ship.ts"\n\n/** Finds. */\nexport function findBerth(ship: Ship) {\n  return ship.moor()\n}\n',
  "src/ship.py": "class Ship:\n    def moor(self):\n        tide = low()\n        return tide\n",
  "README.md": "# A harbour\n\nShips moor here.\n",
}

async function cleanDump(files: Readonly<Record<string, string>>): Promise<string> {
  await using made = await madeTree(files)
  return await dumpTree(made.tree)
}

describe("facts of a tree", () => {
  test("[MAP-14] more new files than the young heap grows for give the same tree as a few at a time", async () => {
    const files: Record<string, string> = {}
    await using made = await madeIndex()
    for (let at = 0; at < 1_010; at++) {
      files[`f${at}.py`] = `def moor_${at}():\n    return "é${at}"\n`
      if (at % 300 > 0) continue
      await made.index.scan(memorySource({ files }), INCREMENTAL)
    }
    const { tree } = await made.index.scan(memorySource({ files }), INCREMENTAL)
    expect(await dumpTree(tree)).toBe(await cleanDump(files))
  })

  test("[MAP-13] files, symbols, references and words are stored by content", async () => {
    await using made = await madeTree(HARBOUR)
    const { tree, result } = made
    expect(result).toMatchObject({ filesScanned: 3, filesChanged: 3, symbolsIndexed: 3 })
    expect(result).toMatchObject({ dependenciesIndexed: 1, gitSha: null, mode: "incremental" })
    const numberOf = (path: string) => tree.files.find((it) => it.path === path)?.content ?? 0
    const [quay, ship, readme] = [
      numberOf("src/quay.ts"),
      numberOf("src/ship.py"),
      numberOf("README.md"),
    ]
    const byNumber = (a: number, b: number) => a - b
    expect([...(await tree.definers(["moor", "findBerth", "no"]))]).toEqual([
      ["moor", [ship]],
      ["findBerth", [quay]],
      ["no", []],
    ])
    expect((await tree.referrers(["moor"])).get("moor")).toEqual([quay])
    const moor = (await tree.postings(["moor", "no"]))("moor")
    expect(moor.filter((_, at) => at % 3 === 0)).toEqual([quay, ship, readme].toSorted(byNumber))
    const facts = (await tree.contents([quay])).get(quay)
    expect(facts?.symbols).toMatchObject([{ name: "findBerth", kind: "function", doc: "Finds." }])
    expect(facts?.imports).toEqual([{ specifier: "./ship.ts", line: 1, names: ["Ship"] }])
    expect(facts?.references).toContainEqual({ name: "moor", line: 5 })
    const file = tree.files.find((it) => it.path === "src/quay.ts")
    expect(facts?.segments.reduce((sum, it) => sum + it.tokens, 0)).toBe(file?.tokens)
  })

  test("[MAP-13] equal files share a content, unless their languages differ", async () => {
    const text = "int depth = 3;\n"
    await using made = await madeTree({ "a.c": text, "b.c": text, "c.cpp": text, "d.txt": text })
    const contents = made.tree.files.map((it) => it.content)
    expect(contents[0]).toBe(contents[1])
    expect(new Set(contents).size).toBe(3)
  })

  test("[MAP-13] a second tree parses no content that another tree has", async () => {
    await using made = await madeTree(HARBOUR)
    const other = memorySource({
      files: { "moved/there.ts": HARBOUR["src/quay.ts"] },
      key: "other",
    })
    const { tree } = await made.index.scan(other, INCREMENTAL)
    expect(tree.files[0]?.content).toBe(made.tree.files[1]?.content)
    expect(await dumpTree(tree)).toBe(await cleanDump({ "moved/there.ts": HARBOUR["src/quay.ts"] }))
  })

  test("[MAP-13] reopening the database gives the same tree", async () => {
    await using made = await madeTree(HARBOUR, [{ message: "moor ships", files: ["README.md"] }])
    const opened = await indexOn(made.db).open(made.source)
    expect(opened && (await dumpTree(opened))).toBe(await dumpTree(made.tree))
    expect(opened?.commits).toEqual([{ message: "moor ships", files: ["README.md"] }])
    expect(await made.index.open(memorySource({ files: {}, key: "never" }))).toBeUndefined()
  })
})

type TestIndex = Awaited<ReturnType<typeof madeIndex>>

describe("incremental scans", () => {
  const path = fc.constantFrom("a.ts", "b/a.ts", "b/c.py", "b/d.py", "e.go", "f.md", "g", "h.h")
  const text = fc
    .array(
      fc.constantFrom(
        "def moor(ship):",
        "    return berth(ship)",
        "export function tide() { return low() }",
        "func Berth() int { return 1 }",
        "class Quay {",
        "}",
        "namespace sea",
        "",
        "# Code generated by hand. DO NOT EDIT.",
        "#!/bin/sh",
      ),
      { maxLength: 12 },
    )
    .map((it) => it.map((line) => `${line}\n`).join(""))
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("write" as const), path, text }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("move" as const), path, to: path }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("copy" as const), path, to: path }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete" as const), path }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("back" as const), steps: fc.nat(20) }) },
  )
  type Step = typeof step extends fc.Arbitrary<infer It> ? It : never
  type Files = Record<string, string>

  function after(states: readonly Files[], it: Step): Files {
    const files = { ...states.at(-1) }
    if (it.kind === "back") return { ...states.at(-1 - (it.steps % states.length)) }
    const had = files[it.path]
    if (it.kind === "write") files[it.path] = it.text
    else if (it.kind === "copy" && had !== undefined) files[it.to] = had
    else if (it.kind === "move" && had !== undefined) {
      delete files[it.path]
      files[it.to] = had
    } else if (it.kind === "delete") delete files[it.path]
    return files
  }

  test("[MAP-14] equal a clean scan byte for byte after any edits, moves, copies, deletions and reverts", {
    timeout: 600_000,
  }, async () => {
    const compareEvery = isNight() ? 1 : 8
    const [all = []] = fc.sample(fc.array(step, { minLength: 200, maxLength: 200 }), {
      seed: seed(),
      numRuns: 1,
    })
    await using made = await madeIndex()
    const states: Files[] = [{}]
    for (const [at, it] of all.entries()) {
      const files = after(states, it)
      states.push(files)
      const { tree } = await made.index.scan(memorySource({ files }), INCREMENTAL)
      if ((at + 1) % compareEvery !== 0) continue
      expect(await dumpTree(tree), `SEED=${seed()}, step ${at}`).toBe(await cleanDump(files))
      const ids = await made.db.all(SegmentIdRow, selectSegmentIds())
      expect(ids.length).toBeLessThanOrEqual(MOST_SEGMENTS)
    }
  })

  test("[MAP-17] a full scan reads everything again and gives the same tree", async () => {
    await using made = await madeTree(HARBOUR)
    const { db } = made
    const before = new Set((await db.all(NumberRow, selectNumbers())).map((it) => it.number))
    const { tree, result } = await made.index.scan(made.source, { mode: "full", signal })
    expect(tree.files.some((it) => before.has(it.content))).toBe(false)
    expect(result).toMatchObject({ filesChanged: 0, mode: "full" })
    expect(await dumpTree(tree)).toBe(await dumpTree(made.tree))
  })
})

describe("interrupted scans", () => {
  const many = Object.fromEntries(
    Array.from({ length: 90 }, (_, at) => [`f${at}.py`, `def moor${at}():\n    return ${at}\n`]),
  )

  test("[MAP-15] stopped after any batch, the next scan completes the tree", async () => {
    const expected = await cleanDump(many)
    for (const batches of [0, 1, 2, 3]) {
      await using made = await madeTree(HARBOUR)
      const before = await dumpTree(made.tree)
      const stop = new AbortController()
      let seen = 0
      const options: ScanOptions = {
        mode: "incremental",
        signal: stop.signal,
        onProgress: () => ++seen > batches && stop.abort(new Error("enough")),
      }
      const source = memorySource({ files: many })
      await expect(made.index.scan(source, options)).rejects.toThrow("enough")
      const opened = await made.index.open(made.source)
      expect(opened && (await dumpTree(opened))).toBe(before)
      const { tree } = await made.index.scan(source, INCREMENTAL)
      expect(await dumpTree(tree)).toBe(expected)
    }
  })

  test("[MAP-15] when any database call fails, the next scan is correct", async () => {
    const expected = await cleanDump(HARBOUR)
    for (let failAt = 1; ; failAt++) {
      await using made = await madeIndex()
      const faulty = faultyDb(made.db, failAt)
      const source = memorySource({ files: HARBOUR })
      const failed = await indexOn(faulty.db)
        .scan(source, INCREMENTAL)
        .then(
          () => undefined,
          (error: unknown) => error,
        )
      if (!faulty.hasFailed()) {
        expect(failAt).toBeGreaterThan(8)
        return
      }
      expect(failed).toBeInstanceOf(InjectedFault)
      const { tree } = await made.index.scan(source, INCREMENTAL)
      expect(await dumpTree(tree)).toBe(expected)
    }
  })

  test("[MAP-15] progress rises to the number of files read", async () => {
    await using made = await madeIndex()
    const progress: (readonly [number, number])[] = []
    const onProgress = (done: number, total: number) => progress.push([done, total])
    await made.index.scan(memorySource({ files: many }), { ...INCREMENTAL, onProgress })
    expect(progress.at(-1)).toEqual([90, 90])
    expect(progress.map(([done]) => done)).toEqual(
      progress.map(([done]) => done).toSorted((a, b) => a - b),
    )
  })
})

describe("simultaneous scans", () => {
  const files = (from: number) =>
    Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`f${at}.py`, `def moor${at + from}():\n    pass\n`]),
    )

  test("[MAP-16] the same tree and another one, from three indexes of a database, all complete", async () => {
    await using made = await madeIndex()
    const scan = (key: string, from: number): ReturnType<TreeIndex["scan"]> =>
      indexOn(made.db).scan(memorySource({ files: files(from), key }), INCREMENTAL)
    const [one, two, other] = await Promise.all([scan("a", 0), scan("a", 0), scan("b", 20)])
    const expected = await cleanDump(files(0))
    for (const { tree } of [one, two]) expect(await dumpTree(tree)).toBe(expected)
    expect(await dumpTree(other.tree)).toBe(await cleanDump(files(20)))
    const opened = await made.index.open(memorySource({ files: files(0), key: "a" }))
    expect(opened && (await dumpTree(opened))).toBe(expected)
  })

  test("[MAP-16] contents deleted during a scan are read again", async () => {
    await using made = await madeIndex()
    const source = memorySource({ files: files(0) })
    let dropped = 0
    const dropping: TreeSource = {
      ...source,
      async past(given, stop) {
        if (dropped++ === 0) await dropAll(made.db)
        return source.past(given, stop)
      },
    }
    const { tree } = await made.index.scan(dropping, INCREMENTAL)
    expect(dropped).toBe(2)
    expect(await dumpTree(tree)).toBe(await cleanDump(files(0)))
  })
})

async function dropAll(db: TestIndex["db"]): Promise<void> {
  await db.transaction(async (tx) => {
    const state = await stateOf(tx)
    await tx.run(updateState({ ...state, sweeps: state.sweeps + 1 }))
    const numbers = (await tx.all(NumberRow, selectNumbers())).map((it) => it.number)
    await tx.run(deleteContents(numbers))
  })
}

describe("unused contents", () => {
  test("are deleted when they are the majority; contents of every tree stay", async () => {
    await using made = await madeIndex()
    const keptSource = memorySource({ files: HARBOUR, key: "kept" })
    await made.index.scan(keptSource, INCREMENTAL)
    const rounds = 4
    let last: Readonly<Record<string, string>> = {}
    for (let round = 0; round < rounds; round++) {
      last = Object.fromEntries(
        Array.from({ length: MOST_DEAD_CONTENTS / 2 + 20 }, (_, at) => [
          `f${at}.txt`,
          `${round} ${at}\n`,
        ]),
      )
      await made.index.scan(memorySource({ files: last }), INCREMENTAL)
    }
    const numbers = await made.db.all(NumberRow, selectNumbers())
    expect(numbers.length).toBeLessThan(2 * (MOST_DEAD_CONTENTS / 2 + 20) + 3)
    const opened = await made.index.open(keptSource)
    expect(opened && (await dumpTree(opened))).toBe(await cleanDump(HARBOUR))
    const tree = await made.index.open(memorySource({ files: last }))
    expect(tree && (await dumpTree(tree))).toBe(await cleanDump(last))
  })

  test("trees beyond the twenty newest are deleted, the oldest first, also of one moment", async () => {
    await using made = await madeIndex(testClock())
    const source = (at: number) =>
      memorySource({ files: { "a.txt": `${at}\n` }, key: `tree ${at}` })
    for (let at = 0; at <= MOST_TREES; at++) await made.index.scan(source(at), INCREMENTAL)
    expect(await made.index.open(source(0))).toBeUndefined()
    expect(await made.index.open(source(1))).toBeDefined()
  })
})

test("a tree that was deleted and scanned again has a new revision", async () => {
  await using made = await madeIndex()
  const source = (at: number, text = "old") =>
    memorySource({ files: { "a.txt": `${text} ${at}\n` }, key: `tree ${at}` })
  await made.index.scan(source(0), INCREMENTAL)
  const other = indexOn(made.db)
  expect(await other.open(source(0))).toBeDefined()
  for (let at = 1; at <= MOST_TREES; at++) await made.index.scan(source(at), INCREMENTAL)
  const { tree } = await indexOn(made.db).scan(source(0, "new"), INCREMENTAL)
  expect((await other.open(source(0, "new")))?.digest).toBe(tree.digest)
})

describe("texts", () => {
  test("[MAP-22] a file that changed or was deleted since the scan has no text", async () => {
    const files: Record<string, string> = {
      "a.ts": "let a = 1\n",
      "b.ts": "let b\n",
      "c.ts": "x\n",
    }
    await using made = await madeTree(files)
    files["b.ts"] = "let b = 2\n"
    delete files["c.ts"]
    expect([...(await made.tree.texts(["a.ts", "b.ts", "c.ts", "no.ts"]))]).toEqual([
      ["a.ts", "let a = 1\n"],
      ["b.ts", undefined],
      ["c.ts", undefined],
      ["no.ts", undefined],
    ])
  })
})

describe("the map.scanned event", () => {
  test("[MAP-25] is emitted once when files changed, in the transaction of the tree; otherwise not", async () => {
    await using made = await madeTree(HARBOUR)
    const { store } = made
    const events = async () => {
      const page = await store.journal.read({ after: undefined, limit: 100, namePrefix: "map." })
      return page.kind === "entries" ? page.entries.map((it) => it.body) : []
    }
    await made.index.scan(made.source, INCREMENTAL)
    expect(await events()).toEqual([{ files: 3, changed: 3, digest: made.tree.digest }])
    const next = memorySource({ files: { ...HARBOUR, "src/ship.py": "pass\n" } })
    await made.index.scan(next, INCREMENTAL)
    expect((await events())[1]).toMatchObject({ files: 3, changed: 1 })
  })

  test("[MAP-25] equal trees have equal digests, different ones do not", async () => {
    await using one = await madeTree(HARBOUR)
    await using two = await madeTree(HARBOUR)
    await using other = await madeTree({ ...HARBOUR, "README.md": "# Another\n" })
    expect(one.tree.digest).toBe(two.tree.digest)
    expect(one.tree.digest).not.toBe(other.tree.digest)
  })
})

describe("unusual trees", () => {
  test("[MAP-18] scans an empty tree, and one without a known language", async () => {
    await using empty = await madeTree({})
    expect(empty.tree.files).toEqual([])
    expect(empty.tree.corpus().size).toBe(0)
    await using unknown = await madeTree({ "a.xyz": "some words\n", "b.nix": "{ }\n" })
    expect(unknown.tree.files.map((it) => it.language)).toEqual([undefined, undefined])
    const words = await unknown.tree.postings(["words"])
    expect(words("words")).toEqual([unknown.tree.files[0]?.content, 1, 0])
  })

  test("[MAP-18] a file whose parser gives up is indexed by its words, with the reason", async () => {
    await using made = await madeTree({ "long.ts": `let berth = "${"x".repeat(30_000)}"\n` })
    const number = made.tree.files[0]?.content ?? 0
    const facts = (await made.tree.contents([number])).get(number)
    expect(facts?.problems).toEqual([{ reason: "line-too-long", line: 1 }])
    expect((await made.tree.postings(["berth"]))("berth")).toEqual([number, 1, 0])
  })
})

test("[MAP-19] generated files are listed and not indexed", async () => {
  await using made = await madeTree({
    "a.ts": "let a = 1\n",
    "api.pb.go": "package api\n",
    "b.ts": "// @generated\nlet b = 1\n",
    "package-lock.json": "{}\n",
    "vendor/x.go": "package x\n",
  })
  expect(made.tree.files.map((it) => it.path)).toEqual(["a.ts"])
  expect(made.tree.unread.map((it) => [it.path, it.fileClass])).toEqual([
    ["api.pb.go", "generated"],
    ["b.ts", "generated"],
    ["package-lock.json", "lock"],
    ["vendor/x.go", "vendored"],
  ])
})

test("[MAP-27] a tree stored by another version is scanned again", async () => {
  await using made = await madeTree(HARBOUR)
  for (const body of ['{"files":{}}', "not even JSON"]) {
    await made.db.run(sql`UPDATE map_tree_files SET body = ${body}`)
    await made.db.run(sql`UPDATE map_trees SET revision = revision + 1`)
    const index = indexOn(made.db)
    expect(await index.open(made.source)).toBeUndefined()
    const { tree } = await index.scan(made.source, INCREMENTAL)
    expect(await dumpTree(tree)).toBe(await cleanDump(HARBOUR))
  }
})

test("[F5] secrets in texts and messages are redacted before anything is stored, and line numbers stay", async () => {
  await using made = await madeIndex()
  const redact = (text: string) => text.replaceAll(/anchor\w+/g, "hidden")
  const files = { "a.ts": 'export const first = 1\nexport const token = "anchorSecret"\n' }
  const commits = [{ message: "use anchorSecret", files: ["a.ts"] }]
  const index = indexOn(made.db, { redact })
  const { tree } = await index.scan(memorySource({ files, commits }), INCREMENTAL)
  const dumped = await dumpTree(tree)
  expect(dumped).toContain("hidden")
  expect(dumped.toLowerCase()).not.toContain("anchorsecret")
  expect(tree.commits[0]?.message).toBe("use hidden")
  const facts = (await tree.contents([tree.files[0]?.content ?? 0])).values().next().value
  expect(facts?.symbols.map((it) => it.fromLine)).toEqual([1, 2])
})
