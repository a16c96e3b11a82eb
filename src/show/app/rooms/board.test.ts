import { expect, test } from "vitest"
import type { Caller } from "#ground/contract"
import { identify } from "./board.ts"

const OWNER = { principal: "owner", session: "s" }

test("[BOARD-15] a person is a terminal without an agent's variables, or the console", () => {
  expect(identify(undefined, undefined, {})).toMatchObject({ actor: "human", session: "terminal" })
  expect(identify(OWNER, undefined, {})).toMatchObject({ actor: "human", session: "s" })
})

type AgentCase = {
  readonly title: string
  readonly caller?: Caller
  readonly environment?: Readonly<Record<string, string>>
  readonly agent: string
}

const AGENTS: readonly AgentCase[] = [
  { title: "a shell of Claude Code", environment: { CLAUDECODE: "1" }, agent: "claude-code" },
  { title: "a shell of Codex", environment: { CODEX_SANDBOX: "seatbelt" }, agent: "codex" },
  { title: "an MCP client", caller: { ...OWNER, client: "codex" }, agent: "codex" },
  { title: "an MCP client without a name", caller: { ...OWNER, client: "" }, agent: "owner" },
  { title: "a token of a client", caller: { principal: "ci", session: "s" }, agent: "ci" },
]

test.each(AGENTS)("[BOARD-15] $title is automation", ({ caller, environment = {}, agent }) => {
  expect(identify(caller, undefined, environment)).toMatchObject({ actor: "auto", by: { agent } })
})
