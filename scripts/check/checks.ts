import { join } from "node:path"

/** One check: its command, and how to read the number of checked files from its output. */
export type Check = {
  readonly name: string
  readonly over: "src" | "console/src"
  readonly args: (root: string) => readonly string[]
  /** Parses the number of files from the output; 0 when it is missing. */
  readonly seen: (output: string, root: string) => number
}

const SCRIPTS = join(import.meta.dirname, "..")
const PROGRAMS = join(SCRIPTS, "../node_modules")

/** The running Node starts all of them: the tools' own launchers would take one from the PATH. */
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

/** With --verbose Biome lists the checked files; its own count includes JSON. */
const FORMATTED_SOURCE = /^ {2}- .+\.(?:ts|tsx|mjs)$/

function numberIn(output: string, pattern: RegExp): number {
  return Number(pattern.exec(output)?.[1] ?? 0)
}

function ownFiles(output: string, root: string): readonly string[] {
  const lines = output.split("\n").filter((it) => it.startsWith(`${root}/`))
  return lines.filter((it) => !it.includes("/node_modules/"))
}
