import path from "node:path"
import type { Afterwards } from "#choose/guard"
import { launch, pickEnvironment, readTextBounded } from "#ground/base"
import { RUNTIME_FILE_BYTES } from "../limits.ts"
import { NEEDED_VARIABLES } from "./variables.ts"

export type AfterwardsDeps = {
  /** The runtime that runs us. */
  readonly node: string
  /** The file of this very process. */
  readonly self: string
  readonly home: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Starts work that nobody waits for, as a process that outlives this one. */
export async function startAfterwards(
  work: Afterwards,
  root: string,
  deps: AfterwardsDeps,
): Promise<void> {
  const args = work.kind === "fetch" ? fetchArguments(root, deps) : await indexDaemonArguments(deps)
  if (args === undefined) return
  const own = Object.keys(deps.environment).filter((it) => it.startsWith("QM_"))
  const env = pickEnvironment(deps.environment, [...NEEDED_VARIABLES, ...own])
  await launch(deps.node, args, { cwd: root, env })
}

function fetchArguments(root: string, { self }: AfterwardsDeps): readonly string[] {
  return [self, "--afterwards", "fetch", root]
}

/** `qm init` leaves word of where the rest of the product lies; without it there is no index daemon. */
async function indexDaemonArguments({
  home,
}: AfterwardsDeps): Promise<readonly string[] | undefined> {
  const file = path.join(home, "kit", "runtime.json")
  const outcome = await readTextBounded(file, { maxBytes: RUNTIME_FILE_BYTES })
  const qm = outcome.kind === "read" ? programIn(outcome.text) : undefined
  return qm === undefined ? undefined : [qm, "keep"]
}

function programIn(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isNamed = typeof value === "object" && value !== null && "qm" in value
    const qm = isNamed ? value.qm : undefined
    return typeof qm === "string" && path.isAbsolute(qm) ? qm : undefined
  } catch {
    return undefined
  }
}
