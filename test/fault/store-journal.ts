import { silentLog, systemClock, systemRandom } from "#ground/base"
import { openStore, type Store, type StoreLocation } from "#ground/store"
import { TEST_MIGRATIONS } from "../conformance/tables.ts"

export function openTestStore(location: StoreLocation): Promise<Store> {
  return openStore({
    location,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    migrations: TEST_MIGRATIONS,
  })
}

export async function append(store: Store, text: string): Promise<void> {
  await store
    .forRoom("store")
    .transaction(async (tx) => tx.emit("store.backed-up", { file: text, sizeBytes: 0 }))
}

export async function readTexts(store: Store): Promise<readonly string[]> {
  const texts: string[] = []
  let after: Awaited<ReturnType<Store["journal"]["head"]>> | undefined
  for (;;) {
    const page = await store.journal.read({ after, limit: 1_000 })
    if (page.kind !== "entries" || page.entries.length === 0) return texts
    const named = page.entries.filter((it) => it.name === "store.backed-up")
    texts.push(...named.map((it) => String(it.body["file"])))
    after = page.next
  }
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

export function codeOf(error: unknown): string {
  const hasCode = error instanceof Error && "code" in error
  return hasCode ? String(error.code) : `untyped ${String(error)}`
}

export async function outcomeOf(attempt: () => Promise<unknown>): Promise<string> {
  try {
    await attempt()
    return "done"
  } catch (error) {
    return codeOf(error)
  }
}
