import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { loadHost, realDisk } from "#see/hosts"
import { hostProgram, isHostInstalled } from "../test/kit/host-programs.ts"
import { type Bench, type BenchContext, interleave, makeRow, type Row, within } from "./frame.ts"

const ROUNDS = 20
const FILES = 50

/**
 * With 16 times the files a survey may take at most 20 times as long: linear, with some tolerance.
 */
const LINEAR = 20

export const bench: Bench = {
  name: "capture",
  about: "the context of a project with 50 context files, beside a bare start and the host itself",
  async run(context) {
    const folder = mkdtempSync(path.join(tmpdir(), "qm-bench-"))
    try {
      return [...(await measureCommand(context, folder)), ...(await measureGrowth(context, folder))]
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

async function measureCommand(context: BenchContext, folder: string): Promise<readonly Row[]> {
  const fixture = makeFixture(path.join(folder, "typical"), FILES)
  const qm = path.join(context.root, "bin/qm")
  const claude = hostProgram("claude-code").program
  const isHostHere = isHostInstalled("claude-code")
  const times = await interleave(
    [
      { name: "bare", run: () => runToEnd([process.execPath, "-e", "0"], fixture) },
      { name: "check", run: () => runToEnd([qm, "config", "check"], fixture) },
      { name: "capture", run: () => runToEnd([qm, "capture"], fixture) },
      { name: "host", run: () => (isHostHere ? runToEnd([claude, ...ASK], fixture, QUESTION) : 0) },
    ],
    { clock: context.clock, rounds: context.rounds ?? ROUNDS },
  )
  const [start, floor] = [times("check"), times("bare")]
  const figures = { what: `qm capture, ${FILES} files`, unit: "ms" }
  const rows = [
    makeRow({
      ...figures,
      measured: times("capture").median,
      against: "qm config check, the bare start of a command",
      floor: start.median,
      bar: within(100, "ms"),
    }),
    makeRow({
      ...figures,
      measured: times("capture").median,
      against: "node -e 0",
      floor: floor.median,
    }),
  ]
  if (!isHostHere) {
    context.note("claude-code is not installed: npm run test:full brings it, for the row beside it")
    return rows
  }
  const against = "Claude Code's own get_context_usage"
  const host = { measured: times("capture").median, against, floor: times("host").median }
  return [...rows, makeRow({ ...figures, ...host })]
}

const ASK = "-p --input-format stream-json --output-format stream-json --verbose".split(" ")
const QUESTION = [{ subtype: "initialize" }, { subtype: "get_context_usage" }]
  .map((request, i) => JSON.stringify({ type: "control_request", request_id: `r${i}`, request }))
  .join("\n")

async function measureGrowth(context: BenchContext, folder: string): Promise<readonly Row[]> {
  const [few, many] = [125, 2_000]
  const host = await loadHost("claude-code")
  const surveyOf = (count: number) => {
    const { home, directory } = makeFixture(path.join(folder, String(count)), count)
    const place = { workingDirectory: directory, home, environment: {}, platform: "linux" as const }
    return () => host.survey(place, realDisk())
  }
  const times = await interleave(
    [
      { name: "few", run: surveyOf(few) },
      { name: "many", run: surveyOf(many) },
    ],
    { clock: context.clock, rounds: context.rounds ?? ROUNDS },
  )
  const row = makeRow({
    what: `a survey of ${many} files`,
    measured: times("many").median,
    unit: "ms",
    against: `a survey of ${few} files, 16 times fewer`,
    floor: times("few").median,
    bar: {
      words: `at most ${LINEAR} ×: linear`,
      holds: (measured, floor) => measured <= LINEAR * floor,
    },
  })
  return [row]
}

type CaptureBenchFolders = { readonly home: string; readonly directory: string }

function makeFixture(folder: string, files: number): CaptureBenchFolders {
  const [home, directory] = [path.join(folder, "home"), path.join(folder, "home/code/project")]
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  const prose = "Amounts are integers in minor units; rounding lives in one place.\n".repeat(30)
  write(path.join(home, ".claude/CLAUDE.md"), prose)
  write(path.join(directory, "CLAUDE.md"), `# Project\n\n@docs/a.md\n@docs/b.md\n\n${prose}`)
  write(path.join(directory, "docs/a.md"), prose)
  write(path.join(directory, "docs/b.md"), prose)
  write(path.join(directory, ".git/HEAD"), "ref: refs/heads/main\n")
  for (let index = 4; index < files; index++) {
    const [kind, text] = KINDS[index % KINDS.length] ?? KINDS[0]
    const name = kind === "skills" ? `${index}/SKILL.md` : `${index}.md`
    write(path.join(directory, ".claude", kind, name), `${text(index)}\n${prose}`)
  }
  return { home, directory }
}

const described = (index: number) => `---\nname: n${index}\ndescription: Does thing ${index}\n---`
const KINDS: readonly [
  readonly [string, (index: number) => string],
  ...(readonly [string, (index: number) => string])[],
] = [
  ["rules", (index) => `# Rule ${index}`],
  ["skills", described],
  ["commands", described],
  ["agents", described],
]

function runToEnd(
  command: readonly string[],
  fixture: CaptureBenchFolders,
  input = "",
): Promise<void> {
  const [program = "", ...args] = command
  return new Promise((resolve, reject) => {
    const env = {
      PATH: process.env["PATH"],
      HOME: fixture.home,
      ANTHROPIC_API_KEY: "none",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    }
    const child = spawn(program, args, {
      cwd: fixture.directory,
      env,
      stdio: ["pipe", "ignore", "ignore"],
    })
    child.stdin.on("error", () => {})
    child.stdin.end(input === "" ? "" : `${input}\n`)
    child.on("error", reject)
    child.on("exit", (code) => {
      if (code === 0) resolve()
      else reject(new Error(`${path.basename(program)} ${args.join(" ")} ended with ${code}`))
    })
  })
}
