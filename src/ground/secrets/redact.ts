import { hash } from "node:crypto"
import type { Random } from "#ground/base"
import { findSpans, type Span } from "./find.ts"
import { createKnown, type KnownSecretFinder } from "./known-secrets.ts"
import { createOwnPatterns, type OwnPattern } from "./rules/own-patterns.ts"
import type { Work } from "./rules/rule.ts"

/**
 * Findings are removed and the rest is scanned again, because a replacement can uncover an adjacent
 * secret. In practice the second scan finds nothing; the cap bounds crafted texts.
 */
const MOST_ROUNDS = 4

export function createRedactor(deps: {
  readonly random: Random
  readonly known: readonly string[]
  readonly patterns?: readonly OwnPattern[]
  readonly salt?: string
}) {
  const salt = deps.salt ?? Buffer.from(deps.random.bytes(32)).toString("hex")
  const knownValues = createKnown({ random: deps.random, values: deps.known })
  const ownPatterns = createOwnPatterns(deps.patterns ?? [])
  const findOwn: KnownSecretFinder =
    ownPatterns === undefined
      ? knownValues
      : (text, work) => [...knownValues(text, work), ...ownPatterns(text, work)]
  const hashOf = (secret: string) => hash("sha256", `${salt}${secret}`).slice(0, 4)
  return {
    hashOf,
    locate: (text: string): readonly SecretSpan[] =>
      findAll(text, (it) => findSpans(it, findOwn, { steps: 0 })).map(({ start, end, kind }) => ({
        start,
        end,
        kind,
      })),
    redact(text: string, work: Work = { steps: 0 }): RedactedText {
      const spans = findAll(text, (it) => findSpans(it, findOwn, work))
      return spans.length === 0 ? { text, findings: [] } : replace(text, spans, hashOf)
    },
  }
}

/**
 * Findings and existing markers become a barrier of equal length that no pattern matches, so
 * offsets stay and a second redaction finds nothing.
 */
function findAll(text: string, find: (text: string) => readonly Span[]): readonly Span[] {
  const markers = [...text.matchAll(MARKER)].map((it) => ({
    start: it.index,
    end: it.index + it[0].length,
  }))
  let rest = withBarriers(text, markers)
  let all: readonly Span[] = []
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const spans = merged(find(rest))
    if (spans.length === 0) break
    all = [...all, ...spans]
    rest = withBarriers(rest, spans)
  }
  return all.toSorted((a, b) => a.start - b.start)
}

/** Overlapping spans become one, named by the most specific rule. */
function merged(spans: readonly Span[]): readonly Span[] {
  const result: Span[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start || a.rank - b.rank)) {
    const last = result.at(-1)
    if (last === undefined || last.end <= span.start) {
      result.push(span)
      continue
    }
    const named = span.rank < last.rank ? span : last
    result[result.length - 1] = {
      ...named,
      start: last.start,
      end: Math.max(last.end, span.end),
    }
  }
  return result
}

type TextRange = { readonly start: number; readonly end: number }

function withBarriers(text: string, stretches: readonly TextRange[]): string {
  if (stretches.length === 0) return text
  const pieces: string[] = []
  let copied = 0
  for (const { start, end } of stretches) {
    pieces.push(text.slice(copied, start), "\0".repeat(end - start))
    copied = end
  }
  return pieces.join("") + text.slice(copied)
}

function replace(
  text: string,
  spans: readonly Span[],
  hashOf: (secret: string) => string,
): RedactedText {
  const pieces: string[] = []
  const findings: SecretFinding[] = []
  let length = 0
  let copied = 0
  let line = 1
  for (const span of spans) {
    const before = text.slice(copied, span.start)
    const digits = hashOf(span.secret)
    const marker = markerOf(span.kind, digits)
    line += countLines(before)
    const start = length + before.length
    length = start + marker.length
    findings.push({ kind: span.kind, line, hash: digits, start, end: length })
    pieces.push(before, marker)
    line += countLines(text.slice(span.start, span.end))
    copied = span.end
  }
  return { text: pieces.join("") + text.slice(copied), findings }
}

function countLines(text: string): number {
  let lines = 0
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++
  return lines
}

/** Position in the input; of an encoded secret, of its encoded form. */
export type SecretSpan = { readonly start: number; readonly end: number; readonly kind: string }

export type SecretFinding = {
  readonly kind: string
  readonly line: number
  readonly hash: string
  readonly start: number
  readonly end: number
}

export type RedactedText = { readonly text: string; readonly findings: readonly SecretFinding[] }

export function markerOf(kind: string, hashDigits: string): string {
  return `[redacted: ${kind} ${hashDigits}]`
}

/**
 * All markers in a text, of any origin. The kind has no digits, so a key cannot imitate it.
 */
export const MARKER = /\[redacted: [a-z-]{1,40} [0-9a-f]{4}\]/g
