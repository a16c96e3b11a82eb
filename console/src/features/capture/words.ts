import { formatSeconds, formatWhen } from "../../base/format.ts"
import {
  type Agreement,
  type Capture,
  type CaptureHosts,
  type CaptureSummary,
  formatExact,
  type ManifestItem,
  type Observation,
  plural,
} from "../../contract.ts"

export function sentenceCase(code: string): string {
  const words = code.replaceAll("-", " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function formatOrdinal(position: number): string {
  const ends: Readonly<Record<string, string>> = { one: "st", two: "nd", few: "rd" }
  return `${formatExact(position)}${ends[PLACES.select(position)] ?? "th"}`
}
const PLACES = new Intl.PluralRules("en", { type: "ordinal" })

export function describeSummary({ tokensInWindow, files, times }: CaptureSummary): string {
  const captures = times === 1 ? "seen once" : `seen ${formatExact(times)} times`
  return `${plural(tokensInWindow, "token")}, ${plural(files, "file")}, ${captures}`
}

type Host = CaptureHosts["hosts"][number]

export function describeInstalled({ installed }: Host): string {
  return installed === null ? "not installed" : `${installed} on this machine`
}

export function describeQuery(host: Host, workingDirectory: string): string {
  const version = host.installed === null ? "" : ` ${host.installed}`
  return `This starts ${host.title}${version} in ${workingDirectory}, requests the content of its window, and ends it. No model is called and no message is sent. The report is shown beside the estimate.`
}

export function describeAgreement({ agreed, compared }: Observation): string {
  if (compared === 0) return "nothing to compare"
  return `${formatExact(agreed)} of ${formatExact(compared)} observed`
}

export function describeObserver(observation: Observation, now: number): string {
  const { by, at, hostVersion, session } = observation
  const version = hostVersion === undefined ? "" : `, version ${hostVersion}`
  const when = formatWhen(at, now)
  switch (by) {
    case "host":
      return `Host report of ${when}${version}`
    case "transcript":
      return `Last session, ${when}${version}`
    case "wire":
      return `Recorded by the gateway, ${when}${session === undefined ? "" : `, session ${session}`}${version}`
    default:
      return by satisfies never
  }
}

export function describeFile({ state, sameText, tokens, explanation }: Agreement): string {
  const counted = tokens === undefined ? "" : `, the host counts ${formatExact(tokens)}`
  const why = explanation === undefined ? "" : `. ${explanation}`
  switch (state) {
    case "both":
      return `${sameText === false ? "observed, but the text differs" : "agrees"}${counted}${why}`
    case "observed-only":
      return `reported by the host, not estimated${counted}${why}`
    case "estimated-only":
      return explanation?.startsWith("Not reported by the host") === true
        ? `estimated${why}`
        : `estimated, not reported by the host${why}`
    default:
      return state satisfies never
  }
}

export function describeObserved(
  { observation }: Pick<Capture, "observation">,
  path: string,
): { readonly description: string; readonly tone?: "ok" | "warn" } {
  if (observation === null) return { description: "not queried yet" }
  const file = observation.files.find((it) => it.path === path)
  if (file === undefined) return { description: "not compared" }
  const description = `${HOW_KNOWN[observation.by]} at ${formatSeconds(observation.at)}: ${describeFile(file)}`
  return { description, tone: file.state === "both" && file.sameText !== false ? "ok" : "warn" }
}

const HOW_KNOWN = { host: "host report", transcript: "last session", wire: "gateway" } as const

export function formatSize({ bytes, sentBytes }: ManifestItem): string {
  return `${plural(bytes, "byte")}, ${formatExact(sentBytes)} sent`
}

const TRUST = { own: "yours", project: "project", external: "external" } as const

export function describeTrust({ trust, scope }: ManifestItem): string {
  const isPlain = scope === "project" || (trust === "own" && scope === "user")
  return isPlain ? TRUST[trust] : `${TRUST[trust]}, ${scope}`
}

export function shortHash(sha256: string): string {
  return `${sha256.slice(0, 8)}…${sha256.slice(-4)}`
}
