import { formatExact } from "#ground/base"
import { type Capture, type Observation } from "#ground/contract"
import { type Screen, table } from "../screen.ts"

export function renderObservation(capture: Capture, { paint }: Screen): string {
  const { observation, observationProblem } = capture
  if (observationProblem !== null) {
    const { code, text } = observationProblem
    const hint = code === "not-trusted" ? " Start it there once, or add --trust." : ""
    return paint.warn(`${text}${hint}`)
  }
  if (observation === null) return ""
  const accuracy = `${(observation.accuracy * 100).toFixed(1)} %`
  const title = `${observation.agreed} of ${observation.compared} observed, accuracy ${accuracy}`
  const differences = observation.files
    .filter((it) => it.state !== "both" || it.sameText === false)
    .map((it) => ["     ", sayState(it.state), it.label, paint.muted(it.explanation ?? "")])
  const categories = observation.categories.map(
    (it) => `      ${formatExact(it.tokens).padStart(9)}  ${it.name}`,
  )
  return [
    `${paint.bold(title)} ${paint.muted(`(${saySource(observation)})`)}`,
    ...(differences.length === 0 ? [] : [table(differences)]),
    ...(categories.length === 0
      ? []
      : [paint.muted("      The host's own account:"), ...categories]),
  ].join("\n")
}

function saySource({ by, at, session }: Observation): string {
  switch (by) {
    case "host":
      return "asked just now"
    case "transcript":
      return `last session, ${sayTime(at)}`
    case "wire":
      return `seen on the wire by the gateway at ${sayTime(at)}${session === undefined ? "" : `, session ${session}`}`
    default:
      return by satisfies never
  }
}

function sayState(state: string): string {
  if (state === "both") return "other text"
  return state === "observed-only" ? "observed only" : "estimated only"
}

export function sayTime(at: number): string {
  return new Date(at).toISOString().replace("T", " ").slice(0, 16)
}
