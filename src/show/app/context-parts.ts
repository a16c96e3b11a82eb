import path from "node:path"
import type { ContextPart, Run } from "#ground/contract"
import { currentBranch } from "#see/repo"
import { LONGEST_BRANCH_CHARACTERS } from "./limits.ts"
import type { OperationDeps } from "./operations.ts"

type Deps = Pick<OperationDeps, "clock" | "config" | "places" | "tokens">

/** What is put in front of each turn. Each part is labelled, and small by what it is. */
export async function contextParts(run: Run, deps: Deps): Promise<readonly ContextPart[]> {
  // The synthetic agent has no model that could use it.
  if (run.type === "synthetic" || !deps.config().agents.contextParts) return []
  const text = await dateAndState(run, deps)
  const { count } = await deps.tokens.counter()
  return [{ label: "date and state", text, tokens: count(text) }]
}

async function dateAndState(run: Run, { clock, places }: Deps): Promise<string> {
  const { repository } = places()
  const day = new Date(clock.now())
  const where = path.relative(repository.root, run.cwd)
  const branch = plain((await currentBranch(repository)) ?? "")
  return [
    `Today is ${day.toISOString().slice(0, 10)}, a ${WEEKDAYS[day.getUTCDay()]} (UTC).`,
    `Repository ${plain(path.basename(repository.root))}${where === "" ? "" : `, in ${plain(where)}`}.`,
    ...(branch === "" ? [] : [`Branch ${branch}.`]),
  ].join("\n")
}

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

/** A name that somebody else may have chosen, so that it can be nothing but a name. */
function plain(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}._/@+ -]/gu, "_").slice(0, LONGEST_BRANCH_CHARACTERS)
}
