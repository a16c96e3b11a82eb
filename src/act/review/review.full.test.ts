import { execFileSync } from "node:child_process"
import { describe, expect, test } from "vitest"
import { needs } from "#test/needs"

/** The arguments that `tool.ts` uses, in the help of the real program. Debian has `gh` only. */
describe.runIf(needs("REVIEW-2", "gh"))("the real gh", () => {
  test("[REVIEW-2] `gh api` and `gh auth status` have the flags that we pass", () => {
    const api = execFileSync("gh", ["api", "--help"], { encoding: "utf8" })
    for (const flag of ["--hostname", "--method", "--input"]) expect(api).toContain(flag)
    expect(api).toContain("graphql")
    const auth = execFileSync("gh", ["auth", "status", "--help"], { encoding: "utf8" })
    expect(auth).toContain("--hostname")
  })
})
