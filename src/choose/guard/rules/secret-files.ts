import path from "node:path"
import type { HookContext, HookEvent, Rule, Verdict } from "../event.ts"
import { asArgument, firstOf, shown } from "../message-format.ts"
import { coveringOverride } from "../overrides.ts"
import { readShellWords } from "../shared-tree/git-command.ts"
import { MOST_LISTED_PATHS } from "../verdict-log.ts"

type BeforeTool = Extract<HookEvent, { kind: "before-tool" }>

/**
 * Denies reading a file of secrets: its text would be sent to the model provider with every later
 * request. Programs that use such a file without printing it are not denied.
 */
export const secretFiles: Rule = {
  name: "secrets",
  level: 2,
  kinds: ["before-tool"],
  async judge(event, context) {
    if (event.kind !== "before-tool") return SILENT
    const read = [...new Set([...readPaths(event), ...printedPaths(event, context.root)])]
    const secret = read.filter(isSecretFile)
    return secret.length === 0 ? SILENT : judgeSecret(secret, event, context)
  },
}

const SILENT: Verdict = { kind: "silent" }

const READ_TOOLS: ReadonlySet<string> = new Set(["Read", "NotebookRead", "View", "read_file"])

function readPaths({ tool, paths, outside = [] }: BeforeTool): readonly string[] {
  return READ_TOOLS.has(tool) ? [...paths, ...outside] : []
}

const PRINTERS: ReadonlySet<string> = new Set(
  (
    "ag awk base64 bat batcat cat diff egrep fgrep gawk grep head hexdump jq less more nl od rg " +
    "sed sort strings tac tail type xxd yq"
  ).split(" "),
)

/** A search that only counts or tests prints no line. */
const SILENT_SEARCH = /^-[a-zA-Z]{0,20}[clqL]/
const SEARCHES: ReadonlySet<string> = new Set(["ag", "egrep", "fgrep", "grep", "rg"])

/** Arguments of programs that print files, and files that are redirected into a program. */
function printedPaths({ command = "", directory }: BeforeTool, root: string): readonly string[] {
  return readShellWords(command).flatMap(([program = "", ...args]) => {
    const name = path.basename(program)
    const isQuiet = SEARCHES.has(name) && args.some((it) => SILENT_SEARCH.test(it))
    const redirected = args.flatMap((it, at) => {
      if (it === "<") return args[at + 1] ?? []
      return it.startsWith("<") && !it.startsWith("<<") ? it.slice(1) : []
    })
    const files = PRINTERS.has(name) && !isQuiet ? args.filter((it) => !it.startsWith("-")) : []
    return [...files, ...redirected].map((it) => relativePath(it, directory, root))
  })
}

function relativePath(word: string, directory: string, root: string): string {
  if (word.startsWith("~")) return word
  const absolute = path.resolve(directory, word)
  const inside = path.relative(root, absolute)
  return inside === "" || inside.startsWith("..") || path.isAbsolute(inside) ? absolute : inside
}

const SECRET_NAMES: readonly RegExp[] = [
  /^\.env(?:\.[\w.-]+)?$/,
  /^(?:[\w.-]+\.)env$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/,
  /\.(?:key|p12|pfx|jks|keystore|kdbx|ppk)$/,
  /^(?:\.netrc|_netrc|\.pgpass|\.git-credentials|\.htpasswd)$/,
  /^(?:credentials|secrets?)\.(?:json|ya?ml|toml|ini|properties)$/,
  /^service[-_]?account[\w.-]*\.json$/,
]

/** Certificates and public keys. */
const PUBLIC_PEM = /cert|chain|pub|(?:^|[._-])ca[._-]/

const SECRET_PATHS: readonly RegExp[] = [
  /(?:^|\/)\.aws\/credentials$/,
  /(?:^|\/)\.docker\/config\.json$/,
  /(?:^|\/)\.kube\/config$/,
]

/** Written to be shared. */
const EXAMPLE =
  /\.(?:example|sample|template|dist|defaults|schema|pub)$|(?:^|[.-])(?:example|sample|template)\b/

export function isSecretFile(file: string): boolean {
  const normal = file.replaceAll("\\", "/").toLowerCase()
  const name = normal.slice(normal.lastIndexOf("/") + 1)
  if (EXAMPLE.test(name)) return false
  const isPrivatePem = name.endsWith(".pem") && !PUBLIC_PEM.test(name)
  const isNamed = isPrivatePem || SECRET_NAMES.some((it) => it.test(name))
  return isNamed || SECRET_PATHS.some((it) => it.test(normal))
}

async function judgeSecret(
  files: readonly string[],
  event: BeforeTool,
  { stateDirectory }: HookContext,
): Promise<Verdict> {
  const query = { stateDirectory, now: event.at }
  const refused: string[] = []
  for (const file of files) {
    const isInside = !path.isAbsolute(file) && !file.startsWith("~")
    const override = await coveringOverride(query, isInside ? file : ".")
    if (override === undefined) refused.push(file)
  }
  if (refused.length > 0) return { kind: "deny", text: formatBlock(refused), paths: refused }
  const text = `${firstOf(files.map(shown), MOST_LISTED_PATHS)} may contain secrets; an override permits the read.`
  return { kind: "override", text, paths: files }
}

function formatBlock(files: readonly string[]): string {
  const named = firstOf(files.map(shown), MOST_LISTED_PATHS)
  const inside = files.filter((it) => !path.isAbsolute(it) && !it.startsWith("~"))
  const words = inside.slice(0, MOST_LISTED_PATHS).map(asArgument)
  const target = inside.length === files.length ? words.join(" ") : "."
  return [
    `Read blocked: ${named} may contain secrets. The text would be sent to the model provider with every later request.`,
    "Use an example file, list only the names of variables (`cut -d= -f1 .env`), or run the program that loads the file.",
    `Only with the user's approval: \`qm override ${target} --reason "WHY"\`, with the user's reason for WHY. The override is logged.`,
  ].join("\n")
}
