import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"

/**
 * A tree of the given number of files or lines, made of our own sources: each copy has its own folder and
 * names, so that neither its text nor its words match another. Real code, and nothing to fetch.
 */
export function makeTree(
  folder: string,
  options: { root: string } & ({ files: number } | { lines: number }),
): MadeTree {
  const isEnough = (files: number, lines: number) =>
    "files" in options ? files >= options.files : lines >= options.lines
  const sources = globSync("src/**/*.ts", { cwd: options.root })
    .filter((it) => !it.endsWith(".test.ts") && !it.endsWith(".generated.ts"))
    .toSorted()
  let [made, lines, bytes] = [0, 0, 0]
  for (; !isEnough(made, lines); made++) {
    const source = sources[made % sources.length] ?? ""
    const part = PARTS[Math.floor(made / sources.length) % PARTS.length] ?? "part"
    const round = Math.floor(made / (sources.length * PARTS.length))
    const text = ownWords(readFileSync(path.join(options.root, source), "utf8"), part)
    const file = path.join(folder, round === 0 ? part : `${part}${round}`, source)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
    lines += text.split("\n").length
    bytes += text.length
  }
  return { folder, files: made, lines, bytes }
}

export type MadeTree = {
  readonly folder: string
  readonly files: number
  readonly lines: number
  readonly bytes: number
}

function ownWords(text: string, part: string): string {
  const word = `${part.charAt(0).toUpperCase()}${part.slice(1)}`
  return text
    .replace(/\b(function|const|type) ([a-z]\w+)/g, `$1 $2${word}`)
    .replace(/\btype ([A-Z]\w+)/g, `type $1${word}`)
}

const PARTS = (
  "harbour berth tariff crane tide anchor buoy cargo dock ferry gangway hull jetty keel lantern " +
  "mooring navigator oar pilot quay rudder sail tugboat voyage winch yard bollard capstan draught"
).split(" ")
