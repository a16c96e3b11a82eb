import { expect, test } from "vitest"
import * as errors from "./errors.ts"

test("[CLI-10] the former codes of renamed errors stay declared", () => {
  const former = Object.values(errors).flatMap((it) =>
    "text" in it && it.text.formerCode !== undefined ? [`${it.text.formerCode}: ${it.code}`] : [],
  )
  expect(former.toSorted()).toEqual([
    "PIPELINE_AGENT_CHANGED: PIPELINE_RECIPE_CHANGED",
    "PIPELINE_AGENT_EXISTS: PIPELINE_RECIPE_EXISTS",
    "PIPELINE_AGENT_INVALID: PIPELINE_RECIPE_INVALID",
    "PIPELINE_AGENT_TEMPLATE_UNKNOWN: PIPELINE_RECIPE_TEMPLATE_UNKNOWN",
    "PIPELINE_AGENT_UNKNOWN: PIPELINE_RECIPE_UNKNOWN",
    "PIPELINE_AGENT_UNTRUSTED: PIPELINE_RECIPE_UNTRUSTED",
  ])
})
