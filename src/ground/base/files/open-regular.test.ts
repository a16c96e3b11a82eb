import { execFileSync } from "node:child_process"
import { symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { openAndLook, openRegular } from "./open-regular.ts"

describe("a path that was swapped after the first look", () => {
  test("[BASE-8] a FIFO is not waited for, a device and a directory are seen for what they are", async () => {
    await using directory = await tempDirectory()
    const fifo = join(directory.path, "fifo")
    execFileSync("mkfifo", [fifo])
    const outcomes = await Promise.all([fifo, "/dev/null", directory.path].map(openAndLook))
    expect(outcomes).toEqual([
      { kind: "not-regular", what: "FIFO" },
      { kind: "not-regular", what: "character device" },
      { kind: "not-regular", what: "directory" },
    ])
  })

  test("[BASE-7] a link is not followed", async () => {
    await using directory = await tempDirectory()
    const [file, link] = [join(directory.path, "file"), join(directory.path, "link")]
    await writeFile(file, "theirs")
    await symlink(file, link)
    await expect(openAndLook(link)).rejects.toMatchObject({ code: "ELOOP" })
    const opened = await openRegular(file)
    expect(opened.kind).toBe("open")
    if (opened.kind === "open") await opened.handle.close()
  })
})
