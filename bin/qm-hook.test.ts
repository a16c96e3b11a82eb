import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import path from "node:path"
import { expect, test } from "vitest"
import { tempDirectory } from "#test/temp"

const ROOMS = ["ground/base", "see/repo", "know/ledger", "choose/guard/rules", "show/hooks"]

test("[BIN-6] in a clone qm-hook runs the bundle if it is newer than its sources, else the sources", async () => {
  await using temp = await tempDirectory()
  const root = temp.path
  cpSync(import.meta.dirname, path.join(root, "bin"), { recursive: true })
  writeFileSync(path.join(root, "package.json"), '{ "type": "module" }')
  const put = (file: string, text: string, seconds: number) => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    writeFileSync(path.join(root, file), text)
    utimesSync(path.join(root, file), seconds, seconds)
  }
  const run = () => {
    const hook = path.join(root, "bin/qm-hook.mjs")
    return spawnSync(process.execPath, [hook], { encoding: "utf8", input: "" }).stdout
  }
  for (const room of ROOMS) put(`src/${room}/a.ts`, "", 1_000)
  put("src/show/hooks/main.ts", 'console.log("sources")', 1_000)
  expect(run()).toBe("sources\n")
  put("dist/hooks/qm-hook.mjs", 'console.log("bundle")', 2_000)
  expect(run()).toBe("bundle\n")
  put("src/choose/guard/rules/a.test.ts", "", 3_000)
  expect(run()).toBe("bundle\n")
  put("src/choose/guard/rules/a.ts", "", 3_000)
  expect(run()).toBe("sources\n")
  put("dist/hooks/qm-hook.mjs", 'console.log("bundle")', 4_000)
  expect(run()).toBe("bundle\n")
  rmSync(path.join(root, "src/know"), { recursive: true })
  expect(run()).toBe("sources\n")
  rmSync(path.join(root, "src"), { recursive: true })
  expect(run()).toBe("bundle\n")
})
