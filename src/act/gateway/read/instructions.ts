import type { RawItem } from "./formats/raw-item.ts"

const MOST_HEADINGS = 2_000

export type KnownFile = {
  readonly path: string
  readonly kind: "instructions" | "memory"
  readonly frame: string
  readonly sent: string
}

const CLOSING = "\n</system-reminder>"

/** The five owners a heading names, as of Claude Code 2.1.325. */
const HEADING = new RegExp(
  "(?<=^|\\n\\n)Contents of .{1,1000}? \\((?:" +
    [
      "organization-managed policy instructions",
      "user's private global instructions for all projects",
      "project instructions, checked into the codebase",
      "user's private project instructions, not checked in",
      "user's auto-memory, persists across conversations",
    ].join("|") +
    ")\\):\\n\\n",
  "g",
)

type Heading = { readonly at: number; readonly textAt: number; readonly frame: string }

/**
 * A file can contain a heading like the host's, so a heading counts only when the host would load
 * that file here, and not inside the exact text of another file.
 */
export function splitInstructions(block: string, files: readonly KnownFile[]): readonly RawItem[] {
  const end = block.lastIndexOf(CLOSING)
  const inside = end === -1 ? block : block.slice(0, end)
  const headings = headingsIn(inside)
  const [first] = headings
  if (first === undefined) return [nameless(block)]
  const chosen = choose(inside, headings, files)
  const items: RawItem[] = [...hostWords(inside.slice(0, first.at))]
  const addRest = (from: number, to: number) => {
    const rest = inside.slice(from, to).trim()
    if (rest !== "") items.push(nameless(rest))
  }
  addRest(first.at, chosen[0]?.at ?? inside.length)
  for (const [index, { file, textAt, isExact }] of chosen.entries()) {
    const next = chosen[index + 1]?.at ?? inside.length
    const textEnd = isExact ? textAt + file.sent.length : next
    items.push(fileItem(file, inside.slice(textAt, textEnd).trim(), isExact))
    addRest(textEnd, next)
  }
  const behind = end === -1 ? "" : block.slice(end + CLOSING.length)
  return [...items, ...hostWords(behind)]
}

function hostWords(text: string): readonly RawItem[] {
  const words = text.trim()
  return words === "" ? [] : [{ kind: "reminder", name: "instructions", text: words }]
}

function headingsIn(inside: string): readonly Heading[] {
  const headings: Heading[] = []
  for (const match of inside.matchAll(HEADING)) {
    const [frame] = match
    headings.push({ at: match.index, textAt: match.index + frame.length, frame })
    if (headings.length === MOST_HEADINGS) break
  }
  return headings
}

type MatchedHeading = Heading & { readonly file: KnownFile; readonly isExact: boolean }

function choose(
  inside: string,
  headings: readonly Heading[],
  files: readonly KnownFile[],
): readonly MatchedHeading[] {
  const fileByFrame = new Map(files.map((it) => [it.frame, it]))
  const starts = new Set(headings.map((it) => it.at))
  const claims = headings.flatMap((heading): readonly MatchedHeading[] => {
    const file = fileByFrame.get(heading.frame)
    return file === undefined
      ? []
      : [{ ...heading, file, isExact: isExact({ inside, starts }, heading, file) }]
  })
  const chosen: MatchedHeading[] = []
  const proven = new Set(claims.filter((it) => it.isExact).map((it) => it.frame))
  const usedPaths = new Set<string>()
  let done = 0
  for (const claim of claims) {
    const isInsideAnother = claim.at < done
    // Beside a file's exact text every other claim to its name is false.
    const isFalse = !claim.isExact && proven.has(claim.frame)
    if (isInsideAnother || isFalse || usedPaths.has(claim.frame)) continue
    usedPaths.add(claim.frame)
    chosen.push(claim)
    if (claim.isExact) done = claim.textAt + claim.file.sent.length
  }
  return chosen
}

function isExact(
  { inside, starts }: { readonly inside: string; readonly starts: ReadonlySet<number> },
  { textAt }: Heading,
  file: KnownFile,
): boolean {
  if (!inside.startsWith(file.sent, textAt)) return false
  const end = textAt + file.sent.length
  return end === inside.length || (inside.startsWith("\n\n", end) && starts.has(end + 2))
}

function fileItem(file: KnownFile, text: string, isConfirmed: boolean): RawItem {
  const { path, kind } = file
  return { kind, name: path, text, isConfirmed, ...(isConfirmed ? { path } : {}) }
}

/** Text that no file here accounts for; its claimed name is not repeated. */
function nameless(text: string): RawItem {
  return { kind: "instructions", name: "instructions", text, isConfirmed: false }
}

const AGENTS_OPENING = "<INSTRUCTIONS>\n"
const AGENTS_CLOSING = "\n</INSTRUCTIONS>"

/** Codex concatenates its files without names. */
export function splitAgentsMd(message: string, files: readonly KnownFile[]): readonly RawItem[] {
  const opening = message.indexOf(AGENTS_OPENING)
  const closing = message.lastIndexOf(AGENTS_CLOSING)
  const start = opening === -1 ? 0 : opening + AGENTS_OPENING.length
  const end = closing < start ? message.length : closing
  const text = message.slice(start, end)
  const items: RawItem[] = [...hostWords(message.slice(0, start))]
  let done = 0
  for (const file of files) {
    const whole = file.frame + file.sent
    if (file.sent === "" || !text.startsWith(whole, done)) continue
    items.push(fileItem(file, file.sent, true))
    done += whole.length
  }
  const rest = text.slice(done)
  if (rest.trim() !== "") items.push(nameless(rest))
  return [...items, ...hostWords(message.slice(end).replace(AGENTS_CLOSING, ""))]
}
