import path from "node:path"
import { afterAll, expect } from "vitest"
import { appendFileTime, computingTime } from "./computing-time.ts"

const ROOT = path.join(import.meta.dirname, "../..")
const list = process.env["QM_TEST_CPU"]
const before = computingTime()
const file = path.relative(ROOT, expect.getState().testPath ?? "")

afterAll(() => {
  const after = computingTime()
  if (list === undefined || before === undefined || after === undefined) return
  appendFileTime(list, {
    file,
    user: after.user - before.user,
    system: after.system - before.system,
    children: after.children - before.children,
  })
})
