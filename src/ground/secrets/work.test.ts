import { describe, expect, test } from "vitest"
import { systemRandom } from "#ground/base"
import { createAutomaton } from "./automaton.ts"
import { PATTERN_REACH_CHARACTERS } from "./limits.ts"
import { createRedactor } from "./redact.ts"

const KNOWN = ["aaaaaaaaab", `${"a".repeat(3_000)}b`, "https://corp.dev/abc?d=1"]
const { redact } = createRedactor({ random: systemRandom, known: KNOWN })

function stepsFor(text: string): number {
  const work = { steps: 0 }
  redact(text, work)
  return work.steps
}

describe("[SECRETS-8] no input stalls it", () => {
  const LENGTH = 200_000
  // Names, beginnings and near misses of every kind of rule, end to end.
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
  ])("[SECRETS-8] twice as many of %j are twice the work", (part) => {
    const text = part.repeat(Math.ceil(LENGTH / part.length)).slice(0, LENGTH)
    const [half, whole] = [stepsFor(text.slice(0, LENGTH / 2)), stepsFor(text)]
    expect(whole / half).toBeLessThan(2.2)
    expect(whole / LENGTH).toBeLessThan(PATTERN_REACH_CHARACTERS)
  })

  test("[SECRETS-8] a clean text is walked over a fixed number of times", () => {
    const text = "const answer = compute(42) // no more to say\n".repeat(4_000)
    expect(stepsFor(text) / text.length).toBeLessThan(4)
  })

  test("[SECRETS-8] keywords are found in one walk, also inside each other and at the ends", () => {
    const keywords = ["she", "he", "hers", "e"]
    const found: string[] = []
    createAutomaton(keywords)("uSHErs he", (keyword, start) => {
      found.push(`${start} ${keywords[keyword]}`)
    })
    expect(found).toEqual(["1 she", "2 he", "3 e", "2 hers", "7 he", "8 e"])
  })
})
