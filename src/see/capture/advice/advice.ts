import { formatExact, plural } from "#ground/base"
import type { CaptureAdvice, CaptureBudget, Manifest, ManifestItem } from "#ground/contract"

/** Claude Code itself warns about a larger instruction file. */
const LARGEST_INSTRUCTION_BYTES = 40_000

/** Below it a server is cheap, used or not. */
const LEAST_SERVER_TOKENS = 100

/** Sessions needed before "not used" means anything. */
const LEAST_SESSIONS = 3

const LISTED_NAMES = 5

type Judged = {
  readonly manifest: Manifest
  readonly duplicates: CaptureBudget["duplicates"]
}

/** Suggested cuts, most tokens first; a secret comes before everything else. */
export function adviseOn({ manifest, duplicates }: Judged): CaptureAdvice[] {
  const advice = [
    ...secrets(manifest),
    ...copies(manifest, duplicates),
    ...servers(manifest),
    ...largeFiles(manifest),
    ...idleRules(manifest),
    ...shortenedSkills(manifest),
    ...brokenImports(manifest),
  ]
  const rank = (it: CaptureAdvice) => (it.kind === "secret" ? 0 : 1)
  return advice.toSorted((a, b) => rank(a) - rank(b) || b.tokens - a.tokens)
}

function isSent(item: ManifestItem): boolean {
  return item.load !== "config-only" && (item.tokens > 0 || item.tokensOnDemand > 0)
}

function secrets({ items }: Manifest): CaptureAdvice[] {
  return items
    .filter((it) => it.redactions > 0 && isSent(it))
    .map((it) => ({
      kind: "secret",
      title: `Remove the secret from ${it.label}`,
      evidence: `${plural(it.redactions, "secret")} in this file ${it.redactions === 1 ? "is" : "are"} sent to the provider with every session.`,
      tokens: 0,
      edit: `Move it to an environment variable and delete it from ${it.label}; then revoke it.`,
      path: it.path,
    }))
}

function copies({ items }: Manifest, duplicates: CaptureBudget["duplicates"]): CaptureAdvice[] {
  return duplicates.flatMap((duplicate): CaptureAdvice[] => {
    const [first = "", ...others] = duplicate.labels
    const last = others.at(-1) ?? first
    const path = items.find((item) => item.label === last)?.path
    const isWhole = duplicate.likeness === 1
    return [
      {
        kind: "duplicate",
        title: isWhole
          ? `Remove the copy of ${first}`
          : `Remove text from ${last} that ${first} also contains`,
        evidence: isWhole
          ? `${others.join(", ")} ${others.length === 1 ? "has" : "have"} the same text.`
          : `${Math.round(duplicate.likeness * 100)} % of the shorter text occurs in both.`,
        tokens: duplicate.tokens,
        edit: isWhole
          ? `Delete ${others.join(" and ")}.`
          : `Edit ${last}: "${duplicate.excerpt}" …`,
        ...(path === undefined ? {} : { path }),
      },
    ]
  })
}

function servers({ start }: Manifest): CaptureAdvice[] {
  if (start === undefined || start.sessions < LEAST_SESSIONS) return []
  return start.servers.flatMap((server): CaptureAdvice[] => {
    const tokens = server.tokens ?? 0
    const isIdle = server.calls === 0
    if (tokens < LEAST_SERVER_TOKENS && !(isIdle && server.tokens === null)) return []
    const isMostlyIdle = server.tools.length > 0 && server.usedTools * 4 <= server.tools.length
    if (!isIdle && !isMostlyIdle) return []
    return [
      {
        kind: isIdle ? "unused-server" : "unused-tools",
        title: `Disable the ${server.name} server`,
        evidence: isIdle
          ? `None of its tools was called in ${plural(start.sessions, "session")} of the last 30 days.`
          : `${formatExact(server.usedTools)} of ${plural(server.tools.length, "tool")} used in 30 days, ${plural(server.calls, "call")}.`,
        tokens,
        edit: server.off,
        path: `<mcp ${server.name}>`,
      },
    ]
  })
}

function largeFiles({ items }: Manifest): CaptureAdvice[] {
  return items
    .filter((it) => it.kind === "instructions" && it.tokens > 0)
    .filter((it) => it.sentBytes > LARGEST_INSTRUCTION_BYTES)
    .map((it) => ({
      kind: "oversize-file",
      title: `Shorten ${it.label}`,
      evidence: `It has ${formatExact(it.sentBytes)} bytes; agents follow instructions less reliably in a file of over ${formatExact(LARGEST_INSTRUCTION_BYTES)} bytes.`,
      tokens: it.tokens,
      edit: `Move parts of ${it.label} to rules with paths or to skills, which load on demand.`,
      path: it.path,
    }))
}

function idleRules({ items, notes }: Manifest): CaptureAdvice[] {
  return notes
    .filter((it) => it.code === "rule-never-matches")
    .flatMap((note): CaptureAdvice[] => {
      const item = items.find((it) => it.path === note.path)
      if (item === undefined) return []
      return [
        {
          kind: "idle-rule",
          title: `Delete the rule ${item.label}`,
          evidence: note.text,
          tokens: item.tokens,
          edit: `Delete ${item.label} or correct its paths.`,
          path: item.path,
        },
      ]
    })
}

function shortenedSkills({ start, items }: Manifest): CaptureAdvice[] {
  const listing = start?.listing ?? null
  if (listing === null || listing.shortened.length === 0) return []
  const names = listing.shortened.map((it) => it.name)
  const shown = names.slice(0, LISTED_NAMES).join(", ")
  const rest = names.length - LISTED_NAMES
  const unused = listing.unused.length
  const path = listing.shortened[0]?.path
  const isListed = items.some((it) => it.path === path)
  return [
    {
      kind: "shortened-skills",
      title: `Hide unused skills: the listing shortens ${plural(names.length, "description")}`,
      evidence: `The listing needs ${formatExact(listing.needed)} ${listing.unit}, its budget is ${formatExact(listing.budget)} (${listing.reason})${unused === 0 ? "" : `; ${formatExact(unused)} of them were never used`}: ${shown}${rest > 0 ? ` and ${rest} more` : ""}.`,
      tokens: 0,
      edit:
        listing.unit === "characters"
          ? 'Set "skillOverrides": { "<name>": "off" } in .claude/settings.local.json for skills that you do not use.'
          : "Add [[skills.config]] with name and enabled = false to ~/.codex/config.toml for skills that you do not use.",
      ...(path === undefined || !isListed ? {} : { path }),
    },
  ]
}

function brokenImports({ notes, items }: Manifest): CaptureAdvice[] {
  return notes
    .filter((it) => it.code === "import-unresolved")
    .map((it) => ({
      kind: "broken-import",
      title: "Repair or remove an import",
      evidence: it.text,
      tokens: 0,
      edit: `Edit ${items.find((item) => item.path === it.path)?.label ?? it.path ?? "the file"}${it.line === undefined ? "" : `, line ${it.line}`}.`,
      ...(it.path === undefined ? {} : { path: it.path }),
    }))
}
