import { QueryClient } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { describe, expect, it } from "vitest"
import { keys } from "../data/keys.ts"
import { eventsParams, settingsParams } from "../data/paths.ts"
import { renderPage, textOf } from "../test-page.tsx"
import { Failure } from "../ui/failure/failure.tsx"
import { EventsPage } from "./events/page.tsx"
import { NowPage } from "./now/page.tsx"
import { SettingsPage } from "./settings/page.tsx"

const NOW = Date.UTC(2026, 10, 15, 8, 16)
const STORE = { dialect: "sqlite", events: 5, sizeBytes: 1_000 }
const REPORT = {
  repository: { root: "/r", name: "tideline", branch: null },
  health: { isHealthy: true, failed: 0, warnings: 0 },
  store: STORE,
  waiting: [],
  running: [],
  ended: [],
}

type Answers = readonly (readonly [readonly unknown[], unknown])[]

function render(page: ReactNode, answers: Answers = []): string {
  const queries = new QueryClient()
  for (const [key, answer] of answers) queries.setQueryData(key, answer)
  const html = renderPage(queries, page)
  return textOf(html)
}

const nowPage = <NowPage now={NOW} areFactsHidden={false} onToggleFacts={() => undefined} />
const nothing = () => undefined

describe("pages", () => {
  it("[CONSOLE-15] Now has a text for each empty list", () => {
    const text = render(nowPage, [[keys.operation("now.show", {}), REPORT]])
    expect(text).toContain("Sunday 15 November")
    expect(text).toContain("Waiting for you 0")
    expect(text).toContain("No agent is waiting for you.")
    expect(text).toContain("Nothing is running.")
    expect(text).toContain("No run ended today.")
  })

  it("[CONSOLE-15] a new store shows the first-run page with one command", () => {
    const report = { ...REPORT, store: { ...STORE, events: 1 } }
    const text = render(nowPage, [[keys.operation("now.show", {}), report]])
    expect(text).toContain("Ready to start")
    expect(text).toContain("$ qm doctor Copy Check now")
    expect(text).not.toContain("Waiting for you")
  })

  it("[CONSOLE-15] rows show known values and leave unknown ones empty", () => {
    const row = {
      id: "r-1",
      state: "running",
      title: "Port the clock",
      agent: "codex",
      at: NOW - 352_000,
    }
    const knownRow = { ...row, id: "r-2", tokens: { files: 36_200 }, costUsd: 0.3 }
    const report = { ...REPORT, running: [row, knownRow] }
    const text = render(nowPage, [[keys.operation("now.show", {}), report]])
    expect(text).toContain("36.2k")
    expect(text).toContain("$0.30")
    expect(text).toContain("5:52")
    expect(text).not.toContain("$0.00")
  })

  it("[CONSOLE-15] an empty journal says what the page shows", () => {
    const params = eventsParams.parse("")
    const journal = { entries: [], head: { epoch: "e", seq: 0 }, isWhole: true }
    const text = render(<EventsPage now={NOW} params={params} onParams={nothing} />, [
      [keys.events(""), journal],
    ])
    expect(text).toContain("0 events")
    expect(text).toContain("qm store backup")
  })

  it("[CONSOLE-15] a filter without a match offers to clear it", () => {
    const journal = { entries: [], head: { epoch: "e", seq: 0 }, isWhole: true }
    const text = render(
      <EventsPage now={NOW} params={eventsParams.parse("?text=zz")} onParams={nothing} />,
      [[keys.events(""), journal]],
    )
    expect(text).toContain("No loaded event matches. Clear the filter")
  })

  it("[CONSOLE-12] a secret is never written into the page", () => {
    const secret = `s${NOW}`
    const setting = {
      key: "store.databaseUrl",
      value: secret,
      origin: "default",
      hides: [],
      description: "Where",
      env: "QM_DATABASE_URL",
      isSecret: true,
      schema: { type: "string" },
    }
    const params = settingsParams.parse("?at=store.databaseUrl")
    const config = { settings: [setting], files: [], withSources: true }
    const appearance = {
      mode: "system",
      modes: [],
      density: "default",
      densities: [],
      light: "",
      dark: "",
      lightThemes: [],
      darkThemes: [],
      onChange: nothing,
    }
    const queries = new QueryClient()
    queries.setQueryData(keys.operation("config.show", { sources: true }), config)
    const html = renderPage(
      queries,
      <SettingsPage params={params} onParams={nothing} appearance={appearance} />,
    )
    expect(html).not.toContain(secret)
    expect(html).toContain("Set, not shown")
  })

  it("[CONSOLE-15] an error is shown with its hint and its code", () => {
    const error = { code: "STORE_BUSY", message: "The store is busy", hint: "Wait.", data: {} }
    const retry = () => undefined
    expect(render(<Failure size="pane" error={error} onRetry={retry} />)).toBe(
      " The store is busy Wait. Try again STORE_BUSY Copy details ",
    )
    expect(render(<Failure size="row" error={error} onRetry={retry} />)).toBe(
      " The store is busy STORE_BUSY Try again ",
    )
  })
})
