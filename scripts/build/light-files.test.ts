import { constants, type Dirent } from "node:fs"
import * as real from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import * as light from "./light-files.ts"

test("[HOOKS-16] writing, reading and stat give the same results as Node", async () => {
  await using temp = await tempDirectory()
  const file = path.join(temp.path, "a")
  {
    await using handle = await light.open(file, "wx", 0o600)
    expect(await handle.write(Buffer.from("xhello"), 1, 5)).toMatchObject({ bytesWritten: 5 })
    expect(await handle.write(Buffer.from(" you"))).toMatchObject({ bytesWritten: 4 })
    await handle.sync()
    await handle.datasync()
    await handle.chmod(0o640)
    await handle.close()
  }
  expect(await real.readFile(file, "utf8")).toBe("hello you")
  await using handle = await light.open(file, constants.O_RDWR | constants.O_NOFOLLOW)
  const buffer = Buffer.alloc(9)
  expect(await handle.read(buffer, 0, 5, null)).toMatchObject({ bytesRead: 5 })
  expect(await handle.read(buffer, 5, 4, null)).toMatchObject({ bytesRead: 4 })
  expect(await handle.read(buffer, 0, 1, 6)).toMatchObject({ bytesRead: 1 })
  expect(buffer.toString()).toBe("yello you")
  await handle.truncate(3)
  expect(await handle.stat()).toEqual(await real.lstat(file))
})

test.for([
  ["a missing file", "/nowhere/at/all", "r"],
  ["a folder", "/", "w"],
  ["an invalid path", "a\0b", "r"],
  ["an existing file", "/etc/passwd", "wx"],
] as const)("[HOOKS-16] opening fails with the same code as Node: %s", async ([, file, flags]) => {
  const codeOf = (files: { open(path: string, flags: string): Promise<unknown> }) =>
    files.open(file, flags).then(
      () => expect.unreachable(),
      (error: NodeJS.ErrnoException) => error.code,
    )
  expect(await codeOf(light)).toBe(await codeOf(real))
})

test("[HOOKS-16] a folder is listed like with Node", async () => {
  await using temp = await tempDirectory()
  for (const name of ["a", "b"]) await real.writeFile(path.join(temp.path, name), "")
  await real.mkdir(path.join(temp.path, "c"))
  const namesOf = async (directory: AsyncIterable<Dirent>) =>
    (await Array.fromAsync(directory, (it) => `${it.name} ${it.isFile()}`)).toSorted()
  const own = await namesOf(await light.opendir(temp.path))
  expect(own).toEqual(["a true", "b true", "c false"])
  expect(own).toEqual(await namesOf(await real.opendir(temp.path)))
})

test("[HOOKS-16] a handle that was opened early works after the last synchronous access", async () => {
  await using temp = await tempDirectory()
  await using handle = await light.open(path.join(temp.path, "a"), "w+", 0o600)
  while (light.isSynchronous());
  expect(await handle.write(Buffer.from("hello"))).toMatchObject({ bytesWritten: 5 })
  await handle.sync()
  await handle.datasync()
  const buffer = Buffer.alloc(5)
  expect(await handle.read(buffer, 0, 5, 0)).toMatchObject({ bytesRead: 5 })
  expect(buffer.toString()).toBe("hello")
  expect(await handle.stat()).toEqual(await real.lstat(path.join(temp.path, "a")))
  await using late = await light.open(path.join(temp.path, "a"), "r")
  expect(await late.stat()).toEqual(await real.lstat(path.join(temp.path, "a")))
})
