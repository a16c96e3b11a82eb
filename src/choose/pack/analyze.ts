import type { TaskAction, TaskAnalysis } from "#ground/contract"
import { readQuery } from "#know/search"
import { RuleInvalid } from "./errors.ts"
import { LONGEST_TASK_UNITS } from "./limits.ts"

/** Every pattern is bounded, so the time is linear in the length of the text. */
export function analyzeTask(
  task: string,
  options: {
    readonly domains: string
    readonly domain?: string | undefined
  },
): TaskAnalysis {
  const domains = readDomains(options.domains)
  const text = task.slice(0, LONGEST_TASK_UNITS)
  const { filePaths, rest } = findPaths(text)
  const keywords = readQuery(text).terms.slice(0, 50)
  return {
    filePaths: [...filePaths],
    symbolNames: [...findNames(rest)],
    domain: options.domain ?? domainOf({ filePaths, keywords }, domains) ?? null,
    action: actionOf(text) ?? null,
    keywords,
  }
}

function actionOf(text: string): TaskAction | undefined {
  for (const [word] of text.matchAll(/[A-Za-z]{2,20}/g)) {
    const action = ACTION_BY_WORD.get(word.toLowerCase())
    if (action !== undefined) return action
  }
  return undefined
}

const VERBS: Readonly<Record<TaskAction, string>> = {
  implement:
    "implement implements implemented implementing implementation create creates created creating build builds building add adds added adding",
  fix: "fix fixes fixed fixing bugfix debug debugs debugging resolve resolves resolved resolving",
  review: "review reviews reviewed reviewing inspect inspects inspecting check checks checking",
  test: "test tests tested testing verify verifies verifying validate validates validating",
  refactor:
    "refactor refactors refactored refactoring clean cleans cleaning cleanup improve improves improved improving",
}

const ACTION_BY_WORD: ReadonlyMap<string, TaskAction> = new Map(
  (["implement", "fix", "review", "test", "refactor"] as const).flatMap((action) =>
    VERBS[action].split(" ").map((word) => [word, action] as const),
  ),
)

type Domain = { readonly prefix: string; readonly name: string }

/** `src/billing=billing; web=frontend`, the longest prefix first. */
export function readDomains(setting: string): readonly Domain[] {
  const rules = setting.split(";").map((it) => it.trim())
  return rules
    .filter((it) => it !== "")
    .map((rule) => {
      const [prefix = "", name = "", ...rest] = rule.split("=").map((it) => it.trim())
      const isWhole = prefix !== "" && name !== "" && rest.length === 0
      if (!isWhole)
        throw RuleInvalid({ setting: "pack.domains", rule, wrong: "expected prefix=name" })
      return { prefix: prefix.replace(/^\.\//, ""), name }
    })
    .toSorted((a, b) => b.prefix.length - a.prefix.length)
}

function domainOf(
  task: { readonly filePaths: readonly string[]; readonly keywords: readonly string[] },
  domains: readonly Domain[],
): string | undefined {
  for (const path of task.filePaths) {
    const domain = domains.find((it) => path.startsWith(it.prefix))
    if (domain !== undefined) return domain.name
  }
  const words = new Set(task.keywords)
  return domains.find((it) => words.has(it.name.toLowerCase()))?.name
}

/** Also in stack frames of Node, Python, Java and Go. `rest` is the text without the paths. */
export function findPaths(text: string): {
  readonly filePaths: readonly string[]
  readonly rest: string
} {
  const paths = new Set<string>()
  const withoutFrames = text.replace(JVM_FRAME, (whole, names: string, file: string) => {
    paths.add(pathOfFrame(names, file))
    // Leave class and method in `rest`; they count as symbol names.
    return whole.slice(0, whole.indexOf("("))
  })
  const rest = withoutFrames.replace(TOKEN, (token) => {
    if (/^[a-z]{2,10}:\/\//.test(token) && !token.startsWith("file://")) return " "
    const path = pathOf(token)
    if (path === undefined) return token
    paths.add(path)
    return " "
  })
  return { filePaths: [...paths].slice(0, 100), rest }
}

/** No alternatives, so it cannot backtrack. */
const TOKEN = /[\w$@~.+/\\:#%-]{3,1000}/g

/** In `at com.acme.Bill.total(Bill.java:12)` the Java package gives the folder. */
const JVM_FRAME = /\bat ([\w$.]{1,300})\(([\w$-]{1,100}\.(?:java|kt|kts|scala|groovy)):\d{1,7}\)/g

function pathOfFrame(names: string, file: string): string {
  const folders = names.split(".").slice(0, -2)
  return [...folders, file].join("/")
}

function pathOf(token: string): string | undefined {
  const plain = token
    .replace(/^file:\/\//, "")
    .replace(/[.,:;-]{1,20}$/, "")
    .replace(/(?:#L\d{1,7}(?:-L?\d{1,7})?|(?::\d{1,7}){1,2}(?:-\d{1,7})?)$/, "")
    .replaceAll("\\", "/")
    .replace(/^(?:\.\/|~\/|@\/)/, "")
    .replace(/^[A-Za-z]:\//, "/")
  if (plain.includes(":") || plain.includes("//")) return undefined
  const name = plain.slice(plain.lastIndexOf("/") + 1)
  if (PLAIN_NAMES.has(name)) return plain
  const ending = /\.([A-Za-z][A-Za-z0-9]{0,9})$/.exec(name)?.[1]
  if (ending === undefined || name.length === ending.length + 1) return undefined
  // Without a folder only known extensions count: `user.name` is no file.
  const isPath = plain.includes("/") || ENDINGS.has(ending.toLowerCase())
  return isPath ? plain : undefined
}

const PLAIN_NAMES: ReadonlySet<string> = new Set(
  "Makefile Dockerfile Gemfile Rakefile Procfile Jenkinsfile Vagrantfile BUILD WORKSPACE".split(
    " ",
  ),
)

const ENDINGS: ReadonlySet<string> = new Set(
  `ts tsx mts cts js jsx mjs cjs py pyi go rs java kt kts scala sc c h cc cpp cxx hpp hh hxx cs rb
  php swift sh bash zsh md mdx rst txt json jsonc json5 yml yaml toml ini cfg conf xml html htm css
  scss less sql proto graphql vue svelte gradle cmake tf hcl lua pl pm r jl ex exs erl hs ml clj
  dart zig nix bat ps1 csproj`
    .trim()
    .split(/\s+/),
)

/**
 * In backticks, called, camelCase, PascalCase, snake_case, or the last part of `reply.send`. A
 * capitalised word counts only inside a sentence.
 */
export function findNames(text: string): readonly string[] {
  const places = new Map<string, number>()
  const note = (name: string, at: number) => {
    if (name.length >= 2 && !places.has(name)) places.set(name, at)
  }
  for (const match of text.matchAll(QUOTED)) {
    for (const name of namesIn(match[1] ?? "")) note(name, match.index)
  }
  for (const match of text.matchAll(WORD)) {
    const [word] = match
    const end = match.index + word.length
    const isCalled = text[end] === "(" && !/^\((?:s|es)\)/.test(text.slice(end, end + 4))
    if (isCalled || isName(word, isAtStart(text, match.index))) note(word, match.index)
  }
  for (const match of text.matchAll(MEMBER)) {
    const [, name = ""] = match
    if (!ENDINGS.has(name.toLowerCase())) note(name, match.index)
  }
  const inOrder = [...places].toSorted(([, a], [, b]) => a - b)
  return inOrder.slice(0, 200).map(([name]) => name)
}

const QUOTED = /`([^`\n]{1,200})`/g
const MEMBER = /(?<![\w$./@:-])[A-Za-z_$][\w$]{2,60}\.([A-Za-z_$][\w$]{2,60})(?![\w$/@:-]|\.\w)/g
const WORD = /[A-Za-z_$][\w$]{1,100}/g

function namesIn(quoted: string): readonly string[] {
  const chain = quoted.trim().replace(/\([^]*$/, "")
  const names = chain.split(/\.|::|->|#/)
  return names.every((it) => /^[A-Za-z_$][\w$]{0,100}$/.test(it)) ? names : []
}

function isName(word: string, isFirst: boolean): boolean {
  const hasInnerCapital = /[a-z0-9][A-Z]/.test(word) || /^[A-Z]{2,20}[a-z]{2}/.test(word)
  const hasInnerUnderscore = /[A-Za-z0-9]_[A-Za-z0-9]/.test(word)
  if (hasInnerCapital || hasInnerUnderscore) return true
  return !isFirst && /^[A-Z][a-z0-9]{2,100}$/.test(word)
}

function isAtStart(text: string, index: number): boolean {
  let at = index - 1
  while (at >= 0 && index - at < 20 && BETWEEN.has(text[at] ?? "")) at--
  return at < 0 || ENDS.has(text[at] ?? "")
}

const BETWEEN: ReadonlySet<string> = new Set(" \t\"'(*_[")
const ENDS: ReadonlySet<string> = new Set(".!?:;\n\r-#>|•")
