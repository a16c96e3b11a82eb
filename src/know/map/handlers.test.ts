import { describe, expect, onTestFinished, test } from "vitest"
import { withoutHiddenCharacters } from "#ground/base"
import type { MapEntry } from "#ground/contract"
import { createSearch, loadRanker, NothingToSearch } from "#know/search"
import { madeTree, memorySource } from "#test/indexed-tree"
import { MapFileLeftOut, MapNameUnknown, MapPathOutside } from "./errors.ts"
import { mapHandlers } from "./handlers.ts"

const FILES = {
  "src/price/rounding.ts": [
    "/** Rounds to whole cents; the key is hunter2. */",
    "export function roundLine(value: number, key = 'hunter2') {",
    "  return half(value)",
    "}",
    "",
    "function half(value: number) {",
    "  return value / 2",
    "}",
  ].join("\n"),
  "src/price/tax.ts": [
    'import { roundLine } from "./rounding.ts"',
    "export class Tax {",
    "  total(value: number) {",
    "    return roundLine(value)",
    "  }",
    "}",
  ].join("\n"),
  "src/user/login.ts": "export function login(name: string) {\n  return name\n}\n",
  "src/broken.ts": "export function broken( {\n",
  "docs/guide.md": "# Rounding\n\nHow a line is rounded to cents.\n",
  "package-lock.json": "{}\n",
}
const COMMITS = [
  { message: "Round half a cent", files: ["src/price/rounding.ts", "src/price/tax.ts"] },
  { message: "Log in by name", files: ["src/user/login.ts"] },
]

const ranker = await loadRanker({ table: "leave" })
const context = { signal: new AbortController().signal }

async function opened(
  files: Readonly<Record<string, string>> = FILES,
  past: typeof COMMITS | "none" = COMMITS,
) {
  const made = await madeTree(files, past === "none" ? undefined : past)
  onTestFinished(() => made[Symbol.asyncDispose]())
  const written = new Map<string, string>()
  const { map, search } = mapHandlers({
    scan: (mode, { signal }) => made.index.scan(made.source, { mode, signal }),
    tree: () => Promise.resolve(made.tree),
    knownTree: () => Promise.resolve(made.tree),
    storedTree: () => Promise.resolve(made.tree),
    search: () => Promise.resolve(createSearch({ ranker })),
    redact: async () => (text) => text.replaceAll("hunter2", "(secret)"),
    agentReads: () => Promise.resolve(undefined),
    write: async (path, text) => void written.set(path, text),
  })
  return {
    made,
    written,
    scan: (full = false) => map.scan({ full }, context),
    exportMap: (module = "") => map.export({ out: "out", module }, context),
    tree: (input: { folder?: string; filter?: string; limit?: number } = {}) =>
      map.tree({ folder: "", filter: "", limit: 500, measures: false, ...input }, context),
    show: (what: string, hops = 1) => map.show({ what, hops }, context),
    find: (words: string, limit = 20) => search.find({ words, limit }, context),
    names: (text: string, limit = 10) => search.names({ text, limit }, context),
  }
}

const formatEntries = (entries: readonly MapEntry[]) =>
  entries.map((it) => `${it.kind} ${it.path} ${it.files} ${it.symbols} ${it.rank}`)

describe("map.tree", () => {
  test("[MAP-46] lists folders first, with sums of all files below, then files", async () => {
    const map = await opened()
    const root = await map.tree()
    expect(formatEntries(root.entries)).toEqual([
      "folder docs 1 0 0",
      "folder src 4 5 1",
      "file package-lock.json 1 0 0",
    ])
    const { entries, state } = await map.tree({ folder: "./src/price/" })
    expect(formatEntries(entries)).toEqual([
      "file src/price/rounding.ts 1 2 1",
      "file src/price/tax.ts 1 2 0",
    ])
    expect(entries[0]).toMatchObject({ language: "typescript", fileClass: "source" })
    expect(state).toMatchObject({ files: map.made.tree.files.length, commits: 2 })
  })

  test("[MAP-46] a filter matches whole paths, and the omitted entries are counted", async () => {
    const map = await opened()
    const { entries, total } = await map.tree({ filter: "PRICE/", limit: 1 })
    expect([formatEntries(entries), total]).toEqual([["file src/price/rounding.ts 1 2 1"], 2])
    expect((await map.tree({ filter: "nowhere" })).total).toBe(0)
  })

  test("[MAP-46] rejects a missing folder and one outside the repository", async () => {
    const map = await opened()
    await expect(map.tree({ folder: "src/pricing" })).rejects.toSatisfy(MapNameUnknown.is)
    await expect(map.tree({ folder: "src/../.." })).rejects.toSatisfy(MapPathOutside.is)
    await expect(map.tree({ folder: "/etc" })).rejects.toSatisfy(MapPathOutside.is)
  })

  test("[MAP-46] returns nothing before the first scan, and starts no scan", async () => {
    const { map } = mapHandlers({
      scan: () => Promise.reject(new Error("scanned")),
      tree: () => Promise.reject(new Error("scanned")),
      knownTree: () => Promise.resolve(undefined),
      storedTree: () => Promise.resolve(undefined),
      search: () => Promise.reject(new Error("searched")),
      redact: async () => (text) => text,
      agentReads: () => Promise.resolve(undefined),
      write: () => Promise.resolve(),
    })
    const input = { folder: "", filter: "", limit: 10, measures: false }
    expect(await map.tree(input, context)).toEqual({
      folder: "",
      entries: [],
      total: 0,
      state: null,
    })
  })
})

describe("map.show", () => {
  test("[MAP-47] shows a file with its symbols, imports, importers and co-changed files", async () => {
    const map = await opened()
    const tax = await map.show("./src/price/tax.ts")
    expect(tax).toMatchObject({
      kind: "file",
      path: "src/price/tax.ts",
      imports: [{ specifier: "./rounding.ts", line: 1, paths: ["src/price/rounding.ts"] }],
      importedBy: [],
      changedWith: [{ path: "src/price/rounding.ts", times: 1 }],
      problems: [],
    })
    const rounding = await map.show("src/price/rounding.ts")
    expect(rounding).toMatchObject({ rank: 1, importedBy: ["src/price/tax.ts"] })
    const broken = await map.show("src/broken.ts")
    expect(broken).toMatchObject({ problems: ["could not be parsed completely, line 1"] })
  })

  test.for(["roundLine", "src/price/rounding.ts#roundLine"])(
    "[MAP-47] %s shows the function with callers and callees",
    async (what) => {
      const shown = await (await opened()).show(what)
      expect(shown).toMatchObject({
        kind: "symbol",
        symbol: { name: "roundLine", path: "src/price/rounding.ts" },
        callers: [{ symbol: { name: "total", parent: "Tax" }, line: 4, confidence: "import" }],
        called: [{ symbol: { name: "half" }, line: 3, hops: 1, confidence: "package" }],
        others: [],
        isCut: false,
      })
    },
  )

  test.for([
    ["d#x/b.ts#hashed", "hashed", "d#x/b.ts"],
    ["./d#x/b.ts#Berth.moor", "moor", "d#x/b.ts"],
    ["d#x/b.ts#Berth#moor", "moor", "d#x/b.ts"],
    ["d#x/b.ts##own", "#own", "d#x/b.ts"],
  ] as const)("[MAP-47] %s resolves although the path contains `#`", async ([what, name, path]) => {
    const map = await opened({
      "d#x/b.ts": "export function hashed() {}\nclass Berth {\n  moor() {}\n  #own() {}\n}\n",
      "c.ts": "export function hashed() {}\n",
    })
    expect(await map.show(what)).toMatchObject({ kind: "symbol", symbol: { name, path } })
    await expect(map.show("d#x#hashed")).rejects.toSatisfy(MapNameUnknown.is)
  })

  test("[MAP-47] suggests names of the same file when its path contains `#`", async () => {
    const map = await opened({ "d#x/b.ts": "export function hashed() {}\n" })
    const error: unknown = await map.show("d#x/b.ts#hashe").catch((it: unknown) => it)
    if (!MapNameUnknown.is(error)) throw error
    expect(error.data.near).toEqual(["hashed"])
  })

  test("[MAP-47] for two hops, names the symbol in between in the form `map.show` accepts", async () => {
    const map = await opened({
      ...FILES,
      "src/shop.ts": [
        'import { Tax } from "./price/tax.ts"',
        "export function pay() { return new Tax().total(3) }",
      ].join("\n"),
    })
    const shown = await map.show("roundLine", 2)
    expect(shown).toMatchObject({
      callers: [
        { symbol: { name: "total" }, hops: 1 },
        { symbol: { name: "pay" }, hops: 2, via: "src/price/tax.ts#Tax.total" },
      ],
    })
    expect(shown.kind === "symbol" && shown.callers.map((it) => "via" in it)).toEqual([false, true])
    expect(await map.show("Tax.total", 2)).toMatchObject({
      called: [{ hops: 1 }, { symbol: { name: "half" }, via: "src/price/rounding.ts#roundLine" }],
    })
  })

  test("[MAP-47] shows an unindexed file with the reason", async () => {
    const map = await opened({ ...FILES, "lib/app.min.js": "var a=1\n", ".env": "" })
    expect(await map.show("./package-lock.json")).toMatchObject({
      kind: "file",
      path: "package-lock.json",
      fileClass: "lock",
      tokens: 0,
      symbols: [],
      problems: ["not read: lock file"],
    })
    expect(await map.show("lib/app.min.js")).toMatchObject({ problems: ["not read: minified"] })
    for (const { path } of map.made.tree.unread) {
      expect(await map.show(path), path).toMatchObject({ kind: "file", path })
    }
  })

  test("[MAP-47] rejects an excluded file with the reason", async () => {
    const map = await opened()
    Object.assign(map.made.tree, { skipped: [{ path: "src/logo.png", reason: "binary" }] })
    const error: unknown = await map.show("src/logo.png").catch((it: unknown) => it)
    if (!MapFileLeftOut.is(error)) throw error
    expect(error.message).toBe("src/logo.png is not in the map: it is not a text file.")
    expect(error.hint.length).toBeLessThanOrEqual(160)
  })

  test("[MAP-47] Parent.name is a member, and of equal names the exported one is first", async () => {
    const map = await opened({
      ...FILES,
      "src/a.ts": "function login() {}\n",
      "test/a.test.ts": "export function login() { }\n",
    })
    expect(await map.show("Tax.total")).toMatchObject({ symbol: { name: "total", parent: "Tax" } })
    await expect(map.show("Cost.total")).rejects.toSatisfy(MapNameUnknown.is)
    const { others, ...login } = await map.show("login").then((it) => ({ others: [], ...it }))
    expect(login).toMatchObject({ symbol: { path: "src/user/login.ts" } })
    expect(others).toMatchObject([{ path: "src/a.ts" }, { path: "test/a.test.ts" }])
  })

  test.for(["src/price", "./src/price/", "src"])("[MAP-47] %s shows a folder", async (what) => {
    const shown = await (await opened()).show(what)
    const folder = what.includes("price") ? "src/price" : "src"
    expect(shown).toMatchObject({ kind: "folder", folder })
    expect(shown.kind === "folder" && shown.files).toBeGreaterThan(0)
  })

  test("[MAP-47] a symbol has precedence over a folder of the same name", async () => {
    const map = await opened({ "login/form.ts": "export function login() {}\n" })
    expect(await map.show("login")).toMatchObject({ kind: "symbol" })
    expect(await map.show("login/")).toMatchObject({ kind: "folder", folder: "login" })
  })

  test.for([
    ["roundLines", "roundLine"],
    ["src/price/roundin.ts", "src/price/rounding.ts"],
    ["src/price/tax.ts#total2", "total"],
  ] as const)("[MAP-47] the error for the unknown %s suggests %s", async ([what, near]) => {
    const error: unknown = await (await opened()).show(what).catch((it: unknown) => it)
    if (!MapNameUnknown.is(error)) throw error
    expect(error.data.near).toContain(near)
    expect(error.hint.length).toBeLessThanOrEqual(160)
  })

  test("[MAP-47] rejects a name without a similar one, and a path outside the repository", async () => {
    const map = await opened()
    const error: unknown = await map.show("x".repeat(4_096)).catch((it: unknown) => it)
    if (!MapNameUnknown.is(error)) throw error
    expect([error.data.near, error.message.length < 120]).toEqual([[], true])
    for (const path of ["../secret.ts", "/etc/passwd", "src/../../x", "../a#b"]) {
      await expect(map.show(path), path).rejects.toSatisfy(MapPathOutside.is)
    }
  })
})

describe("search.find", () => {
  test("[MAP-48] returns the best files with reasons and their best symbols", async () => {
    const map = await opened()
    const { files, signals, state } = await map.find("Round a line to half a cent (#12)", 2)
    expect(signals).toEqual(["words", "history"])
    expect(state.digest).toBe(map.made.tree.digest)
    const [best] = files
    expect(files).toHaveLength(2)
    expect(best).toMatchObject({ path: "src/price/rounding.ts", score: 1, language: "typescript" })
    expect(best?.reasons.length).toBeGreaterThan(0)
    expect(best?.symbols[0]).toMatchObject({ name: "roundLine", score: 1 })
    expect(best?.symbols.every((it) => it.score > 0 && it.score <= 1)).toBe(true)
  })

  test("[SEARCH-18] tests and documents are listed apart unless the words ask for them", async () => {
    const map = await opened({
      ...FILES,
      "src/price/rounding.test.ts": "test('roundLine rounds half to even', () => {})\n",
    })
    const apart = await map.find("round a line")
    expect(apart.files.map((it) => it.path)).not.toContain("src/price/rounding.test.ts")
    expect(apart.tests.map((it) => it.path)).toContain("src/price/rounding.test.ts")
    const together = await map.find("tests that round a line")
    expect(together.files.map((it) => it.path)).toContain("src/price/rounding.test.ts")
    expect(together.tests).toEqual([])
  })

  test("[MAP-48] ignores trailers below a message", async () => {
    const map = await opened()
    const { files } = await map.find(
      "a name\n\nReviewed-by: roundLine price rounding half value key",
    )
    expect(files[0]?.path).toBe("src/user/login.ts")
  })

  test("[MAP-48] ranks by words alone without a history", async () => {
    await using made = await madeTree(FILES)
    const { search } = mapHandlers({
      scan: () => Promise.reject(new Error("scanned")),
      tree: () => Promise.resolve(made.tree),
      knownTree: () => Promise.resolve(made.tree),
      storedTree: () => Promise.resolve(made.tree),
      search: () => Promise.resolve(createSearch({ ranker })),
      redact: async () => (text) => text,
      agentReads: () => Promise.resolve(undefined),
      write: () => Promise.resolve(),
    })
    const { signals, state } = await search.find({ words: "login", limit: 3 }, context)
    expect(signals).toEqual(["words"])
    expect(state.historyProblem).not.toBeNull()
  })

  test("[MAP-48] still uses the names of a file that changed since the scan", async () => {
    const map = await opened()
    const texts = () => Promise.resolve(new Map<string, string | undefined>())
    Object.assign(map.made.tree, { texts })
    const [best] = (await map.find("roundLine")).files
    expect(best?.symbols[0]).toMatchObject({ name: "roundLine" })
  })

  test.for(["with a past", "without one"] as const)(
    "[MAP-48] words that no file contains match nothing, %s, and no ranking is computed",
    async (how) => {
      const map = await opened(FILES, how === "with a past" ? COMMITS : "none")
      const words = ["zzzqqq", "zzzqqq wwwvvv", "zzz/qqq.rs", "zzzQqq(vvv)", "https://zzz.qqq/vvv"]
      for (const it of words) {
        expect(await map.find(it), it).toMatchObject({ files: [], signals: [] })
      }
      expect((await map.find("zzzqqq login")).files[0]?.path).toBe("src/user/login.ts")
      expect((await map.find("zzzqqq md")).documents[0]?.path).toBe("docs/guide.md")
    },
  )

  test("[MAP-48] words of another tree in the database match nothing", async () => {
    const map = await opened()
    const other = memorySource({ files: { "a.ts": "export const quayside = 1\n" }, key: "other" })
    await map.made.index.scan(other, { mode: "incremental", signal: context.signal })
    expect((await map.find("quayside")).files).toEqual([])
  })

  test.for([
    ["a path without a word", "1/2", "1/2"],
    ["a path beside words that no file has", "zzzqqq ./1/2", "1/2"],
    ["a path between punctuation", "zzzqqq (`1/2`).", "1/2"],
    ["a path that begins with punctuation", "(1)/2 zzzqqq", "(1)/2"],
    ["a symbol whose name is a stop word", "close", "src/close.ts"],
    ["a symbol of one letter, with its brackets", "x()?", "src/close.ts"],
    ["a symbol in another script", "\u5927\u5c0f", "src/close.ts"],
  ] as const)("[MAP-48] finds %s: %s", async ([, words, path]) => {
    const map = await opened({
      ...FILES,
      "1/2": "plain\n",
      "(1)/2": "plain too\n",
      "src/close.ts": "export function close() {}\nconst \u5927\u5c0f = 1\nfunction x() {}\n",
    })
    const { files, signals } = await map.find(words)
    expect(files.map((it) => it.path)).toEqual([path])
    expect(signals).toEqual(["names"])
    const isSymbol = path.startsWith("src/")
    expect(files[0]?.reasons).toEqual([
      isSymbol ? "defines a symbol of this name" : "named by its path",
    ])
    expect(files[0]?.symbols.map((it) => words.startsWith(it.name))).toEqual(isSymbol ? [true] : [])
  })

  test("[MAP-48] a written-out path precedes files that share its words", async () => {
    const many = Array.from({ length: 30 }, (_, at) => [`src/t${at}.ts`, `src ts ${at}\n`])
    const map = await opened({ ...Object.fromEntries(many), "src/close.ts": "export {}\n" })
    const { files } = await map.find("what does src/close.ts do?", 3)
    expect(files.map((it) => it.path).slice(0, 1)).toEqual(["src/close.ts"])
    expect(files).toHaveLength(3)
    expect(files[0]).toMatchObject({ score: 1 })
    expect(files[0]?.reasons[0]).toBe("named by its path")
    expect(files[0]?.reasons.length).toBeLessThanOrEqual(3)
    expect(new Set(files.map((it) => it.path)).size).toBe(3)
  })

  test("[MAP-48] a path in a pasted issue is listed where the ranker places it", async () => {
    const map = await opened({ ...FILES, "src/server.ts": "export function serve() {}\n" })
    const issue = [
      "roundLine rounds half a cent down",
      "",
      "`roundLine` of a Tax gives too little. It is called while this frame is served:",
      "Traceback (most recent call last):",
      '  File "src/server.ts", line 1, in serve',
    ].join("\n")
    const { files } = await map.find(issue, 3)
    expect(files[0]?.path).toBe("src/price/rounding.ts")
    const served = files.find((it) => it.path === "src/server.ts")
    expect(served?.reasons[0]).toBe("named by its path")
  })

  test("[MAP-48] rejects a query without a word, and searches a URL by its words", async () => {
    const map = await opened()
    await expect(map.find("?!")).rejects.toSatisfy(NothingToSearch.is)
    await expect(map.find(`${"!".repeat(4_000)} `.repeat(250))).rejects.toSatisfy(
      NothingToSearch.is,
    )
    const { files } = await map.find("https://example.invalid/login")
    expect(files[0]?.path).toBe("src/user/login.ts")
  })

  test("[MAP-48] one letter matches names that start with it, then names that contain it", async () => {
    const map = await opened()
    const { files, signals } = await map.find("R")
    expect(files.map((it) => it.path)).toEqual(["src/price/rounding.ts", "src/broken.ts"])
    expect([files[0]?.reasons, signals]).toEqual([["its name contains this text"], ["names"]])
    expect((await map.find("ё")).files).toEqual([])
  })
})

describe("search.names", () => {
  test("[MAP-52] finds files and symbols by a part of their name, best first", async () => {
    const map = await opened()
    const { files, symbols, isScanned } = await map.names("ROUND")
    expect(files.map((it) => it.path)).toEqual(["src/price/rounding.ts"])
    expect(symbols.map((it) => `${it.name} ${it.kind} ${it.path}:${it.fromLine}`)).toEqual([
      "roundLine function src/price/rounding.ts:2",
    ])
    expect(isScanned).toBe(true)
    expect((await map.names("price ta")).files.map((it) => it.path)).toEqual(["src/price/tax.ts"])
    expect((await map.names("total")).symbols).toMatchObject([{ name: "total", parent: "Tax" }])
    expect((await map.names("tax total")).symbols).toMatchObject([{ name: "total" }])
  })

  test("[MAP-52] a single letter and an empty text are no error", async () => {
    const map = await opened()
    const { files, symbols } = await map.names("l", 2)
    expect(files.map((it) => it.path)).toEqual(["src/user/login.ts"])
    expect(symbols.map((it) => it.name)).toEqual(["login", "total"])
    expect(await map.names("")).toEqual({ files: [], symbols: [], isScanned: true })
    expect(await map.names("zzz")).toEqual({ files: [], symbols: [], isScanned: true })
  })

  test("[MAP-52] it returns nothing before the first scan, and starts none", async () => {
    const { search } = mapHandlers({
      scan: () => Promise.reject(new Error("scanned")),
      tree: () => Promise.reject(new Error("scanned")),
      knownTree: () => Promise.reject(new Error("scanned")),
      storedTree: () => Promise.resolve(undefined),
      search: () => Promise.reject(new Error("searched")),
      redact: async () => (text) => text,
      agentReads: () => Promise.resolve(undefined),
      write: () => Promise.resolve(),
    })
    const empty = { files: [], symbols: [], isScanned: false }
    expect(await search.names({ text: "a", limit: 5 }, context)).toEqual(empty)
  })
})

describe("map.export", () => {
  test("[MAP-49] writes one file per folder with code: files, symbols, imports, edges", async () => {
    const map = await opened()
    const { out, files } = await map.exportMap("src/")
    expect(out).toBe("out")
    expect(files).toEqual([
      "src/ast_context.json",
      "src/price/ast_context.json",
      "src/user/ast_context.json",
    ])
    expect([...map.written.keys()]).toEqual(files.map((it) => `out/${it}`))
    const price: unknown = JSON.parse(map.written.get("out/src/price/ast_context.json") ?? "")
    expect(price).toMatchObject({
      format: "ast-context/1",
      module: "src/price",
      files: [
        { path: "src/price/rounding.ts", symbols: [{ name: "roundLine" }, { name: "half" }] },
        { imports: [{ specifier: "./rounding.ts", paths: ["src/price/rounding.ts"] }] },
      ],
      edges: [{ from: "src/price/tax.ts", to: "src/price/rounding.ts", names: ["roundLine"] }],
    })
  })

  test("[MAP-49] the same tree gives the same bytes, and a change elsewhere changes nothing", async () => {
    const [one, two] = [await opened(), await opened({ ...FILES, "src/user/new.ts": "new Date()" })]
    await one.exportMap()
    await two.exportMap()
    const path = "out/src/price/ast_context.json"
    expect(two.written.get(path)).toBe(one.written.get(path))
    expect(two.written.get("out/src/user/ast_context.json")).not.toBe(
      one.written.get("out/src/user/ast_context.json"),
    )
  })

  test("[MAP-49] rejects an unknown module and writes nothing", async () => {
    const map = await opened()
    await expect(map.exportMap("lib")).rejects.toSatisfy(MapNameUnknown.is)
    await expect(map.exportMap("../lib")).rejects.toSatisfy(MapPathOutside.is)
    expect(map.written.size).toBe(0)
  })
})

test("[MAP-50] redacts secrets in signatures and comments in every output", async () => {
  const map = await opened({ ...FILES, "src/late.ts": 'import "./hunter2/late.ts"\n' })
  await map.exportMap()
  const shown = [
    await map.show("src/late.ts"),
    await map.show("src/price/rounding.ts"),
    await map.show("roundLine"),
    await map.show("Tax", 2),
    await map.find("round line"),
    [...map.written.values()],
  ].map((it) => JSON.stringify(it))
  for (const text of shown) {
    expect(text).toContain("(secret)")
    expect(text).not.toContain("hunter2")
  }
})

test("[MAP-50] removes invisible characters before it redacts, so that no secret is reassembled", async () => {
  const tags = String.fromCodePoint(0xe0049, 0xe0067, 0xe006e)
  const bidi = "\u202e"
  const split = "hun\u200dter2"
  const map = await opened({
    ...FILES,
    "src/odd.ts": [
      `/** Moors${tags} a ship${bidi}; the key is ${split}. */`,
      `export function moor\u200dShip(key = "${split}${bidi}") {`,
      "  return key",
      "}",
      `export class Quay\u200cSide { ${split}() {} }`,
    ].join("\n"),
    "src/more.ts": `import { moor\u200dShip } from "./odd${tags}${split}.ts"\n`,
  })
  await map.exportMap()
  const near: unknown = await map.show("src/odd.ts#moorShips").catch((it: unknown) => it)
  if (!MapNameUnknown.is(near)) throw near
  const shown = [
    await map.show("src/odd.ts"),
    await map.show("src/more.ts"),
    await map.show("src/odd.ts#moor\u200dShip"),
    await map.find("moors a ship"),
    [...map.written.values()],
    near.data.near,
  ].map((it) => JSON.stringify(it))
  for (const text of shown) {
    expect(withoutHiddenCharacters(text)).toBe(text)
    expect(text).not.toContain("hunter2")
  }
  expect(shown[0]).toContain("Moors a ship; the key is (secret).")
  expect(shown[0]).toContain('"name":"moorShip"')
  expect(shown[0]).toContain('"parent":"QuaySide"')
  expect(shown[1]).toContain("./odd(secret).ts")
})

describe("map.scan: the result", () => {
  test("[MAP-51] lists languages by number of files, and the broken file", async () => {
    const map = await opened({ ...FILES, "tool.py": "def tool(): pass\n" })
    const { scan, languages, problems, problemsCount, skipped, state } = await map.scan()
    expect(scan).toMatchObject({ filesChanged: 0, mode: "incremental" })
    expect(languages.map((it) => [it.language, it.files, it.symbols])).toEqual([
      ["typescript", 4, 5],
      ["python", 1, 1],
    ])
    expect(problems).toEqual([{ path: "src/broken.ts", reason: expect.any(String) as string }])
    expect([problemsCount, skipped]).toEqual([1, []])
    expect(state.digest).toBe(map.made.tree.digest)
    expect((await map.scan(true)).scan.mode).toBe("full")
  })

  test("[MAP-51] lists the first hundred of many excluded files", async () => {
    const map = await opened()
    const source = memorySource({ files: { "a.ts": "" } })
    const skipped = Array.from({ length: 130 }, (_, at) => ({
      path: `link${at}`,
      reason: "link" as const,
    }))
    const listed = {
      ...source,
      async list(signal: AbortSignal) {
        return { ...(await source.list(signal)), skipped }
      },
    }
    Object.assign(map.made, { source: listed })
    const result = await map.scan()
    expect([result.skipped.length, result.skippedCount]).toEqual([100, 130])
    expect(result.skipped[0]).toEqual({
      path: "link0",
      reason: "it is a link, and links are not followed",
    })
  })
})
