import { expect, test } from "vitest"
import * as errors from "./errors.ts"

test("[CLI-10] the former codes of renamed errors stay declared", () => {
  const former = Object.values(errors).flatMap((it) =>
    "text" in it && it.text.formerCode !== undefined ? [`${it.text.formerCode}: ${it.code}`] : [],
  )
  expect(former.toSorted()).toEqual([
    "GATEWAY_CARRY_NOT_NAMED: GATEWAY_SESSION_NOT_NAMED",
    "GATEWAY_CARRY_UNKNOWN: GATEWAY_SESSION_UNKNOWN",
    "GATEWAY_HOST_NOT_CARRIED: GATEWAY_HOST_NOT_SUPPORTED",
  ])
})
