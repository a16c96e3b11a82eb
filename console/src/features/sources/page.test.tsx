import { QueryClient } from "@tanstack/react-query"
import { describe, expect, it } from "vitest"
import type { CredentialRequest, Source } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { sourcesParams } from "../../data/paths.ts"
import { renderPage, textOf } from "../../test-page.tsx"
import { SourcesPage } from "./page.tsx"
import { stateOf } from "./words.ts"

const NOW = Date.UTC(2026, 10, 18, 3, 0)

function aSource(slug: string, overrides: Partial<Source> = {}): Source {
  return {
    slug,
    title: slug,
    description: "Finds pages.",
    origin: "user",
    provides: ["other"],
    command: "https://a.example/mcp (sends the credential a)",
    digest: "sha256-5f2c81d07be4aa00",
    isApproved: true,
    isReady: true,
    health: "ok",
    checkedAt: NOW - 60_000,
    problem: null,
    tools: ["search", "read"],
    login: null,
    ...overrides,
  }
}

type PageData = {
  readonly sources: readonly Source[]
  readonly requests?: readonly CredentialRequest[]
  readonly isReadOnly?: boolean
}

function markupOf(address: string, { sources, requests = [], isReadOnly }: PageData) {
  const queries = new QueryClient()
  queries.setQueryData(keys.operation("source.list", {}), { sources })
  queries.setQueryData(keys.operation("credential.requests", {}), { requests })
  if (isReadOnly === true) queries.setQueryData(keys.session, { readOnly: true })
  const params = sourcesParams.parse(address)
  return renderPage(queries, <SourcesPage now={NOW} params={params} onParams={() => undefined} />)
}
const render = (address: string, data: PageData) => textOf(markupOf(address, data))

describe("page Sources", () => {
  it("[CONSOLE-98] a source shows its state, last call, complete command and tools", () => {
    const text = render("?show=web", { sources: [aSource("web")] })
    expect(text).toContain("https://a.example/mcp (sends the credential a)")
    expect(text).toContain("search, read")
    expect(text).toMatch(/State ok Last call 1 m/)
  })

  it("[CONSOLE-98] an unapproved source can be approved and not tested, and nothing can be changed read-only", () => {
    const source = aSource("web", { isApproved: false, isReady: false, health: "unapproved" })
    const html = markupOf("?show=web", { sources: [source] })
    expect(textOf(html)).toContain("approve exactly this version")
    expect(html).toMatch(/<button[^>]*disabled=""[^>]*><span[^>]*>Test</)
    expect(html).not.toMatch(/<button[^>]*disabled=""[^>]*><span[^>]*>Approve</)
    const readOnly = markupOf("?show=web", { sources: [source], isReadOnly: true })
    expect(readOnly).toMatch(/<button[^>]*disabled=""[^>]*><span[^>]*>Approve</)
  })

  it("[CONSOLE-98] a source with a sign-in offers it, and signing out afterwards", () => {
    const needed = aSource("web", { login: "needed", isReady: false })
    expect(render("?show=web", { sources: [needed] })).toContain("needs a sign-in")
    const signedIn = aSource("web", { login: "signed in" })
    expect(render("?show=web", { sources: [signedIn] })).toContain("Sign out")
  })

  it("[CONSOLE-98] requests of agents show name and reason escaped, and a field that hides the value", () => {
    const request: CredentialRequest = {
      id: "cr_1",
      session: "run-1",
      client: "codex",
      name: "brave-search",
      reason: "search \u202E the web",
      status: "open",
      requestedAt: NOW - 60_000,
      expiresAt: NOW + 60_000,
    }
    const html = markupOf("", { sources: [aSource("web")], requests: [request] })
    expect(textOf(html)).toMatch(/codex asks for brave-search ?: search \\u\{202e\} the web/)
    expect(html).toMatch(/<input[^>]*type="password"/)
    expect(html).toMatch(/<button[^>]*disabled=""[^>]*><span[^>]*>Store</)
  })

  it("[CONSOLE-98] the state names what the user has to do before what the source did", () => {
    const label = (overrides: Partial<Source>) => stateOf(aSource("web", overrides)).label
    expect(label({ health: "invalid", isApproved: false })).toBe("invalid")
    expect(label({ isApproved: false, health: "unapproved" })).toBe("not approved")
    expect(label({ login: "needed", isReady: false, health: "dead" })).toBe("needs sign-in")
    expect(label({ isReady: false, health: "dead" })).toBe("needs its key")
    expect(label({ health: "dead" })).toBe("failed")
    expect(label({ health: "unknown" })).toBe("not tested")
  })

  it("[CONSOLE-98] without sources the page names the command that lists templates", () => {
    expect(render("", { sources: [] })).toContain("qm source templates")
    expect(render("?text=zzz", { sources: [aSource("web")] })).toContain("No source matches.")
  })
})
