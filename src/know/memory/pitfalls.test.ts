import { mkdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { AGENT, fileText, type MemoryFixture, memoryFixture, note } from "#test/memory-room"

function placed(lab: MemoryFixture) {
  const stateDirectory = join(lab.root, ".git/qm")
  const file = join(stateDirectory, "pitfalls.json")
  return {
    file,
    room: lab.other({ stateDirectory: () => stateDirectory }),
    told: async () => JSON.parse(await readFile(file, "utf8")),
  }
}

test("[MEMORY-23] writes pitfalls with their citations for hooks after each change", async () => {
  await using lab = await memoryFixture()
  const { room, told, file } = placed(lab)
  for (const path of ["src/cache.ts", "src/cache.ts key", "src/page.ts"]) lab.code.set(path, "1")
  await room.record(
    note({ kind: "fix", title: "A fix", body: "No pitfall.", cites: ["src/page.ts"] }),
  )
  await room.record(
    note({ title: "Nowhere", body: "It cites nothing at all, so no edit meets it." }),
  )
  await expect(stat(file)).rejects.toThrow("ENOENT")
  const { memory } = await room.record(
    note({ cites: ["src/cache.ts#key", "src/cache.ts", "src/page.ts"] }),
  )
  const item = {
    id: memory.id,
    title: memory.title,
    line: "Two users shared a page; put the locale into the key of the page cache.",
    paths: ["src/cache.ts", "src/page.ts"],
  }
  expect(await told()).toEqual({ version: 1, items: [item] })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await room.forget({ id: memory.id })
  expect(await told()).toEqual({ version: 1, items: [] })
})

test("[MEMORY-23] leaves out pitfalls with low confidence, in quarantine or superseded", async () => {
  await using lab = await memoryFixture()
  const { room, told } = placed(lab)
  lab.code.set("a.ts", "1")
  const cites = ["a.ts"]
  const ids = async () => (await told()).items.map((it: { title: string }) => it.title).toSorted()
  const doubted = await room.record(note({ cites, title: "Doubted" }), AGENT)
  await room.record(
    note({ cites, title: "Foreign", body: "Said by a page.", untrusted: true }),
    AGENT,
  )
  const old = await room.record(note({ cites, title: "Old", body: "An old way to fail." }))
  expect(await ids()).toEqual(["Doubted", "Old"])
  await room.feedback({ id: doubted.memory.id, verdict: "unhelpful" }, AGENT)
  await room.record(
    note({ cites, title: "New", body: "A new way to fail at it.", supersedes: old.memory.id }),
  )
  expect(await ids()).toEqual(["New"])
  await room.confirm({ id: doubted.memory.id })
  expect(await ids()).toEqual(["Doubted", "New"])
})

test("[MEMORY-23] a manual change is found at the next call, and an equal file is not written again", async () => {
  await using lab = await memoryFixture()
  const { room, told, file } = placed(lab)
  const head = { id: "mem_1", kind: "pitfall", title: "By hand", state: "confirmed" }
  const cites = "[a.ts]"
  await lab.file("lessons/a.md", fileText({ ...head, description: "One line.", cites }))
  await room.list({ limit: 10 })
  expect((await told()).items).toEqual([
    { id: "mem_1", title: "By hand", line: "One line.", paths: ["a.ts"] },
  ])
  const before = await stat(file)
  await room.list({ limit: 10 })
  await placed(lab).room.list({ limit: 10 })
  expect((await stat(file)).ino).toBe(before.ino)
  await lab.file("lessons/a.md", fileText({ ...head, description: "Another line.", cites }))
  await room.search({ words: "hand", limit: 1 })
  expect((await told()).items[0].line).toBe("Another line.")
})

test("[MEMORY-23] redacts secrets, and a failed write does not fail the operation", async () => {
  await using lab = await memoryFixture()
  lab.code.set("a.ts", "1")
  const { told } = placed(lab)
  const stateDirectory = () => join(lab.root, ".git/qm")
  const value = `hidden ${"word"}`
  const base = await lab.deps.secrets()
  const secrets = async () => ({
    redact: (text: string) => base.redact(text.replaceAll(value, "[gone]")),
  })
  await lab.other({}).record(note({ cites: ["a.ts"], body: `The ${value} was in the log.` }))
  await lab.other({}).list({ limit: 1 })
  await lab.other({ stateDirectory, secrets }).list({ limit: 1 })
  expect((await told()).items[0].line).toBe("The [gone] was in the log.")

  const blocked = join(lab.root, "blocked")
  await mkdir(blocked)
  await writeFile(join(blocked, "file"), "")
  const room = lab.other({ stateDirectory: () => join(blocked, "file/qm") })
  const { outcome } = await room.record(
    note({ cites: ["a.ts"], title: "Other", body: "A wholly different text about a queue." }),
  )
  expect(outcome).toBe("recorded")
})
