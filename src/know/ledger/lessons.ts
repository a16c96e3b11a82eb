import { compareText } from "#ground/base"
import { digest } from "./digest.ts"
import {
  FEWEST_LESSON_SESSIONS,
  FEWEST_LESSON_WORDS,
  LEAST_LIKENESS_SHARE,
  MOST_LESSON_LINES,
} from "./limits.ts"
import type { ReadSession } from "./logged.ts"

export type Lesson = {
  /** Of its words: the same lesson is proposed once. */
  readonly id: string
  /** As the first of the sessions says it. */
  readonly line: string
  /** Of the sessions that say it, in their order. */
  readonly files: readonly string[]
}

/** What ten or more sessions did or decided in the same words, or nearly; the most frequent first. */
export function sharedLessons(sessions: readonly ReadSession[]): readonly Lesson[] {
  const groups = grouped(sessions.flatMap(linesOf))
  return groups
    .filter((it) => it.files.size >= FEWEST_LESSON_SESSIONS)
    .toSorted((a, b) => b.files.size - a.files.size || compareText(a.id, b.id))
    .map(({ id, line, files }) => ({ id, line, files: [...files] }))
}

type Line = {
  readonly file: string
  readonly line: string
  readonly words: ReadonlySet<string>
  /** The words in one order: lines with the same are the same. */
  readonly key: string
}

/** Lines that say something: what is shorter than a sentence is the same by chance. */
function linesOf({ file, decisions, done }: ReadSession): readonly Line[] {
  return [...decisions, ...done].slice(0, MOST_LESSON_LINES).flatMap((item) => {
    const [line = ""] = item.split("\n")
    const words = new Set(line.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu))
    const key = [...words].toSorted().join(" ")
    return words.size < FEWEST_LESSON_WORDS ? [] : [{ file, line, words, key }]
  })
}

type Group = {
  readonly id: string
  readonly line: string
  readonly words: ReadonlySet<string>
  readonly files: Set<string>
}

/** Each line joins the group whose first line is nearest to it, or begins one. */
function grouped(lines: readonly Line[]): readonly Group[] {
  const rarest = byRarity(lines)
  const groups: Group[] = []
  const known = new Map<string, Group>()
  const byWord = new Map<string, Group[]>()
  for (const { file, line, words, key } of lines) {
    const telling = rarest(words)
    const near =
      known.get(key) ?? nearest(words, new Set(telling.flatMap((it) => byWord.get(it) ?? [])))
    const group = near ?? { id: digest(key), line, words, files: new Set() }
    if (near === undefined) {
      groups.push(group)
      for (const word of telling) put(byWord, word, group)
    }
    known.set(key, group)
    group.files.add(file)
  }
  return groups
}

function put(byWord: Map<string, Group[]>, word: string, group: Group): void {
  const there = byWord.get(word)
  if (there === undefined) byWord.set(word, [group])
  else there.push(group)
}

/**
 * Of the words of a line the rarest, and so few that two lines which share enough of their words
 * share one of these; so only a few lines are compared with each.
 */
function byRarity(lines: readonly Line[]): (words: ReadonlySet<string>) => readonly string[] {
  const counts = new Map<string, number>()
  for (const { words } of lines)
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const rarer = (a: string, b: string) =>
    (counts.get(a) ?? 0) - (counts.get(b) ?? 0) || compareText(a, b)
  return (words) => {
    const most = words.size - Math.ceil(LEAST_LIKENESS_SHARE * words.size) + 1
    return [...words].toSorted(rarer).slice(0, most)
  }
}

function nearest(words: ReadonlySet<string>, groups: Iterable<Group>): Group | undefined {
  let best: { readonly group: Group; readonly share: number } | undefined
  for (const group of groups) {
    const share = shareOf(words, group.words)
    if (share >= LEAST_LIKENESS_SHARE && share > (best?.share ?? 0)) best = { group, share }
  }
  return best?.group
}

/** Of all words of two lines, those that both have. */
function shareOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [fewer, more] = a.size < b.size ? [a, b] : [b, a]
  // Even if the shorter one were in the longer one whole.
  if (fewer.size < more.size * LEAST_LIKENESS_SHARE) return 0
  let shared = 0
  for (const word of fewer) if (more.has(word)) shared += 1
  return shared / (a.size + b.size - shared)
}
