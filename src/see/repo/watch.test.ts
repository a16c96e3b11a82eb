import { mkdir, rm, utimes, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { systemClock } from "#ground/base"
import { testClock } from "#test/clock"
import { tempDirectory } from "#test/temp"
import { MOST_LISTED_CHANGES, WATCH_LOOK_ANYWAY_MS } from "./limits.ts"
import { type Walk, walkTree } from "./walk.ts"
import { changesBetween, watchTree } from "./watch.ts"

const never = new AbortController().signal

async function walkOf(root: string): Promise<Walk> {
  return walkTree({ root, gitCommonDirectory: undefined }, { signal: never })
}

test("[REPO-15] what was made, written and removed since the known walk comes as one batch", async () => {
  await using temp = await tempDirectory()
  const at = (name: string) => path.join(temp.path, name)
  for (const name of ["gone", "kept", "written"]) await writeFile(at(name), name)
  const known = await walkOf(temp.path)
  await mkdir(at("new/deep"), { recursive: true })
  await writeFile(at("new/deep/file"), "")
  await writeFile(at("written"), "longer than before")
  await rm(at("gone"))
  const controller = new AbortController()
  const watching = watchTree(
    { root: temp.path, gitCommonDirectory: undefined },
    { known, clock: systemClock, signal: controller.signal },
  )
  const { value } = await watching.next()
  expect(value).toMatchObject({
    changed: ["new/deep/file", "written"],
    removed: ["gone"],
    isWhole: true,
  })
  // Now by the system's word alone, also in the folder that is new.
  const next = watching.next()
  for (let i = 0; i < 20; i++) await writeFile(at(`new/deep/${i}.ts`), "")
  const { value: second } = await next
  expect(second?.changed.length).toBeGreaterThan(0)
  controller.abort()
  expect((await watching.next()).done).toBe(true)
})

test("[REPO-15] a change that the system does not tell is found when the walk comes round", async () => {
  await using temp = await tempDirectory()
  const file = path.join(temp.path, "file")
  await writeFile(file, "1234")
  await utimes(file, 1_000, 1_000)
  const clock = testClock()
  const controller = new AbortController()
  // It knows of a folder that is not there, which cannot be watched.
  const known = { ...(await walkOf(temp.path)), folders: ["none"] }
  const watching = watchTree(
    { root: temp.path, gitCommonDirectory: undefined },
    { known, clock, signal: controller.signal },
  )
  const next = watching.next()
  await writeFile(file, "12345")
  let isThere = false
  void next.then(() => (isThere = true))
  while (!isThere) await clock.advance(WATCH_LOOK_ANYWAY_MS)
  expect((await next).value).toMatchObject({ changed: ["file"], removed: [] })
  controller.abort()
})

test("[REPO-15] a batch has a bound, and says when there is more", async () => {
  const stat = {
    sizeBytes: 1,
    modifiedAtMs: 1,
    changedAtMs: 1,
    mode: 0,
    device: 1,
    inode: 1,
    isOwn: true,
  }
  const walk = (count: number): Walk => ({
    files: Array.from({ length: count }, (_, i) => ({ path: `f${i}`, stat, class: "source" })),
    folders: [""],
    skipped: [],
    skippedInAll: 0,
    ignoredInAll: 0,
    isWhole: true,
  })
  const most = changesBetween(walk(0), walk(MOST_LISTED_CHANGES))
  expect(most).toMatchObject({ isWhole: true })
  const more = changesBetween(walk(0), walk(MOST_LISTED_CHANGES + 1))
  expect([more.changed.length, more.isWhole]).toEqual([MOST_LISTED_CHANGES, false])
  expect(changesBetween(walk(3), walk(1)).removed).toEqual(["f1", "f2"])
})
