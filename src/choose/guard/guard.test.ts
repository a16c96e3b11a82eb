import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createIds, silentLog, systemRandom } from "#ground/base"
import { createGraphs, type IndexedTree, resolveNames } from "#know/map"
import type { Commit } from "#know/search"
import { blobId } from "#see/repo"
import { testClock } from "#test/clock"
import { madeTree } from "#test/indexed-tree"
import { fcParameters } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { createGuard, type GuardDeps } from "./guard.ts"
import { covers, type FileHash, type ReachedFile, readReceipts } from "./receipts.ts"
import { MOST_FOLLOWED_NAMES, MOST_REFERRING_FILES } from "./simulate/reach.ts"
import { MOST_LISTED_REACH, MOST_SIMULATED_FILES } from "./simulate/simulate.ts"

const context = { signal: new AbortController().signal }

type Files = Readonly<Record<string, string>>

function hashIn(files: Files): GuardDeps["hashOf"] {
  return async (path): Promise<FileHash> => {
    const text = files[path]
    if (text === undefined) return { kind: "absent" }
    return { kind: "hashed", hash: blobId(Buffer.from(text), "sha1") }
  }
}

async function guardOn(
  files: Files,
  { commits, ...given }: { readonly commits?: readonly Commit[] } & Partial<GuardDeps> = {},
) {
  const [directory, made] = [await tempDirectory(), await madeTree(files, commits)]
  const clock = testClock()
  const graphs = createGraphs()
  const deps: GuardDeps = {
    stateDirectory: join(directory.path, "qm"),
    tree: async () => made.tree,
    refresh: async () => made.tree,
    graphOf: (tree: IndexedTree) => graphs.of(tree),
    resolveNames,
    hashOf: hashIn(files),
    place: (path) => (path.startsWith("/") ? undefined : path),
    claimsOn: async () => [],
    redact: async () => (text) => text,
    highRiskPaths: () => [],
    ids: createIds({ clock, random: systemRandom }),
    clock,
    log: silentLog,
    ...given,
  }
  const guard = createGuard(deps)
  return {
    stateDirectory: deps.stateDirectory,
    clock,
    tree: made.tree,
    simulate: (...paths: readonly string[]) => guard.simulate({ paths }, context),
    async [Symbol.asyncDispose]() {
      await made[Symbol.asyncDispose]()
      await directory[Symbol.asyncDispose]()
    },
  }
}

const formatReach = ({ path, ways, hops, via, confidence, names }: ReachedFile) =>
  `${hops} ${path} ${ways.join("+")} [${names.join(" ")}] ${confidence}${via ? ` via ${via}` : ""}`

const SHOP: Files = {
  "src/auth/session.ts":
    "export function openSession() { return check() }\nfunction check() { return 1 }\n",
  "src/auth/index.ts": 'export { openSession } from "./session.ts"\n',
  "src/login.ts":
    'import { openSession } from "./auth/index.ts"\n' +
    "export function login() {\n  return openSession()\n}\nexport function greet() {}\n",
  "src/home.ts": 'import { login } from "./login.ts"\nexport function home() { return login() }\n',
  "src/far.ts": 'import { home } from "./home.ts"\nexport const far = () => home()\n',
  "src/loose.js": "export function loose() { return openSession() }\n",
  "test/login.test.ts": 'import { login } from "../src/login.ts"\nlogin()\n',
  "docs/guide.md": "# Guide\n",
  ".env": "A=1\n",
}

describe("simulate: dependents of the changed files", () => {
  test("[GUARD-1] lists importers and callers over two hops, through re-exports, with their confidence", async () => {
    await using guard = await guardOn(SHOP)
    const { receipt, reachCount } = await guard.simulate("src/auth/session.ts")
    expect(receipt.reach.map(formatReach)).toEqual([
      "1 src/auth/index.ts imports [] import",
      "1 src/login.ts calls [openSession] import",
      "1 src/loose.js calls [openSession] unique",
      "2 src/home.ts imports+calls [login] import via src/login.ts",
    ])
    expect(reachCount).toBe(4)
  })

  test("[GUARD-1] leaves out the changed files themselves", async () => {
    await using guard = await guardOn(SHOP)
    const { receipt } = await guard.simulate("src/auth/session.ts", "src/login.ts", "src/loose.js")
    expect(receipt.reach.map(formatReach)).toEqual([
      "1 src/auth/index.ts imports [] import",
      "1 src/home.ts imports+calls [login] import",
      "2 src/far.ts imports+calls [home] import via src/home.ts",
    ])
  })

  test("[GUARD-1] marks a use of a name that two files define as a guess", async () => {
    await using guard = await guardOn({
      "a.ts": "export function mend() {}\n",
      "b.ts": "export function mend() {}\n",
      "c.ts": "export function use() { mend() }\n",
    })
    const { receipt } = await guard.simulate("a.ts")
    expect(receipt.reach.map(formatReach)).toEqual(["1 c.ts calls [mend] ambiguous"])
  })

  test("[GUARD-1] gives a second-hop file the confidence of the weakest step to it", async () => {
    await using guard = await guardOn({
      ...SHOP,
      "src/user.js": 'import { loose } from "./loose.js"\nexport const user = () => loose()\n',
    })
    const { receipt } = await guard.simulate("src/auth/session.ts")
    expect(receipt.reach.map(formatReach).at(-1)).toBe(
      "2 src/user.js imports+calls [loose] unique via src/loose.js",
    )
  })

  test("[GUARD-1] reports when a file has more names than are followed, and follows exported names first", async () => {
    const hidden = Array.from(
      { length: MOST_FOLLOWED_NAMES },
      (_, it) => `function own${it}() {}\n`,
    )
    await using guard = await guardOn({
      "a.ts": `${hidden.join("")}export function shown() {}\n`,
      "b.ts": 'import { shown } from "./a.ts"\nshown()\n',
    })
    const { receipt, notes } = await guard.simulate("a.ts")
    expect(receipt.reach.map(formatReach)).toEqual(["1 b.ts imports+calls [shown] import"])
    expect(notes[0]).toBe("too many names or files to follow; more files may depend on it")
  })

  test("[GUARD-1] checks importers first when very many files use a name", async () => {
    const strangers = Array.from({ length: MOST_REFERRING_FILES }, (_, it) => [
      `a${it}.ts`,
      `mend(${it})\n`,
    ])
    await using guard = await guardOn({
      ...Object.fromEntries(strangers),
      "a.ts": "export function mend() {}\n",
      "other.ts": "export function mend() {}\n",
      "z.ts": 'import { mend } from "./a.ts"\nmend()\n',
    })
    const { receipt, reachCount } = await guard.simulate("a.ts")
    expect(receipt.reach.map(formatReach)[0]).toBe("1 z.ts imports+calls [mend] import")
    expect(reachCount).toBe(MOST_REFERRING_FILES)
    expect(receipt.reach).toHaveLength(MOST_LISTED_REACH)
  })

  test("[GUARD-1] finds exactly the callers that a generated tree was built with", async () => {
    const size = 8
    const links = fc.uniqueArray(
      fc.tuple(fc.nat({ max: size - 1 }), fc.nat({ max: size - 1 })).filter(([a, b]) => a < b),
      { selector: ([a, b]) => `${a} ${b}`, maxLength: 14 },
    )
    await fc.assert(
      fc.asyncProperty(links, fc.nat({ max: size - 1 }), async (all, changed) => {
        const files = Object.fromEntries(
          Array.from({ length: size }, (_, own) => [`f${own}.ts`, textOf(own, all)]),
        )
        await using guard = await guardOn(files)
        const { receipt } = await guard.simulate(`f${changed}.ts`)
        const users = (of: number) => all.filter(([to]) => to === of).map(([, from]) => from)
        const near = users(changed)
        const far = near.flatMap(users).filter((it) => !near.includes(it))
        const expected = [
          ...near.map((it) => `1 f${it}.ts`),
          ...new Set(far.map((it) => `2 f${it}.ts`)),
        ]
        const reach = receipt.reach.map((it) => `${it.hops} ${it.path}`)
        expect(reach).toEqual(expected.toSorted())
        expect(receipt.reach.every((it) => it.confidence === "import")).toBe(true)
      }),
      fcParameters({ numRuns: 15, nightRuns: 100 }),
    )
  })
})

function textOf(own: number, links: readonly (readonly [number, number])[]): string {
  const called = links.filter(([, from]) => from === own).map(([to]) => to)
  const imports = called.map((it) => `import { step${it} } from "./f${it}.ts"\n`).join("")
  return `${imports}export function step${own}() { ${called.map((it) => `step${it}();`).join(" ")} }\n`
}

describe("simulate: tests", () => {
  test("[GUARD-2] lists tests apart from dependents, and adds a reason for an untested file", async () => {
    await using guard = await guardOn(SHOP)
    const tested = await guard.simulate("src/auth/session.ts")
    expect(tested.receipt.tests.map(formatReach)).toEqual([
      "2 test/login.test.ts imports+calls [login] import via src/login.ts",
    ])
    expect(tested.testCount).toBe(1)
    const textsOf = (it: typeof tested) => it.receipt.reasons.map(({ text }) => text)
    expect(textsOf(tested).join()).not.toContain("no test")
    expect(textsOf(await guard.simulate("src/far.ts"))).toContain("no test covers it")
    const both = await guard.simulate("src/far.ts", "src/login.ts", "docs/guide.md")
    expect(textsOf(both)).toContain("no test covers 1 of 2 files")
    const withTest = await guard.simulate("src/login.ts", "test/login.test.ts")
    expect(textsOf(withTest).join()).not.toContain("no test")
    expect(withTest.receipt.tests).toEqual([])
  })
})

describe("simulate: co-changed files", () => {
  const past = (...files: readonly string[]): Commit => ({ message: "change", files })
  const sweep = past("src/home.ts", "src/far.ts", ...Array.from({ length: 19 }, (_, it) => `${it}`))
  const commits = [
    past("src/home.ts", "docs/guide.md", "gone.ts"),
    past("src/home.ts", "docs/guide.md", "src/login.ts"),
    past("src/home.ts"),
    past("src/far.ts"),
    sweep,
  ]

  test("[GUARD-3] counts co-changed files of the tree, without large commits and the changed files", async () => {
    await using guard = await guardOn(SHOP, { commits })
    const { changedWith, receipt, notes } = await guard.simulate("src/home.ts")
    expect(changedWith).toEqual([
      { path: "docs/guide.md", times: 2, of: 3 },
      { path: "src/login.ts", times: 1, of: 3 },
    ])
    expect(receipt.reasons.map((it) => it.text)).toContain(
      "docs/guide.md changed with it in 2 of 3 commits and is not part of this change",
    )
    expect(notes).toEqual([])
    const together = await guard.simulate("src/home.ts", "docs/guide.md")
    expect(together.changedWith.map((it) => it.path)).toEqual(["src/login.ts"])
  })

  test("[GUARD-3] reports when the repository has no history", async () => {
    await using guard = await guardOn(SHOP)
    const { notes } = await guard.simulate("src/home.ts")
    expect(notes).toEqual([
      "co-changed files are unknown: this tree lies in memory and has no past",
    ])
  })
})

test("[GUARD-4] checks claims on the changed files and their first-hop dependents", async () => {
  const requests: string[][] = []
  await using guard = await guardOn(SHOP, {
    claimsOn: async (paths) => {
      requests.push([...paths])
      return paths
        .filter((it) => it !== "src/auth/index.ts")
        .map((path) => ({ path, session: "another" }))
    },
  })
  const { claims, receipt } = await guard.simulate("src/login.ts")
  expect(requests).toEqual([["src/login.ts", "src/home.ts"]])
  expect(claims).toEqual([
    { path: "src/login.ts", session: "another" },
    { path: "src/home.ts", session: "another" },
  ])
  expect(receipt.reasons.slice(0, 2)).toEqual([
    { text: "1 claim of other sessions on the changed files", number: 0.5 },
    { text: "1 claim of other sessions on dependent files", number: 0.2 },
  ])
})

test("the order of the paths changes nothing but the id", async () => {
  await using guard = await guardOn(SHOP)
  await using other = await guardOn(SHOP)
  const withoutId = ({ receipt, ...rest }: Awaited<ReturnType<typeof guard.simulate>>) => ({
    ...rest,
    receipt: { ...receipt, id: "" },
  })
  const one = await guard.simulate("src/login.ts", "src/home.ts", "src/login.ts")
  const two = await other.simulate("src/home.ts", "src/login.ts")
  expect(withoutId(one)).toEqual(withoutId(two))
  expect(one.receipt.id).not.toBe(two.receipt.id)
  expect(one.receipt.treeId).toBe(guard.tree.digest)
})

describe("simulate: input paths", () => {
  test("[GUARD-7] a folder expands to all files below it, including files the map does not parse", async () => {
    await using guard = await guardOn({ ...SHOP, "src/auth/.env": "B=1\n", "src/authors.ts": "" })
    const { receipt } = await guard.simulate("src/auth")
    expect(receipt.paths.map((it) => it.path)).toEqual([
      "src/auth/.env",
      "src/auth/index.ts",
      "src/auth/session.ts",
    ])
  })

  test("[GUARD-7] a file that does not exist yet has no hash and may match a risk pattern", async () => {
    await using guard = await guardOn(SHOP, { highRiskPaths: () => ["**/auth/**"] })
    const { receipt, notes } = await guard.simulate("src/auth/new.ts")
    expect(receipt.paths).toEqual([{ path: "src/auth/new.ts", blobId: null }])
    expect(receipt.reasons).toEqual([
      { text: "src/auth/new.ts is high-risk (pattern **/auth/**)", number: 0.35 },
    ])
    expect(notes[0]).toBe("src/auth/new.ts does not exist yet, so no file depends on it")
  })

  test("[GUARD-7] refuses no path, too many paths, paths outside the repository and non-files, and writes no receipt", async () => {
    await using guard = await guardOn(SHOP, {
      place: (path) => (path.startsWith("/") ? undefined : path),
      hashOf: async () => ({ kind: "unknown", why: "it is a FIFO, not a regular file" }),
    })
    const many = Array.from({ length: MOST_SIMULATED_FILES + 1 }, (_, it) => `new${it}.ts`)
    await expect(guard.simulate()).rejects.toMatchObject({ code: "GUARD_NOTHING_TO_SIMULATE" })
    await expect(guard.simulate(...many)).rejects.toMatchObject({ code: "GUARD_TOO_MANY_FILES" })
    for (const path of ["/etc/passwd", "../a.ts", ".."]) {
      await expect(guard.simulate(path)).rejects.toMatchObject({ code: "GUARD_PATH_OUTSIDE" })
    }
    await expect(guard.simulate("pipe")).rejects.toMatchObject({ code: "GUARD_FILE_UNREADABLE" })
    expect(await readReceipts({ ...guard, now: guard.clock.now() })).toEqual([])
  })
})

describe("simulate: file hashes", () => {
  const newer = { ...SHOP, "src/home.ts": "export const home = 1\n" }
  const edited = (fields: { readonly path: string; readonly hash: string | null }) => ({
    ...fields,
    session: { edits: [] },
  })

  test("[GUARD-8] scans once more when the tree is older than the file", async () => {
    await using after = await madeTree(newer)
    let scans = 0
    await using guard = await guardOn(SHOP, {
      hashOf: hashIn(newer),
      refresh: async () => {
        scans++
        return after.tree
      },
    })
    const { receipt } = await guard.simulate("src/home.ts", "src/login.ts")
    expect(scans).toBe(1)
    const hash = blobId(Buffer.from(newer["src/home.ts"]), "sha1")
    expect(receipt.paths[0]).toEqual({ path: "src/home.ts", blobId: hash })
    expect(receipt.treeId).toBe(after.tree.digest)
    const now = guard.clock.now()
    const receipts = await readReceipts({ ...guard, now })
    expect(covers(receipts, { ...edited({ path: "src/home.ts", hash }), now })).toBe(true)
    await guard.simulate("src/login.ts")
    expect(scans).toBe(1)
  })

  test("[GUARD-8] refuses a file that changes again after the second scan, also when an earlier file is in no scan", async () => {
    await using guard = await guardOn(SHOP, { hashOf: hashIn({ ...newer, "a.log": "x" }) })
    const code = "GUARD_FILE_CHANGING"
    await expect(guard.simulate("src/home.ts")).rejects.toMatchObject({ code })
    await expect(guard.simulate("a.log", "src/home.ts")).rejects.toMatchObject({ code })
  })

  test("[GUARD-8] simulates a file that the map does not parse by its bytes, and adds a reason", async () => {
    await using guard = await guardOn(SHOP, { hashOf: hashIn({ ...SHOP, "a.log": "x" }) })
    const { receipt, notes } = await guard.simulate(".env", "a.log")
    expect(receipt.paths.map((it) => it.blobId?.length)).toEqual([40, 40])
    expect(receipt.reasons).toEqual([
      { text: "the map does not parse 2 files, so dependents are unknown", number: 0.2 },
    ])
    expect(notes.slice(0, 2)).toEqual([
      "the map does not parse .env",
      "the map does not parse a.log",
    ])
  })
})

test("[GUARD-9] removes invisible characters from names, then redacts secrets", async () => {
  const name = "key\u200bMaterial"
  await using guard = await guardOn(
    {
      "a.py": `def ${name}():\n    pass\n`,
      "b.py": `from a import ${name}\n\ndef use():\n    ${name}()\n`,
      "c.ts": "export function keyMaterial() {}\n",
      "d.ts": 'import { keyMaterial } from "./c.ts"\nkeyMaterial()\n',
    },
    { redact: async () => (text) => text.replaceAll("keyMaterial", "[secret]") },
  )
  const { receipt } = await guard.simulate("a.py", "c.ts")
  expect(receipt.reach.flatMap((it) => it.names)).toContain("[secret]")
  expect(JSON.stringify(receipt)).not.toMatch(/keyMaterial|\u200b/)
})

test("[GUARD-10] each simulation writes a receipt that equals the response", async () => {
  await using guard = await guardOn(SHOP)
  const { receipt } = await guard.simulate("src/login.ts")
  const folder = join(guard.stateDirectory, "receipts")
  expect(await readdir(folder)).toEqual([`${receipt.id}.json`])
  expect(JSON.parse(await readFile(join(folder, `${receipt.id}.json`), "utf8"))).toEqual(receipt)
  await guard.clock.advance(25 * 3_600_000)
  const next = await guard.simulate("src/login.ts")
  expect(await readdir(folder)).toEqual([`${next.receipt.id}.json`])
})

test("[GUARD-10] a cancelled simulation writes no receipt", async () => {
  const controller = new AbortController()
  await using guard = await guardOn(SHOP)
  await using directory = await tempDirectory()
  const graphs = createGraphs()
  const late = createGuard({
    ...(await lateDeps(guard.tree, directory.path)),
    graphOf: (tree) => graphs.of(tree),
    claimsOn: async () => {
      controller.abort()
      return []
    },
  })
  await expect(late.simulate({ paths: ["src/home.ts"] }, controller)).rejects.toThrow("abort")
  expect(await readdir(directory.path)).toEqual([])
})

async function lateDeps(tree: IndexedTree, stateDirectory: string) {
  const clock = testClock()
  return {
    stateDirectory,
    tree: async () => tree,
    refresh: async () => tree,
    resolveNames,
    hashOf: hashIn(SHOP),
    place: (path: string) => path,
    redact: async () => (text: string) => text,
    highRiskPaths: () => [],
    ids: createIds({ clock, random: systemRandom }),
    clock,
    log: silentLog,
  }
}
