import { randomBytes } from "node:crypto"
import { copyFile, mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { KbSearchResult } from "#ground/contract"
import { tempDirectory } from "#test/temp"
import { createApp } from "../app.ts"

/** Created at run time, so that no text in the repository looks like a key. */
const SECRET = `fake-${randomBytes(12).toString("hex")}`

const STUB = join(import.meta.dirname, "../../../see/sources/stub-server.sh")

/** An app on an empty repository, with a folder of documents inside and one outside. */
async function house(options: { readonly mayWriteFiles: boolean }) {
  const temp = await tempDirectory()
  const [root, beside] = [join(temp.path, "repo"), join(temp.path, "beside")]
  for (const folder of [join(root, "docs"), join(root, ".git"), beside]) {
    await mkdir(folder, { recursive: true })
  }
  await writeFile(join(root, "docs", "a.md"), "# Handbook\n\n4.2 The pilot boards.\n")
  await writeFile(join(beside, "b.md"), "# Elsewhere\n\nNot of here.\n")
  await symlink(beside, join(root, "link"))
  const app = await createApp({
    ...options,
    directory: root,
    environment: {
      QM_HOME: join(temp.path, "home"),
      HOME: temp.path,
      PATH: process.env.PATH,
      HARBOUR_TOKEN: SECRET,
    },
    settings: [],
    writeLog: () => {},
  })
  const { signal } = new AbortController()
  return {
    beside,
    home: join(temp.path, "home"),
    call: (name: string, input: unknown) => app.call(name, input, { signal }),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await temp[Symbol.asyncDispose]()
    },
  }
}

test("[KNOW-26] a user at the terminal adds any readable folder, by a path relative to the current one", async () => {
  await using it = await house({ mayWriteFiles: true })
  expect(await it.call("kb.add", { path: "docs" })).toMatchObject({ added: 1, documents: 1 })
  expect(await it.call("kb.add", { path: "link" })).toMatchObject({ folder: it.beside, added: 1 })
  expect(await it.call("kb.search", { query: "pilot" })).toMatchObject({
    hits: [{ paragraph: { citation: "Handbook § 4.2" } }],
    documents: 2,
  })
  expect(await it.call("kb.remove", { path: "link" })).toMatchObject({ folder: it.beside })
  expect(await it.call("kb.status", {})).toMatchObject({ documents: 1 })
})

test("[KNOW-55] with code, documentation comments of source files become paragraphs", async () => {
  await using it = await house({ mayWriteFiles: true })
  await writeFile(
    join(it.beside, "fees.ts"),
    "/** Rounds a fee up to full euros. */\nexport function roundFee(fee: number): number {\n  return Math.ceil(fee)\n}\n",
  )
  await writeFile(join(it.beside, "plain.ts"), "export const one = 1\n")
  expect(await it.call("kb.add", { path: it.beside })).toMatchObject({ documents: 1 })
  const added = await it.call("kb.add", { path: it.beside, code: true })
  expect(added).toMatchObject({
    documents: 2,
    skipped: [{ path: "plain.ts", reason: "no documentation comments" }],
  })
  const found = await it.call("kb.search", { query: "round a fee to euros", limit: 1 })
  expect(found).toMatchObject({
    hits: [
      {
        paragraph: {
          citation: "fees.ts, roundFee",
          headings: ["roundFee"],
          line: 2,
          text: "Rounds a fee up to full euros.\nexport function roundFee(fee: number): number",
        },
      },
    ],
  })
  expect(await it.call("kb.status", {})).toMatchObject({ folders: [{ isStale: false }] })
  await writeFile(
    join(it.beside, "fees.ts"),
    "/** Rounds down. */\nexport const round = Math.floor\n",
  )
  expect(await it.call("kb.status", {})).toMatchObject({ folders: [{ isStale: true }] })
})

test("[KNOW-55] lines that only separate parts of a file are no documentation", async () => {
  await using it = await house({ mayWriteFiles: true })
  const ruler = `# ${"=".repeat(20)}`
  const python = `${ruler}\n# Parsing methods\n${ruler}\ndef parse(text):\n    return text\n\n${ruler}\ndef other(text):\n    return text\n`
  await writeFile(join(it.beside, "parser.py"), python)
  await it.call("kb.add", { path: it.beside, code: true })
  const { hits } = KbSearchResult.parse(await it.call("kb.search", { query: "parsing text" }))
  const texts = hits.filter((hit) => hit.paragraph.path === "parser.py")
  expect(texts.map((hit) => hit.paragraph.text)).toEqual(["Parsing methods\ndef parse(text)"])
})

test("[KNOW-26] over the network only folders inside the repository are read, after resolving links", async () => {
  await using it = await house({ mayWriteFiles: false })
  expect(await it.call("kb.add", { path: "docs" })).toMatchObject({ added: 1 })
  expect(await it.call("kb.add", { path: "." })).toMatchObject({ unchanged: 0 })
  for (const path of [it.beside, "../beside", "link", "/"]) {
    await expect(it.call("kb.add", { path })).rejects.toMatchObject({ code: "APP_PATH_OUTSIDE" })
  }
  await expect(it.call("kb.add", { path: "nothing" })).rejects.toMatchObject({
    code: "KNOWLEDGE_FOLDER_UNREADABLE",
  })
})

test("[SOURCES-18] a web query is sent without the user's secrets", async () => {
  await using it = await house({ mayWriteFiles: true })
  const folder = join(it.home, "sources", "one")
  await mkdir(folder, { recursive: true })
  await copyFile(STUB, join(folder, "stub.sh"))
  const transport = { type: "stdio", command: "sh", args: ["stub.sh", "keeps-question"] }
  const config = { title: "One", provides: ["web-search"], transport }
  await writeFile(join(folder, "config.json"), JSON.stringify(config))
  expect(await it.call("source.approve", { slug: "one" })).toMatchObject({ health: "ok" })
  await it.call("kb.web", { query: `tariff ${SECRET} for ships` })
  const asked = await readFile(join(it.home, "sources", "question"), "utf8")
  expect(asked).toMatch(/tariff .+ for ships/)
  expect(asked).not.toContain(SECRET)
})
