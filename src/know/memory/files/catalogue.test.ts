import { copyFile, mkdir, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { sql } from "#ground/store"
import { fileText, type MemoryFixture, memoryFixture, note } from "#test/memory-room"
import { tempDirectory } from "#test/temp"
import { LARGEST_FILE_BYTES, MOST_FILES } from "../limits.ts"

const all = { limit: 1_000 }
const Stamp = z.object({ stamp: z.string() })

async function problemsOf(it: MemoryFixture): Promise<readonly (readonly [string, string])[]> {
  const { problems } = await it.room.list(all)
  return problems.map(({ file, problem }) => [file.replace(".qm/memory/", ""), problem] as const)
}

describe("files that are not memories", () => {
  test("[MEMORY-4] each is reported, none is written to, and the others load", async () => {
    await using it = await memoryFixture()
    const { memory } = await it.room.record(note())
    const merged = fileText({ title: "a" }, "<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n")
    const texts: Readonly<Record<string, string | Uint8Array>> = {
      "rules/bytes.md": Uint8Array.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe]),
      "rules/garbage.md": "\u0000\u0001 garbage",
      "rules/huge.md": fileText({ title: "a" }, "x".repeat(LARGEST_FILE_BYTES)),
      "rules/merged.md": merged,
      "rules/bom.md": `\uFEFF${fileText({ title: "With a mark", id: "mem_bom" })}`,
      "rules/crlf.md": fileText({ title: "From Windows", id: "mem_crlf" }).replaceAll("\n", "\r\n"),
      "rules/other.txt": "no memory",
      "rules/.hidden.md": "no memory",
    }
    for (const [path, text] of Object.entries(texts)) await it.file(path, text)
    await copyFile(join(it.root, memory.file), join(it.root, ".qm/memory/rules/copy.md"))
    expect(await problemsOf(it)).toEqual([
      ["rules/bytes.md", "it is not UTF-8"],
      ["rules/copy.md", `it has the same id as ${memory.file}`],
      ["rules/garbage.md", "it does not begin with front matter between two lines of ---"],
      ["rules/huge.md", expect.stringMatching(/^it has 1000\d\d bytes; the limit is 100000$/)],
      ["rules/merged.md", "it has merge conflict markers"],
    ])
    for (const id of ["mem_bom", "mem_crlf"]) await it.room.feedback({ id, verdict: "helpful" })
    expect(await it.read(".qm/memory/rules/bom.md")).toMatch(/^\uFEFF---\n[^\uFEFF]*helpful: 1\n/)
    expect(await it.read(".qm/memory/rules/crlf.md")).not.toMatch(/[^\r]\n/)
    expect(await it.read(".qm/memory/rules/merged.md")).toBe(merged)
    expect((await it.room.list(all)).total).toBe(3)
  })

  test("[MEMORY-4] a file that became invalid is left as it is", async () => {
    await using it = await memoryFixture()
    const { memory } = await it.room.record(note())
    const broken = "<<<<<<< a\n=======\n>>>>>>> b\n"
    const db = await it.deps.db()
    let calls = 0
    const room = it.other({
      db: async () => ({
        ...db,
        async all(row, query) {
          if (++calls === 2) await writeFile(join(it.root, memory.file), broken)
          return db.all(row, query)
        },
      }),
    })
    await expect(room.feedback({ id: memory.id, verdict: "helpful" })).rejects.toMatchObject({
      code: "MEMORY_FILE_CHANGED",
    })
    expect(await it.read(memory.file)).toBe(broken)
  })
})

describe("symlinks and limits", () => {
  test("[MEMORY-5] a symlink to a file or folder is reported and not followed", async () => {
    await using it = await memoryFixture()
    await using outside = await tempDirectory()
    const secret = fileText({ title: "Outside" })
    await writeFile(join(outside.path, "outside.md"), secret)
    await it.file("rules/in.md", fileText({ title: "Inside" }))
    await symlink(join(outside.path, "outside.md"), join(it.root, ".qm/memory/rules/link.md"))
    await symlink(outside.path, join(it.root, ".qm/memory/decisions"))
    await symlink("/dev/zero", join(it.root, ".qm/memory/rules/zero.md"))
    await mkdir(join(it.root, ".qm/memory/rules/deep/deep/deep/deep"), { recursive: true })
    expect((await it.room.list(all)).memories.map((memory) => memory.title)).toEqual(["Inside"])
    expect(await problemsOf(it)).toEqual([
      ["decisions", "it is a symbolic link, which is not followed"],
      ["rules/deep/deep/deep/deep", "the folder is nested too deeply"],
      ["rules/link.md", "it is a symbolic link, which is not followed"],
      ["rules/zero.md", "it is a symbolic link, which is not followed"],
    ])
    await expect(it.room.record(note({ kind: "decision" }))).rejects.toMatchObject({
      code: "MEMORY_FOLDER_UNUSABLE",
    })
  })

  test("[MEMORY-5] nothing is written through a symlinked folder", async () => {
    await using it = await memoryFixture()
    await using outside = await tempDirectory()
    await symlink(outside.path, join(it.root, ".qm"))
    await expect(it.room.record(note())).rejects.toMatchObject({ code: "MEMORY_FOLDER_UNUSABLE" })
    expect(await it.room.list(all)).toMatchObject({
      total: 0,
      problems: [{ file: ".qm", problem: "it is a symbolic link, which is not followed" }],
    })
    await using empty = await tempDirectory()
    await writeFile(join(empty.path, ".qm"), "a file")
    await expect(it.other({ root: () => empty.path }).record(note())).rejects.toMatchObject({
      code: "MEMORY_FOLDER_UNUSABLE",
    })
  })

  test("[MEMORY-5] the number of memories is limited", async () => {
    await using it = await memoryFixture()
    await it.file("rules/0.md", fileText({ title: "First" }))
    const folder = join(it.root, ".qm/memory/rules")
    const names = Array.from({ length: MOST_FILES }, (_, at) => join(folder, `n${at}.md`))
    await Promise.all(names.map((name) => writeFile(name, "")))
    await expect(it.room.record(note())).rejects.toMatchObject({ code: "MEMORY_FULL" })
    const { total, problems } = await it.room.list({ limit: 1 })
    expect(total).toBe(1)
    expect(problems[0]?.problem).toBe(`there are more than ${MOST_FILES} files`)
    expect(problems).toHaveLength(MOST_FILES)
  })
})

describe("the index", () => {
  async function fill(it: MemoryFixture): Promise<void> {
    for (const n of [1, 2, 3]) await it.room.record(note({ title: `Cache ${n}`, body: `b${n}` }))
    await it.file("rules/bad.md", "bad")
  }

  test("[MEMORY-6] an empty, partial or damaged index gives the same results", async () => {
    await using it = await memoryFixture()
    await fill(it)
    const answers = async () => [
      await it.room.list(all),
      await it.room.search({ words: "cache", limit: 9 }),
    ]
    const before = await answers()
    const db = it.store.forRoom("memory")
    const harms = [
      sql`DELETE FROM memory_files`,
      sql`DELETE FROM memory_files WHERE file LIKE '%cache-2%'`,
      sql`UPDATE memory_files SET body = '{}'`,
      sql`UPDATE memory_files SET body = 'x', problem = NULL`,
      sql`UPDATE memory_files SET body = NULL, problem = NULL`,
      sql`UPDATE memory_files SET stamp = '', body = NULL, problem = 'old'`,
      sql`INSERT INTO memory_files (root, file, stamp) VALUES (${it.root}, 'gone.md', '')`,
    ]
    for (const harm of harms) {
      await db.run(harm)
      expect(await answers()).toEqual(before)
    }
  })

  test("[MEMORY-6] an unchanged file is not read again, and causes no write", async () => {
    await using it = await memoryFixture()
    await fill(it)
    let scrubs = 0
    let writes = 0
    const db = await it.deps.db()
    const room = it.other({
      db: async () => ({
        ...db,
        transaction: (work) => {
          writes++
          return db.transaction(work)
        },
      }),
      secrets: async () => {
        scrubs++
        return it.deps.secrets()
      },
    })
    await room.list(all)
    expect([scrubs, writes]).toEqual([2, 1])
    await room.list(all)
    expect([scrubs, writes]).toEqual([3, 1])
  })

  test("[MEMORY-6] notices a change within the resolution of file times", async () => {
    await using it = await memoryFixture()
    const file = await it.file("rules/a.md", fileText({ title: "One" }))
    it.clock.setWall(1_000)
    expect((await it.room.list(all)).memories[0]?.title).toBe("One")
    const stamps = () => it.store.forRoom("memory").all(Stamp, sql`SELECT stamp FROM memory_files`)
    expect(await stamps()).toEqual([{ stamp: "" }])
    await it.file("rules/a.md", fileText({ title: "Two" }))
    expect((await it.room.list(all)).memories[0]?.title).toBe("Two")
    it.clock.setWall(Date.now() + 60_000)
    await it.room.list(all)
    expect(await stamps()).not.toEqual([{ stamp: "" }])
    await rm(join(it.root, file))
    expect((await it.room.list(all)).memories).toEqual([])
  })

  test("[MEMORY-6] repositories that share a database see their own memories", async () => {
    await using it = await memoryFixture()
    await using other = await tempDirectory()
    const room = it.other({ root: () => other.path })
    await it.room.record(note())
    await it.room.inject({ text: "page cache", budgetTokens: 500, minConfidence: 0, most: 1 })
    expect((await room.record(note())).outcome).toBe("recorded")
    expect((await room.list(all)).memories.map((memory) => memory.uses)).toEqual([0])
    expect((await it.room.list(all)).memories.map((memory) => memory.uses)).toEqual([1])
  })
})
