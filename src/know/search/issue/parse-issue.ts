import {
  countMessageTerms,
  eachWord,
  STOP_WORDS,
  type TermCounts,
  withoutOuter,
  withoutOuterUnderscores,
} from "../words/words.ts"

/** A pasted issue by parts. The names of its rules are those of models/ranker/README.md. */
export type IssueTask = {
  readonly title: string
  readonly zones: Readonly<Record<Zone, TermCounts>>
  /** Identifiers with case, each with the weight of its best occurrence. */
  readonly identifiers: ReadonlyMap<string, number>
  readonly paths: ReadonlyMap<string, number>
  readonly pythonFrames: readonly PythonFrame[]
  readonly javaFrames: readonly JavaFrame[]
  readonly dottedNames: ReadonlyMap<string, number>
  readonly imports: readonly ImportedName[]
  readonly wordCount: number
  readonly codeWordCount: number
}

export const ZONES = ["title", "inline", "prose", "code", "trace"] as const
export type Zone = (typeof ZONES)[number]

type PythonFrame = { readonly path: string; readonly name: string }
type JavaFrame = { readonly className: string; readonly method: string; readonly file: string }
type ImportedName = { readonly module: string; readonly name: string }

const LONGEST_ISSUE_UNITS = 60_000
const LONGEST_LINE_UNITS = 600

const LEAST_WORDS = 60
const LEAST_CODE_WORDS = 5

/** A short task reads like a commit message, for which the other heads were trained. */
export function isIssue({ wordCount, codeWordCount, pythonFrames, javaFrames }: IssueTask) {
  return (
    wordCount >= LEAST_WORDS ||
    codeWordCount >= LEAST_CODE_WORDS ||
    pythonFrames.length + javaFrames.length > 0
  )
}

export function parseIssue(task: string): IssueTask {
  const text = task
    .replaceAll(/\r\n?/g, "\n")
    .slice(0, LONGEST_ISSUE_UNITS)
    .split("\n")
    .map((line) => line.slice(0, LONGEST_LINE_UNITS))
    .join("\n")
  const { raw, errorNames } = splitZones(text)
  const clean = {
    title: withoutNoise(raw.title),
    prose: withoutNoise(raw.prose),
    code: withoutNoise(raw.code),
    trace: withoutNoise(raw.trace),
  }
  const inline = groupsOf(`${clean.title}\n${clean.prose}`, INLINE_CODE)
  const all = [raw.title, raw.prose, raw.code, raw.trace].join("\n")
  const pythonFrames = [...all.matchAll(PYTHON_FRAME)]
  return {
    title: raw.title,
    zones: {
      title: countMessageTerms(clean.title),
      inline: countMessageTerms(inline.join("\n")),
      prose: countMessageTerms(clean.prose),
      code: countMessageTerms(clean.code),
      trace: countMessageTerms(clean.trace),
    },
    identifiers: identifiersIn(clean, inline, errorNames),
    paths: pathsIn(raw, new Set(pythonFrames.map((it) => it[1] ?? ""))),
    pythonFrames: pythonFrames.map(([, file = "", , name = ""]) => ({
      path: file.replaceAll("\\", "/"),
      name,
    })),
    javaFrames: [...all.matchAll(JAVA_FRAME)].map(([, className = "", method = "", file = ""]) => ({
      className,
      method,
      file,
    })),
    dottedNames: dottedNamesIn(raw, clean),
    imports: importsIn([raw.code, raw.prose, raw.trace].join("\n")),
    wordCount: countWords(text),
    codeWordCount: countWords(raw.code),
  }
}

/** The text that the inputs of the older heads are measured on. */
export function withoutReferences(task: string): string {
  return task
    .split(/\r\n|[\n\r\v\f\u001C-\u001E\u0085\u2028\u2029]/)
    .filter((line) => !TRAILER.test(line))
    .join("\n")
    .replaceAll(URL, " ")
    .replaceAll(REFERENCES, " ")
    .replaceAll(SLASHED, (path) =>
      /\.\w{1,5}$/.test(path) || path.split("/").length > 2 ? " " : path,
    )
    .replaceAll(FILE_NAME, " ")
}

const TRAILER =
  /^\s*(?:signed-off-by|co-authored-by|reviewed-by|acked-by|change-id|cc|tested-by|reported-by|kubernetes-commit|pr-url|fixes:|refs:|thanks)/i
const REFERENCES = /\(?#\d+\)?|\b[A-Z]+-\d+\b|\bGH-\d+\b|\b[0-9a-f]{7,40}\b|CVE-\d+-\d+/g
const SLASHED = /(?<![\w.-])[\w.-]+(?:\/[\w.*-]+)+/g
const FILE_NAME =
  /(?<![\w-])[\w-]+\.(?:js|mjs|cjs|ts|tsx|jsx|py|go|md|json|ya?ml|txt|rst|html|c|h|rs)\b/g

type RawZones = Readonly<Record<"title" | "prose" | "code" | "trace", string>>

type ReadState = { isFence: boolean; isTrace: boolean; isEnvironment: boolean }

function splitZones(text: string): { readonly raw: RawZones; readonly errorNames: string[] } {
  const lines = text.split("\n")
  const first = lines.findIndex((line) => line.trim() !== "")
  const title = first < 0 ? "" : (lines[first] ?? "").trim().replace(/^#+\s*/, "")
  const zones: Record<"prose" | "code" | "trace", string[]> = { prose: [], code: [], trace: [] }
  const errorNames: string[] = []
  const state: ReadState = { isFence: false, isTrace: false, isEnvironment: false }
  for (const line of first < 0 ? [] : lines.slice(first + 1)) {
    const zone = zoneOf(line, state, errorNames)
    if (zone !== undefined) zones[zone].push(line)
  }
  const raw = {
    title,
    prose: zones.prose.join("\n"),
    code: zones.code.join("\n"),
    trace: zones.trace.join("\n"),
  }
  return { raw, errorNames }
}

function zoneOf(
  line: string,
  state: ReadState,
  errorNames: string[],
): "prose" | "code" | "trace" | undefined {
  const stripped = line.trim()
  if (stripped.startsWith("```") || stripped.startsWith("~~~")) {
    state.isFence = !state.isFence
    state.isTrace = false
    return undefined
  }
  if (!state.isFence && isHeading(stripped)) state.isEnvironment = false
  if (!state.isFence && stripped.length <= 40 && ENVIRONMENT_HEADING.test(stripped)) {
    state.isEnvironment = true
    return undefined
  }
  const errorName = ERROR_LINE.exec(line)?.[1]
  const isUnindented = stripped !== "" && !/^[ \t]/.test(line)
  if (PYTHON_FRAME_LINE.test(line) || stripped.startsWith("Traceback (most recent")) {
    state.isTrace = true
  } else if (state.isTrace && isUnindented) {
    state.isTrace = false
    if (errorName !== undefined) {
      errorNames.push(errorName)
      return "trace"
    }
  }
  if (errorName !== undefined) errorNames.push(errorName)
  if (state.isTrace || JAVA_FRAME_LINE.test(line) || AT_FRAME.test(line)) return "trace"
  return zoneOutsideTrace(line, stripped, state)
}

function zoneOutsideTrace(
  line: string,
  stripped: string,
  state: ReadState,
): "prose" | "code" | undefined {
  const isShortProse = !state.isFence && line.length <= 160
  if (isShortProse && (TEMPLATE_START.test(stripped) || TEMPLATE_HEADING.test(stripped))) {
    state.isEnvironment = false
    return undefined
  }
  if (state.isEnvironment) return undefined
  if (isShortProse && VERSION_LINE.test(stripped.replaceAll(/\s+/g, " "))) return undefined
  const isCode =
    state.isFence ||
    INDENTED.test(line) ||
    stripped.startsWith(">>>") ||
    stripped.startsWith("In [")
  return isCode ? "code" : "prose"
}

function isHeading(stripped: string): boolean {
  if (stripped.startsWith("#")) return true
  return stripped.length > 4 && stripped.startsWith("**") && /\*\*:*$/.test(stripped)
}

const EXTENSIONS =
  "(?:js|mjs|cjs|ts|tsx|jsx|mts|cts|py|pyx|go|java|rs|c|h|cc|cpp|hpp|rb|php|cs|kt|kts|swift|scala|vue|svelte|zig)"
const PATH = new RegExp(
  `(?<![\\w@])((?:[A-Za-z]:)?[\\w.\\-/\\\\@+]{0,160}[\\w-]\\.${EXTENSIONS})(?!\\w)`,
  "g",
)
const PYTHON_FRAME = /File "([^"\n]+)", line (\d+)(?:, in (\S+))?/g
const PYTHON_FRAME_LINE = /File "[^"\n]+", line \d/
const JAVA_FRAME = /\bat ([\w$.]+)\.([\w$<>]+)\(([\w$]+\.(?:java|kt|scala)):\d+\)/g
const JAVA_FRAME_LINE = /\bat [\w$.]+\.[\w$<>]+\([\w$]+\.(?:java|kt|scala):\d+\)/
const AT_FRAME = /^\s*at .*[:(]\d+/
const ERROR_LINE = /^\s*(?:[\w.]*\.)?([A-Z]\w*(?:Error|Exception|Warning|Failure|Exit|Interrupt))\b/
const DOTTED = /(?<![\w./])([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)/g
const FROM_IMPORT = /^[ \t]*(?:>>> ?|\.\.\. ?)?from\s+([\w.]+)\s+import\s+\(?([\w, *]+)/gm
const IMPORT = /^[ \t]*(?:>>> ?|\.\.\. ?)?import\s+([\w.]+)/gm
const URL = /https?:\/\/\S+/g
const NOISE = /#\d+|\bGH-\d+\b|\b[0-9a-f]{7,40}\b|CVE-\d+-\d+|!\[[^\]]{0,400}\]\([^)]{0,1000}\)/g
const INLINE_CODE = /`([^`\n]{2,120})`/g
const INDENTED = /^(?: {4,}|\t)\S/
const IDENTIFIER = /[A-Za-z_$][A-Za-z0-9_$]*/g
const CALLED = /(?<![\w$])([A-Za-z_$][A-Za-z0-9_$]*)\(/g
const CALLED_WITHOUT_ARGUMENTS = /(?<![\w$])([A-Za-z_$][A-Za-z0-9_$]*)\(\)/g

const TEMPLATE_HEADING = new RegExp(
  "^#{0,6} ?\\*{0,4}(?:steps/code to reproduce|steps to reproduce|how to reproduce" +
    "|reproduction(?: steps)?|to reproduce|expected (?:behaviou?r|results?|output|outcome)" +
    "|actual (?:behaviou?r|results?|output|outcome)|current behaviou?r|describe the bug|description" +
    "|bug (?:report|summary|description)|summary|additional (?:context|information|details)" +
    "|(?:possible|suggested) (?:solution|fix)|environment|versions?|system(?: info(?:rmation)?)?" +
    "|context|code(?: sample| for reproduction)?|screenshots?|your environment" +
    "|search before asking|code of conduct)\\*{0,4}\\s{0,4}:?\\*{0,4}$",
  "i",
)
const TEMPLATE_START =
  /^(?:[-*] \[[ xX]\]|#{0,6} ?\*{0,4}(?:what (?:happened|did you expect|i(?:'| a)m trying)|minimal.{0,160}example|are you willing|contribution guide))/i
const ENVIRONMENT_HEADING =
  /^(?:#{1,6} *|\**)(?:(?:your |system )?environment|versions?|system(?: info(?:rmation)?| details)?|output of .*show_versions.*|dependency versions?|package versions?|installed packages|setup)\b/i
const VERSION_LINE = new RegExp(
  "^[-*>]? ?[A-Za-z][\\w.\\-/]{0,80}(?: [\\w.\\-/()]{1,60}){0,4} ?[:=]{0,2} ?v?\\d{1,20}" +
    "(?:\\.\\d{1,20}){1,8}\\S{0,80}(?: \\([^)]{0,120}\\))?$" +
    "|^[-*]? ?(?:os|platform|python|node|npm|yarn|browser|machine|processor|locale|lc_all|lang|byteorder" +
    "|operating system|java|go|rustc|php|ruby)(?: version)? ?[:=].{0,80}$",
  "i",
)

const DOLLAR_CODE = 36

function withoutNoise(text: string): string {
  return withoutComments(text.replaceAll(URL, " ")).replaceAll(NOISE, " ")
}

/** By hand, because a lazy pattern takes quadratic time on comments that never end. */
function withoutComments(text: string): string {
  const parts: string[] = []
  let from = 0
  for (;;) {
    const start = text.indexOf("<!--", from)
    const end = start < 0 ? -1 : text.indexOf("-->", start + 4)
    if (end < 0) break
    parts.push(text.slice(from, start))
    from = end + 3
  }
  return [...parts, text.slice(from)].join(" ")
}

function groupsOf(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? match[0])
}

function identifiersIn(
  clean: RawZones,
  inline: readonly string[],
  errorNames: readonly string[],
): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  const add = (written: string, weight: number): void => {
    const name = withoutOuter(written, DOLLAR_CODE)
    if (name.length < 3 || STOP_WORDS.has(name.toLowerCase())) return
    if ((weights.get(name) ?? 0) < weight) weights.set(name, weight)
  }
  const addCodeLike = (text: string, weight: number): void => {
    for (const name of groupsOf(text, IDENTIFIER)) if (isCodeLike(name)) add(name, weight)
  }
  addCodeLike(clean.title, 1)
  for (const name of groupsOf(clean.title, CALLED)) add(name, 1)
  for (const name of inline.flatMap((it) => groupsOf(it, IDENTIFIER))) add(name, 0.9)
  addCodeLike(clean.prose, 0.7)
  for (const name of groupsOf(clean.prose, CALLED_WITHOUT_ARGUMENTS)) add(name, 0.7)
  addCodeLike(clean.trace, 0.4)
  addCodeLike(clean.code, 0.4)
  for (const name of groupsOf(clean.code, CALLED)) add(name, 0.35)
  for (const name of errorNames) add(name, 0.5)
  return weights
}

/** `snake_case`, `camelCase` or `HTTPServer`; a plain word is not. */
function isCodeLike(word: string): boolean {
  const inner = withoutOuterUnderscores(word)
  if (inner.length < 3) return false
  if (inner.includes("_") || /[a-z0-9][A-Z]/.test(inner)) return true
  return inner.length > 4 && /[A-Z]{2}[a-z]/.test(inner)
}

const PATH_WEIGHTS = { title: 1, prose: 0.9, code: 0.6, trace: 0.5 } as const
const DOTTED_WEIGHTS = { title: 1, prose: 0.8, code: 0.5, trace: 0.4 } as const
const RAW_ZONES = ["title", "prose", "code", "trace"] as const
const IMPORT_WEIGHT = 0.4

function pathsIn(raw: RawZones, frameFiles: ReadonlySet<string>): ReadonlyMap<string, number> {
  const paths = new Map<string, number>()
  for (const zone of RAW_ZONES) {
    for (const written of groupsOf(raw[zone], PATH)) {
      if (!frameFiles.has(written)) raise(paths, written.replaceAll("\\", "/"), PATH_WEIGHTS[zone])
    }
  }
  return paths
}

function dottedNamesIn(raw: RawZones, clean: RawZones): ReadonlyMap<string, number> {
  const names = new Map<string, number>()
  for (const zone of RAW_ZONES) {
    for (const name of groupsOf(clean[zone], DOTTED)) raise(names, name, DOTTED_WEIGHTS[zone])
    for (const name of groupsOf(raw[zone], IMPORT)) raise(names, name, IMPORT_WEIGHT)
  }
  return names
}

function raise(weights: Map<string, number>, key: string, weight: number): void {
  weights.set(key, Math.max(weights.get(key) ?? 0, weight))
}

function importsIn(text: string): readonly ImportedName[] {
  return [...text.matchAll(FROM_IMPORT)].flatMap(([, module = "", names = ""]) =>
    (names.match(/[A-Za-z0-9_]+/g) ?? []).map((name) => ({ module, name })),
  )
}

function countWords(text: string): number {
  let words = 0
  eachWord(text, () => words++)
  return words
}
