import fc from "fast-check"
import { expect, test } from "vitest"
import { createIds, silentLog, systemRandom } from "#ground/base"
import { HOST_NAMES } from "#ground/contract"
import { createSecrets } from "#ground/secrets"
import { loadHost } from "#see/hosts"
import { testClock } from "#test/clock"
import { memoryDisk, type PlantedFile } from "#test/memory-disk"
import { fcParameters } from "#test/seed"
import { createCapture } from "./capture.ts"
import { createRedact } from "./redact.ts"

const FOLDERS = ["/home/a", "/home/a/x", "/home/a/x/sub", "/home/a/x/.claude", "/etc/claude-code"]
const NAMES = [
  "CLAUDE.md",
  "CLAUDE.local.md",
  "AGENTS.md",
  "AGENTS.override.md",
  "GEMINI.md",
  ".mcp.json",
  ".claude.json",
  "settings.json",
  ".claude/settings.json",
  ".claude/CLAUDE.md",
  ".claude/rules/r.md",
  ".claude/rules/deep/r.md",
  ".claude/skills/s/SKILL.md",
  ".claude/commands/c.md",
  ".claude/agents/a.md",
  ".codex/config.toml",
  ".codex/AGENTS.md",
  ".gemini/settings.json",
  ".gemini/GEMINI.md",
  ".github/copilot-instructions.md",
  ".github/instructions/i.instructions.md",
  ".git/HEAD",
  ".git",
  "a.md",
]
const paths = FOLDERS.flatMap((folder) => NAMES.map((name) => `${folder}/${name}`))

const aPath = fc.constantFrom(...paths)
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.constantFrom(
    "@a.md @./CLAUDE.md @~/a.md",
    "@../sub/a.md",
    "---\npaths: 'src/**'\n---\nrule",
    "---\nname: s\ndescription: d: e\n---\nbody",
    "---\n[ broken\n---\n",
    '{"env":{"A":"b"},"claudeMdExcludes":["**/a.md"],"outputStyle":"x"}',
    '{"mcpServers":{"s":{"command":"x","args":["y"]}}}',
    '{"mcpServers":[1,null],"hooks":7,"projects":"no"}',
    'project_doc_max_bytes = 5\n[mcp_servers.x]\ncommand = "y"\n',
    "gitdir: ../../elsewhere",
    "",
    " \n",
    "\u0000\uFEFF\ud800",
  ),
)
const planted: fc.Arbitrary<PlantedFile> = fc.oneof(
  { weight: 6, arbitrary: text },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((it) => Buffer.from(it)) },
  { weight: 2, arbitrary: aPath.map((link) => ({ link })) },
  { weight: 1, arbitrary: fc.constantFrom({ dir: true } as const, { unreadable: "EACCES" }) },
)

test("[CAPTURE-17] on random trees a capture never throws, and two in a row are equal", async () => {
  const clock = testClock()
  const redact = createRedact(createSecrets({ random: systemRandom }))
  const tree = fc.dictionary(aPath, planted, { maxKeys: 25 })
  await fc.assert(
    fc.asyncProperty(tree, fc.constantFrom(...HOST_NAMES), async (files, host) => {
      const disk = memoryDisk(files)
      const capture = createCapture({
        host: loadHost,
        disk,
        place: () => ({
          workingDirectory: "/home/a/x/sub",
          home: "/home/a",
          environment: {},
          platform: "linux",
        }),
        directoryProblem: async () => undefined,
        projectFolders: async () => [],
        encoding: () => "characters",
        counter: async () => ({ encoding: "characters", count: (it) => it.length }),
        scale: async () => null,
        redact: async () => redact,
        history: async () => Promise.reject(new Error("it is not kept")),
        isShared: () => false,
        listFiles: async () => [],
        sizes: () => ({ window: 1_000, startBudget: 100, extra: "" }),
        ids: createIds({ clock, random: systemRandom }),
        clock,
        log: silentLog,
      })
      const { signal } = new AbortController()
      const look = async () => {
        const options = {
          path: ".",
          host,
          content: true,
          observe: false,
          trust: false,
          askServers: false,
        }
        const taken = await capture.take({ ...options, save: false, signal })
        return { ...taken, manifest: { ...taken.manifest, id: "" } }
      }
      expect(await look()).toEqual(await look())
      expect(disk.reads()).toBeLessThan(4_000)
    }),
    fcParameters({ numRuns: 300 }),
  )
})
