import { spawn, spawnSync } from "node:child_process"
import { openSync } from "node:fs"
import { readFile } from "node:fs/promises"
import path from "node:path"
import { text } from "node:stream/consumers"
import { describe, expect, test } from "vitest"
import { tempDirectory } from "#test/temp"

const MODULE = path.join(import.meta.dirname, "standard-output.ts")
/** More than a pipe takes at once. */
const LINES = 50_000
const WHOLE = Array.from({ length: LINES }, (_, line) => `line ${line}\n`).join("")

/** Writes lines to stdout and says on stderr whether its reader has gone. */
const WRITER = [
  "--input-type=module",
  "-e",
  `import { openOutput } from ${JSON.stringify(MODULE)}
  let isClosed = false
  const stdout = openOutput(1, () => { isClosed = true })
  for (let line = 0; line < ${LINES}; line++) stdout.write("line " + line + "\\n")
  process.on("exit", () => openOutput(2, () => {}).write(isClosed ? "closed" : "open"))`,
]

describe("standard output", () => {
  test("a pipe gets everything in order", async () => {
    const child = spawn(process.execPath, WRITER)
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
    expect(stdout === WHOLE).toBe(true)
    expect(stderr).toBe("open")
  })

  test("a pipe that does not block gets everything in order", () => {
    // The parent's end of a pipe is the one that does not block.
    const script = `const { spawn } = require("node:child_process")
      const reader = spawn("sh", ["-c", "sleep 0.2; cat"], { stdio: ["pipe", 1, 2] })
      const stdio = [0, reader.stdin._handle.fd, 2]
      const writer = spawn(process.execPath, ${JSON.stringify(WRITER)}, { stdio })
      writer.on("close", () => reader.stdin.end())`
    const options = { encoding: "utf8", maxBuffer: 1e8 } as const
    const { stdout, stderr } = spawnSync(process.execPath, ["-e", script], options)
    expect(stderr).toBe("open")
    expect(stdout === WHOLE).toBe(true)
  })

  test("a file gets everything", async () => {
    await using temp = await tempDirectory()
    const file = path.join(temp.path, "out")
    spawnSync(process.execPath, WRITER, { stdio: ["ignore", openSync(file, "w"), "pipe"] })
    expect((await readFile(file, "utf8")) === WHOLE).toBe(true)
  })

  test("a reader that has gone ends the writing, not the process", () => {
    const command = `"$0" "$@" | head -1`
    const given = ["-c", command, process.execPath, ...WRITER]
    const { stdout, stderr } = spawnSync("sh", given, { encoding: "utf8" })
    expect([stdout, stderr]).toEqual(["line 0\n", "closed"])
  })
})
