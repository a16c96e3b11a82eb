import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { silentLog } from "#ground/base"
import { tempDirectory } from "#test/temp"
import { type Write, writeAll } from "./transaction.ts"

const content = (text: string, mode = 0o640) => ({ bytes: Buffer.from(text), mode })
const OPTIONS = { log: silentLog, finish: async () => {} }

function writeOf(realPath: string, it: Partial<Write>): Write {
  const none = { before: undefined, after: undefined, foldersToMake: [], foldersToClear: [] }
  return { ...none, realPath, folderMode: 0o700, ...it }
}

async function scene(root: string): Promise<readonly Write[]> {
  await writeFile(path.join(root, "changed"), "old", { mode: 0o640 })
  await mkdir(path.join(root, "goes"))
  await writeFile(path.join(root, "goes", "gone"), "bye", { mode: 0o640 })
  return [
    writeOf(path.join(root, "changed"), { before: content("old"), after: content("new") }),
    writeOf(path.join(root, "a", "b", "made"), {
      after: content("made", 0o600),
      foldersToMake: [path.join(root, "a"), path.join(root, "a", "b")],
    }),
    writeOf(path.join(root, "goes", "gone"), {
      before: content("bye"),
      foldersToClear: [path.join(root, "goes")],
    }),
  ]
}

test("[KIT-2] `writeAll` writes all files with their modes and removes folders it emptied", async () => {
  await using temp = await tempDirectory()
  await writeAll(await scene(temp.path), OPTIONS)
  expect((await readdir(temp.path, { recursive: true })).toSorted()).toEqual([
    "a",
    "a/b",
    "a/b/made",
    "changed",
  ])
  expect((await stat(path.join(temp.path, "changed"))).mode & 0o777).toBe(0o640)
})

test.each(["a file in the middle", "the last step"])(
  "[KIT-2] when %s fails, all earlier writes are rolled back",
  async (where) => {
    await using temp = await tempDirectory()
    const writes = await scene(temp.path)
    await mkdir(path.join(temp.path, "blocked"))
    const blocked = writeOf(path.join(temp.path, "blocked"), { after: content("x") })
    const before = await pictureOf(temp.path)
    const isMiddle = where === "a file in the middle"
    const finish = async () => {
      if (!isMiddle) throw new Error("the last step")
    }
    const work = writeAll(isMiddle ? [...writes, blocked] : writes, { log: silentLog, finish })
    await expect(work).rejects.toThrow(isMiddle ? "directory" : "the last step")
    expect(await pictureOf(temp.path)).toEqual(before)
  },
)

async function pictureOf(root: string): Promise<Readonly<Record<string, string>>> {
  const names = await readdir(root, { recursive: true })
  const all = names.map(async (name) => {
    const looked = await stat(path.join(root, name))
    const text = looked.isFile() ? await readFile(path.join(root, name), "utf8") : "folder"
    return [name, `${(looked.mode & 0o777).toString(8)} ${text}`] as const
  })
  return Object.fromEntries(await Promise.all(all))
}
