import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, test } from "vitest"

/** Says every module that importing the room loads, as a hook process would. */
const SCRIPT = `
  import { registerHooks } from "node:module"
  const loaded = []
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
  const room = await import("#choose/guard")
  process.stdout.write(JSON.stringify({ loaded, names: Object.keys(room) }))
`

test("[GUARD-13] importing the room loads no package, and no room but ground/base and know/ledger", async () => {
  const root = `${import.meta.dirname}/../../..`
  const args = ["--input-type=module", "--eval", SCRIPT]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root })
  const { loaded, names }: { loaded: string[]; names: string[] } = JSON.parse(stdout)
  const others = loaded.filter(
    (url) =>
      !url.startsWith("node:") && !/\/src\/(?:choose\/guard|know\/ledger|ground\/base)\//.test(url),
  )
  expect(others).toEqual([])
  expect(names).toContain("covers")
  expect(loaded.some((url) => url.endsWith("/choose/guard/simulate/reach.ts"))).toBe(true)
})
