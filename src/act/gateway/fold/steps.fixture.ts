import fc from "fast-check"
import type { Step, ToldCall } from "./story.fixture.ts"

const size = fc.constantFrom(40, 900, 3_000)

const call: fc.Arbitrary<ToldCall> = fc.oneof(
  fc.record({
    tool: fc.constantFrom("Read", "Read", "ToolSearch", "AskUserQuestion", "Screenshot"),
    size,
  }),
  fc.record({
    tool: fc.constant("branch" as const),
    how: fc.constantFrom("ours", "ours", "ours", "ours", "foreign", "failed"),
  }),
  fc.record({
    tool: fc.constant("return" as const),
    of: fc.constantFrom(0, 0, 1, 1, 2, 3),
    how: fc.constantFrom("good", "good", "good", "good", "failed", "silent"),
    names: fc.constantFrom(true, true, false),
  }),
)

const step: fc.Arbitrary<Step> = fc.record({
  calls: fc.array(call, { maxLength: 3 }),
  thinks: fc.boolean(),
  beside: fc.array(fc.constantFrom("lazy", "skill", "typed", "reminder", "picture"), {
    maxLength: 2,
  }),
  system: fc.constantFrom("none", "none", "hook", "style", "nag", "config"),
  strange: fc.oneof(
    { weight: 9, arbitrary: fc.constant("none" as const) },
    {
      weight: 3,
      arbitrary: fc.constantFrom("system block", "system block", "user block", "role", "twice"),
    },
  ),
})

const OPENING: Step = {
  calls: [
    { tool: "branch", how: "ours" },
    { tool: "Read", size: 3_000 },
  ],
  thinks: true,
  beside: [],
  system: "none",
  strange: "none",
}
const WORK: Step = { ...OPENING, calls: [{ tool: "Read", size: 3_000 }] }

/** Conversations with branches that are nested, crossed, parallel, failed and never closed. */
export const steps: fc.Arbitrary<readonly Step[]> = fc
  .array(step, { minLength: 3, maxLength: 12 })
  .map((told) => [OPENING, WORK, ...told])
