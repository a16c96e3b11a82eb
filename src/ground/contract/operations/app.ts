import { z } from "zod"
import { listedBy } from "../input-fields.ts"
import { defineOperations } from "../operation.ts"
import {
  ConfigCheck,
  ConfigLayer,
  ConfigReport,
  ConfigSetting,
  DoctorReport,
  HostsList,
  Now,
  RepositoriesList,
  RepositoryState,
} from "../shapes/app.ts"

export const configOperations = defineOperations("config", {
  show: {
    summary: "Show settings and, with --sources, where each value comes from",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      args: ["key"],
      group: "Setup",
      examples: ["qm config show --sources", "qm config show pack"],
    },
    input: z.object({
      key: listedBy(
        "config.show",
        z
          .string()
          .max(200)
          .optional()
          .describe("Setting or section, such as tokens.encoding or tokens (default: all)"),
      ),
      sources: z.boolean().default(false).describe("Show where each value comes from"),
    }),
    output: ConfigReport,
    rows: { field: "settings", id: "key", title: ["description"] },
  },
  check: {
    summary: "Check the config files and report line, column and nearest key",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http", "mcp"],
    cli: { group: "Setup", examples: ["qm config check"] },
    mcp: {
      set: "work",
      rank: 7,
      name: "config_validate",
      title: "Check the configuration",
      description:
        "Checks the config files of Quartermaster (user and project): line, column and nearest key of each problem. Use after you edited one.",
    },
    input: z.object({}),
    output: ConfigCheck,
  },
  set: {
    summary: "Change a setting in the user's or the project's config file",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      args: ["key", "value"],
      group: "Setup",
      examples: ["qm config set pack.budget 16000", "qm config set kit.level 3 --layer project"],
    },
    input: z.object({
      key: listedBy(
        "config.show",
        z.string().max(200).describe("Setting, such as tokens.encoding"),
      ),
      value: z.string().max(100_000).describe("New value"),
      layer: ConfigLayer.default("user").describe("File to write to"),
    }),
    output: ConfigSetting,
  },
  unset: {
    summary: "Remove a setting from the user's or the project's config file",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: { args: ["key"], group: "Setup", examples: ["qm config unset pack.budget"] },
    input: z.object({
      key: listedBy(
        "config.show",
        z.string().max(200).describe("Setting, such as tokens.encoding"),
      ),
      layer: ConfigLayer.default("user").describe("File to remove it from"),
    }),
    output: ConfigSetting,
  },
})

export const doctorOperations = defineOperations("doctor", {
  run: {
    summary: "Check this machine: runtime, config, store, permissions, hooks",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: { words: ["doctor"], group: "Setup", examples: ["qm doctor", "qm doctor --attack"] },
    input: z.object({
      attack: z
        .boolean()
        .default(false)
        .describe("Also attack the running server and report what it refused"),
      prove: z
        .boolean()
        .default(false)
        .describe("Also start each host with a scripted model and report which hooks ran"),
      trustHooks: z
        .boolean()
        .default(false)
        .describe("With --prove: let Codex run unreviewed hooks, this time only"),
    }),
    output: DoctorReport,
  },
})

export const nowOperations = defineOperations("now", {
  show: {
    summary: "Show repository status, running agents and pending approvals",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["now"], aliases: ["status"], group: "Runs", examples: ["qm now"] },
    input: z.object({}),
    output: Now,
  },
  repository: {
    summary: "Show branch, distance to upstream and changed files",
    effect: "read",
    surfaces: ["http"],
    input: z.object({}),
    output: RepositoryState,
  },
})

export const hostsOperations = defineOperations("hosts", {
  list: {
    summary: "List agent hosts: version, sign-in, connection and how to install them",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      words: ["hosts"],
      aliases: ["providers", "capture hosts"],
      group: "Setup",
      examples: ["qm hosts"],
    },
    input: z.object({}),
    output: HostsList,
  },
})

export const fleetOperations = defineOperations("fleet", {
  list: {
    summary: "List your repositories with health, kit version, open claims and spend",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      words: ["fleet"],
      aliases: ["fleet list", "repositories", "repositories list"],
      group: "Setup",
      examples: ["qm fleet"],
      notes: ["`qm up` adds the current repository. The list is in ~/.qm/repositories.json."],
    },
    input: z.object({}),
    output: RepositoriesList,
    rows: { field: "repositories", id: "id", title: ["root"] },
    formerName: "repositories.list",
  },
  add: {
    summary: "Add a repository to the fleet",
    effect: "write",
    role: "owner",
    // Over HTTP, a page could open any folder of this machine.
    surfaces: ["cli"],
    cli: {
      args: ["path"],
      aliases: ["repositories add"],
      group: "Setup",
      examples: ["qm fleet add ../other"],
    },
    input: z.strictObject({
      path: z
        .string()
        .min(1)
        .max(4_096)
        .optional()
        .describe("Folder in the repository, by default the current one"),
    }),
    output: RepositoriesList,
    formerName: "repositories.add",
  },
  remove: {
    summary: "Remove a repository from the fleet; its files stay",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      args: ["repository"],
      aliases: ["repositories remove"],
      group: "Setup",
      examples: ["qm fleet remove ../other"],
    },
    input: z.strictObject({
      repository: listedBy(
        "fleet.list",
        z.string().min(1).max(4_096).describe("Its path or id, listed by `qm fleet`"),
      ),
    }),
    output: RepositoriesList,
    formerName: "repositories.remove",
  },
})

export const dashboardOperations = defineOperations("dashboard", {
  write: {
    summary: "Write the state of the repository as one HTML file without scripts",
    effect: "write",
    surfaces: ["cli"],
    cli: {
      words: ["dashboard"],
      group: "Setup",
      examples: ["qm dashboard --out state.html"],
      notes: ["The file needs no network. Secrets are replaced."],
    },
    input: z.strictObject({
      out: z.string().min(1).max(4_096).default("dashboard.html").describe("File to write"),
    }),
    output: z.object({
      file: z.string().describe("Absolute path of the file"),
      bytes: z.int(),
      sections: z.array(
        z.object({
          name: z.string(),
          rows: z.int(),
          missing: z.string().nullable().describe("Why it has no content, or null"),
        }),
      ),
    }),
  },
})

export const demoOperations = defineOperations("demo", {
  create: {
    summary: "Create a small sample repository to try the commands on",
    effect: "write",
    surfaces: ["cli"],
    cli: { words: ["demo"], args: ["folder"], group: "Setup", examples: ["qm demo"] },
    input: z.object({
      folder: z.string().min(1).max(4_096).default("qm-demo").describe("New or empty folder"),
    }),
    output: z.object({
      folder: z.string().describe("Absolute path of the repository"),
      files: z.int().describe("Number of files written"),
      commits: z.int().describe("Number of commits made; 0 where git is missing"),
    }),
  },
})

export const upgradeOperations = defineOperations("upgrade", {
  show: {
    summary: "Show how to update qm for the way it was installed",
    effect: "read",
    // With --check it starts npm, so only the user at the terminal may call it.
    surfaces: ["cli"],
    cli: {
      words: ["upgrade"],
      group: "Setup",
      examples: ["qm upgrade", "qm upgrade --check"],
      notes: ["It changes nothing. Without --check it uses no network."],
    },
    input: z.strictObject({
      check: z.boolean().default(false).describe("Ask npm's registry for the newest version"),
    }),
    output: z.object({
      version: z.string().describe("Version that runs now"),
      installed: z
        .enum(["global", "npx", "dependency", "clone", "claude-plugin", "container", "unknown"])
        .describe("How it was installed"),
      folder: z.string().describe("Folder it runs from"),
      steps: z.array(z.string()).describe("Commands that update it, in order"),
      latest: z.string().nullable().describe("Newest published version; null without --check"),
      isNewest: z.boolean().nullable().describe("Null without --check"),
    }),
  },
})
