import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"
import { thisMachine } from "./machine.ts"

test("[BASE-25] all processes of a machine agree on its name, its start and the time since then", () => {
  const { name, boot, uptimeMs } = thisMachine()
  const script = `import { thisMachine } from ${JSON.stringify(import.meta.resolve("./machine.ts"))}
    const it = thisMachine()
    process.stdout.write(JSON.stringify([it.name, it.boot, it.uptimeMs()]))`
  const before = uptimeMs()
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  })
  const after = uptimeMs()
  expect(JSON.parse(said)).toEqual([name, boot, expect.any(Number)])
  const [, , between] = JSON.parse(said) as [string, string, number]
  expect(before).toBeLessThanOrEqual(between)
  expect(between).toBeLessThanOrEqual(after)
})
