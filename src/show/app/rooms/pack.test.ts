import { randomBytes } from "node:crypto"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { MapScan, PackBuilt, SearchFind } from "#ground/contract"
import { commit, git } from "#test/git"
import { tempDirectory } from "#test/temp"
import { type App, createApp } from "../app.ts"

const { signal } = new AbortController()

const SHOP = {
  "src/rounding.ts":
    "export function roundLine(amount: number): number {\n  return Math.round(amount)\n}\n",
  "src/invoice.ts":
    'import { roundLine } from "./rounding.ts"\n\nexport function invoiceTotal(lines: number[]) {\n  return lines.map(roundLine)\n}\n',
  "docs/tariff.md": "# Tariff\n\nEach line is rounded.\n",
}

type PackFixture = Awaited<ReturnType<typeof newFixture>>

/** A project with its own home beside it, so that none of our files are in its tree. */
async function newFixture(
  options: { readonly isGit?: boolean; readonly environment?: Record<string, string> } = {},
) {
  const temp = await tempDirectory()
  const project = path.join(temp.path, "project")
  await mkdir(project)
  if (options.isGit === true) git(project, "init", "-q", "-b", "main")
  const environment = {
    PATH: process.env["PATH"],
    QM_HOME: path.join(temp.path, "home"),
    ...options.environment,
  }
  const open = (mayWriteFiles = false) =>
    createApp({ directory: project, environment, settings: [], writeLog: () => {}, mayWriteFiles })
  return Object.assign(temp, { project, open })
}

async function write(fixture: PackFixture, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(fixture.project, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}

describe("pack.build", () => {
  test("[APP-9] pack.build scans the repository, and again if a selected file changed", async () => {
    await using fixture = await newFixture({ isGit: true })
    commit(fixture.project, "round each line of an invoice", SHOP)
    await using app = await fixture.open()
    const ask = { task: "rounding of an invoice", save: false, format: "markdown" }
    const first = PackBuilt.parse(await app.call("pack.build", ask, { signal }))
    expect(first.pack.files.map((it) => it.path)).toContain("src/rounding.ts")
    await write(fixture, {
      "src/rounding.ts": "export function roundLine() {\n  return 'another rounding'\n}\n",
    })
    const second = PackBuilt.parse(await app.call("pack.build", ask, { signal }))
    expect(second.text).toContain("another rounding")
  })

  test("[APP-9] search.find has a file that was written just before, and map.scan reports no further change", async () => {
    await using fixture = await newFixture()
    await write(fixture, SHOP)
    await using app = await fixture.open()
    await app.call("map.scan", {}, { signal })
    await write(fixture, { "src/berth.ts": "export const berth = 1\n" })
    const find = async () =>
      SearchFind.parse(await app.call("search.find", { words: "berth" }, { signal }))
    expect((await find()).files[0]?.path).toBe("src/berth.ts")
    const scanned = MapScan.parse(await app.call("map.scan", {}, { signal }))
    expect(scanned.scan).toMatchObject({ filesScanned: 4, filesChanged: 0, gitSha: null })
  })

  test("[APP-9] a scan of another process is used, even with map.scanInterval 0", async () => {
    await using fixture = await newFixture({ environment: { REPO_SCAN_INTERVAL: "0" } })
    await write(fixture, SHOP)
    await using server = await fixture.open()
    await using terminal = await fixture.open()
    await server.call("map.scan", {}, { signal })
    await write(fixture, { "src/berth.ts": "export const berth = 1\n" })
    await terminal.call("map.scan", {}, { signal })
    const found = SearchFind.parse(await server.call("search.find", { words: "berth" }, { signal }))
    expect(found.files.map((it) => it.path)).toContain("src/berth.ts")
  })

  test("[APP-9] repositories without git, without files or in unknown languages get a result with the reason", async () => {
    await using fixture = await newFixture()
    await using app = await fixture.open()
    const empty = MapScan.parse(await app.call("map.scan", {}, { signal }))
    expect(empty.scan).toMatchObject({ filesScanned: 0, symbolsIndexed: 0 })
    expect(empty.state.historyProblem).toContain("not in a git repository")
    const nothing = PackBuilt.parse(await app.call("pack.build", { task: "anything" }, { signal }))
    expect(nothing.pack).toMatchObject({ isEmpty: true, tokens: 0 })
    expect(nothing.pack.emptyReason).not.toBeNull()

    await write(fixture, { "a.zig": "const std = 1;\n", "b.cobol": "DIVISION of tariffs.\n" })
    const unknown = MapScan.parse(await app.call("map.scan", {}, { signal }))
    expect(unknown.scan).toMatchObject({ filesScanned: 2, symbolsIndexed: 0 })
    const found = PackBuilt.parse(await app.call("pack.build", { task: "tariffs" }, { signal }))
    expect(found.pack.files[0]?.path).toBe("b.cobol")
  })
})

describe("records", () => {
  test("[APP-55] [PACK-37] a package has claims, tickets, decisions, memories and paragraphs about its task", async () => {
    await using fixture = await newFixture({ isGit: true })
    commit(fixture.project, "round each line of an invoice", SHOP)
    await using app = await fixture.open(true)
    const call = (name: string, input: unknown) => app.call(name, input, { signal })
    const task = "rounding of an invoice line"
    const build = async (budget: number, format = "markdown") =>
      PackBuilt.parse(await call("pack.build", { task, save: false, budget, format }))
    expect((await build(4_000)).pack.records).toEqual([])

    const body = "Round each invoice line half to even; the tax office requires it."
    const title = "Rounding of an invoice line"
    await call("memory.record", { kind: "decision", title, body, cites: ["src/rounding.ts"] })
    await call("memory.record", {
      kind: "pitfall",
      title: "Invoice rounding twice",
      body: "Round once.",
    })
    await call("ticket.new", { title: "Round quotes too", paths: ["src/rounding.ts"] })
    await call("claim.take", { paths: ["src"], session: "other-session" })
    await write(fixture, {
      "handbook/tax.md": "# Tax\n\nThe rounding of an invoice line is fixed.\n",
    })
    await call("kb.add", { path: path.join(fixture.project, "handbook") })
    const { pack, text, textTokens } = await build(4_000)
    expect(new Set(pack.records.map((it) => it.kind))).toEqual(
      new Set(["claim", "ticket", "decision", "memory", "paragraph"]),
    )
    expect(text).toContain("Ticket #1 (about src/rounding.ts): Round quotes too (backlog)")
    expect(text).toContain("(about src/rounding.ts): Rounding of an invoice line")
    expect(text).toContain("the tax office requires it")
    expect(textTokens).toBeLessThanOrEqual(4_000)
    for (const format of ["xml", "json", "summary"]) {
      expect((await build(4_000, format)).text).toContain("Round quotes too")
    }
    expect(pack.manifest.kinds.find((it) => it.kind === "knowledge")?.tokens).toBeGreaterThan(5)
    expect(pack.tokens).toBe(pack.manifest.kinds.reduce((sum, it) => sum + it.tokens, 0))
    // Two words in common, of seven and of a long text: the paragraph is not about these tasks.
    for (const distant of [
      "printer draws one line twice when its width is fixed",
      "the printer does not start\n\nThe last line of the log is about rounding: nothing is fixed",
    ]) {
      const built = await call("pack.build", { task: distant, save: false, budget: 4_000 })
      const kinds = PackBuilt.parse(built).pack.records.map((it) => it.kind)
      expect(kinds).not.toContain("paragraph")
    }
    const other = { task: "zebra telescope", save: false, budget: 4_000 }
    expect(PackBuilt.parse(await call("pack.build", other)).pack.records).toEqual([])
    const small = await build(300)
    expect(small.textTokens).toBeLessThanOrEqual(300)
    expect(small.pack.records.length).toBeLessThan(pack.records.length)
  })
})

describe("output", () => {
  test("[F5] a secret in a source file is in no package, summary, search result or map", async () => {
    await using fixture = await newFixture()
    const secret = `ghp_${randomBytes(27).toString("base64url").replaceAll(/[-_]/g, "x").slice(0, 36)}`
    await write(fixture, {
      ...SHOP,
      "src/token.ts": `export const rounding = "${secret}"\n`,
    })
    await using app = await fixture.open()
    const said: unknown[] = []
    for (const format of ["summary", "markdown", "xml", "json"]) {
      const ask = { task: "rounding token", target: ["src/token.ts"], format }
      said.push(await app.call("pack.build", ask, { signal }))
    }
    said.push(await app.call("search.find", { words: "rounding token" }, { signal }))
    said.push(await app.call("map.show", { what: "src/token.ts" }, { signal }))
    const text = JSON.stringify(said)
    expect(text).toContain("src/token.ts")
    expect(text).not.toContain(secret)
    const folder = path.join(fixture.project, ".qm", "local")
    const files = (await readdir(folder)).filter((it) => it.startsWith("store.db"))
    expect(files).toContain("store.db-wal")
    for (const file of files) {
      const bytes = await readFile(path.join(folder, file), "latin1")
      expect(bytes.toLowerCase().includes(secret.toLowerCase()), file).toBe(false)
    }
  })

  test("[APP-10] pack.build with `out` writes a file for a user at the terminal and refuses it for a server", async () => {
    await using fixture = await newFixture()
    await write(fixture, SHOP)
    await using server = await fixture.open()
    const ask = { task: "rounding", format: "markdown", out: "pack.md" }
    await expect(server.call("pack.build", ask, { signal })).rejects.toMatchObject({
      code: "PACK_OUT_REFUSED",
    })
    await using terminal = await fixture.open(true)
    const built = PackBuilt.parse(await terminal.call("pack.build", ask, { signal }))
    expect(built.out).toBe(path.join(fixture.project, "pack.md"))
    expect(await readFile(path.join(fixture.project, "pack.md"), "utf8")).toBe(built.text)
  })
})

describe("pack.build with unusual input or settings", () => {
  const CASES: readonly (readonly [string, Record<string, unknown>, string])[] = [
    ["an empty task", { task: "  \n" }, "PACK_TASK_EMPTY"],
    ["a budget of 0", { task: "x", budget: 0 }, "PACK_BUDGET_INVALID"],
    ["a negative budget", { task: "x", budget: -5 }, "PACK_BUDGET_INVALID"],
    ["half a token", { task: "x", budget: 10.5 }, "PACK_BUDGET_INVALID"],
    [
      "a budget below the target's signatures",
      { task: "x", budget: 5, target: ["src/rounding.ts"] },
      "PACK_BUDGET_TOO_SMALL",
    ],
    ["an unknown role", { task: "x", role: "pirate" }, "PACK_ROLE_UNKNOWN"],
    ["a target outside", { task: "x", target: ["../elsewhere.ts"] }, "PACK_TARGET_OUTSIDE"],
    ["an absolute target outside", { task: "x", target: ["/etc/passwd"] }, "PACK_TARGET_OUTSIDE"],
    ["a target that is not there", { task: "x", target: ["src/none.ts"] }, "PACK_TARGET_UNKNOWN"],
    ["a target on the deny list", { task: "x", target: [".env"] }, "PACK_TARGET_DENIED"],
  ]

  let fixture: PackFixture
  let app: App
  beforeAll(async () => {
    fixture = await newFixture()
    await write(fixture, { ...SHOP, ".env": "NAME=value\n" })
    app = await fixture.open()
  })
  afterAll(async () => {
    await app[Symbol.asyncDispose]()
    await fixture[Symbol.asyncDispose]()
  })

  test.each(CASES)("[APP-11] %s is refused with its own code", async (_, input, code) => {
    await expect(app.call("pack.build", input, { signal })).rejects.toMatchObject({ code })
  })

  test("[APP-11] weights that are not numbers, negative or both 0 are refused", async () => {
    for (const weight of ["NaN", "-1"]) {
      await using fixture = await newFixture({
        environment: { CONTEXT_PACKAGE_AST_WEIGHT: weight },
      })
      await using app = await fixture.open()
      const asked = app.call("pack.build", { task: "x" }, { signal })
      await expect(asked).rejects.toMatchObject({ code: "CONFIG_INVALID" })
    }
    const environment = {
      CONTEXT_PACKAGE_SCORING: "weighted",
      CONTEXT_PACKAGE_AST_WEIGHT: "0",
      CONTEXT_PACKAGE_SEMANTIC_WEIGHT: "0",
    }
    await using fixture = await newFixture({ environment })
    await write(fixture, SHOP)
    await using app = await fixture.open()
    const asked = app.call("pack.build", { task: "x" }, { signal })
    await expect(asked).rejects.toMatchObject({ code: "PACK_WEIGHTS_INVALID" })
  })

  test("[APP-11] a task of 1 MB gets a package and a note about the part that was read", async () => {
    const task = `rounding ${"invoice ".repeat(124_000)}`
    const { pack } = PackBuilt.parse(
      await app.call("pack.build", { task, save: false }, { signal }),
    )
    expect(pack.files.length).toBeGreaterThan(0)
    expect(pack.notes.join(" ")).toMatch(/100,?000 characters/)
  })

  test("[APP-11] with pack.enabled off, the package is empty with a note", async () => {
    await using fixture = await newFixture({ environment: { CONTEXT_PACKAGE_ENABLED: "false" } })
    await write(fixture, SHOP)
    await using app = await fixture.open()
    const { pack } = PackBuilt.parse(await app.call("pack.build", { task: "rounding" }, { signal }))
    expect(pack).toMatchObject({ isEmpty: true, files: [] })
    expect(pack.emptyReason).toContain("are off")
  })
})
