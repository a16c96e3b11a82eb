import { z } from "zod"
import { field } from "./config-field.ts"
import { AgentMode, AgentType } from "./shapes/agent.ts"

export const AutonomySettings = z
  .strictObject({
    grade: field(z.int().min(1).max(4).default(2), {
      description:
        "Steps that automation takes without asking: 1 for none, up to 4 (see qm autonomy)",
      env: "QM_AUTONOMY_GRADE",
      personal: true,
    }),
    floor: field(z.string().max(1_000).default(""), {
      description: "More areas that are always manual, separated by commas",
      env: "QM_AUTONOMY_FLOOR",
      list: ",",
    }),
    coverage: field(z.string().max(1_000).default(""), {
      description: "Command whose evidence is the coverage stamp of grade 4",
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
      description: "Commands that agents may run as evidence for a ticket, separated by ;",
      env: "QM_BOARD_CHECKS",
      list: ";",
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
