import { QueryClient } from "@tanstack/react-query"
import { describe, expect, it } from "vitest"
import { failure } from "../../base/errors.ts"
import type { AgentFolder, AgentShow } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { agentsParams } from "../../data/paths.ts"
import { renderPage, textOf } from "../../test-page.tsx"
import { anAgent, NOW } from "./agents.fixture.ts"
import { formatLocation } from "./detail.tsx"
import { AgentsPage } from "./page.tsx"
import { stateOf } from "./words.ts"

type AgentsPageData = {
  readonly agents?: readonly AgentFolder[]
  readonly shown?: Partial<AgentShow> & { readonly agent: AgentFolder }
  readonly isReadOnly?: boolean
  readonly queries?: QueryClient
}

function markupOf(
  address: string,
  { agents, shown, isReadOnly, queries = new QueryClient() }: AgentsPageData,
) {
  const params = agentsParams.parse(address)
  if (agents !== undefined) queries.setQueryData(keys.operation("agent.list", {}), { agents })
  if (shown !== undefined) {
    const answer = { prompts: [], runs: [], ...shown }
    queries.setQueryData(keys.operation("agent.show", { slug: params.show }), answer)
  }
  if (isReadOnly === true) queries.setQueryData(keys.session, { readOnly: true })
  return renderPage(queries, <AgentsPage now={NOW} params={params} onParams={() => undefined} />)
}

const render = (address: string, data: AgentsPageData) => textOf(markupOf(address, data))

describe("page Agents", () => {
  it("[CONSOLE-56] stages show their purpose, tools, budget, pauses and repair targets", () => {
    const agent = anAgent("deep-research")
    const text = render("?show=deep-research", { agents: [agent], shown: { agent } })
    expect(text).toMatch(/1\. plan .*asks a model once May use: only the model Then pauses/)
    expect(text).toContain("Repaired with feedback, at most 2 rounds")
    expect(text).toContain("Budget $3.00 a run")
    expect(text).toContain("Digest sha256:5f2c81d07be4")
  })

  it("[CONSOLE-56] prompts are shown verbatim, and runs link to their pages", () => {
    const agent = anAgent("deep-research")
    const prompts = [{ file: "plan.md", text: "Split <b>it</b> \u202E." }]
    const html = markupOf("?show=deep-research&tab=prompts", {
      agents: [],
      shown: { agent, prompts },
    })
    expect(html).toContain("Split &lt;b&gt;it&lt;/b&gt; \\u{202e}.")
    const none = render("?show=deep-research&tab=runs", { agents: [], shown: { agent } })
    expect(none).toContain("No runs yet.")
  })

  it("[CONSOLE-56] an agent of a repository is trusted by the digest of its files and cannot be started before", () => {
    const agent = anAgent("mine", { origin: "project", isTrusted: false })
    const html = markupOf("?show=mine", { agents: [agent], shown: { agent } })
    expect(textOf(html)).toContain(
      "trust its current content (sha256:5f2c8). After a change of any file you must trust it again. Trust",
    )
    expect(html).toMatch(/<button[^>]*disabled=""[^>]*><span[^>]*>Start</)
    expect(textOf(html)).toContain("Trust its folder before you start it.")
    const readOnly = markupOf("?show=mine", { agents: [agent], shown: { agent }, isReadOnly: true })
    expect(readOnly).toMatch(/<button[^>]*disabled=""[^>]*><span[^>]*>Trust</)
  })

  it("[CONSOLE-56] problems name file, line, stage and field", () => {
    const problem = {
      file: "config.json",
      line: 14,
      stage: "verify",
      field: "kind",
      problem: "It is `verfy`.",
    }
    const agent = anAgent("broken", { config: null, problems: [problem] })
    const text = render("?show=broken", { agents: [agent], shown: { agent } })
    expect(text).toContain("config.json:14, stage verify, kind It is `verfy`.")
    expect(text).toContain("config.json is invalid")
    expect(formatLocation({ ...problem, stage: null })).toBe("config.json:14, kind")
    expect(stateOf(agent)).toMatchObject({ label: "1 problem", tone: "bad" })
  })

  it("[CONSOLE-15] an empty list, an empty search result and an error have different texts", async () => {
    expect(render("", { agents: [] })).toContain("$ qm agent new my-research")
    expect(render("?text=zz", { agents: [anAgent("a")] })).toContain("No agent matches. Show all")
    const queries = new QueryClient({
      defaultOptions: { queries: { retry: false, retryOnMount: false } },
    })
    const error = failure({
      code: "PIPELINE_AGENT_UNKNOWN",
      message: "No agent",
      hint: "x",
      data: {},
    })
    const queryKey = keys.operation("agent.show", { slug: "nobody" })
    await queries.prefetchQuery({ queryKey, queryFn: () => Promise.reject(error) })
    expect(render("?show=nobody", { agents: [], queries })).toContain("No agent")
  })
})
