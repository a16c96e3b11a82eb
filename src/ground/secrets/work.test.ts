import { describe, expect, test } from "vitest"
import { systemRandom } from "#ground/base"
import { isNight } from "#test/seed"
import { regexTraps, repeated } from "../../../test/corpus/regex-traps.ts"
import { KEYWORDS, RULES } from "./find.ts"
import { PATTERN_REACH_CHARACTERS } from "./limits.ts"
import { createRedactor } from "./redact.ts"
import { createAutomaton } from "./rules/automaton.ts"

const KNOWN = ["aaaaaaaaab", `${"a".repeat(3_000)}b`, "https://corp.dev/abc?d=1"]
const { redact } = createRedactor({ random: systemRandom, known: KNOWN })

function stepsFor(text: string): number {
  const work = { steps: 0 }
  redact(text, work)
  return work.steps
}

/**
 * Four times the text is four times the work, and a character costs at most one try of a pattern.
 */
function isLinear(textOf: (characters: number) => string): boolean {
  const [quarter, whole] = [stepsFor(textOf(LENGTH / 4)), stepsFor(textOf(LENGTH))]
  return whole / quarter < 4.4 && whole / LENGTH < PATTERN_REACH_CHARACTERS
}

const LENGTH = 100_000

describe("[F6] catastrophic inputs for regular expressions", () => {
  const traps = regexTraps()

  test("[F6] there are two hundred different inputs", () => {
    expect(new Set(traps.map((it) => it.of(LENGTH))).size).toBeGreaterThanOrEqual(200)
    expect(traps.filter((it) => it.of(LENGTH).length !== LENGTH)).toEqual([])
  })

  test("[F6] each takes at most linear work", () => {
    expect(traps.filter((it) => !isLinear(it.of)).map((it) => it.name)).toEqual([])
  })

  test("[F6] each of our keywords before an almost-secret takes at most linear work", () => {
    const units = KEYWORDS.flatMap((it) => [it, `${it}=a1B2 `, `${it}${"aB3_".repeat(64)} `])
    const together = isNight() ? 1 : 12
    const bad = Array.from({ length: Math.ceil(units.length / together) }, (_, at) =>
      units.slice(at * together, (at + 1) * together).join(""),
    ).filter((unit) => !isLinear((characters) => repeated(unit, characters)))
    expect(bad).toEqual([])
  })

  test("[F6] every quantifier of every pattern has an upper bound", () => {
    const sources = RULES.flatMap((it) => it.pattern?.source ?? [])
    expect(sources.length).toBeGreaterThan(100)
    const isUnbounded = (source: string) =>
      /[*+]|\{\d+,\}/.test(source.replace(/\\./g, "x").replace(/\[[^\]]*\]/g, "x"))
    expect(sources.filter(isUnbounded)).toEqual([])
  })
})

describe("work per input", () => {
  // Names, prefixes and near misses of every kind of rule, repeated.
  test.for([
    "a",
    " ",
    "\0",
    "\n",
    "\\n",
    "\\u0041",
    "%41",
    "key",
    "sk-",
    "glpat-",
    "gh" + "p_",
    "AKIA",
    "eyJ",
    "eyJa.",
    "MTIz.",
    "QUFB",
    `${"A".repeat(76)}\n`,
    "hf_aaaaaaaaaaaaaaaaaaaaaaaaaaaaa ",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nMIIE",
    "Private-Lines: 3\n",
    "token=",
    "token    =    x ",
    "token\n\n\n\n\n",
    "token=token_token.token-",
    "password    :    ",
    "--password ",
    "pass\n value: ",
    "://a:",
    "://a:b@",
    "cookie: a=b ",
    "authorization: bearer ",
    '"auth":"',
    "[redacted: x 0000]",
    "password: Xk9mQ2vLw8 ",
    "aaaaaaaaab",
  ])("[SECRETS-8] four times as many of %j take four times the work", (part) => {
    expect(isLinear((characters) => repeated(part, characters))).toBe(true)
  })

  test("[SECRETS-8] a clean text is scanned a fixed number of times", () => {
    const text = "const answer = compute(42) // no more to say\n".repeat(4_000)
    expect(stepsFor(text) / text.length).toBeLessThan(4)
  })

  test("[SECRETS-8] keywords are found in one scan, also nested and at the ends", () => {
    const keywords = ["she", "he", "hers", "e"]
    const found: string[] = []
    createAutomaton(keywords)("uSHErs he", (keyword, start) => {
      found.push(`${start} ${keywords[keyword]}`)
    })
    expect(found).toEqual(["1 she", "2 he", "3 e", "2 hers", "7 he", "8 e"])
  })
})
