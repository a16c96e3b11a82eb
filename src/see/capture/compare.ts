import { createHash } from "node:crypto"
import type { Agreement, Observation } from "#ground/contract"
import type { Found, HostWord, Place } from "#see/hosts"
import { labelOf } from "./label.ts"

type Estimate = {
  readonly place: Place
  readonly items: readonly Found[]
  readonly searched: readonly { readonly path: string; readonly outcome: string }[]
}

/** The host's own word beside our estimate, file by file, with the reason where they differ. */
export function compareWith(word: HostWord, estimate: Estimate): Observation {
  const expected = estimate.items.filter(isInstruction)
  const files =
    word.wholeText === undefined
      ? compareFiles(word, { ...estimate, items: expected })
      : compareText(word.wholeText, { word, estimate: { ...estimate, items: expected } })
  const agreed = files.filter((it) => it.state === "both" && it.sameText !== false).length
  return {
    by: word.by,
    at: word.at,
    ...(word.version === undefined ? {} : { hostVersion: word.version }),
    ...(word.session === undefined ? {} : { session: word.session }),
    files,
    agreed,
    compared: files.length,
    accuracy: files.length === 0 ? 1 : agreed / files.length,
    categories: [...word.categories],
  }
}

/** Files whose text is in the window at start; hosts report those, and no listings. */
function isInstruction(item: Found): boolean {
  const isText = ["always", "import", "startup-capped"].includes(item.load)
  const isReported = item.kind === "instructions" || item.kind === "memory"
  return isText && isReported && item.sent !== "" && item.source !== "output-style"
}

function compareFiles(word: HostWord, estimate: Estimate): Agreement[] {
  const wordByPath = new Map(word.files.map((it) => [it.path, it]))
  const expected = new Set(estimate.items.map((it) => it.path))
  const ours = estimate.items.map((item) => agreementOn(item, { word, place: estimate.place }))
  const theirs = [...wordByPath.values()].filter((it) => !expected.has(it.path))
  return [
    ...ours,
    ...theirs.map((it) => ({
      path: it.path,
      label: labelOf(it.path, estimate.place),
      state: "observed-only" as const,
      ...(it.tokens === undefined ? {} : { tokens: it.tokens }),
      explanation: explainObservedOnly(it.path, estimate),
    })),
  ]
}

function agreementOn(item: Found, { word, place }: { word: HostWord; place: Place }): Agreement {
  const said = word.files.find((it) => it.path === item.path)
  const about = { path: item.path, label: labelOf(item.path, place) }
  const isChanged = isChangedSince(item, word)
  if (said === undefined) {
    const explanation = isChanged
      ? "Made or changed since that session"
      : "The host did not name it; its settings or version may differ"
    return { ...about, state: "estimated-only", explanation }
  }
  const sameText = isSameText(said, item.sent.trim())
  return {
    ...about,
    state: "both",
    ...(sameText === undefined ? {} : { sameText }),
    ...(said.tokens === undefined ? {} : { tokens: said.tokens }),
    ...(sameText === false
      ? { explanation: isChanged ? "Changed since that session" : "The host sent another text" }
      : {}),
  }
}

/** A word of now is of the files of now; an earlier one may be of others. */
function isChangedSince(item: Found, word: HostWord): boolean {
  return word.by !== "host" && item.file.modifiedAt > word.at
}

/** Undefined where the host shows neither its text nor the hash of it. */
function isSameText(said: HostWord["files"][number], sent: string): boolean | undefined {
  if (said.text !== undefined) return said.text.trim() === sent
  if (said.sha256 === undefined) return undefined
  return createHash("sha256").update(sent).digest("hex") === said.sha256
}

function explainObservedOnly(path: string, estimate: Estimate): string {
  const outcome = estimate.searched.find((it) => it.path === path)?.outcome
  if (outcome === "missing") return "No longer there"
  if (outcome === "excluded") return "Left out by a setting since then"
  if (outcome === "empty") return "Emptied since then"
  if (outcome === "found") return "Found, but not expected at start"
  return "The host loaded it, and no rule we know says why"
}

/** For hosts that send one text: each of ours must stand in it, in our order. */
function compareText(
  whole: string,
  { word, estimate }: { readonly word: HostWord; readonly estimate: Estimate },
): Agreement[] {
  let from = 0
  return estimate.items.map((item): Agreement => {
    const at = whole.indexOf(item.sent, from)
    if (at !== -1) from = at + item.sent.length
    const about = { path: item.path, label: labelOf(item.path, estimate.place) }
    if (at !== -1) return { ...about, state: "both", sameText: true }
    const explanation = isChangedSince(item, word)
      ? "Made or changed since that session"
      : "Its text is not in what the host sent"
    return { ...about, state: "estimated-only", explanation }
  })
}
