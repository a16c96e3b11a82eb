/** Scripts whose lines are longer than this on average were written by a machine. */
const LONGEST_HAND_WRITTEN_LINE = 500

/**
 * What a file is to a reader, told before it is parsed:
 * - `secret` bears credentials by its name, and its content goes nowhere;
 * - `vendored` is somebody else's, `generated` a program's, `minified` a machine's;
 * - `lock` pins versions; `data` are values rather than words: translations, tables, drawings;
 * - `test` and `docs` are what they say; all else is `source`.
 */
export type FileClass =
  | "secret"
  | "vendored"
  | "lock"
  | "data"
  | "minified"
  | "generated"
  | "test"
  | "docs"
  | "source"

/** By path and the first bytes. The first that fits counts, in the order of `FileClass`. */
export function classify(path: string, head: Uint8Array): FileClass {
  const byPath = classifyPath(path)
  if (byPath !== "test" && byPath !== "docs" && byPath !== "source") return byPath
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString("latin1")
  if (isMinified(path, text)) return "minified"
  return saysItIsGenerated(text) ? "generated" : byPath
}

/** By path alone, which is enough to leave most of them unopened. */
export function classifyPath(path: string): FileClass {
  const lower = path.toLowerCase()
  const name = lower.slice(lower.lastIndexOf("/") + 1)
  if (isSecretBearing(path)) return "secret"
  if (VENDORED.test(lower)) return "vendored"
  if (LOCK_FILES.has(name) || name.endsWith(".lock")) return "lock"
  if (DATA_NAME.test(name)) return "data"
  if (/[.-]min\.(?:js|mjs|cjs|css)$|\.(?:js|mjs|cjs|css)\.map$/.test(name)) return "minified"
  if (GENERATED_NAME.test(name) || GENERATED_FOLDER.test(lower)) return "generated"
  if (TEST_FOLDER.test(lower) || TEST_NAME.test(name)) return "test"
  return DOCS_NAME.test(name) || DOCS_FOLDER.test(lower) ? "docs" : "source"
}

/**
 * Files that are there to hold credentials. Their content enters no index, no pack and no log,
 * whatever it is; examples of them hold none.
 */
export function isSecretBearing(path: string): boolean {
  const lower = path.toLowerCase()
  const name = lower.slice(lower.lastIndexOf("/") + 1)
  if (/\.pub$|[.-](?:example|sample|template|dist)$/.test(name)) return false
  return SECRET_NAME.test(name) || SECRET_FOLDER.test(lower)
}

export function isBinary(head: Uint8Array): boolean {
  return head.includes(0)
}

const SECRET_NAME = new RegExp(
  [
    String.raw`^\.env(?:$|[.-])|\.env$`,
    String.raw`\.(?:pem|key|p12|pfx|jks|keystore|ppk|kdbx|asc|gpg|ovpn)$`,
    String.raw`^id_(?:rsa|dsa|ecdsa|ed25519|ecdsa_sk|ed25519_sk)`,
    String.raw`^(?:\.npmrc|\.pypirc|\.netrc|_netrc|\.pgpass|\.my\.cnf|\.htpasswd|\.yarnrc\.yml)$`,
    String.raw`^(?:\.git-credentials|\.dockercfg|\.dockerconfigjson|\.s3cfg|\.boto)$`,
    String.raw`^(?:kubeconfig|.*\.kubeconfig|credentials|credentials\.(?:json|ya?ml|toml|ini))$`,
    String.raw`^(?:secrets?\.(?:json|ya?ml|toml|ini|env)|service-?account.*\.json)$`,
    String.raw`^(?:.*\.tfstate(?:\.backup)?|.*\.tfvars|master\.key|auth\.json)$`,
  ].join("|"),
)

const SECRET_FOLDER =
  /(?:^|\/)\.(?:aws|ssh|gnupg|azure|kube)\/|(?:^|\/)\.(?:docker\/config\.json|config\/(?:gcloud|gh)\/)/

const VENDORED =
  /(?:^|\/)(?:node_modules|bower_components|jspm_packages|vendor|vendors|third[_-]?party|external|deps\/vendor|godeps|site-packages|\.venv|venv|pods|carthage)\//

const LOCK_FILES: ReadonlySet<string> = new Set([
  "package-lock.json",
  "npm-shrinkwrap.json",
  "pnpm-lock.yaml",
  "bun.lockb",
  "go.sum",
  "gopkg.lock",
  "packages.lock.json",
  "package.resolved",
  "gradle.lockfile",
  "mix.lock",
  "pubspec.lock",
])

/** A quarter of django's text are its translations, and no task was ever about one of their words. */
const DATA_NAME = /\.(?:po|pot|xlf|xliff|csv|tsv|svg|geojson|ndjson|jsonl|log)$/

const GENERATED_NAME = new RegExp(
  [
    String.raw`\.(?:pb|pb\.gw|pulsar)\.(?:go|cc|h|c|swift|dart)$|_pb2(?:_grpc)?\.pyi?$`,
    String.raw`_pb\.(?:js|d\.ts|ts|rb)$|_grpc\.pb\.go$|\.twirp\.go$`,
    String.raw`\.(?:g|freezed|gr|mocks)\.dart$|\.designer\.(?:cs|vb)$|\.g(?:\.i)?\.cs$`,
    String.raw`\.(?:generated|gen)\.[a-z]+$|_generated\.[a-z]+$|^zz_generated`,
    String.raw`\.snap$|\.xib$|\.nib$|\.min\.map$`,
  ].join("|"),
)

const GENERATED_FOLDER = /(?:^|\/)(?:__generated__|__snapshots__|generated|\.next|\.nuxt)\//

const TEST_FOLDER =
  /(?:^|\/)(?:tests?|__tests__|specs?|testing|testdata|__mocks__|fixtures|e2e|src\/test)\//

const TEST_NAME =
  /[._-](?:test|tests|spec|specs)\.[a-z]+$|^test_.*\.py$|^conftest\.py$|^test.*\.(?:java|kt)$|tests?\.(?:java|kt|cs|swift|scala|php)$/

const DOCS_FOLDER = /(?:^|\/)(?:docs?|documentation|man)\//
const DOCS_NAME =
  /\.(?:md|mdx|markdown|rst|adoc|asciidoc|textile|org)$|^(?:readme|changelog|changes|history|license|licence|copying|authors|contributing|notice)(?:\.txt)?$/

/** What generators write at the top. Further down, it is somebody writing about generators. */
function saysItIsGenerated(text: string): boolean {
  const top = text.slice(0, GENERATED_MARK_WITHIN)
  return GENERATED_MARK.test(top)
}

/** A licence may come first; marks were within the first lines behind it. */
const GENERATED_MARK_WITHIN = 2_048

const GENERATED_MARK = new RegExp(
  [
    "^(?:.*\\s)?@generated\\b",
    "\\bcode generated by\\b.*\\bdo not edit\\b",
    "^\\W*(?:this (?:file|code|class) (?:is|was|has been) )?(?:auto-?|automatically |machine )generated\\b",
    "<auto-?generated",
    "^\\W*generated by (?:the )?[\\w./-]+.*\\bdo not (?:edit|modify)\\b",
    "^\\W*do not (?:edit|modify)\\b.*\\bgenerated\\b",
    "^\\W*generated by the protocol buffer compiler\\b",
  ].join("|"),
  "im",
)

/** Long lines on the whole, and few of them: no person writes that. */
function isMinified(path: string, text: string): boolean {
  if (!/\.(?:js|mjs|cjs|css)$/i.test(path) || text.length < LONGEST_HAND_WRITTEN_LINE) return false
  const lines = text.split("\n")
  return text.length / lines.length > LONGEST_HAND_WRITTEN_LINE
}
