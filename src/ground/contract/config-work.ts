import { z } from "zod"
import { field } from "./config-field.ts"
import { AgentMode, AgentType } from "./shapes/agent.ts"
import { AUTO_FOLD_MODES, GATEWAY_MODES, SECRET_MODES } from "./shapes/gateway.ts"

export const AutonomySettings = z
  .strictObject({
    grade: field(z.int().min(1).max(4).default(2), {
      description:
        "Autonomy grade, 1 (automation does nothing alone) to 4; `qm autonomy` explains it",
      env: "QM_AUTONOMY_GRADE",
      personal: true,
    }),
    floor: field(z.string().max(1_000).default(""), {
      description: "More areas that are always manual, separated by commas",
      env: "QM_AUTONOMY_FLOOR",
      list: ",",
    }),
    coverage: field(z.string().max(1_000).default(""), {
      description: "Coverage command; grade 4 requires that it passes on the current tree",
      env: "QM_AUTONOMY_COVERAGE",
      personal: true,
    }),
  })
  .prefault({})

export const BoardSettings = z
  .strictObject({
    workingLimit: field(z.int().min(0).max(1_000).default(5), {
      description: "Maximum number of tickets in working; 0 is no limit",
      env: "QM_BOARD_WORKING_LIMIT",
    }),
    testingLimit: field(z.int().min(0).max(1_000).default(5), {
      description: "Maximum number of tickets in testing; 0 is no limit",
      env: "QM_BOARD_TESTING_LIMIT",
    }),
    checks: field(z.string().max(8_000).default(""), {
      description: "Commands that agents may run as evidence for a ticket, separated by semicolons",
      env: "QM_BOARD_CHECKS",
      list: ";",
      personal: true,
    }),
  })
  .prefault({})

export const ReviewSettings = z
  .strictObject({
    tool: field(z.enum(["auto", "gh", "glab", "bb", "tea"]).default("auto"), {
      description: "Program for pull requests; auto decides by the remote's host",
      env: "QM_REVIEW_TOOL",
      personal: true,
    }),
  })
  .prefault({})

/** A repository cannot set them: its base URL would receive the user's key. */
export const MediaSettings = z
  .strictObject({
    imageModel: field(z.string().max(200).default("gemini-3.1-flash-image-preview"), {
      description: "Model of qm media image",
      env: "QM_MEDIA_IMAGE_MODEL",
      personal: true,
    }),
    videoModel: field(z.string().max(200).default("veo-3.1-generate-preview"), {
      description: "Model of qm media video",
      env: "QM_MEDIA_VIDEO_MODEL",
      personal: true,
    }),
    maxUsd: field(z.number().min(0).max(100_000).default(5), {
      description: "Estimated spend after which one process refuses to generate media, in dollars",
      env: "QM_MEDIA_MAX_USD",
      personal: true,
    }),
    usdPerImage: field(z.number().min(0).max(1_000).default(0), {
      description: "Price of an image in dollars; 0 uses the table of known models",
      env: "QM_MEDIA_USD_PER_IMAGE",
      personal: true,
    }),
    usdPerSecond: field(z.number().min(0).max(1_000).default(0), {
      description: "Price of a second of video in dollars; 0 uses the table of known models",
      env: "QM_MEDIA_USD_PER_SECOND",
      personal: true,
    }),
    baseUrl: field(z.string().max(2_000).default(""), {
      description: "Base URL of the Gemini API; empty uses Google's",
      env: "QM_MEDIA_BASE_URL",
      personal: true,
    }),
  })
  .prefault({})

export const WorktreesSettings = z
  .strictObject({
    folder: field(z.string().max(4_096).default(""), {
      description: "Folder for new worktrees; empty for one beside the repository",
      env: "QM_WORKTREES_FOLDER",
      personal: true,
    }),
    copy: field(z.string().max(8_000).default(".env,.env.local,.env.*.local"), {
      description: "Ignored files to copy into a new worktree, as globs separated by commas",
      env: "QM_WORKTREES_COPY",
      list: ",",
    }),
    setup: field(z.string().max(8_000).default(""), {
      description: "Command that prepares a new worktree, without a shell; empty for none",
      env: "QM_WORKTREES_SETUP",
      personal: true,
    }),
    firstPort: field(z.int().min(1_024).max(65_000).default(4_300), {
      description: "First port that worktrees may use",
      env: "QM_WORKTREES_FIRST_PORT",
    }),
    ports: field(z.int().min(0).max(100).default(10), {
      description: "Number of ports of each worktree; 0 for none",
      env: "QM_WORKTREES_PORTS",
    }),
    disposable: field(
      z
        .string()
        .max(8_000)
        .default(
          "node_modules,dist,build,target,.venv,__pycache__,.next,.turbo,.cache,coverage,*.log",
        ),
      {
        description: "Ignored files that may be deleted with a worktree, as globs",
        env: "QM_WORKTREES_DISPOSABLE",
      },
    ),
  })
  .prefault({})

export const SwarmSettings = z
  .strictObject({
    agent: field(AgentType.default("claude-code"), {
      description: "Agent of a swarm's workstreams",
      env: "QM_SWARM_AGENT",
      personal: true,
    }),
    mode: field(AgentMode.default("edits"), {
      description: "Actions that agents of a swarm may do without asking",
      env: "QM_SWARM_MODE",
      personal: true,
    }),
    workstreams: field(z.int().min(1).max(5).default(3), {
      description: "Maximum number of workstreams of a swarm",
      env: "QM_SWARM_WORKSTREAMS",
    }),
    staleMinutes: field(z.int().min(1).max(1_440).default(30), {
      description: "Minutes without activity after which a workstream is evicted",
      env: "QM_SWARM_STALE_MINUTES",
    }),
  })
  .prefault({})

/** Personal: a repository must not decide where requests go or what is stored. */
export const GatewaySettings = z
  .strictObject({
    mode: field(z.enum(GATEWAY_MODES).default("off"), {
      description: "Default gateway mode of new runs: off, record or fold",
      env: "QM_GATEWAY",
      personal: true,
    }),
    content: field(z.boolean().default(false), {
      description: "Store the text of recorded requests, with secrets redacted",
      env: "QM_GATEWAY_CONTENT",
      personal: true,
    }),
    keep: field(z.int().min(100).max(1_000_000).default(20_000), {
      description: "Number of recorded requests to store; the oldest are deleted",
      env: "QM_GATEWAY_KEEP",
      personal: true,
    }),
    secrets: field(z.enum(SECRET_MODES).default("warn"), {
      description:
        "Secrets in requests: off ignores them, warn reports them, replace sends placeholders",
      env: "QM_GATEWAY_SECRETS",
      personal: true,
    }),
    autoFold: field(z.enum(AUTO_FOLD_MODES).default("suggest"), {
      description:
        "Mask old tool results in fold mode: off, suggest reports what could be masked, on masks it",
      env: "QM_GATEWAY_AUTO_FOLD",
      personal: true,
    }),
    autoFoldAt: field(z.int().min(0).max(100).default(60), {
      description: "Fill of the context window in percent at which `gateway.autoFold` starts",
      env: "QM_GATEWAY_AUTO_FOLD_AT",
      personal: true,
    }),
    cacheAlertTokens: field(z.int().min(0).max(10_000_000).default(50_000), {
      description:
        "Emit `gateway.cache` when a cache miss sends this many tokens again; 0 never does",
      env: "QM_GATEWAY_CACHE_ALERT_TOKENS",
      personal: true,
    }),
  })
  .prefault({})

/** Personal: a repository must not decide where numbers about the user's work go. */
export const TelemetrySettings = z
  .strictObject({
    otlp: field(
      z
        .string()
        .max(2_000)
        .regex(/^(?:https?:\/\/\S+)?$/)
        .default(""),
      {
        description:
          "URL of an OpenTelemetry collector (OTLP over HTTP) for spans of turns, tools and gateway requests, without their texts; empty exports nothing",
        env: "QM_TELEMETRY_OTLP",
        personal: true,
      },
    ),
    headers: field(z.string().max(8_000).default(""), {
      description: "Headers for the collector, as name=value separated by commas",
      env: "QM_TELEMETRY_HEADERS",
      secret: true,
      personal: true,
    }),
  })
  .prefault({})

/** Personal: a repository must not decide about the people of a server. */
export const TeamSettings = z
  .strictObject({
    url: field(
      z
        .string()
        .max(500)
        .regex(/^(?:https?:\/\/\S+)?$/)
        .default(""),
      {
        description:
          "Address of the team's server in invitation links; empty uses the server that runs here",
        env: "QM_TEAM_URL",
        personal: true,
      },
    ),
    requestsPerMinute: field(z.int().min(0).max(1_000_000).default(0), {
      description: "Requests per minute and person on each server; 0 is no limit of its own",
      env: "QM_TEAM_REQUESTS_PER_MINUTE",
      personal: true,
    }),
    runsAtOnce: field(z.int().min(0).max(10_000).default(0), {
      description: "Runs of one person that may be queued or working at once; 0 is no limit",
      env: "QM_TEAM_RUNS_AT_ONCE",
      personal: true,
    }),
    spendPerDayUsd: field(z.number().min(0).max(1_000_000).default(0), {
      description:
        "Cost in US dollars of the runs that one person starts in a day (UTC) before more are refused; 0 is no limit",
      env: "QM_TEAM_SPEND_PER_DAY_USD",
      personal: true,
    }),
  })
  .prefault({})
