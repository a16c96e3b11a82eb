import { globSync, readFileSync } from "node:fs"
import path from "node:path"
import { Language, Parser } from "web-tree-sitter"

/**
 * Reads all files, then parses them, in one thread: every scan with these grammars does both.
 * `node parse-floor.ts <package> <folder>` prints the CPU seconds of both.
 */
const [, , root = "", folder = ""] = process.argv

const secondsSince = (before: NodeJS.CpuUsage) => {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000_000
}

const atStart = process.cpuUsage()
const texts = globSync("**/*.ts", { cwd: folder }).map((it) =>
  readFileSync(path.join(folder, it), "utf8"),
)
const readSeconds = secondsSince(atStart)

const grammars = path.join(root, "grammars")
await Parser.init({ locateFile: (name: string) => path.join(grammars, name) })
const parser = new Parser().setLanguage(
  await Language.load(readFileSync(path.join(grammars, "typescript.wasm"))),
)
const beforeParsing = process.cpuUsage()
for (const text of texts) parser.parse(text)?.delete()
process.stdout.write(JSON.stringify({ readSeconds, parseSeconds: secondsSince(beforeParsing) }))
