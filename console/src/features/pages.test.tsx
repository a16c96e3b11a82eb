import { QueryClient } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { describe, expect, it } from "vitest"
import { keys } from "../data/keys.ts"
import { eventsParams, settingsParams } from "../data/paths.ts"
import { failedQuery, renderPage, textOf } from "../test-page.tsx"
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
  spend: { todayUsd: null, runs: 0, unknown: 0, days: [] },
  isNew: false,
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
  it("[CONSOLE-65] Now leaves out empty groups and names the command that fills the page", () => {
    const text = render(nowPage, [[keys.operation("now.show", {}), REPORT]])
    expect(text).toContain("Sunday 15 November")
    expect(text).toContain("Nothing waits for you, nothing runs, and no run ended today.")
    expect(text).toContain('qm run "What does this repository do?"'.replaceAll('"', "&quot;"))
    expect(text).not.toMatch(/Waiting for you|Running|Ended today|Recent sessions|Store/)
  })

  it("[CONSOLE-15] Now shows a failure that several parts have once", async () => {
    const parts = (["doctor.run", "claim.list"] as const).map((it) => keys.operation(it, {}))
    const all = await failedQuery(keys.operation("now.show", {}), ...parts)
    expect(renderPage(all, nowPage).split("The disk is full")).toHaveLength(2)
    const some = await failedQuery(...parts)
    some.setQueryData(keys.operation("now.show", {}), REPORT)
    expect(renderPage(some, nowPage).split("The disk is full").length).toBeGreaterThan(2)
  })

  it("[CONSOLE-65] Now lists tickets in testing that wait for a review", () => {
    const ticket = {
      id: "T-9HV4C",
      title: "Refuse a berth",
      laneSince: NOW - 60_000 * 38,
      acceptance: [{ isDone: true }, { isDone: false }],
    }
    const input = { lane: "testing" as const, limit: 20 }
    const text = render(nowPage, [
      [keys.operation("now.show", {}), REPORT],
      [keys.operation("board.show", input), { tickets: [ticket] }],
    ])
    expect(text).toMatch(
      /To review 1 Since Refuse a berth T-9HV4C in testing, 1 of 2 criteria met Approve or reject 38 min/,
    )
    expect(text).not.toContain("Nothing waits for you")
  })

  it("[CONSOLE-65] Now lists waiting, running, ended and recent sessions that exist", () => {
    const row = { id: "r-1", kind: "run", state: "running", title: "Port it", at: NOW }
    const report = { ...REPORT, running: [row], ended: [{ ...row, id: "r-2", state: "done" }] }
    const stored = {
      host: "codex",
      sessionId: "s-1",
      title: "Explain the tariff",
      cwd: "/r",
      file: "/h/s-1.jsonl",
      sizeBytes: 2_000,
      changedAt: NOW - 3_600_000,
      runId: null,
      isResumable: true,
    }
    const text = render(nowPage, [
      [keys.operation("now.show", {}), report],
      [keys.operation("agents.sessions", { limit: 8 }), { sessions: [stored] }],
    ])
    expect(text).toMatch(/Running 1 .*Ended today 1 .*Recent sessions 1 .*Explain the tariff/)
    expect(text).not.toContain("Waiting for you")
  })

  it("[CONSOLE-66] where nothing ran yet, the first-run page shows hosts, capture, sessions and next steps", () => {
    const host = {
      title: "Claude Code",
      name: "claude-code",
      isInstalled: true,
      version: "2.1.325",
    }
    const hosts = [
      { ...host, login: "found", loginFrom: "~/x", hooks: "none" },
      { ...host, name: "gemini", title: "Gemini CLI", isInstalled: false, version: null },
    ]
    const summary = { id: "c-1", host: "claude-code", workingDirectory: "/r", lastSeenAt: NOW }
    const capture = {
      manifest: { host: "claude-code" },
      headline: {
        tokens: 16_981,
        window: 200_000,
        share: 0.085,
        kinds: [{ kind: "system", tokens: 16_981 }],
      },
      budget: { startBudget: 20_000 },
      advice: [],
    }
    const session = { host: "codex", sessionId: "s", sizeBytes: 2_000, runId: null }
    const text = render(nowPage, [
      [keys.operation("now.show", {}), { ...REPORT, isNew: true }],
      [keys.session, { repository: { root: "/r", name: "r", branch: null }, readOnly: false }],
      [keys.operation("hosts.list", {}), { hosts }],
      [keys.operation("capture.list", { limit: 50 }), { captures: [summary] }],
      [keys.operation("capture.show", { id: "c-1" }), capture],
      [keys.operation("agents.sessions", { limit: 500 }), { sessions: [session, session] }],
    ])
    expect(text).toContain("16,981 tokens in Claude Code, 8.5 % of 200k")
    expect(text).toMatch(/Claude Code signed in, not connected 2\.1\.325/)
    expect(text).toContain("Gemini CLI not installed")
    expect(text).toContain("2 of Codex")
    expect(text).toContain("Import 2 sessions")
    expect(text).toMatch(/Connect Claude Code.*Build a package.*Start a run/)
    expect(text).not.toContain("Waiting for you")
  })

  it("[CONSOLE-66] without an installed agent, it gives the install command and offers no run", () => {
    const install = "npm install -g @anthropic-ai/claude-code"
    const missing = { title: "Claude Code", name: "claude-code", isInstalled: false, install }
    const text = render(nowPage, [
      [keys.operation("now.show", {}), { ...REPORT, isNew: true }],
      [keys.operation("hosts.list", {}), { hosts: [missing] }],
    ])
    expect(text).toContain(
      `Install an agent, for example Claude Code, then press Check again. $ ${install}`,
    )
    expect(text).not.toContain("Start a run")
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
      <SettingsPage
        now={NOW}
        params={params}
        onParams={nothing}
        appearance={appearance}
        notifications={{ choice: "off", pick: nothing }}
        wakeLock={{ choice: "off", pick: nothing }}
      />,
    )
    expect(html).not.toContain(secret)
    expect(html).toContain("Set, not shown")
    expect(html).toContain("Sign out everywhere")
  })

  it("[CONSOLE-15] an error is shown with its hint and its code", () => {
    const error = { code: "STORE_BUSY", message: "The store is busy", hint: "Wait.", data: {} }
    const retry = () => undefined
    expect(render(<Failure size="pane" error={error} onRetry={retry} />)).toBe(
      " The store is busy Wait. Try again STORE_BUSY Copy details ",
    )
    expect(render(<Failure size="row" error={error} onRetry={retry} />)).toBe(
      " The store is busy Wait. STORE_BUSY Try again ",
    )
  })
})
