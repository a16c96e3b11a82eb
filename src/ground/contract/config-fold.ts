import { z } from "zod"
import { field } from "./config-field.ts"

const Tokens = z.int().min(1).max(10_000_000)
const Seconds = z.int().min(1).max(86_400)
const Branches = z.int().min(1).max(1_000_000)

/** Of branches. Its names are those that the fold's own specification gives it. */
export const FoldSettings = z
  .strictObject({
    enabled: field(z.boolean().default(true), {
      description: "Whether agents may open branches; when not, the tools are not listed",
      env: "CONTEXT_FOLDING_ENABLED",
    }),
    default_budget: field(Tokens.default(8_192), {
      description: "Tokens of a branch that names no budget",
      env: "CONTEXT_FOLDING_DEFAULT_BUDGET",
    }),
    max_budget: field(Tokens.default(32_768), {
      description: "Most tokens a branch may ask for",
      env: "CONTEXT_FOLDING_MAX_BUDGET",
    }),
    max_depth: field(z.int().min(1).max(16).default(3), {
      description: "How many branches may lie in each other",
      env: "CONTEXT_FOLDING_MAX_DEPTH",
    }),
    default_timeout_seconds: field(Seconds.default(300), {
      description: "Time of a branch that names none",
      env: "CONTEXT_FOLDING_DEFAULT_TIMEOUT_SECONDS",
    }),
    max_timeout_seconds: field(Seconds.default(600), {
      description: "Longest time a branch may ask for",
      env: "CONTEXT_FOLDING_MAX_TIMEOUT_SECONDS",
    }),
    injection_budget_ratio: field(z.number().min(0).max(1).default(0.2), {
      description: "Share of a budget that memories may fill",
      env: "CONTEXT_FOLDING_INJECTION_BUDGET_RATIO",
    }),
    memory_min_confidence: field(z.number().min(0).max(1).default(0.7), {
      description: "Least confidence of a memory that is handed out unasked",
      env: "CONTEXT_FOLDING_MEMORY_MIN_CONFIDENCE",
    }),
    memory_max_items: field(z.int().min(0).max(100).default(10), {
      description: "Most memories that are handed out at once",
      env: "CONTEXT_FOLDING_MEMORY_MAX_ITEMS",
    }),
    max_concurrent_branches_per_session: field(Branches.default(10), {
      description: "Branches of one session that may be open at once",
      env: "CONTEXT_FOLDING_MAX_CONCURRENT_BRANCHES_PER_SESSION",
    }),
    max_concurrent_branches_per_instance: field(Branches.default(100), {
      description: "Branches of all sessions that may be open at once",
      env: "CONTEXT_FOLDING_MAX_CONCURRENT_BRANCHES_PER_INSTANCE",
    }),
    branch_creation_rate_limit: field(Branches.default(5), {
      description: "Branches that one session may open in a minute",
      env: "CONTEXT_FOLDING_BRANCH_CREATION_RATE_LIMIT",
    }),
  })
  .prefault({})
