import { describe, expect, test } from "vitest"
import type { JournalEntry } from "#ground/contract"
import { createApp } from "#show/app"
import { needs } from "#test/needs"
import { isNight } from "#test/seed"
import { stored } from "#test/server"
import { type McpClient, mcpClient, type ToolAnswer } from "./client.ts"
import { NO_LIMITS, type RunningUp, startUp } from "./up.ts"

const CLIENTS = 50
const BRANCHES = isNight() ? 10_000 : 1_000

/** Memory growth of the process from its first branches to its last. */
const MOST_GROWTH_BYTES = 200 * 1_024 * 1_024

const LONGEST_TEST_MS = isNight() ? 900_000 : 300_000

type BranchStory = {
  readonly nonce: string
  readonly id: string
  readonly notes: readonly ToolAnswer[]
  /** The answers to one return and its three replays, which are sent at the same time. */
  readonly returns: readonly ToolAnswer[]
}

/** A unique text per branch, of fixed length, so that none is part of another. */
function nonceOf(number: number): string {
  return `job-${String(number).padStart(6, "0")}`
}

function clientOf(nonce: string): number {
  return Number(nonce.slice("job-".length)) % CLIENTS
}

async function liveThrough(client: McpClient, nonce: string): Promise<BranchStory> {
  const opened = await client.call("branch", {
    description: `do ${nonce}`,
    prompt: `the whole of ${nonce}`,
    parent_branch_id: "root",
  })
  const id = String(opened.fields["branch_id"])
  const notes: ToolAnswer[] = []
  for (const step of ["one", "two", "three"]) {
    const progress = `${nonce} has done step ${step}`
    notes.push(await client.call("branch_status", { branch_id: id, progress }))
  }
  const result = { branch_id: id, message: `${nonce} is done`, idempotency_key: nonce }
  const returns = await Promise.all([1, 2, 3, 4].map(() => client.call("return", result)))
  return { nonce, id, notes, returns }
}

async function liveAll(
  up: RunningUp,
  from: number,
  count: number,
): Promise<readonly BranchStory[]> {
  const clients = Array.from({ length: CLIENTS }, (_, at) =>
    mcpClient({ port: up.port, token: up.token, name: `client-${at}` }),
  )
  const stories = Array.from({ length: count }, (_, at) => {
    const client = clients[at % CLIENTS]
    if (client === undefined) throw new Error("there are as many clients as said")
    return liveThrough(client, nonceOf(from + at))
  })
  try {
    return await Promise.all(stories)
  } finally {
    for (const client of clients) client[Symbol.dispose]()
  }
}

function noncesIn(value: unknown): readonly string[] {
  return [...new Set(JSON.stringify(value).match(/job-\d{6}/g) ?? [])]
}

async function afterwards<Value>(
  up: RunningUp,
  read: (app: Awaited<ReturnType<typeof createApp>>) => Promise<Value>,
): Promise<Value> {
  await using app = await createApp({
    directory: up.user.project,
    environment: { HOME: up.user.home },
    settings: [],
    writeLog: () => {},
  })
  return await read(app)
}

function countOf(entries: readonly JournalEntry[], name: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const entry of entries) {
    if (entry.name !== name || !("id" in entry.body)) continue
    const id = String(entry.body.id)
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return counts
}

describe.runIf(needs("C2", "proc"))("many branches at once", () => {
  test(`[C2] ${BRANCHES} branches of ${CLIENTS} clients each return once, complete and to their own client`, {
    timeout: LONGEST_TEST_MS,
  }, async () => {
    await using up = await startUp(NO_LIMITS)
    await liveAll(up, 900_000, CLIENTS)
    const before = up.residentBytes()
    const stories = await liveAll(up, 0, BRANCHES)
    const growth = up.residentBytes() - before
    expect(growth).toBeLessThan(MOST_GROWTH_BYTES)

    expect(new Set(stories.map((it) => it.id)).size).toBe(BRANCHES)
    for (const story of stories) {
      const [first, ...replays] = story.returns
      expect(first?.fields).toMatchObject({ branch_id: story.id, status: "completed" })
      expect(replays).toEqual([first, first, first])
      expect(story.notes.map((it) => it.isError)).toEqual([false, false, false])
      const own = [story.returns, story.notes.map((it) => it.fields["branch"])]
      expect(noncesIn(own)).toEqual([story.nonce])
      // The answer also lists other open branches, but only of the same client.
      const beside = noncesIn(story.notes).map(clientOf)
      expect(new Set(beside)).toEqual(new Set([clientOf(story.nonce)]))
    }
    expect(await up.stop()).toBe(0)

    const ids = stories.map((it) => it.id)
    const entries = await afterwards(up, async (app) => stored(await app.store()))
    for (const name of ["fold.branch-created", "fold.returned", "fold.ended"]) {
      const counts = countOf(entries, name)
      expect(
        ids.filter((id) => counts.get(id) !== 1),
        name,
      ).toEqual([])
    }
    await afterwards(up, async (app) => {
      const { signal } = new AbortController()
      for (const { id, nonce } of stories) {
        const shown = await app.call("fold.show", { id }, { signal })
        expect(noncesIn(shown)).toEqual([nonce])
      }
    })
  })
})
