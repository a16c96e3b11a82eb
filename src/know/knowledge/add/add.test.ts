import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { symlink, truncate, utimes } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { sql } from "#ground/store"
import { failAtEveryCall } from "#test/faulty-db"
import { kindEmbedder, knowledgeFixture } from "#test/knowledge-room"
import { largestBytes, MOST_PARAGRAPHS } from "../limits.ts"
import { goneFrom } from "./add.ts"

const HANDBOOK = {
  "handbook.md": "# Harbour Handbook\n\n## 4 Arrival\n\n4.1 A ship calls.\n\n4.2 See § 4.1.\n",
  "fees/tariff.txt": "Tariff\n\n1 Fees\n\nA berth costs 5 EUR.\n",
  "notes.html": "<h1>Notes</h1><p>See <a href='handbook.md#4-arrival'>Arrival</a>.",
}

describe("comparing files by digest", () => {
  test("[KNOW-9] new, changed, removed and unchanged files are counted and announced in an event", async () => {
    await using it = await knowledgeFixture()
    await it.write(HANDBOOK)
    const first = await it.kb.add({ path: it.folder })
    expect(first).toMatchObject({ added: 3, changed: 0, removed: 0, unchanged: 0, documents: 3 })
    expect(first).toMatchObject({ folder: it.folder, tier: "primary", paragraphs: 4, skipped: [] })
    const before = await it.kb.documents()

    await it.write({ "handbook.md": HANDBOOK["handbook.md"].replace("calls", "reports") })
    await it.write({ "new.md": "# New\n\nWords." })
    await it.remove("notes.html")
    const second = await it.kb.add({ path: it.folder })
    expect(second).toMatchObject({ added: 1, changed: 1, removed: 1, unchanged: 1, documents: 3 })
    const after = await it.kb.documents()
    const idOf = (path: string, { documents }: typeof before) =>
      documents.find((document) => document.path === path)?.id
    expect(idOf("handbook.md", after)).toBe(idOf("handbook.md", before))
    expect(idOf("notes.html", after)).toBeUndefined()
    expect((await it.events()).length).toBeGreaterThan(1)
    expect((await it.events())[0]).toContain('"changed":3')
  })

  test("[KNOW-9] a second `add` changes nothing, and another tier changes only the tier", async () => {
    await using it = await knowledgeFixture()
    await it.write(HANDBOOK)
    await it.kb.add({ path: it.folder })
    const before = await it.kb.search({ query: "berth" })
    const again = await it.kb.add({ path: it.folder })
    expect(again).toMatchObject({ added: 0, changed: 0, removed: 0, unchanged: 3 })
    expect(await it.kb.search({ query: "berth" })).toEqual(before)
    await it.kb.add({ path: it.folder, tier: "guide" })
    expect((await it.kb.documents({ tier: "guide" })).documents).toHaveLength(3)
    expect((await it.kb.documents({ tier: "primary" })).documents).toEqual([])
  })

  test("[KNOW-9] a single file can be added", async () => {
    await using it = await knowledgeFixture()
    await it.write(HANDBOOK)
    const path = join(it.folder, "handbook.md")
    expect(await it.kb.add({ path })).toMatchObject({ folder: path, added: 1, paragraphs: 2 })
    expect(await it.kb.add({ path })).toMatchObject({ unchanged: 1 })
    expect((await it.kb.status()).folders).toMatchObject([{ folder: path, isStale: false }])
  })
})

describe("skipped files", () => {
  test("[KNOW-8] links, pipes, binaries, large files and other users' files are reported with a reason", async () => {
    await using outside = await knowledgeFixture()
    await using it = await knowledgeFixture()
    await outside.write({ "secret.md": "# Elsewhere\n\nNot ours." })
    await it.write({
      "a.md": "# A\n\nWords.",
      "b.md": new Uint8Array([35, 0, 65]),
      "c.md": new Uint8Array([0xff, 0xfe, 0x41]),
      "d.pdf": "A picture of a PDF file",
      "e.docx": "<w:document/>",
      "f.png": "",
      "large.txt": "x",
      "node_modules/x/README.md": "# Package",
      ".git/x.md": "# Hidden",
      "empty.md": "",
    })
    await truncate(join(it.folder, "large.txt"), largestBytes("text") + 1)
    await symlink(join(outside.folder, "secret.md"), join(it.folder, "link.md"))
    await symlink(outside.folder, join(it.folder, "linked"))
    execFileSync("mkfifo", [join(it.folder, "pipe.md")])
    const { skipped, documents } = await it.kb.add({ path: it.folder })
    expect(Object.fromEntries(skipped.map(({ path, reason }) => [path, reason]))).toEqual({
      "b.md": "binary",
      "c.md": "not UTF-8",
      "d.pdf": "not a PDF file",
      "e.docx": "not a DOCX file",
      "f.png": "not Markdown, HTML, plain text, PDF or DOCX",
      "large.txt": "larger than 5 MB",
      "link.md": "a symbolic link",
      linked: "a symbolic link",
      node_modules: "a package folder",
      "pipe.md": "a FIFO",
    })
    expect(documents).toBe(2)
    expect((await it.kb.search({ query: "elsewhere package hidden" })).hits).toEqual([])
    expect((await it.kb.status()).folders).toMatchObject([{ skipped: 10, isStale: false }])
  })

  test("[KNOW-8] skipped files beyond the reported ones are counted", async () => {
    await using it = await knowledgeFixture()
    await it.write(Object.fromEntries(Array.from({ length: 510 }, (_, at) => [`${at}.png`, ""])))
    const { skipped } = await it.kb.add({ path: it.folder })
    expect(skipped).toHaveLength(501)
    expect(skipped.at(-1)).toEqual({ path: "…", reason: "and 10 more" })
  })
})

test("[KNOW-9] documents in an unreadable folder are not removed", () => {
  const known = ["a.md", "b.md", "deep/c.md", "deeper/d.md"].map((path) => ({ path }))
  const stat = {
    sizeBytes: 1,
    modifiedAtMs: 0,
    changedAtMs: 0,
    mode: 0,
    device: 0,
    inode: 0,
    isOwn: true,
  }
  const walked = {
    candidates: [{ path: "a.md", format: "markdown" as const, stat }],
    unseen: ["deep"],
  }
  const gone = goneFrom(known, walked, [])
  expect(gone.map((it) => it.path)).toEqual(["b.md", "deeper/d.md"])
  expect(goneFrom(known, { ...walked, unseen: [""] }, [])).toEqual([])
  const binary = [{ path: "a.md", reason: "binary" }]
  expect(goneFrom(known, walked, binary).map((it) => it.path)).toContain("a.md")
})

test("[KNOW-24] a document over the paragraph limit is truncated, and that is reported", async () => {
  await using it = await knowledgeFixture()
  await it.write({
    "long.md": Array.from({ length: 20_001 }, (_, at) => `Word ${at}.`).join("\n\n"),
  })
  const added = await it.kb.add({ path: it.folder })
  expect(added).toMatchObject({ added: 1, paragraphs: 20_000 })
  const reason = "only its first 20,000 paragraphs are stored"
  expect(added.skipped).toEqual([{ path: "long.md", reason }])
  expect(await it.kb.add({ path: it.folder })).toMatchObject({ unchanged: 1, documents: 1 })
})

test("[KNOW-10] no secret reaches a row, whichever kind it is", async () => {
  await using it = await knowledgeFixture()
  const secret = `ghp_${randomBytes(27).toString("hex").slice(0, 36)}`
  await it.write({
    "a.md": `# Key ${secret}\n\n## ${secret}\n\nIt is ${secret}, see [x](#${secret}).`,
  })
  await it.kb.add({ path: it.folder })
  const db = await it.deps.db()
  const Row = z.record(z.string(), z.unknown())
  const rows = [
    ...(await db.all(Row, sql`SELECT * FROM kb_documents`)),
    ...(await db.all(Row, sql`SELECT * FROM kb_paragraphs`)),
    ...(await db.all(Row, sql`SELECT * FROM kb_references`)),
  ]
  expect(rows.length).toBeGreaterThan(1)
  expect(JSON.stringify(rows)).not.toContain(secret)
})

test("[KNOW-10] without secret detection nothing is stored", async () => {
  await using it = await knowledgeFixture()
  await it.write(HANDBOOK)
  const blind = it.other({ secrets: () => Promise.reject(new Error("no rules")) })
  await expect(blind.add({ path: it.folder })).rejects.toThrow("no rules")
  expect((await it.kb.documents()).documents).toEqual([])
})

test("[KNOW-8] a file that makes a reader throw is reported, and the others are added", async () => {
  await using it = await knowledgeFixture()
  await it.write({ ...HANDBOOK, "a/strange.md": "# Strange\n\nIt breaks." })
  const { redact } = await it.deps.secrets()
  const secrets = async () => ({
    redact(text: string) {
      if (text.includes("It breaks")) throw new RangeError("Maximum call stack size exceeded")
      return redact(text)
    },
  })
  expect(await it.other({ secrets }).add({ path: it.folder })).toMatchObject({
    added: 3,
    skipped: [{ path: "a/strange.md", reason: "it cannot be parsed" }],
  })
  expect(JSON.stringify((await it.kb.documents()).documents)).not.toContain("strange")
})

test("[KNOW-11] after a failure at any call each document is complete, and the next `add` finishes", async () => {
  await using it = await knowledgeFixture()
  await it.write(HANDBOOK)
  const whole = { "handbook.md": 2, "fees/tariff.txt": 1, "notes.html": 1 }
  await failAtEveryCall(await it.deps.db(), {
    write: async (db) => void (await it.other({ db: async () => db }).add({ path: it.folder })),
    afterFailure: async () => {
      const { documents } = await it.kb.documents()
      for (const { path, paragraphs } of documents) {
        expect(paragraphs).toBe(Object.entries(whole).find(([name]) => name === path)?.[1])
      }
      await it.kb.add({ path: it.folder })
      expect((await it.kb.documents()).documents).toHaveLength(3)
      await it.kb.remove({ path: it.folder })
    },
  })
  expect((await it.kb.documents()).documents).toHaveLength(3)
})

test("[KNOW-12] a folder added separately is excluded from its parent, in either order", async () => {
  await using it = await knowledgeFixture()
  await it.write({ ...HANDBOOK, "guides/g.md": "# Guide\n\nSee Harbour Handbook § 4.2.\n" })
  await it.kb.add({ path: it.folder })
  expect((await it.kb.documents()).documents).toHaveLength(4)
  await it.kb.add({ path: join(it.folder, "guides"), tier: "guide" })
  const { documents } = await it.kb.documents()
  expect(documents.map(({ path, tier }) => `${tier} ${path}`)).toEqual([
    "primary fees/tariff.txt",
    "primary handbook.md",
    "primary notes.html",
    "guide g.md",
  ])
  expect(await it.kb.add({ path: it.folder })).toMatchObject({ added: 0, unchanged: 3, removed: 0 })
  const { folders, unresolved } = await it.kb.status()
  expect(folders.map((folder) => folder.isStale)).toEqual([false, false])
  expect(unresolved).toEqual([])
})

test("equal names in two folders are two documents, and removing one leaves the other", async () => {
  await using it = await knowledgeFixture()
  await it.write({ "one/README.md": "# One\n\nBerths.", "two/README.md": "# Two\n\nBerths." })
  await it.kb.add({ path: join(it.folder, "one") })
  await it.kb.add({ path: join(it.folder, "two") })
  const { hits } = await it.kb.search({ query: "berths" })
  expect(hits.map((hit) => hit.paragraph.title).toSorted()).toEqual(["One", "Two"])
  expect(new Set(hits.map((hit) => hit.paragraph.id)).size).toBe(2)
  expect(await it.kb.remove({ path: join(it.folder, "one") })).toMatchObject({ documents: 1 })
  const left = await it.kb.search({ query: "berths" })
  expect(left.hits.map((hit) => hit.paragraph.id)).toEqual([hits[1]?.paragraph.id])
})

test("a paragraph is embedded again only when its text or headings change", async () => {
  await using it = await knowledgeFixture()
  await it.write(HANDBOOK)
  const { embedder, calls, state } = kindEmbedder([["ship"], ["berth"]])
  const kb = it.other({ embedder: async () => embedder })
  expect((await kb.add({ path: it.folder })).by).toEqual({
    words: true,
    meaning: "kinds-1",
    note: null,
  })
  expect(calls.flat()).toHaveLength(4)
  await kb.add({ path: it.folder })
  expect(calls.flat()).toHaveLength(4)
  await it.write({ "handbook.md": HANDBOOK["handbook.md"].replace("4 Arrival", "4 Coming") })
  await it.write({ "more.md": "# More\n\nA ship." })
  await kb.add({ path: it.folder })
  expect(calls.flat()).toHaveLength(7)

  state.isBroken = true
  await it.write({ "more.md": "# More\n\nTwo ships." })
  const broken = await kb.add({ path: it.folder })
  expect(broken).toMatchObject({ changed: 1, by: { words: true, meaning: null } })
  expect(broken.by.note).toBe("kinds-1 failed; 1 paragraphs can be found by words only")
  state.isBroken = false
  expect((await kb.add({ path: it.folder })).by.meaning).toBe("kinds-1")
})

test("[KNOW-21] a folder is stale when file contents changed, not when files were touched", async () => {
  await using it = await knowledgeFixture()
  await it.write(HANDBOOK)
  await it.kb.add({ path: it.folder })
  const isStale = async () => (await it.kb.status()).folders.map((folder) => folder.isStale)
  expect(await isStale()).toEqual([false])
  await utimes(join(it.folder, "handbook.md"), 1_000, 1_000)
  expect(await isStale()).toEqual([false])
  await it.write({ "handbook.md": HANDBOOK["handbook.md"].replace("calls", "waits") })
  expect(await isStale()).toEqual([true])
  await it.kb.add({ path: it.folder })
  await it.write({ "new.md": "# New" })
  expect(await isStale()).toEqual([true])
  await it.kb.add({ path: it.folder })
  await it.remove("new.md")
  expect(await isStale()).toEqual([true])
  await it.kb.add({ path: it.folder })
  await it.remove(".")
  expect(await isStale()).toEqual([true])
})

test("[KNOW-23] errors name the missing paragraph, folder or path", async () => {
  await using it = await knowledgeFixture()
  await it.write({ "a.png": "x" })
  const missing = join(it.folder, "nothing")
  await expect(it.kb.add({ path: missing })).rejects.toMatchObject({
    code: "KNOWLEDGE_FOLDER_UNREADABLE",
    message: `${missing} cannot be read: it does not exist.`,
  })
  await expect(it.kb.add({ path: join(it.folder, "a.png") })).rejects.toThrow(
    "not Markdown, HTML, plain text, PDF or DOCX",
  )
  await expect(it.kb.remove({ path: missing })).rejects.toMatchObject({
    code: "KNOWLEDGE_FOLDER_NOT_FOUND",
  })
})

test("[KNOW-24] documents over the limit are reported, and earlier ones stay", async () => {
  await using it = await knowledgeFixture()
  await it.write(HANDBOOK)
  const db = await it.deps.db()
  await db.run(sql`
    INSERT INTO kb_paragraphs (id, document, place, body)
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MOST_PARAGRAPHS - 1})
    SELECT 'filler.' || i, 'filler', i, '{}' FROM n`)
  const { added, skipped } = await it.kb.add({ path: it.folder })
  expect(added).toBe(1)
  expect(skipped.map((one) => one.reason)).toEqual([
    "the knowledge base is full",
    "the knowledge base is full",
  ])
})

describe("long operations", () => {
  test("[KNOW-27] an operation reports its progress and can be stopped by its caller", async () => {
    await using it = await knowledgeFixture()
    await it.write(
      Object.fromEntries(Array.from({ length: 45 }, (_, at) => [`${at}.md`, `Word ${at}.`])),
    )
    const stop = new AbortController()
    const seen: number[] = []
    const onProgress = ({ done, total }: { done: number; total: number }) => {
      seen.push(done)
      expect(total).toBe(45)
      if (done === 30) stop.abort(new Error("enough"))
    }
    const context = { signal: stop.signal, onProgress }
    await expect(it.kb.add({ path: it.folder }, context)).rejects.toThrow("enough")
    expect(seen).toEqual(Array.from({ length: 30 }, (_, at) => at + 1))
    expect((await it.kb.documents()).documents).toHaveLength(20)
    expect((await it.kb.status()).folders).toMatchObject([{ isStale: true }])
    expect(await it.kb.add({ path: it.folder })).toMatchObject({ added: 25, unchanged: 20 })
  })
})

test("[KNOW-9] two concurrent `add` calls run one after the other", async () => {
  await using it = await knowledgeFixture()
  await it.write(HANDBOOK)
  const both = await Promise.all([it.kb.add({ path: it.folder }), it.kb.add({ path: it.folder })])
  expect(both.map(({ added, unchanged }) => [added, unchanged])).toEqual([
    [3, 0],
    [0, 3],
  ])
})
