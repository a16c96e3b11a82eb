import { existsSync } from "node:fs"
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { DoctorReport } from "#ground/contract"
import { hostProgram } from "#test/host-programs"
import { type KitUser, kitUser, liveClaudeCode, liveCodex } from "#test/kit-story"
import { needs } from "#test/needs"

const LONGEST_STORY_MS = 600_000
const ROOT = path.join(import.meta.dirname, "../..")

const FILES = {
  "CHANGELOG.md": "# Changelog\n\n## [Unreleased]\n\n- The kettle whistles.\n",
  "src/kettle.ts": "/** Boils the water of a kettle. */\nexport function boilWater() {}\n",
  "src/teapot.ts": "/** Pours the tea out of the pot. */\nexport function pourTea() {}\n",
}

/** Runs a command of a host as its user, and fails with its output. */
async function ask(user: KitUser, host: "claude" | "codex", ...args: readonly string[]) {
  const { code, stdout, stderr } = await user.run(host, args)
  if (code !== 0) throw new Error(`${host} ${args.join(" ")}: ${stdout}${stderr}`)
  return stdout
}

async function installInClaudeCode(user: KitUser): Promise<void> {
  await ask(user, "claude", "plugin", "marketplace", "add", ROOT)
  await ask(user, "claude", "plugin", "install", "qm@quartermaster")
}

async function init(user: KitUser, host: string): Promise<string> {
  const done = await user.qm(["init", "--yes", "--level", "5", "--host", host])
  if (done.code !== 0) throw new Error(`qm init: ${done.stdout}${done.stderr}`)
  return done.stdout
}

async function checksOf(user: KitUser): Promise<readonly string[]> {
  const report = DoctorReport.parse(JSON.parse((await user.qm(["doctor", "--json"])).stdout))
  return report.checks
    .filter((it) => it.name.endsWith(" hooks"))
    .map((it) => `${it.name}: ${it.detail}`)
}

/** How many hooks gave their text to the first request. */
function bootsIn(asked: readonly string[]): number {
  return asked[0]?.match(/The kettle whistles\./g)?.length ?? 0
}

async function ledgerText(user: KitUser): Promise<string> {
  const folder = path.join(user.stateDirectory, "ledger")
  if (!existsSync(folder)) return ""
  const files = await readdir(folder)
  const texts = await Promise.all(files.map((it) => readFile(path.join(folder, it), "utf8")))
  return texts.join("\n")
}

const hasHosts = needs("PLUGIN", "claude-code") && needs("PLUGIN", "codex")

describe.runIf(hasHosts)("the plugin in Claude Code", () => {
  let user: KitUser
  const settings = () => path.join(user.home, ".claude", "settings.json")
  beforeAll(async () => {
    user = await kitUser(FILES)
    await installInClaudeCode(user)
  }, LONGEST_STORY_MS)
  afterAll(async () => {
    await user[Symbol.asyncDispose]()
  })

  test(
    "[KIT-20] without qm init its hooks are silent, and doctor says that the repository is not enrolled",
    async () => {
      const lived = await liveClaudeCode(user, { prompt: "say hello", steps: [] })
      expect(lived).toMatchObject({ code: 0 })
      expect(bootsIn(lived.asked)).toBe(0)
      expect(await checksOf(user)).toEqual([
        "Claude Code hooks: the plugin qm@quartermaster is enabled, but this repository is not enrolled",
      ])
    },
    LONGEST_STORY_MS,
  )

  test(
    "[PLUGIN-7] after qm init each hook fires once, and the model calls a tool of the server",
    async () => {
      const before = await readFile(settings(), "utf8")
      expect(await init(user, "claude-code")).toContain("has the plugin qm@quartermaster")
      expect(await readFile(settings(), "utf8")).toBe(before)
      const one = path.join(user.project, "src/one.ts")
      const lived = await liveClaudeCode(user, {
        prompt: "find the kettle, then write a file",
        steps: [
          { name: "mcp__plugin_qm_qm__search", input: { query: "boil water" } },
          {
            name: "Write",
            input: { file_path: one, content: "export const one = 1\n".repeat(20_000) },
          },
        ],
      })
      expect(lived).toMatchObject({ code: 0 })
      expect(bootsIn(lived.asked)).toBe(1)
      // Always loaded: the definitions are there as soon as the server is connected, without a tool
      // search. On a loaded machine the first request leaves before that.
      const connected = lived.asked.find((it) => it.includes('"name":"mcp__plugin_qm_qm__'))
      for (const tool of ["pack", "search", "branch", "return"]) {
        expect(connected).toContain(`"name":"mcp__plugin_qm_qm__${tool}"`)
      }
      expect(connected).not.toContain(`"name":"mcp__plugin_qm_qm__capture"`)
      expect(lived.asked.at(-1)).toContain("src/kettle.ts")
      expect(await ledgerText(user)).toContain("src/one.ts")
      expect(await checksOf(user)).toEqual(["Claude Code hooks: from the plugin qm@quartermaster"])
    },
    LONGEST_STORY_MS,
  )

  test(
    "[PLUGIN-5] next to the hooks of qm init those of the plugin are silent",
    async () => {
      await ask(user, "claude", "plugin", "disable", "qm@quartermaster")
      await init(user, "claude-code")
      await ask(user, "claude", "plugin", "enable", "qm@quartermaster")
      expect(await checksOf(user)).toEqual([
        expect.stringContaining("from `qm init`; the plugin qm@quartermaster is enabled too"),
      ])
      const lived = await liveClaudeCode(user, { prompt: "say hello again", steps: [] })
      expect(bootsIn(lived.asked)).toBe(1)
      await init(user, "claude-code")
      expect(await checksOf(user)).toEqual(["Claude Code hooks: from the plugin qm@quartermaster"])
      const later = await liveClaudeCode(user, { prompt: "say hello once more", steps: [] })
      expect(bootsIn(later.asked)).toBe(1)
    },
    LONGEST_STORY_MS,
  )

  test(
    "[PLUGIN-4] without qm on the PATH and without a kit, a session works and hooks are silent",
    async () => {
      await using bare = await kitUser(FILES)
      await installInClaudeCode(bare)
      await rm(path.join(bare.path, "bin", "qm"))
      const lived = await liveClaudeCode(bare, {
        prompt: "write a file",
        steps: [
          {
            name: "Write",
            input: { file_path: path.join(bare.project, "two.ts"), content: "export {}\n" },
          },
        ],
        env: { PATH: `${path.join(bare.path, "bin")}:/usr/bin:/bin` },
      })
      expect(lived).toMatchObject({ code: 0 })
      expect(lived.asked.at(-1)).not.toMatch(/hook error|hook failed|scripts\/hook\.sh/i)
      expect(existsSync(path.join(bare.project, "two.ts"))).toBe(true)
    },
    LONGEST_STORY_MS,
  )

  test(
    "[PLUGIN-1] Claude Code's own validation accepts the marketplace and the plugin",
    async () => {
      for (const folder of [ROOT, path.join(ROOT, "plugin")]) {
        expect(await ask(user, "claude", "plugin", "validate", folder)).toContain(
          "Validation passed",
        )
      }
      const details = await ask(user, "claude", "plugin", "details", "qm@quartermaster")
      const skills = await readdir(path.join(ROOT, "plugin", "skills"))
      expect(details).toContain(`Skills (${skills.length})`)
      const agents = await readdir(path.join(ROOT, "plugin", "agents"))
      expect(details).toContain(`Agents (${agents.length})`)
      expect(details).toContain("MCP servers (1)")
    },
    LONGEST_STORY_MS,
  )
})

describe.runIf(hasHosts)("the plugin in Codex", () => {
  let user: KitUser
  beforeAll(async () => {
    user = await kitUser(FILES)
    await mkdir(path.join(user.home, ".codex"))
    await ask(user, "codex", "plugin", "marketplace", "add", ROOT)
    await ask(user, "codex", "plugin", "add", "qm@quartermaster")
  }, LONGEST_STORY_MS)
  afterAll(async () => {
    await user[Symbol.asyncDispose]()
  })

  test(
    "[PLUGIN-7] after qm init its hooks fire once when trusted, and the model calls a tool of the server",
    async () => {
      expect(await init(user, "codex")).toContain("has the plugin qm@quartermaster")
      expect(existsSync(path.join(user.home, ".codex", "hooks.json"))).toBe(false)
      const patch =
        "*** Begin Patch\n*** Add File: src/one.ts\n+export const one = 1\n*** End Patch\n"
      const lived = await liveCodex(user, {
        prompt: "find the kettle, then write a file",
        patches: [{ namespace: "mcp__qm", name: "search", input: { query: "boil water" } }, patch],
        trustHooks: true,
      })
      expect(lived).toMatchObject({ code: 0 })
      expect(bootsIn(lived.asked)).toBe(1)
      expect(lived.asked.at(-1)).toContain("src/kettle.ts")
      expect(await ledgerText(user)).toContain("src/one.ts")
      expect(await checksOf(user)).toEqual(["Codex hooks: from the plugin qm@quartermaster"])
    },
    LONGEST_STORY_MS,
  )

  test(
    "[PLUGIN-7] untrusted hooks do not run, and the session works",
    async () => {
      const lived = await liveCodex(user, { prompt: "say hello", patches: [], trustHooks: false })
      expect(lived).toMatchObject({ code: 0 })
      expect(bootsIn(lived.asked)).toBe(0)
    },
    LONGEST_STORY_MS,
  )

  test(
    "[PLUGIN-7] doctor --prove sees the hooks of the plugin fire",
    async () => {
      const proof = await user.qm(["doctor", "--prove", "--trust-hooks", "--json"])
      const { hooks } = DoctorReport.parse(JSON.parse(proof.stdout))
      const boot = hooks.find((it) => it.host === "codex" && it.hook === "boot")
      expect(boot).toMatchObject({ state: "fired" })
    },
    LONGEST_STORY_MS,
  )

  test(
    "[PLUGIN-6] Codex also takes the portable plugin, whose server works in the project",
    async () => {
      await using other = await kitUser(FILES)
      const market = path.join(other.path, "market")
      await cp(path.join(ROOT, "agent-plugin"), path.join(market, "agent-plugin"), {
        recursive: true,
      })
      await mkdir(path.join(market, ".claude-plugin"))
      const plugins = [{ name: "qm", source: "./agent-plugin" }]
      const listing = { name: "portable", owner: { name: "test" }, plugins }
      const file = path.join(market, ".claude-plugin", "marketplace.json")
      await writeFile(file, JSON.stringify(listing))
      await ask(other, "codex", "plugin", "marketplace", "add", market)
      await ask(other, "codex", "plugin", "add", "qm@portable")
      const lived = await liveCodex(other, {
        prompt: "find the kettle",
        patches: [{ namespace: "mcp__qm", name: "search", input: { query: "boil water" } }],
        trustHooks: false,
      })
      expect(lived.asked.at(-1)).toContain("src/kettle.ts")
    },
    LONGEST_STORY_MS,
  )
})

describe.runIf(needs("KIT-21", "copilot"))("the MCP server in Copilot", () => {
  test(
    "[KIT-21] Copilot accepts the entry of qm init, with deferTools",
    async () => {
      await using user = await kitUser(FILES)
      await init(user, "copilot")
      const { program } = hostProgram("copilot")
      const { stdout, stderr } = await user.run(program, ["mcp", "get", "qm", "--json"])
      if (!stdout.startsWith("{")) throw new Error(`${stdout}${stderr}`)
      expect(JSON.parse(stdout)).toMatchObject({
        qm: { deferTools: "never", tools: ["*"], source: "user", enabled: true },
      })
    },
    LONGEST_STORY_MS,
  )
})
