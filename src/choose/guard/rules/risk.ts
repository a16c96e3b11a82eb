import type { HookContext, HookEvent, Rule } from "../event.ts"
import { asArgument, firstOf, shown } from "../message-format.ts"
import { coveringOverride } from "../overrides.ts"
import { covers, hashFile, hashFormatIn, readReceipts } from "../receipts.ts"
import { createRiskPaths } from "../risk-paths.ts"
import { MOST_LISTED_PATHS } from "../verdict-log.ts"

type BeforeEdit = Extract<HookEvent, { kind: "before-edit" }>
type Risky = { readonly path: string; readonly pattern: string }

export const risk: Rule = {
  name: "risk",
  level: 5,
  kinds: ["before-edit"],
  async judge(event, context) {
    if (event.kind !== "before-edit" || context.config.highRiskPaths.length === 0) {
      return { kind: "silent" }
    }
    const { patternFor } = createRiskPaths(context.config.highRiskPaths)
    const risky = event.paths.flatMap((path): readonly Risky[] => {
      const pattern = patternFor(path)
      return pattern === undefined ? [] : [{ path, pattern }]
    })
    const bare = risky.length === 0 ? [] : await uncovered(risky, event, context)
    return bare.length === 0 ? { kind: "silent" } : judgeBare(bare, event, context)
  },
}

async function uncovered(
  risky: readonly Risky[],
  event: BeforeEdit,
  context: HookContext,
): Promise<readonly Risky[]> {
  const { stateDirectory, root, ledger } = context
  const receipts = await readReceipts({ stateDirectory, now: event.at })
  if (receipts.length === 0) return risky
  const format = await hashFormatIn(stateDirectory)
  const bare: Risky[] = []
  for (const file of risky) {
    const hash = await hashFile(file.path, { root, format })
    const made = await ledger.ownEdits(event.session, file.path)
    const edits = made.map(({ path, sha, at }) => ({ path, hash: sha ?? null, at }))
    // A file that cannot be read was not simulated either.
    const isCovered =
      hash.kind !== "unknown" &&
      covers(receipts, {
        path: file.path,
        hash: hash.kind === "hashed" ? hash.hash : null,
        session: { edits },
        now: event.at,
      })
    if (!isCovered) bare.push(file)
  }
  return bare
}

async function judgeBare(bare: readonly Risky[], event: BeforeEdit, context: HookContext) {
  const query = { stateDirectory: context.stateDirectory, now: event.at }
  const lifted: string[] = []
  const refused: Risky[] = []
  for (const file of bare) {
    const override = await coveringOverride(query, file.path)
    if (override === undefined) refused.push(file)
    else
      lifted.push(
        `${shown(file.path)} is high-risk and has no current simulation; an override permits the edit: ${shown(override.reason)}`,
      )
  }
  if (refused.length > 0) {
    const paths = refused.map((it) => it.path)
    return { kind: "deny" as const, text: formatRiskBlock(refused), paths }
  }
  return { kind: "override" as const, text: lifted.join("\n"), paths: bare.map((it) => it.path) }
}

function formatRiskBlock(refused: readonly Risky[]): string {
  const named = refused.map((it) => `${shown(it.path)} (pattern ${shown(it.pattern)})`)
  const words = refused.slice(0, MOST_LISTED_PATHS).map((it) => asArgument(it.path))
  return [
    `Edit blocked: ${firstOf(named, MOST_LISTED_PATHS)} ${refused.length === 1 ? "is high-risk and has" : "are high-risk and have"} no current simulation.`,
    `Run \`qm simulate ${words.join(" ")}\`, review the dependent files and the tests to run, then edit again. The simulation covers these files for four hours, as long as only you change them.`,
    `Only with the user's approval: \`qm override ${words.join(" ")} --reason "WHY"\`, with the user's reason for WHY. The override is logged.`,
  ].join("\n")
}
