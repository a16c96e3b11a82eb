import { expect, test } from "vitest"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { restoreBackup } from "#ground/store"
import { type Child, child } from "#test/child"
import { tempDirectory } from "#test/temp"
import { openTestStore, readTexts } from "./store-journal.ts"

const WRITER = new URL("store-writer.child.ts", import.meta.url)
const BACKUPS = 20

test("[D9] a backup taken while a process writes restores everything acknowledged before it", async () => {
  await using directory = await tempDirectory()
  const file = `${directory.path}/store.db`
  await using store = await openTestStore({ kind: "sqlite", file })
  await using writer = child(WRITER, [file, "w"])
  expect(await writer.nextLine()).toBe("ready")
  const acknowledged = collect(writer)

  const made: { file: string; before: readonly string[] }[] = []
  for (let number = 0; number < BACKUPS; number++) {
    await waitFor(() => acknowledged.length > number * 5)
    const before = [...acknowledged]
    const backup = await store.backup(`${directory.path}/backups`, { keep: BACKUPS })
    made.push({ file: backup.file, before })
  }
  writer.kill()

  for (const [number, backup] of made.entries()) {
    const into = `${directory.path}/restored-${number}/store.db`
    const fixture = { clock: systemClock, random: systemRandom, log: silentLog }
    await restoreBackup({ ...fixture, file: backup.file, into })
    await using restored = await openTestStore({ kind: "sqlite", file: into })
    const stored = new Set(await readTexts(restored))
    const lost = new Set(backup.before).difference(stored)
    expect([...lost], `backup ${number}`).toEqual([])
    expect((await restored.check()).findings).toEqual([])
  }
  expect(made.at(-1)?.before.length).toBeGreaterThan(BACKUPS * 4)
})

function collect(writer: Child): string[] {
  const lines: string[] = []
  void (async () => {
    for (let line = await writer.nextLine(); line !== undefined; line = await writer.nextLine()) {
      lines.push(line)
    }
  })()
  return lines
}

async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2))
}
