import { z } from "zod"
import { listedBy } from "../input-fields.ts"
import { AgentMode, AgentType } from "../shapes/agent.ts"
import { GatewayMode } from "../shapes/gateway.ts"

const MOST_PROMPT_CHARACTERS = 1_000_000

export const prompt = z.string().trim().min(1).max(MOST_PROMPT_CHARACTERS)

/** Flat like every input; the REST route takes the nested form. */
export const StartInput = z.object({
  prompt: prompt.describe("Task for the agent"),
  type: AgentType.default("claude-code").describe("Agent to start"),
  cwd: z
    .string()
    .min(1)
    .max(4_096)
    .optional()
    .describe("Directory to work in (default: the current one)"),
  model: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("Model name as the agent spells it (default: the agent's own)"),
  mode: AgentMode.default("ask").describe("Actions allowed without asking"),
  budgetUsd: z
    .number()
    .positive()
    .max(100_000)
    .optional()
    .describe("Stop when the cost reaches this many US dollars (default: no limit)"),
  budgetTokens: z
    .int()
    .positive()
    .max(10_000_000_000)
    .optional()
    .describe("Stop when this many tokens are used (default: no limit)"),
  sources: z
    .array(z.string().min(1).max(200))
    .max(100)
    .optional()
    .describe("MCP servers of the host to enable (default: all)"),
  script: z
    .string()
    .min(1)
    .max(200_000)
    .optional()
    .describe("Script of the synthetic agent: a name, or JSON lines"),
  env: z
    .array(
      z
        .string()
        .regex(/^[A-Za-z_]\w*=/)
        .max(32_200),
    )
    .max(100)
    .optional()
    .describe("Environment variable for the agent, as NAME=value"),
  resume: listedBy(
    "agents.sessions",
    z.string().min(1).max(200).optional().describe("Session id of the host to resume"),
  ),
  pack: listedBy(
    "pack.list",
    z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe("Package to put before the first turn: an id, or last"),
  ),
  gateway: GatewayMode.optional().describe("Gateway mode (default: setting gateway.mode)"),
})
