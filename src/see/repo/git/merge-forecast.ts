import path from "node:path"
import {
  compareText,
  ensureDirectory,
  makeTemporaryDirectory,
  pickEnvironment,
  readBounded,
  statFile,
  writeFileAtomic,
} from "#ground/base"
import { type GitProgram, type Question, runGit } from "./ask.ts"
import { formatOf } from "./parse.ts"
import { VIEW_CONFIG } from "./view.ts"

const LARGEST_ATTRIBUTES_BYTES = 1_048_576

/** A merge of 5,000 files takes 7 ms. */
const FORECAST_TIMEOUT_MS = 10_000

/** Names of some ten thousand files in conflict. */
const FORECAST_OUTPUT_BYTES = 8 * 1_048_576

type MergeForecast =
  | { readonly kind: "clean" }
  | { readonly kind: "conflicts"; readonly files: readonly string[] }
  | { readonly kind: "unknown"; readonly why: string }

type ForecastDeps = {
  /** Absolute path of git. */
  readonly file: string
  /** The git common directory. */
  readonly common: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

/**
 * Tries a merge in a temporary git folder that borrows the objects and has no config, so no merge
 * driver of the repository runs and nothing is written to it. Files with a merge driver are left
 * out, because its result is unknown.
 */
export async function forecastMerge(
  { ours, theirs }: { readonly ours: string; readonly theirs: string },
  { file, common, environment, signal }: ForecastDeps,
): Promise<MergeForecast> {
  // In a shallow clone the common ancestor may be missing.
  if ((await statFile(path.join(common, "shallow"))).kind === "found")
    return { kind: "unknown", why: "a shallow clone has no common history to compare" }
  await using temporary = await makeTemporaryDirectory()
  const directory = temporary.path
  for (const it of ["refs", "objects", "info"]) await ensureDirectory(path.join(directory, it))
  await writeFileAtomic(path.join(directory, "config"), VIEW_CONFIG[formatOf(ours)])
  await writeFileAtomic(path.join(directory, "HEAD"), "ref: refs/heads/none\n")
  const objects = path.join(directory, "objects")
  const view = {
    directory,
    objects,
    shallowFile: undefined,
    borrowed: path.join(common, "objects"),
  }
  const program: GitProgram = {
    file,
    view,
    signal,
    system: pickEnvironment(environment, ["SystemRoot"]),
    timeoutMs: FORECAST_TIMEOUT_MS,
    roundBytes: FORECAST_OUTPUT_BYTES,
  }
  const ask = async (command: Question["command"], ...args: readonly string[]) => {
    const maxOutputBytes = FORECAST_OUTPUT_BYTES
    const outcome = await runGit(program, { command, args, maxOutputBytes })
    const isWhole = outcome.kind === "exited" && !outcome.truncated
    return isWhole ? { code: outcome.code, output: outcome.stdout.toString("utf8") } : undefined
  }
  const tracked = await ask("cat-file", "blob", `${ours}:.gitattributes`)
  const attributes = await joinAttributes(common, tracked?.code === 0 ? tracked.output : "")
  await writeFileAtomic(path.join(directory, "info", "attributes"), attributes)

  const names = ["--name-only", "--no-messages", "-z"]
  const merged = await ask("merge-tree", "--write-tree", ...names, theirs, ours)
  if (merged?.code === 0) return { kind: "clean" }
  // Above 1 the merge could not be tried: no common history, missing objects, or an old git.
  if (merged?.code !== 1) return { kind: "unknown", why: "git could not try the merge" }
  const [, ...files] = merged.output.split("\0").filter((it) => it !== "")
  const values = await ask("check-attr", "-z", "merge", "--", ...files)
  const real = withoutDrivers(new Set(files), values?.output ?? "")
  return real.length === 0 ? { kind: "clean" } : { kind: "conflicts", files: real }
}

/** From the top of the tree and from `info/attributes`, which wins. */
async function joinAttributes(common: string, tracked: string): Promise<string> {
  const limits = { maxBytes: LARGEST_ATTRIBUTES_BYTES, root: common }
  const own = await readBounded(path.join(common, "info", "attributes"), limits)
  const fitting = tracked.length <= LARGEST_ATTRIBUTES_BYTES ? tracked : ""
  return `${fitting}\n${own.kind === "read" ? own.bytes.toString() : ""}`
}

/** Parses `file NUL merge NUL value NUL`; values that name no driver are git's own. */
function withoutDrivers(files: ReadonlySet<string>, attributes: string): readonly string[] {
  const fields = attributes.split("\0")
  const valueOf = new Map<string, string>()
  for (let at = 0; at + 2 < fields.length; at += 3) {
    valueOf.set(fields[at] ?? "", fields[at + 2] ?? "")
  }
  return [...files]
    .filter((it) => GIT_OWN.includes(valueOf.get(it) ?? "unspecified"))
    .toSorted(compareText)
}

const GIT_OWN = ["unspecified", "set", "unset", "text", "binary", "union"]
