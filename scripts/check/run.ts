import { execFile, execFileSync } from "node:child_process"
import type { Check } from "./checks.ts"

export type Verdict = {
  readonly name: string
  readonly seconds: number
  readonly seen: number
  readonly output: string
  readonly problem: string | undefined
}

/** The number of sources according to git; no check may see fewer. */
function countSources(root: string, folder: Check["over"]): number {
  const listed = execFileSync(
    "git",
    ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate", folder],
    { cwd: root, encoding: "utf8" },
  )
  const isSource = (path: string) => /\.tsx?$/.test(path) && !path.endsWith(".generated.ts")
  return listed.split("\0").filter(isSource).length
}

export async function runCheck(check: Check, root: string): Promise<Verdict> {
  const sources = countSources(root, check.over)
  const startedAt = performance.now()
  const { output, exitCode } = await runNode(check.args(root), root)
  const seen = check.seen(output, root)
  return {
    name: check.name,
    seconds: (performance.now() - startedAt) / 1_000,
    seen,
    output: withoutFileLists(output),
    problem: findProblem({ exitCode, seen, sources, over: check.over }),
  }
}

type Run = { exitCode: number; seen: number; sources: number; over: Check["over"] }

function findProblem(run: Run): string | undefined {
  if (run.exitCode !== 0) return `ended with ${run.exitCode}`
  if (run.sources === 0) return `there are no sources under ${run.over}, so nothing was checked`
  if (run.seen < run.sources) return `saw ${run.seen} files of at least ${run.sources}`
  return undefined
}

/** A path on its own line, and the headings that Biome prints above such lists. */
const LISTED = /^(?:\/| {2}- )\S+\.[a-z]+$|^ VERBOSE |^ +(?:i Files |! The list is empty)/

const MOST_OUTPUT_BYTES = 64_000_000

type CheckOutput = { readonly output: string; readonly exitCode: number }

function runNode(args: readonly string[], cwd: string): Promise<CheckOutput> {
  const environment = { ...process.env, FORCE_COLOR: "0", NO_COLOR: "1" }
  return new Promise((done) => {
    execFile(
      process.execPath,
      [...args],
      { cwd, env: environment, maxBuffer: MOST_OUTPUT_BYTES },
      (error, stdout, stderr) => {
        const codeOfError = typeof error?.code === "number" ? error.code : 1
        done({ output: `${stdout}${stderr}`, exitCode: error === null ? 0 : codeOfError })
      },
    )
  })
}

/** Removes file lists, which only prove that a tool has read them. */
function withoutFileLists(output: string): string {
  return output
    .split("\n")
    .filter((line) => !LISTED.test(line))
    .join("\n")
    .replace(/\n\s*\n\s*\n/g, "\n\n")
}
