import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import path from "node:path"
import { expect, test } from "vitest"
import { z } from "zod"
import { OPERATIONS } from "#ground/contract"
import { arrange } from "../command-index.ts"
import { deriveCommands } from "../derive-commands.ts"
import { renderManual } from "./manual.ts"

const ROOT = path.join(import.meta.dirname, "../../../..")
const COMMANDS = arrange(deriveCommands(Object.values(OPERATIONS)))

test("[CLI-34] the manual page has every command with its flags and examples", () => {
  const page = renderManual(COMMANDS)
  for (const command of COMMANDS) {
    if (command.aliasOf !== undefined) continue
    expect(page).toContain(`.SS "qm ${command.words.join(" ").replaceAll("-", "\\-")}`)
    for (const flag of command.flags) {
      const name = flag.name.replaceAll("-", "\\-")
      const shown = flag.defaultText === "true" ? `[no\\-]${name}` : name
      expect(page).toContain(`\\fB\\-\\-${shown}`)
    }
  }
  // Every other line would be read as a request.
  const requests = new Set(page.match(/^[.'].\S*/gm))
  expect([...requests].toSorted()).toEqual([
    ".PP",
    ".SH",
    ".SS",
    ".TH",
    ".TP",
    ".ad",
    ".ds",
    ".fi",
    ".nf",
  ])
})

const hasGroff = spawnSync("groff", ["--version"]).status === 0

test.runIf(hasGroff)("[CLI-34] groff formats the page without a warning", () => {
  const { stdout, stderr } = spawnSync("groff", ["-man", "-Tutf8", "-ww"], {
    input: renderManual(COMMANDS),
    encoding: "utf8",
  })
  expect(stderr).toBe("")
  expect(stdout).toContain("qm runs show")
})

test("[CLI-34] package.json names the generated page", () => {
  const { man } = z
    .object({ man: z.string() })
    .parse(JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")))
  expect(existsSync(path.join(ROOT, man))).toBe(true)
})
