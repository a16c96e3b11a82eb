import { execFileSync } from "node:child_process"
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { drawRecording, type Scene } from "./record/draw.ts"
import { screenOf } from "./record/screen.ts"

/**
 * `node scripts/record.ts`: runs qm in a pseudo terminal, in a new sample repository of a new user,
 * and writes what the terminal shows as an animated picture for the README. It fails if a command
 * fails.
 */
const COLUMNS = 96
const ROWS = 26
const PICTURE = path.join(import.meta.dirname, "../docs/guide/images/session.svg")

const COMMANDS: readonly (readonly string[])[] = [
  ["demo", "tideline"],
  ["capture"],
  ["pack", "quotes and invoices differ by a cent, fix roundLine"],
  ["map", "show", "roundLine"],
]

const scratch = await realpath(await mkdtemp(path.join(tmpdir(), "qm-record-")))
try {
  const home = path.join(scratch, "home")
  await mkdir(home)
  const scenes: Scene[] = []
  for (const words of COMMANDS) {
    const cwd = words[0] === "demo" ? home : path.join(home, "tideline")
    const output = runInTerminal(words, { cwd, home })
    const typed = `qm ${words.map((it) => (it.includes(" ") ? `"${it}"` : it)).join(" ")}`
    scenes.push({ typed, lines: screenOf(output.replaceAll(home, "~"), COLUMNS) })
  }
  await writeFile(PICTURE, drawRecording(scenes, { columns: COLUMNS, rows: ROWS }))
  process.stdout.write(`${scenes.length} commands recorded in ${PICTURE}\n`)
} finally {
  await rm(scratch, { recursive: true })
}

type Folders = { readonly cwd: string; readonly home: string }

/** `script` gives the command a terminal; `-e` passes its exit code on. */
function runInTerminal(words: readonly string[], { cwd, home }: Folders): string {
  const quoted = words.map((it) => `'${it}'`).join(" ")
  const qm = path.join(import.meta.dirname, "../bin/qm.mjs")
  const line = `stty cols ${COLUMNS} rows ${ROWS}; '${process.execPath}' '${qm}' ${quoted}`
  return execFileSync("script", ["-qefc", line, "/dev/null"], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: home, TERM: "xterm-256color", LANG: "C.UTF-8" },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  })
}
