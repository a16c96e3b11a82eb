import { environmentManager, focusManager, QueryClient, QueryObserver } from "@tanstack/react-query"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { Client } from "../client.ts"
import { WATCH_MS, watchedQuery } from "./watch-query.ts"

beforeEach(() => {
  vi.useFakeTimers()
  environmentManager.setIsServer(() => false)
  focusManager.setFocused(true)
})
afterEach(() => {
  vi.useRealTimers()
  environmentManager.setIsServer(() => true)
  focusManager.setFocused(undefined)
})

function watch() {
  const requests: unknown[] = []
  const read = (name: string) => {
    requests.push(name)
    return Promise.resolve({ claims: [] })
  }
  const queries = new QueryClient()
  queries.mount()
  const client = { read } as unknown as Pick<Client, "read">
  const observer = new QueryObserver(queries, watchedQuery(client, "claim.list", {}))
  const stop = observer.subscribe(() => undefined)
  return {
    asked: requests,
    stop: () => {
      stop()
      queries.unmount()
    },
  }
}

describe("data written by hooks", () => {
  it("[CONSOLE-49] it is refetched every 5 s while the page is visible, and at once when it becomes visible again", async () => {
    const { asked, stop } = watch()
    await vi.advanceTimersByTimeAsync(0)
    expect(asked.length).toBe(1)
    await vi.advanceTimersByTimeAsync(WATCH_MS)
    expect([WATCH_MS, asked.length]).toEqual([5_000, 2])
    focusManager.setFocused(false)
    await vi.advanceTimersByTimeAsync(10 * WATCH_MS)
    expect(asked.length, "nobody looks").toBe(2)
    focusManager.setFocused(true)
    await vi.advanceTimersByTimeAsync(0)
    expect(asked.length).toBe(3)
    stop()
    await vi.advanceTimersByTimeAsync(10 * WATCH_MS)
    expect(asked.length, "the page was left").toBe(3)
  })
})
