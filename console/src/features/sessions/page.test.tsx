import { QueryClient } from "@tanstack/react-query"
import { describe, expect, it } from "vitest"
import type { Claim, SessionList, SessionShow, SessionsList } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { sessionsParams } from "../../data/paths.ts"
import { failedQuery, renderPage, textOf } from "../../test-page.tsx"
import { SessionsPage } from "./page.tsx"
import {
  aClaim,
  aList,
  aSession,
  aShow,
  aTranscript,
  NOW,
  transcripts,
} from "./sessions.fixture.ts"
import { LIST_INPUT } from "./use-sessions.ts"

type SessionsPageData = {
  readonly indexed?: SessionsList
  readonly list?: SessionList
  readonly claims?: readonly Claim[]
  readonly shown?: SessionShow
  readonly isReadOnly?: boolean
}

function markupOf(address: string, data: SessionsPageData): string {
  const { indexed, list, claims, shown, isReadOnly } = data
  const queries = new QueryClient()
  const params = sessionsParams.parse(address)
  queries.setQueryData(keys.operation("agents.list", { limit: 500 }), { runs: [] })
  if (indexed !== undefined) queries.setQueryData(INDEXED, indexed)
  if (list !== undefined) queries.setQueryData(keys.operation("session.list", LIST_INPUT), list)
  if (claims !== undefined) queries.setQueryData(keys.operation("claim.list", {}), { claims })
  if (shown !== undefined) {
    queries.setQueryData(keys.operation("session.show", { session: params.show }), shown)
  }
  if (isReadOnly === true)
    queries.setQueryData(keys.session, { repository: { root: "/r" }, readOnly: true })
  return renderPage(queries, <SessionsPage now={NOW} params={params} onParams={() => undefined} />)
}

const INDEXED = keys.operation("sessions.list", { limit: 500 })

const render = (address: string, data: SessionsPageData) => textOf(markupOf(address, data))

describe("page Sessions", () => {
  it("[CONSOLE-15] each empty list says what it shows and gives the command that fills it", () => {
    const list = aList()
    const indexed = transcripts([])
    expect(render("", { list, indexed })).toContain("$ qm sessions import")
    expect(render("?tab=logged", { list })).toContain("$ qm sessions register rounding")
    expect(render("?tab=claims", { claims: [] })).toMatch(/No file is claimed\..*\$ qm claim take/)
    expect(render("", {}), "unknown is not empty").not.toContain("qm sessions import")
  })

  it("[CONSOLE-15] no match and an empty list have different texts", () => {
    const indexed = transcripts([aTranscript("t-1")])
    expect(render("?host=codex", { indexed, list: aList() })).not.toContain("qm sessions import")
    const claims = [aClaim("src/a.ts")]
    expect(render("?tab=claims&text=zz", { claims })).toContain("No match.")
  })

  it("the lists show their counts and the number of sessions with unregistered changes", () => {
    const list = aList({
      live: [aSession("s-1", { drifted: 2 }), aSession("s-2")],
      logged: [{ file: "f.md", date: "2026-11-14", title: "t", request: "r" }],
      loggedCount: 24,
    })
    const indexed = transcripts([aTranscript("t-1")])
    const text = render("?tab=logged", { indexed, list, claims: [aClaim("a")] })
    expect(text).toContain("1 transcript, 1 not registered")
    expect(text).toMatch(/Sessions Registered 24 Claims 1/)
    expect(text).toContain("The newest 1 of 24 are listed.")
  })

  it("[CONSOLE-67] waiting transcripts are offered for import, and a read-only page offers nothing", () => {
    const waiting = { waitingFiles: 37, waitingBytes: 212_000_000 }
    const indexed = transcripts([], waiting)
    const text = render("", { indexed, list: aList() })
    expect(text).toContain("37 transcripts on this machine (212.0 MB) are not indexed yet.")
    expect(text).toContain("Import this repository")
    expect(text).toContain("Import all, from now on")
    const readOnly = render("", { indexed, list: aList(), isReadOnly: true })
    expect(readOnly).not.toContain("Import all")
    const refused = transcripts([], { ...waiting, setting: "never" })
    expect(render("", { indexed: refused, list: aList() })).not.toContain("Import all")
  })

  it("a session shows its files, claims, reminders, simulations and instructions", () => {
    const shown = aShow({
      live: aSession("s-1", { drifted: 2 }),
      files: [
        { path: "src/a.ts", edits: 6, firstAt: NOW, lastAt: NOW - 120_000, isImportant: true },
      ],
      outside: [{ path: "src/b.ts", at: NOW - 60_000 }],
      registered: [{ file: ".qm/sessions/x.md", at: NOW }],
      nudges: [{ at: NOW }],
      simulations: [{ id: "sim", risk: 0.62, at: NOW, paths: ["src/a.ts"] }],
      loaded: [{ path: "/r/B.md", kind: "Project", reason: "include", parent: "/r/A.md", at: NOW }],
      claims: [aClaim("src/")],
    })
    const list = aList({ live: [aSession("s-1")] })
    const html = markupOf("?show=s-1", { indexed: transcripts([]), list, shown })
    const text = textOf(html)
    expect(text).toContain("2 important files changed since the session was last registered")
    expect(text).toContain("src/a.ts important, 6 edits, 2 min ago")
    expect(text).toContain("Changed by others 1 src/b.ts")
    expect(text).toContain("Reminded to register")
    expect(text).toContain("Simulated src/a.ts, risk 0.62")
    expect(text).toContain("/r/B.md Project, include, imported by /r/A.md")
    expect(text).toContain("src/ expires in 50 min")
    expect(html).toContain('href="/sessions?tab=logged&amp;at=.qm%2Fsessions%2Fx.md')
    expect(html).toContain('href="/guard?session=s-1&amp;hours=720"')
  })

  it("a claim shows its holder, and a released one says so", () => {
    const claims = [aClaim("src/a.ts", { isHolderAlive: false })]
    const text = render("?tab=claims&show=src/a.ts", { claims })
    expect(text).toMatch(/Session s-1 Holder process has ended Machine desk/)
    expect(text).toContain("Expires in 50 min")
    expect(render("?tab=claims&show=src/b.ts", { claims })).toContain("The claim was released.")
  })

  it("a read-only page has no Release button", () => {
    const data = { claims: [aClaim("src/a.ts")], isReadOnly: true }
    const html = markupOf("?tab=claims&show=src/a.ts", data)
    expect(html).toMatch(/<button[^>]*disabled=""[^>]*><span[^>]*>Release</)
    expect(textOf(html)).toContain("This page is read only.")
  })

  it("[CONSOLE-15] an error says what happened and offers a retry", async () => {
    const queries = await failedQuery(INDEXED)
    const page = (
      <SessionsPage now={NOW} params={sessionsParams.parse("")} onParams={() => undefined} />
    )
    const html = renderPage(queries, page)
    expect(textOf(html)).toMatch(/The disk is full.*Try again/)
  })

  it("[CONSOLE-22] control and bidirectional characters in names, paths and texts are escaped", () => {
    const evil = "a\u202E<img src=x>\u0007"
    const shown = aShow({
      live: aSession(evil, { host: evil }),
      files: [{ path: evil, edits: 1, firstAt: NOW, lastAt: NOW, isImportant: false }],
      outside: [{ path: evil, at: NOW }],
      registered: [{ file: evil, at: NOW }],
      simulations: [{ id: "s", risk: 0, at: NOW, paths: [evil] }],
      loaded: [{ path: evil, kind: evil, reason: evil, parent: evil, at: NOW }],
      claims: [aClaim(evil, { session: evil })],
      text: `${evil} [a](javascript:alert(1))`,
    })
    const list = aList({ live: [aSession(evil, { host: evil })] })
    const indexed = transcripts([aTranscript("t", { title: evil, branch: evil, models: [evil] })])
    const live = markupOf(`?show=${encodeURIComponent(evil)}`, { indexed, list, shown })
    const claims = [aClaim(evil, { session: evil, machine: evil, isHolderAlive: null })]
    const held = markupOf(`?tab=claims&show=${encodeURIComponent(evil)}`, { claims })
    for (const html of [live, held])
      expect(html).not.toMatch(/[\u202E\u0007]|<img|href="javascript/)
  })
})
