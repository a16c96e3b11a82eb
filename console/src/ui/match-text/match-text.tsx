import styles from "./match-text.module.css"

type MatchTextProps = { readonly text: string; readonly words: readonly string[] }

/** Text with the words marked wherever they begin; case does not matter. */
export function MatchText({ text, words }: MatchTextProps) {
  return (
    <span className={styles.text} title={text}>
      {splitAtWords(text, words).map((part, i) =>
        i % 2 === 1 ? <mark key={`${i} ${part}`}>{part}</mark> : part,
      )}
    </span>
  )
}

const MOST_BEFORE = 14

/** Starts shortly before the first match, so that a narrow line still shows it. */
export function cutBefore(text: string, words: readonly string[]): string {
  const [before = "", match] = splitAtWords(text, words)
  if (match === undefined || before.length <= MOST_BEFORE) return text
  return `…${text.slice(before.length - MOST_BEFORE)}`
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
