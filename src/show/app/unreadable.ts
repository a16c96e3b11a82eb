import { formatBytes, type ReadTextOutcome } from "#ground/base"

type Unreadable = Exclude<ReadTextOutcome, { kind: "read" }>

/** Why a file was not read, in words that follow its name. */
export function sayUnreadable(outcome: Unreadable, limitBytes: number): string {
  switch (outcome.kind) {
    case "missing":
      return "there is no such file"
    case "not-regular":
      return `not a file but a ${outcome.what}`
    case "too-large":
      return `${formatBytes(outcome.sizeBytes)}, of at most ${formatBytes(limitBytes)}`
    case "not-text":
      return "not text: it holds bytes that are not UTF-8"
    case "outside-root":
      return "it lies outside the folder it was looked for in"
    case "unreadable":
      return `cannot be read (${outcome.reason})`
    default:
      return outcome satisfies never
  }
}
