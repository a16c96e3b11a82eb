import { join } from "node:path"

/** One check: what to run in the root, and how to read from its output how many files it saw. */
export type Check = {
  readonly name: string
  /** The folder whose sources it must have seen, all of them. */
  readonly over: "src" | "console/src"
  readonly args: (root: string) => readonly string[]
  /** Reads the number of files from what was printed; 0 when it does not say. */
  readonly seen: (output: string, root: string) => number
}

const SCRIPTS = join(import.meta.dirname, "..")
const PROGRAMS = join(SCRIPTS, "../node_modules")

/** All are started by the running Node: the tools' own launchers would take one from the PATH. */
export const CHECKS: readonly Check[] = [
  {
    name: "format",
    over: "src",
    args: () => [
      join(PROGRAMS, "@biomejs/biome/bin/biome"),
      "check",
      "--linter-enabled=false",
      "--colors=off",
      "--verbose",
      ".",
    ],
    seen: (output) => output.split("\n").filter((line) => FORMATTED_SOURCE.test(line)).length,
  },
  {
    name: "lint",
    over: "src",
    args: () => [join(PROGRAMS, "oxlint/bin/oxlint")],
    seen: (output) => numberIn(output, /on (\d+) files?/),
  },
  {
    name: "types",
    over: "src",
    args: () => [join(PROGRAMS, "typescript/bin/tsc"), "-p", ".", "--listFiles"],
    seen: (output, root) => ownFiles(output, root).length,
  },
  {
    name: "pages",
    over: "console/src",
    args: () => [join(PROGRAMS, "typescript/bin/tsc"), "-p", "console", "--listFiles"],
    seen: (output, root) => ownFiles(output, root).length,
  },
  {
    name: "tidy",
    over: "src",
    args: (root) => [join(SCRIPTS, "tidy.ts"), "--root", root],
    seen: (output) => numberIn(output, /^tidy: (\d+) files/m),
  },
  {
    name: "dead",
    over: "src",
    args: () => [
      join(PROGRAMS, "knip/bin/knip.js"),
      "--no-progress",
      "--no-config-hints",
      "--reporter=symbols",
      `--reporter=${join(SCRIPTS, "check/knip-count.ts")}`,
    ],
    seen: (output) => numberIn(output, /^knip: (\d+) files/m),
  },
]

/** With --verbose Biome lists what it looked at; its count takes JSON for sources too. */
const FORMATTED_SOURCE = /^ {2}- .+\.(?:ts|tsx|mjs)$/

function numberIn(output: string, pattern: RegExp): number {
  return Number(pattern.exec(output)?.[1] ?? 0)
}

/** The compiler lists each file it read on a line of its own, ours among the libraries'. */
function ownFiles(output: string, root: string): readonly string[] {
  const lines = output.split("\n").filter((it) => it.startsWith(`${root}/`))
  return lines.filter((it) => !it.includes("/node_modules/"))
}
