import { expect, test } from "vitest"
import { systemRandom } from "#ground/base"
import { parseSecretPattern } from "#ground/contract"
import { createRedactor } from "../redact.ts"

const patterns = ["acme_[a-z0-9]{8,12}", "corp-(?:live|test)-\\d+"]
  .map(parseSecretPattern)
  .filter((it) => typeof it !== "string")
const { redact } = createRedactor({
  random: systemRandom,
  known: [],
  patterns,
})

test("[H7][SECRETS-19] own patterns are found everywhere, also encoded, and the text around them stays", () => {
  const first = "acme_plainword"
  const text = `a ${first}, ${Buffer.from(`key ${first} of the test system`).toString("base64")}, corp-live-0!`
  const { text: safe, findings } = redact(text)
  expect(findings.map((it) => it.kind)).toEqual(["own-pattern", "own-pattern", "own-pattern"])
  expect(safe).toMatch(
    /^a \[redacted: own-pattern [0-9a-f]{4}\], .+, \[redacted: own-pattern [0-9a-f]{4}\]!$/,
  )
  expect(redact(safe).text).toBe(safe)
  expect(redact("acme_short, corp-demo-1").findings).toEqual([])
})

test("[SECRETS-19] own patterns take linear work", () => {
  const stepsFor = (characters: number) => {
    const work = { steps: 0 }
    redact("acme_corp-live-".repeat(characters / 15), work)
    return work.steps
  }
  expect(stepsFor(60_000) / stepsFor(15_000)).toBeLessThan(4.4)
})
