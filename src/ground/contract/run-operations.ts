import { z } from "zod"
import { ActivityKind, AgentMode, AgentType } from "./agent.ts"
import { GatewayMode, WireContext } from "./gateway.ts"
import { ContextKind } from "./manifest.ts"
import { Message } from "./message.ts"
import { Approval, Run, RunId, RunStatus } from "./run.ts"

/** Characters of a prompt or of a further turn. */
const MOST_PROMPT_CHARACTERS = 1_000_000

const prompt = z.string().trim().min(1).max(MOST_PROMPT_CHARACTERS)
const RunIdInput = { id: RunId.describe("Id of the run") }
const TurnIdInput = { id: z.string().min(1).max(100).describe("Id of the turn that waits") }

/** Flat, as every input is; the REST door takes the nested form of the same. */
export const AgentsStartInput = z.object({
  prompt: prompt.describe("What it shall do"),
  type: AgentType.default("claude-code").describe("Which agent works"),
  cwd: z.string().min(1).optional().describe("Directory it works in; default: the repository"),
  model: z.string().min(1).max(200).optional().describe("Model, in the agent's own words"),
  mode: AgentMode.default("ask").describe("How much it may do without asking"),
  budgetUsd: z.number().positive().max(100_000).optional().describe("Stop before it costs more"),
  budgetTokens: z
    .int()
    .positive()
    .max(10_000_000_000)
    .optional()
    .describe("Stop before more tokens"),
  sources: z
    .array(z.string().min(1).max(200))
    .max(100)
    .optional()
    .describe("Only these MCP servers of the host"),
  script: z.string().min(1).max(200_000).optional().describe("For the synthetic agent"),
  env: z
    .array(
      z
        .string()
        .regex(/^[A-Za-z_]\w*=/)
        .max(32_200),
    )
    .max(100)
    .optional()
    .describe("Further variables of the agent, as NAME=value"),
  resume: z.string().min(1).max(200).optional().describe("The host's session to go on with"),
  pack: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe("Kept package before its first turn; last for the newest"),
  gateway: GatewayMode.optional().describe(
    "Send its requests through the gateway; default: the setting gateway.mode",
  ),
})

/** Which runs: all of these hold at once. */
export const AgentsListInput = z.object({
  limit: z.int().min(1).max(500).default(50).describe("At most so many runs"),
  text: z.string().max(200).optional().describe("Words of the title, the prompt or a message"),
  status: z.array(RunStatus).optional().describe("Only runs that stand so"),
  label: z.string().max(60).optional().describe("Only runs with this label"),
  workflow: z.string().max(60).optional().describe("Only runs whose work stands here"),
  archived: z.boolean().default(false).describe("Those put away, instead of the others"),
})
export const AgentsList = z.object({ runs: z.array(Run).describe("Newest first") })
export type AgentsList = z.infer<typeof AgentsList>
export const AgentsShowInput = z.object(RunIdInput)

export const AgentsMessagesInput = z.object({
  ...RunIdInput,
  after: z.int().nonnegative().default(0).describe("Only messages after this number"),
  before: z.int().positive().optional().describe("The newest messages before this number"),
  limit: z.int().min(1).max(1_000).default(200).describe("At most so many messages"),
  brief: z.boolean().default(false).describe("Long texts cut, and without the host's own words"),
})
export const AgentsMessages = z.object({ messages: z.array(Message).describe("In their order") })
export type AgentsMessages = z.infer<typeof AgentsMessages>
export const AgentsMessageInput = z.object({
  ...RunIdInput,
  seq: z.int().positive().describe("Number of the message"),
})

export const AgentsSendInput = z.object({
  ...RunIdInput,
  text: prompt.describe("The next turn"),
  now: z.boolean().default(false).describe("Into the running turn, if the agent can take it"),
})
export const AgentsStopInput = z.object(RunIdInput)
export const AgentsDeleteInput = z.object(RunIdInput)
export const AgentsDeleted = z.object({ id: z.string() })
export const AgentsModeInput = z.object({
  ...RunIdInput,
  mode: AgentMode.describe("How much it may do without asking, from now on"),
})
export const AgentsEditInput = z.object({
  ...RunIdInput,
  title: z.string().trim().min(1).max(200).optional().describe("What the run is called"),
  label: z.array(z.string().trim().min(1).max(60)).max(20).optional().describe("Its labels, all"),
  unlabel: z.boolean().optional().describe("Take all labels off"),
  workflow: z.string().trim().min(1).max(60).optional().describe("Where the work stands"),
  archived: z.boolean().optional().describe("Put it away, or take it out again"),
})

/** A turn that waits behind the running one. */
export const QueuedTurn = z.object({ id: z.string(), text: z.string(), queuedAt: z.int() })
export type QueuedTurn = z.infer<typeof QueuedTurn>
export const AgentsTurnsInput = z.object(RunIdInput)
export const AgentsTurns = z.object({
  turns: z.array(QueuedTurn).describe("In the order in which they will be sent"),
  canSteer: z.boolean().describe("Whether the agent takes a text while it works"),
})
export type AgentsTurns = z.infer<typeof AgentsTurns>
export const AgentsRewriteInput = z.object({
  ...TurnIdInput,
  text: prompt.describe("The new words"),
})
export const AgentsDropInput = z.object(TurnIdInput)

/** What is put in front of the next turn, by us. */
export const ContextPart = z.object({
  label: z.string(),
  text: z.string(),
  tokens: z.int().nonnegative(),
  pack: z.string().optional().describe("Id of the kept package that it is"),
})
export type ContextPart = z.infer<typeof ContextPart>
export const AgentsPartsInput = z.object(RunIdInput)
export const AgentsParts = z.object({ parts: z.array(ContextPart) })
export type AgentsParts = z.infer<typeof AgentsParts>

export const AgentsApprovalsInput = z.object({
  run: RunId.optional().describe("Of one run, the answered ones too"),
})
export const AgentsApprovals = z.object({ approvals: z.array(Approval).describe("Oldest first") })
export type AgentsApprovals = z.infer<typeof AgentsApprovals>
export const AgentsAnswerInput = z.object({
  id: z.string().min(1).max(100).describe("Id of the approval"),
  decision: z.enum(["allow", "deny"]).describe("Whether the agent may"),
  note: z.string().max(2_000).optional().describe("What it is told when it may not"),
  always: z.boolean().default(false).describe("Write a rule, so that this is not asked again"),
})

/** One rule over what agents ask: every field given must match. */
export const PermissionRule = z.strictObject({
  decision: z.enum(["allow", "ask", "deny"]),
  tool: z.string().min(1).max(200).optional().describe("Name of the tool, or a pattern with *"),
  command: z
    .string()
    .min(1)
    .max(2_000)
    .optional()
    .describe("A whole command; with * at its end, one that begins so and has no shell operator"),
  path: z.string().min(1).max(1_000).optional().describe("A glob, from the repository's root"),
})
export type PermissionRule = z.infer<typeof PermissionRule>
export const ListedRule = PermissionRule.extend({
  id: z.string(),
  origin: z.enum(["config", "project"]).describe("The settings, or .qm/permissions.json"),
  isInForce: z.boolean().describe("An allowing rule counts only in a file this person approved"),
})
export type ListedRule = z.infer<typeof ListedRule>
export const PermissionsListInput = z.object({})
export const Permissions = z.object({
  file: z.string(),
  digest: z.string().nullable().describe("Of the file's bytes as they were read; null without one"),
  isTrusted: z.boolean().describe("Whether the file is as this person last approved it"),
  rules: z.array(ListedRule).describe("Denying rules first: the order in which they are tried"),
})
export type Permissions = z.infer<typeof Permissions>
export const PermissionsAddInput = z.object({
  decision: z.enum(["allow", "ask", "deny"]).describe("What happens when it matches"),
  tool: z.string().min(1).max(200).optional().describe("Name of the tool, or a pattern with *"),
  command: z.string().min(1).max(2_000).optional().describe("A whole command, or its beginning *"),
  path: z.string().min(1).max(1_000).optional().describe("A glob, from the repository's root"),
})
export const PermissionsRemoveInput = z.object({
  id: z.string().min(1).max(100).describe("Id of the rule"),
})
export const PermissionsTrustInput = z.object({
  digest: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe("Of the file as you read it; refused when it is another one by now"),
})

/** Where a run's time went, in at most a few hundred pieces. */
export const RunSpan = z.object({
  lane: z.enum(["model", "tools", "branches", "waiting"]),
  kind: ActivityKind.optional(),
  title: z.string(),
  fromMs: z.int().nonnegative().describe("After the run's start"),
  toMs: z.int().nonnegative(),
  seq: z.int().positive().describe("The message at which it begins"),
})
export type RunSpan = z.infer<typeof RunSpan>
export const AgentsTimelineInput = z.object(RunIdInput)
export const AgentsTimeline = z.object({
  durationMs: z.int().nonnegative(),
  waitedMs: z.int().nonnegative().describe("For a person"),
  spans: z.array(RunSpan),
})
export type AgentsTimeline = z.infer<typeof AgentsTimeline>

/** What is in the agent's window, what came when, and what the run changed. */
export const AgentsContextInput = z.object(RunIdInput)
export const AgentsContext = z.object({
  used: z.int().nonnegative().nullable(),
  window: z.int().positive().nullable(),
  wire: WireContext.nullable()
    .default(null)
    .describe("Exact figures of the newest request, when it went through the gateway"),
  kinds: z.array(z.object({ kind: ContextKind, tokens: z.int().nonnegative() })),
  files: z.array(
    z.object({
      path: z.string(),
      reason: z.string(),
      tokens: z.int().nonnegative().nullable(),
      seq: z.int().positive(),
      isThisTurn: z.boolean(),
      isBeforeCompaction: z.boolean().describe("Loaded before the host compacted: perhaps gone"),
    }),
  ),
  parts: z
    .array(ContextPart.omit({ text: true }).extend({ seq: z.int().positive() }))
    .describe("What we put in front of turns, each as it was put last"),
  compactions: z.array(z.object({ seq: z.int().positive(), at: z.int() })),
  changes: z.array(
    z.object({
      path: z.string(),
      added: z.int().nonnegative(),
      removed: z.int().nonnegative(),
      seq: z.int().positive().describe("The last edit of it"),
    }),
  ),
})
export type AgentsContext = z.infer<typeof AgentsContext>

export const AgentsProvidersInput = z.object({})
export const Provider = z.object({
  type: AgentType,
  title: z.string(),
  isInstalled: z.boolean(),
  program: z.string().nullable(),
  version: z.string().nullable(),
  hint: z.string().describe("How to get it, when it is missing"),
  scripts: z.array(z.string()).describe("Scripts that come with the synthetic agent"),
})
export type Provider = z.infer<typeof Provider>
export const AgentsProviders = z.object({ providers: z.array(Provider) })
export type AgentsProviders = z.infer<typeof AgentsProviders>

export const AgentsExportInput = z.object({
  ...RunIdInput,
  format: z.enum(["jsonl", "html"]).default("jsonl").describe("Lines to import, or a page to read"),
})
export const AgentsExport = z.object({
  text: z.string(),
  messages: z.int().nonnegative(),
  sizeBytes: z.int().nonnegative(),
})
export type AgentsExport = z.infer<typeof AgentsExport>
export const AgentsSaveInput = AgentsExportInput.extend({
  file: z.string().min(1).describe("A file that is not there yet"),
})
export const AgentsSaved = AgentsExport.omit({ text: true }).extend({ file: z.string() })
export type AgentsSaved = z.infer<typeof AgentsSaved>
export const AgentsImportInput = z.object({
  file: z.string().min(1).describe("A session.jsonl of Quartermaster"),
})

/** A session that a host kept on this machine. */
export const HostSession = z.object({
  host: z.enum(["claude-code", "codex"]),
  sessionId: z.string(),
  title: z.string(),
  cwd: z.string().nullable(),
  file: z.string(),
  sizeBytes: z.int().nonnegative(),
  changedAt: z.int(),
  runId: z.string().nullable().describe("The run it was read into"),
  isResumable: z.boolean(),
})
export type HostSession = z.infer<typeof HostSession>
export const AgentsSessionsInput = z.object({
  limit: z.int().min(1).max(500).default(50).describe("At most so many sessions"),
  everywhere: z.boolean().default(false).describe("Of all directories, not only this repository"),
})
export const AgentsSessions = z.object({ sessions: z.array(HostSession).describe("Newest first") })
export type AgentsSessions = z.infer<typeof AgentsSessions>
export const AgentsReadInput = z.object({
  session: z.string().min(1).max(200).describe("Id of a host's session"),
})

/** What a fresh session needs of one whose window is nearly full. */
export const AgentsHandoffInput = z.object({
  ...RunIdInput,
  start: z.boolean().default(false).describe("Start the fresh session with it"),
})
export const AgentsHandoff = z.object({
  text: z.string(),
  tokens: z.int().nonnegative(),
  run: Run.nullable().describe("The fresh run, when it was started"),
})
export type AgentsHandoff = z.infer<typeof AgentsHandoff>
