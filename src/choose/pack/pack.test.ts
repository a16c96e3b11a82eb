import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isAppError } from "#ground/base"
import { createSecrets } from "#ground/secrets"
import { StoreClosed } from "#ground/store"
import { madeTree } from "#test/indexed-tree"
import { fcParameters } from "#test/seed"
import { PackUnknown } from "./errors.ts"
import { memoryTree } from "./memory-tree.fixture.ts"
import { counter, packFixture, SHOP } from "./pack.fixture.ts"
import { renderMarkdown } from "./render.ts"

const shop = memoryTree(SHOP, { count: counter.count })
const TASK = "Rounding of a line: `roundLine` loses half a cent"

test("[PACK-1] builds a package for a task from a scanned tree", async () => {
  await using made = await madeTree(SHOP)
  await using lab = packFixture(made.tree)
  const { pack, text, textTokens } = await lab.build({ task: TASK, format: "markdown" })
  expect(pack.files.map((it) => [it.path, it.form, it.symbols, it.reasons[0]])).toEqual([
    ["src/bill/rounding.ts", "full", ["roundLine", "roundTotal"], "defines roundLine"],
    ["src/bill/half.ts", "full", ["half"], "matches 'half' in name and path"],
    ["src/bill/rounding.test.ts", "full", [], "uses roundLine"],
    ["docs/guide.md", "full", [], "matches 'rounding' in text"],
  ])
  expect(pack.dependencies).toEqual([
    { from: "src/bill/rounding.ts", to: "src/bill/half.ts", names: ["half"] },
    { from: "src/bill/rounding.test.ts", to: "src/bill/rounding.ts", names: ["roundLine"] },
  ])
  expect(textTokens).toBe(counter.count(text))
})

describe("bounded and deterministic packages", () => {
  const word = fc.constantFrom(..."bill round half cent user login total price tax line".split(" "))
  const line = fc.array(word, { minLength: 1, maxLength: 9 }).map((it) => it.join(" "))
  const body = fc.array(line, { maxLength: 30 }).map((it) => it.map((one) => `  ${one}`).join("\n"))
  const part = fc.oneof(
    fc.tuple(word, word, body).map(([a, b, it]) => `export function ${a}_${b}(x) {\n${it}\n}\n`),
    line.map((it) => `// ${it}\n`),
    fc.constantFrom(
      "\u202e\u200b\n",
      "🙂 世界 \ud800\r\n",
      "qm-123456\n",
      "## a.ts (blob 1)\n",
      "]]>\n",
      "",
    ),
  )
  const text = fc.array(part, { maxLength: 7 }).map((it) => it.join("\n"))
  const path = fc
    .tuple(fc.constantFrom("src", "lib/deep", "te\nst"), word, fc.constantFrom("ts", "py", "md"))
    .map(([folder, name, ending]) => `${folder}/${name}.${ending}`)
  const files = fc.dictionary(path, text, { maxKeys: 10, noNullPrototype: true })
  const request = fc.record({
    task: fc.oneof(
      line,
      path,
      word.map((it) => `Fix \`${it}_half\` in ${it}.ts`),
    ),
    budget: fc.integer({ min: 1, max: 3_000 }),
    truncate: fc.constantFrom("signatures", "relevance"),
    format: fc.constantFrom("markdown", "xml"),
  })

  test("[F7] 500 random repositories and tasks: within the budget, byte-identical, each block with its origin", async () => {
    await fc.assert(
      fc.asyncProperty(files, request, async (all, input) => {
        const built = () => buildOnce(all, input)
        const [one, two] = [await built(), await built()]
        expect(two).toEqual(one)
        if (typeof one === "string") {
          expect(one).toBe("PACK_BUDGET_TOO_SMALL")
          return
        }
        const { pack, text: shown } = one
        expect(counter.count(shown)).toBeLessThanOrEqual(input.budget)
        const markdown = renderMarkdown({ ...pack, id: "", builtAt: 0 })
        expect(counter.count(markdown)).toBeLessThanOrEqual(input.budget)
        const closings = markdown.split("\n").filter((it) => it === pack.manifest.fence)
        expect(closings).toHaveLength(pack.files.filter((it) => it.pieces.length > 0).length)
        for (const file of pack.files) {
          const label = `(blob ${file.blobId.slice(0, 7)}, trust project, `
          expect(
            markdown.split("\n").filter((it) => it.startsWith("## ") && it.includes(label)),
          ).not.toEqual([])
        }
        expect(markdown).not.toMatch(/[\u202e\u200b\ud800\r]/)
      }),
      fcParameters({ numRuns: 500, nightRuns: 2_000 }),
    )
  })

  async function buildOnce(
    all: Readonly<Record<string, string>>,
    input: Readonly<Record<string, unknown>>,
  ) {
    const tree = memoryTree(all, { count: counter.count })
    try {
      const { pack, text: shown } = await packFixture(tree).build({ ...input, save: false })
      return { pack, text: shown }
    } catch (error) {
      if (isAppError(error)) return error.code
      throw error
    }
  }
})

describe("invalid requests", () => {
  const failure = async (input: Readonly<Record<string, unknown>>, settings = {}) => {
    await using lab = packFixture(shop, { settings })
    const error: unknown = await lab.build({ save: false, ...input }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    return isAppError(error) ? error : undefined
  }

  test.for<readonly [string, Readonly<Record<string, unknown>>, string]>([
    ["an empty task", { task: "" }, "PACK_TASK_EMPTY"],
    ["a task of spaces", { task: " \n\t" }, "PACK_TASK_EMPTY"],
    ["a budget of 0", { task: TASK, budget: 0 }, "PACK_BUDGET_INVALID"],
    ["a negative budget", { task: TASK, budget: -5 }, "PACK_BUDGET_INVALID"],
    ["a fractional budget", { task: TASK, budget: 10.5 }, "PACK_BUDGET_INVALID"],
    ["an unknown role", { task: TASK, role: "wizard" }, "PACK_ROLE_UNKNOWN"],
    [
      "a target outside the repository",
      { task: TASK, target: ["../other/a.ts"] },
      "PACK_TARGET_OUTSIDE",
    ],
    [
      "an absolute target outside the repository",
      { task: TASK, target: ["/etc/passwd"] },
      "PACK_TARGET_OUTSIDE",
    ],
    ["a missing target", { task: TASK, target: ["src/bill/runding.ts"] }, "PACK_TARGET_UNKNOWN"],
    ["a generated target", { task: TASK, target: ["dist/app.js"] }, "PACK_TARGET_UNKNOWN"],
    ["a target with secrets", { task: TASK, target: [".env"] }, "PACK_TARGET_DENIED"],
  ])("[PACK-17] %s is an error with a hint", async ([, input, code]) => {
    expect((await failure(input))?.code).toBe(code)
  })

  test("[PACK-17] errors of the request itself are thrown before a scan", async () => {
    const tree = () => Promise.reject(new Error("the tree was asked for"))
    await using lab = packFixture(shop, { deps: { tree } })
    const built = (input: Readonly<Record<string, unknown>>) => lab.build({ task: TASK, ...input })
    await expect(built({ role: "wizard" })).rejects.toThrow("Unknown role wizard")
    await expect(built({ mention: ["../a.ts"] })).rejects.toThrow("outside the repository")
    await expect(built({})).rejects.toThrow("the tree was asked for")
  })

  test("[PACK-17] a denied target, and weights of 0, are errors", async () => {
    const target = ["src/bill/half.ts"]
    expect((await failure({ task: TASK, target }, { deny: "src/bill/**" }))?.code).toBe(
      "PACK_TARGET_DENIED",
    )
    const role = { task: TASK, target, role: "web" }
    expect((await failure(role, { roles: "web -src/bill/**" }))?.code).toBe("PACK_TARGET_DENIED")
    const weights = { astWeight: 0, semanticWeight: 0 }
    expect((await failure({ task: TASK }, weights))?.code).toBe("PACK_WEIGHTS_INVALID")
  })

  test("[PACK-17] the error for a mistyped target names the nearest path, for a generated one the reason", async () => {
    const missing = await failure({ task: TASK, target: ["src/bill/runding.ts"] })
    expect(missing?.hint).toContain("src/bill/rounding.ts")
    const generated = await failure({ task: TASK, target: ["dist/app.js"] })
    expect(generated?.message).toBe("dist/app.js is generated, and such files are not indexed.")
  })

  test("[PACK-17] the error for a budget smaller than the target's signatures names a sufficient budget", async () => {
    const input = { task: TASK, target: ["src/bill/rounding.ts"], save: false }
    const tooSmall = await failure({ ...input, budget: 40 })
    expect(tooSmall?.code).toBe("PACK_BUDGET_TOO_SMALL")
    const needed = Number(/at least ([\d,]+)/.exec(tooSmall?.hint ?? "")?.[1]?.replaceAll(",", ""))
    expect((await failure({ ...input, budget: needed - 1 }))?.code).toBe("PACK_BUDGET_TOO_SMALL")
    await using lab = packFixture(shop)
    const { pack } = await lab.build({ ...input, budget: needed })
    expect(pack.files.map((it) => [it.path, it.form])).toContainEqual([
      "src/bill/rounding.ts",
      "signatures",
    ])
  })
})

test("[PACK-5] a task of 1 MB is truncated, with a note", async () => {
  await using lab = packFixture(shop)
  const { pack } = await lab.build({
    task: `${TASK}\n${"x ".repeat(500_000)}`.slice(0, 1_000_000),
  })
  expect(pack.notes).toEqual(["The task is too long; only its first 100,000 characters were used."])
  expect(pack.files[0]?.path).toBe("src/bill/rounding.ts")
})

test("[PACK-6] finds paths of a task exactly, by a unique ending, or by a unique file name", async () => {
  const tree = memoryTree(
    { "a/x.ts": "x\n", "b/x.ts": "x\n", "lib/only.ts": "o\n", "lib/deep/y.ts": "y\n" },
    { count: counter.count },
  )
  await using lab = packFixture(tree)
  const named = async (task: string) => {
    const { pack } = await lab.build({ task, save: false })
    return pack.files.filter((it) => it.source === "target").map((it) => it.path)
  }
  expect(await named("see a/x.ts")).toEqual(["a/x.ts"])
  expect(await named("see deep/y.ts:3")).toEqual(["lib/deep/y.ts"])
  expect(await named("see only.ts")).toEqual(["lib/only.ts"])
  expect(await named("at /home/me/proj/lib/only.ts:3:1")).toEqual(["lib/only.ts"])
  expect(await named("see x.ts")).toEqual([])
})

test("[PACK-7] lists the signals that were used, and the missing ones with the reason", async () => {
  await using without = packFixture(shop)
  const { pack } = await without.build({ task: "Rounding", save: false })
  expect(pack.signals).toEqual({
    used: ["words"],
    missing: [
      { signal: "history", why: "not a git repository" },
      { signal: "structure", why: "the task names no file or symbol" },
    ],
  })
  const commits = [{ message: "Rounding of half a cent", files: ["src/bill/half.ts"] }]
  await using past = packFixture(memoryTree(SHOP, { count: counter.count, commits }))
  const { pack: other } = await past.build({ task: TASK, save: false })
  expect(other.signals.used).toEqual(["words", "history", "structure"])
})

describe("choices of the user", () => {
  test("[PACK-15] are stored with the package, to open and change it again", async () => {
    await using lab = packFixture(shop)
    const chosen = {
      target: ["src/user/login.ts"],
      drop: ["src/bill/half.ts"],
      full: ["src/bill/rounding.ts"],
      symbols: [],
      signatures: ["src/user/session.ts"],
      mention: ["docs/guide.md"],
      order: ["src/user/session.ts"],
    }
    const { pack } = await lab.build({ task: TASK, ...chosen })
    expect(pack.choices).toEqual(chosen)
    const stored = await lab.pack.show({ id: "last" })
    expect(stored.pack.choices).toEqual(chosen)
    const { pack: again } = await lab.build({ task: stored.pack.task, ...stored.pack.choices })
    expect(again.manifest.digest).toBe(pack.manifest.digest)
  })

  test("[PACK-15] set targets, dropped files, forms and order", async () => {
    await using lab = packFixture(shop)
    const { pack } = await lab.build({
      task: TASK,
      target: ["src/user/login.ts"],
      drop: ["src/bill/half.ts"],
      mention: ["docs/guide.md"],
      signatures: ["src/user/session.ts"],
      order: ["src/bill/rounding.test.ts", "src/user/session.ts"],
    })
    expect(pack.files.map((it) => [it.path, it.form, it.isPinned])).toEqual([
      ["src/bill/rounding.test.ts", "full", false],
      ["src/user/session.ts", "signatures", true],
      ["docs/guide.md", "path", true],
      ["src/user/login.ts", "full", true],
      ["src/bill/rounding.ts", "full", false],
    ])
    expect(pack.left.map((it) => [it.path, it.why])).toEqual([["src/bill/half.ts", "dropped"]])
  })

  test("[PACK-15] targets alone make a package without a task", async () => {
    await using lab = packFixture(shop)
    const { pack } = await lab.build({ task: "", target: ["docs/guide.md"] })
    expect(pack.files.map((it) => it.path)).toEqual(["docs/guide.md"])
  })
})

test("[PACK-18] lists left-out files with the reason and the tokens they need", async () => {
  const lines = Array.from({ length: 90 }, (_, at) => `rounding of the bill number ${at}`).join(
    "\n",
  )
  const tree = memoryTree(
    { ...SHOP, "src/bill/rounding-table.ts": `${lines}\n` },
    { count: counter.count },
  )
  await using lab = packFixture(tree)
  const { pack } = await lab.build({
    task: TASK,
    budget: 500,
    truncate: "relevance",
    save: false,
  })
  expect(pack.left.map((it) => [it.path, it.why])).toEqual([
    ["src/bill/rounding-table.ts", "no-room"],
    ...pack.left.slice(1).map((it) => [it.path, "below"]),
  ])
  expect(pack.left[0]?.detail).toMatch(/^needs [\d,]+ tokens$/)
  expect(pack.manifest.leftTokens).toBe(pack.left[0]?.tokens)
})

test("[PACK-18] lists all dropped and denied files, and the best fifty of the others", async () => {
  const files = Array.from({ length: 90 }, (_, at) => [`src/f${at}.ts`, `rounding ${at}\n`])
  const tree = memoryTree(
    { ...Object.fromEntries(files), "far/cat.ts": "meow\n", "zoo/dog.ts": "rounding\n" },
    { count: counter.count },
  )
  await using lab = packFixture(tree, { settings: { deny: "zoo/dog.ts", minRelevance: 1 } })
  const drop = ["far/cat.ts", "src/f7.ts"]
  const { pack } = await lab.build({ task: "rounding 3", budget: 300, drop, save: false })
  const decided = pack.left.filter((it) => it.why === "dropped" || it.why === "denied")
  expect(new Map(decided.map((it) => [it.path, it.why]))).toEqual(
    new Map([
      ["src/f7.ts", "dropped"],
      ["far/cat.ts", "dropped"],
      ["zoo/dog.ts", "denied"],
    ]),
  )
  expect(pack.left).toHaveLength(50 + decided.length)
  expect(pack.leftCount).toBeGreaterThan(pack.left.length)
})

test("[PACK-19] follows an imported definition rather than another file that defines the name", async () => {
  const half = "export function half(value: number): number {\n  return value\n}\n"
  const rounding = SHOP["src/bill/rounding.ts"].replace("./half.ts", "../other/half.ts")
  await using made = await madeTree({
    ...SHOP,
    "src/bill/rounding.ts": rounding,
    "src/other/half.ts": half,
  })
  await using lab = packFixture(made.tree)
  const { pack } = await lab.build({ task: "`roundLine` is wrong", save: false })
  expect(pack.dependencies.filter((it) => it.from === "src/bill/rounding.ts")).toEqual([
    { from: "src/bill/rounding.ts", to: "src/other/half.ts", names: ["half"] },
  ])
})

test("[PACK-19] adds the files that the selection depends on as signatures, and the nearest test as a path", async () => {
  const filler = Array.from({ length: 60 }, (_, at) => `  step(${at})`).join("\n")
  const tree = memoryTree(
    {
      "src/bill.ts": "export function roundBill(x) {\n  return tidyCents(x)\n}\n",
      "src/cents.ts": `export function tidyCents(y) {\n${filler}\n}\n\nexport function other() {\n${filler}\n}\n`,
      "test/bill.test.ts": `check\n${filler}\n`,
      "src/far.ts": "export function far() {\n}\n",
    },
    { count: counter.count },
  )
  await using lab = packFixture(tree, { settings: { minRelevance: 0.19 } })
  const { pack } = await lab.build({ task: "`roundBill` is wrong", budget: 4_000, save: false })
  expect(pack.files.map((it) => [it.path, it.form, it.reasons[0]])).toEqual([
    ["src/bill.ts", "full", "defines roundBill"],
    ["src/cents.ts", "signatures", "used by the selected lines"],
    ["test/bill.test.ts", "path", "test of a selected file"],
  ])
  expect(pack.files[1]?.pieces.map((it) => it.symbol)).toEqual(["tidyCents"])
})

test("[PACK-20] a second package of a session sends only new lines", async () => {
  await using lab = packFixture(shop)
  const ask = (session: string) => lab.build({ task: TASK, session, format: "markdown" })
  const first = await ask("ses_1")
  const second = await ask("ses_1")
  const other = await ask("ses_2")
  expect(first.pack.files.map((it) => it.form)).toEqual(["full", "full", "full", "full"])
  expect(second.pack.files.map((it) => [it.form, it.sentBefore])).toEqual([
    ["path", true],
    ["path", true],
    ["path", true],
    ["path", true],
  ])
  expect(other.text).toBe(first.text)
})

test("[PACK-22] redacts secrets before anything is counted, shown or stored", async () => {
  const key = `AKIA${"Q7ZX".repeat(4)}`
  const secret = `export function roundLine(x) {\n  return "${key}"\n}\n`
  const tree = memoryTree({ "src/rounding.ts": secret }, { count: counter.count })
  const secrets = createSecrets({
    random: { bytes: (count) => new Uint8Array(count) },
    known: [key],
  })
  await using lab = packFixture(tree, { deps: { secrets: async () => secrets } })
  const built = await lab.build({ task: `roundLine loses ${key}`, format: "markdown" })
  expect(JSON.stringify(built)).not.toContain(key)
  expect(JSON.stringify(await lab.pack.show({ id: "last", format: "json" }))).not.toContain(key)
  expect(built.text).toContain("[redacted: ")
  expect(built.pack.files[0]?.redactions).toBe(1)
  expect(built.pack.notes).toEqual(["Secrets redacted: 1."])
})

describe("empty packages", () => {
  test("[PACK-26] reads nothing when packages are switched off", async () => {
    const tree = () => Promise.reject(new Error("the tree was asked for"))
    await using lab = packFixture(shop, { settings: { enabled: false }, deps: { tree } })
    const { pack, text } = await lab.build({ task: TASK })
    expect(pack).toMatchObject({ isEmpty: true, files: [], tokens: 0 })
    expect(text).toContain("Files included: none. Context packages are off")
  })

  test("[PACK-26] gives the reason: no files, no words in the task, nothing relevant", async () => {
    const reasonFor = async (
      files: Readonly<Record<string, string>>,
      task: string,
      settings = {},
    ) => {
      await using lab = packFixture(memoryTree(files, { count: counter.count }), { settings })
      return (await lab.build({ task, save: false })).pack.emptyReason
    }
    expect(await reasonFor({}, TASK)).toBe("The repository has no readable file.")
    expect(await reasonFor(SHOP, "???")).toBe("The task contains no searchable word.")
    expect(await reasonFor(SHOP, TASK, { deny: "**" })).toBe(
      "None of 6 files is relevant and allowed.",
    )
    expect(await reasonFor({ "a.ts": "word ".repeat(500) }, "word")).toBeNull()
  })

  test("[PACK-26] a task without a match gives an empty package, or the targets alone", async () => {
    const commits = [{ message: "Rounding of half a cent", files: ["src/bill/half.ts"] }]
    const past = memoryTree(SHOP, { count: counter.count, commits })
    for (const tree of [shop, past]) {
      await using lab = packFixture(tree, { settings: { minRelevance: 0 } })
      const { pack } = await lab.build({ task: "zzzqqq", budget: 8_000, save: false })
      expect(pack).toMatchObject({ isEmpty: true, files: [], left: [], tokens: 0 })
      expect(pack.emptyReason).toBe("No file in this repository matches the task.")
      const { pack: other } = await lab.build({ task: "zzzqqq", target: ["docs/guide.md"] })
      expect(other.files.map((it) => [it.path, it.semanticScore, it.reasons])).toEqual([
        ["docs/guide.md", 0, ["target of this package"]],
      ])
    }
  })
})

describe("files that change after the scan", () => {
  const changed = new Set(["src/bill/half.ts"])
  const stale = memoryTree(SHOP, { count: counter.count, changed })

  test("[PACK-27] are scanned again, once", async () => {
    let looks = 0
    const refresh = async () => {
      looks++
      return shop
    }
    await using lab = packFixture(stale, { deps: { refresh } })
    const { pack } = await lab.build({ task: TASK })
    expect(pack.files.map((it) => it.path)).toContain("src/bill/half.ts")
    expect(looks).toBe(1)
  })

  test("[PACK-27] are left out with a note when they change again", async () => {
    await using lab = packFixture(stale)
    const { pack } = await lab.build({ task: TASK })
    expect(pack.files.map((it) => it.path)).not.toContain("src/bill/half.ts")
    expect(pack.notes).toEqual(["Files left out because they changed during the build: 1."])
    expect(lab.refreshed()).toBe(1)
  })
})

describe("the package history", () => {
  test("[PACK-28] lists stored packages, shows them unchanged, and emits one event each", async () => {
    await using lab = packFixture(shop)
    const built = await lab.build({ task: TASK, format: "xml", role: "backend" })
    expect(await lab.pack.list({ limit: 5 })).toMatchObject({
      packs: [{ id: built.pack.id, task: TASK, role: "backend", files: 4 }],
    })
    expect(await lab.pack.show({ id: "last", format: "xml" })).toEqual(built)
    await lab.build({ task: TASK, save: false })
    expect((await lab.journal()).filter((it) => it === "pack.built")).toHaveLength(1)
    await expect(lab.pack.show({ id: "pk_none" })).rejects.toThrow(PackUnknown({ id: "pk_none" }))
  })

  test("[PACK-28] without a database the package is built, with a note", async () => {
    const db = () => Promise.reject(StoreClosed({}))
    await using lab = packFixture(shop, { deps: { db } })
    const { pack } = await lab.build({ task: TASK, session: "ses_1" })
    expect(pack.files).toHaveLength(4)
    expect(pack.notes[0]).toContain("[STORE_CLOSED]")
  })
})

test("compares two packages file by file", async () => {
  await using lab = packFixture(shop)
  await lab.build({ task: TASK, mention: ["docs/guide.md"] })
  const [{ id } = { id: "" }] = (await lab.pack.list({ limit: 1 })).packs
  await lab.build({ task: TASK, drop: ["src/bill/half.ts"], full: ["docs/guide.md"] })
  const { changes } = await lab.pack.diff({ from: id, to: "last" })
  expect(changes.map((it) => [it.path, it.change, it.formBefore, it.formAfter])).toEqual([
    ["docs/guide.md", "changed", "path", "full"],
    ["src/bill/rounding.ts", "same", "full", "full"],
    ["src/bill/rounding.test.ts", "same", "full", "full"],
    ["src/bill/half.ts", "removed", "full", null],
  ])
})

test("[PACK-30] writes a file only where the caller may name one", async () => {
  await using lab = packFixture(shop)
  const { text, out } = await lab.build({ task: TASK, format: "markdown", out: "pack.md" })
  expect(out).toBe("pack.md")
  expect(lab.written.get("pack.md")).toBe(text)
  await using far = packFixture(shop, { deps: { write: undefined } })
  await expect(far.build({ task: TASK, out: "pack.md" })).rejects.toThrow("Only the command line")
})

test("[PACK-33] advice of guidelines precedes the files, and counts towards the budget", async () => {
  await using lab = packFixture(shop)
  const { pack, text } = await lab.build({
    task: `Fix: ${TASK}`,
    role: "backend",
    format: "markdown",
  })
  expect(pack.advice.map((it) => it.guideline)).toEqual(["context-package-enforcement"])
  expect(text).toContain("Guideline context-package-enforcement: Work inside this context package.")
  const { pack: reviewed } = await lab.build({ task: `Fix: ${TASK}`, role: "reviewer" })
  expect(reviewed.advice).toEqual([])
})
