import { spawnSync } from "node:child_process"
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test, vi } from "vitest"
import { tempDirectory } from "#test/temp"
import { createFolderWatch } from "./folder-watch.ts"

test("[BASE-24] a change in any watched folder is reported, also after the set of folders changed", async () => {
  await using temp = await tempDirectory()
  const folders = ["a", "b"].map((it) => join(temp.path, it))
  for (const folder of folders) mkdirSync(folder)
  const onChange = vi.fn<() => void>()
  using watch = createFolderWatch({ root: temp.path, onChange })
  expect(watch.set(folders)).toBe(true)
  writeFileSync(join(temp.path, "b", "file"), "")
  await vi.waitFor(() => expect(onChange).toHaveBeenCalled())

  expect(watch.set(folders.slice(0, 1))).toBe(true)
  await new Promise((resolve) => setTimeout(resolve, 50))
  onChange.mockClear()
  writeFileSync(join(temp.path, "b", "other"), "")
  writeFileSync(join(temp.path, "a", "file"), "")
  await vi.waitFor(() => expect(onChange).toHaveBeenCalled())
})

test("[BASE-24] a missing or removed folder is reported and stops no other watch", async () => {
  await using temp = await tempDirectory()
  const onChange = vi.fn<() => void>()
  using watch = createFolderWatch({ root: temp.path, onChange })
  expect(watch.set([join(temp.path, "none")])).toBe(process.platform !== "linux")
  mkdirSync(join(temp.path, "some"))
  watch.set([join(temp.path, "some")])
  rmSync(join(temp.path, "some"), { recursive: true })
  await vi.waitFor(() => expect(onChange).toHaveBeenCalled())
})

test("[BASE-24] a folder that replaced a watched one is watched after the next `set`", async () => {
  await using temp = await tempDirectory()
  const folder = join(temp.path, "a")
  const onChange = vi.fn<() => void>()
  using watch = createFolderWatch({ root: temp.path, onChange })
  for (const replace of [
    () => renameSync(folder, `${folder}-moved`),
    () => rmSync(folder, { recursive: true }),
  ]) {
    mkdirSync(folder)
    watch.set([folder])
    replace()
    mkdirSync(folder)
    expect(watch.set([folder])).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, 50))
    onChange.mockClear()
    writeFileSync(join(folder, "file"), "")
    await vi.waitFor(() => expect(onChange).toHaveBeenCalled())
    rmSync(folder, { recursive: true })
  }
})

test.runIf(process.platform === "linux")(
  "[BASE-24] after `settle` every earlier change was reported; without a mark folder it is false",
  async () => {
    await using temp = await tempDirectory()
    const folders = Array.from({ length: 20 }, (_, at) => join(temp.path, `f${at}`))
    for (const it of folders) mkdirSync(it)
    let changes = 0
    using watch = createFolderWatch({
      root: temp.path,
      onChange: () => changes++,
      markFolder: join(temp.path, "mark"),
    })
    watch.set(folders)
    await vi.waitFor(async () => expect(await watch.settle()).toBe(true))
    for (const folder of folders) {
      const before = changes
      writeFileSync(join(folder, "file"), "")
      if (await watch.settle()) expect(changes).toBeGreaterThan(before)
    }
    using without = createFolderWatch({ root: temp.path, onChange() {} })
    expect(await without.settle()).toBe(false)
  },
)

test("[BASE-24] a watch does not keep the process alive", async () => {
  const module = new URL("folder-watch.ts", import.meta.url)
  const script = `import { createFolderWatch } from ${JSON.stringify(module.href)}
    createFolderWatch({ root: ".", onChange() {} }).set(["."])`
  const args = ["--input-type=module", "-e", script]
  expect(spawnSync(process.execPath, args, { timeout: 600_000 }).status).toBe(0)
})
