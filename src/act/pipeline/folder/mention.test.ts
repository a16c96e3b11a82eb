import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { readMention } from "./mention.ts"

const SLUGS = ["deep-research", "dev-loop", "deep"]

test.each([
  ["@deep-research what are the fees?", "deep-research", "what are the fees?"],
  ["  @dev-loop\nrename it", "dev-loop", "rename it"],
  ["please @deep-research look at fees", "deep-research", "please look at fees"],
  ["look at fees @deep-research", "deep-research", "look at fees"],
  ["@deep-research, fees", "deep-research", "fees"],
  ["@deep-research: fees", "deep-research", "fees"],
  ["@deep fees", "deep", "fees"],
  ["@deep-research", "deep-research", ""],
  ["ask @deep-research.", "deep-research", "ask ."],
  ["@nobody @dev-loop do it", "dev-loop", "@nobody do it"],
  ["@dev-loop and @deep-research", "dev-loop", "and @deep-research"],
])("[PIPE-47] %j mentions %s", (message, slug, query) => {
  expect(readMention(message, SLUGS)).toEqual({ slug, query })
})

test.each([
  "",
  "deep-research",
  "me@deep-research",
  "me@deep-research.org",
  "write to@dev-loop",
  "src/@deep-research/x",
  "@deep-research/prompts",
  "@deep-research.md",
  "@deep-research@example.org",
  "@deep-research:8080",
  "@deep-research-2",
  "@deep-researcher",
  "@deep_research",
  "@Deep-Research",
  "@@deep-research",
  "(@deep-research)",
  "@ deep-research",
  "\\@deep-research",
])("[PIPE-47] %j mentions no recipe", (message) => {
  expect(readMention(message, SLUGS)).toBeUndefined()
})

test("[PIPE-47] any message is parsed, and its text is preserved", () => {
  const pieces = fc.constantFrom(
    "@deep-research",
    "@",
    "a",
    " ",
    "\n",
    ".",
    "/",
    "-",
    "é",
    "@dev-loop",
  )
  const messages = fc.oneof(
    fc.string(),
    fc.array(pieces).map((it) => it.join("")),
  )
  fc.assert(
    fc.property(messages, (message) => {
      const mention = readMention(message, SLUGS)
      if (mention === undefined) return
      expect(SLUGS).toContain(mention.slug)
      expect(mention.query.length).toBeLessThan(message.length)
    }),
    fcParameters({ numRuns: 500 }),
  )
})
