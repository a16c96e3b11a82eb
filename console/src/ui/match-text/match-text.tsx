import styles from "./match-text.module.css"

type MatchTextProps = {
  readonly text: string
  readonly words: readonly string[]
  /** On a phone, in a row that grows with its text. */
  readonly wraps?: boolean
}

/** Text with the words marked wherever they begin; case does not matter. */
export function MatchText({ text, words, wraps = false }: MatchTextProps) {
  return (
    <span className={styles.text} data-wraps={wraps || undefined} title={text}>
      {splitAtWords(text, words).map((part, i) =>
        i % 2 === 1 ? <mark key={`${i} ${part}`}>{part}</mark> : part,
      )}
    </span>
  )
}

const MOST_BESIDE = 14

/** A longer rest is kept only up to the last word that occurs. */
const MOST_SHOWN = 56

/** Leaves out what is far before, between and after the matches, so that a narrow line shows them. */
export function cutAround(text: string, words: readonly string[]): string {
  const parts = splitAtWords(text, words)
  if (parts.length === 1) return text
  const cut = parts.map((part, i) => {
    if (i % 2 === 1 || i === parts.length - 1) return part
    const start = i === 0 ? "" : part.slice(0, MOST_BESIDE)
    const isShort = part.length <= start.length + MOST_BESIDE
    return isShort ? part : `${start}…${part.slice(-MOST_BESIDE)}`
  })
  return cutAfter(cut.join(""), words)
}

function cutAfter(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase()
  const ends = words.map((it) => {
    const at = lower.indexOf(it.toLowerCase())
    return at < 0 ? 0 : at + it.length
  })
  const end = Math.max(MOST_SHOWN, ...ends)
  return text.length <= end ? text : `${text.slice(0, end).trimEnd()}…`
}

/** Matches are at odd positions. */
export function splitAtWords(text: string, words: readonly string[]): readonly string[] {
  const lowerWords = words.filter((it) => it !== "").map((it) => it.toLowerCase())
  if (lowerWords.length === 0) return [text]
  const lower = text.toLowerCase()
  // Lower case may have another length, as for İ; then no position is known.
  if (lower.length !== text.length) return [text]
  const parts: string[] = []
  let from = 0
  for (;;) {
    const next = nextMatch(lower, lowerWords, from)
    if (next === undefined) return [...parts, text.slice(from)]
    parts.push(text.slice(from, next.at), text.slice(next.at, next.at + next.length))
    from = next.at + next.length
  }
}

function nextMatch(text: string, words: readonly string[], from: number) {
  const positions = words
    .map((it) => ({ at: text.indexOf(it, from), length: it.length }))
    .filter((it) => it.at >= 0)
  return positions.toSorted((a, b) => a.at - b.at || b.length - a.length)[0]
}
