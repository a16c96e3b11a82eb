import { symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { processIdentity } from "../process.ts"
import { listDirectory } from "./directories.ts"
import { sweepLeftovers, temporaryName } from "./leftovers.ts"

async function namesIn(directory: string): Promise<readonly string[]> {
  const listed = await listDirectory(directory)
  return listed.kind === "listed" ? listed.entries.map((it) => it.name) : []
}

describe("sweeping", () => {
  test("[BASE-10] removes what dead writers left, and nothing else", async () => {
    await using directory = await tempDirectory()
    const { pid, startedAt } = processIdentity()
    const chance = "0123456789abcdef"
    const dead = [
      `.atomic-${pid}-1.before-${chance}.tmp`,
      `.atomic-999999999-5.gone-${chance}.tmp`,
      `.atomic-999999999-unknown-${chance}.tmp`,
    ]
    const kept = [
      temporaryName(),
      `.atomic-${pid}-unknown-${chance}.tmp`,
      `.atomic-${pid}-1.before-${chance}.tmp.bak`,
      `.atomic-1-x-${chance.slice(1)}.tmp`,
      `my.atomic-999999999-x-${chance}.tmp`,
      "notes.tmp",
    ]
    for (const name of [...dead, ...kept]) await writeFile(join(directory.path, name), "x")
    const link = `.atomic-999999999-5.link-${chance}.tmp`
    await symlink(join(directory.path, "notes.tmp"), join(directory.path, link))

    expect(temporaryName()).toContain(`-${startedAt}-`)
    expect(await sweepLeftovers(directory.path)).toBe(3)
    expect(await namesIn(directory.path)).toEqual([...kept, link].toSorted())
    expect(await sweepLeftovers(directory.path)).toBe(0)
  })

  test("[BASE-10] a directory that does not exist has none; one that is a file is an error", async () => {
    await using directory = await tempDirectory()
    expect(await sweepLeftovers(join(directory.path, "no"))).toBe(0)
    const file = join(directory.path, "file")
    await writeFile(file, "")
    await expect(sweepLeftovers(file)).rejects.toMatchObject({ code: "FILE_DIRECTORY_MISSING" })
  })
})
