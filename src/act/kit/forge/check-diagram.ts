import { nearest } from "#ground/base"

type DiagramProblem = { readonly line: number; readonly problem: string }

export type CheckedDiagram = {
  readonly type: string | null
  /** Only the first line, quotes and brackets were checked: the type has no rules here. */
  readonly isOutline: boolean
  readonly problems: readonly DiagramProblem[]
}

type SourceLine = { readonly number: number; readonly text: string }
type LineChecker = (lines: readonly SourceLine[]) => readonly DiagramProblem[]

const MOST_PROBLEMS = 20

/** Types of mermaid 11; those without a checker get the outline check. */
const TYPES: Readonly<Record<string, LineChecker | undefined>> = {
  flowchart: checkFlowchart,
  graph: checkFlowchart,
  sequenceDiagram: checkSequence,
  classDiagram: checkClass,
  "classDiagram-v2": checkClass,
  stateDiagram: checkState,
  "stateDiagram-v2": checkState,
  erDiagram: checkEntities,
  gantt: undefined,
  pie: undefined,
  mindmap: undefined,
  journey: undefined,
  gitGraph: undefined,
  timeline: undefined,
  quadrantChart: undefined,
  requirementDiagram: undefined,
  C4Context: undefined,
  C4Container: undefined,
  C4Component: undefined,
  C4Dynamic: undefined,
  C4Deployment: undefined,
  "sankey-beta": undefined,
  sankey: undefined,
  "xychart-beta": undefined,
  xychart: undefined,
  "block-beta": undefined,
  block: undefined,
  "packet-beta": undefined,
  packet: undefined,
  "architecture-beta": undefined,
  kanban: undefined,
  "radar-beta": undefined,
  zenuml: undefined,
}

/** Checks the text of a mermaid diagram by its lines, without drawing it. */
export function checkDiagram(source: string): CheckedDiagram {
  const [header, ...rest] = contentLines(source)
  if (header === undefined) return refused(null, { line: 1, problem: "it is empty" })
  const [word = ""] = /^[\w-]+/.exec(header.text) ?? []
  if (!Object.hasOwn(TYPES, word)) {
    const near = nearest(word, Object.keys(TYPES))
    const hint = near === undefined ? "" : `; the nearest is ${near}`
    const problem = `the first word is no diagram type${hint}`
    return refused(null, { line: header.number, problem })
  }
  const check = TYPES[word]
  const first = { ...header, text: header.text.slice(word.length).trim() }
  if (rest.length === 0 && !first.text.includes(";") && check !== undefined) {
    return refused(word, { line: header.number, problem: "it has no content" })
  }
  const isFlow = check === checkFlowchart
  const lines = isFlow ? [...directionOf(first), ...rest] : rest
  const own = check === undefined ? [] : check(lines)
  const quotes = rest.flatMap(unbalancedQuotes)
  const direction = isFlow ? checkDirection(first) : []
  const problems = [...direction, ...quotes, ...own].slice(0, MOST_PROBLEMS)
  return { type: word, isOutline: check === undefined, problems }
}

function refused(type: string | null, problem: DiagramProblem): CheckedDiagram {
  return { type, isOutline: false, problems: [problem] }
}

/** Without comments, directives, blank lines and the front matter. */
function contentLines(source: string): readonly SourceLine[] {
  const lines = source.split(/\r?\n/).map((text, at) => ({ number: at + 1, text: text.trim() }))
  const start = lines.findIndex((it) => it.text !== "")
  const hasHead = lines[start]?.text === "---"
  const close = hasHead ? lines.findIndex((it, at) => at > start && it.text === "---") : -1
  return lines
    .slice(close + 1)
    .map((it) => ({ ...it, text: it.text.replace(/^%%.*$/, "").trim() }))
    .filter((it) => it.text !== "")
}

function unbalancedQuotes({ number, text }: SourceLine): readonly DiagramProblem[] {
  const count = text.split('"').length - 1
  return count % 2 === 0 ? [] : [{ line: number, problem: "a double quote is not closed" }]
}

const DIRECTIONS = ["TB", "TD", "BT", "RL", "LR"]

function checkDirection({ number, text }: SourceLine): readonly DiagramProblem[] {
  const [word = ""] = text.split(/[\s;]/)
  if (word === "" || DIRECTIONS.includes(word)) return []
  const problem = `the first line has no direction of ${DIRECTIONS.join(", ")}`
  return [{ line: number, problem }]
}

/** `graph TD; A-->B` has statements behind the direction. */
function directionOf({ number, text }: SourceLine): readonly SourceLine[] {
  const at = text.indexOf(";")
  return at === -1 ? [] : [{ number, text: text.slice(at + 1).trim() }]
}

/** Links of a flowchart, longest first: `-->`, `-.->`, `==>`, `--x`, `<-->`, `~~~`. */
const LINK = /(?:[<xo])?(?:-{2,5}[>xo-]|={2,5}[>xo=]|-\.{1,5}-[>xo]?|~{3,5})/

const KEYWORDS =
  /^(?:subgraph|end|style|linkStyle|classDef|class|click|direction|accTitle|accDescr|title)\b/

function checkFlowchart(lines: readonly SourceLine[]): readonly DiagramProblem[] {
  const problems: DiagramProblem[] = []
  const open: number[] = []
  for (const { number, text } of lines) {
    const report = (problem: string) => void problems.push({ line: number, problem })
    if (/^subgraph\b/.test(text)) open.push(number)
    else if (/^end\s*;?$/.test(text)) {
      if (open.pop() === undefined) report("`end` closes no subgraph")
    } else if (!KEYWORDS.test(text)) {
      for (const problem of flowProblems(text)) report(problem)
    }
  }
  return [...problems, ...unclosed(open, "subgraph")]
}

function flowProblems(text: string): readonly string[] {
  const plain = withoutLabels(text)
  if (plain.kind === "problem") return [plain.problem]
  const statements = plain.text.split(";").map((it) => it.trim())
  return statements.filter((it) => it !== "").flatMap(statementProblems)
}

function statementProblems(statement: string): readonly string[] {
  const isLinked = LINK.test(statement)
  const parts = statement.split(new RegExp(LINK.source, "g")).map((it) => it.trim())
  // The text in `A -- text --> B` is between two parts of one link.
  const ends = [parts[0] ?? "", parts.at(-1) ?? ""]
  if (isLinked && ends.some((it) => it.replaceAll("|", "") === "")) {
    return ["a link has no node on one side"]
  }
  const isArrow = /(?:^|\s)(?:->|=>|→)(?:\s|$)/.test(statement)
  if (isArrow) return ["`->` is no link; write `-->`"]
  const nodes = parts.flatMap((it) => it.split("&")).map((it) => it.trim())
  if (nodes.some((it) => it === "end")) return ["`end` is reserved; write End or quote the label"]
  const isWords = !isLinked && /^[\w-]+\s+[\w-]+/.test(statement)
  return isWords ? ["this is no node and no link"] : []
}

const OPENERS = ["(((", "([", "((", "[[", "[(", "[/", "[\\", "{{", "(", "[", "{", ">"]
const CLOSERS: Readonly<Record<string, readonly string[]>> = {
  "(((": [")))"],
  "([": ["])"],
  "((": ["))"],
  "[[": ["]]"],
  "[(": [")]"],
  "[/": ["/]", "\\]"],
  "[\\": ["\\]", "/]"],
  "{{": ["}}"],
  "(": [")"],
  "[": ["]"],
  "{": ["}"],
  ">": ["]"],
}

type PlainText =
  | { readonly kind: "plain"; readonly text: string }
  | { readonly kind: "problem"; readonly problem: string }

/** The statement without node texts, quoted texts and `|link texts|`. */
function withoutLabels(text: string): PlainText {
  let plain = ""
  let at = 0
  while (at < text.length) {
    const char = text[at] ?? ""
    if (char === '"' || char === "|") {
      const close = text.indexOf(char, at + 1)
      if (close === -1) return { kind: "problem", problem: `\`${char}\` is not closed` }
      at = close + 1
      continue
    }
    const isNode = /[\w"]/.test(text[at - 1] ?? "")
    const opener = isNode ? openerAt(text, at) : undefined
    if (opener === undefined) {
      if (")]}".includes(char)) return { kind: "problem", problem: `\`${char}\` closes nothing` }
      plain += char
      at += 1
      continue
    }
    const label = labelEnd(text, at + opener.length, opener)
    if (typeof label === "string") return { kind: "problem", problem: label }
    at = label
  }
  return { kind: "plain", text: plain }
}

function openerAt(text: string, at: number): string | undefined {
  const opener = OPENERS.find((it) => text.startsWith(it, at))
  // `A>text]` is a shape, `A-->B` is a link: the link's `>` follows a dash.
  return opener === ">" && /[-=.<xo]/.test(text[at - 1] ?? "") ? undefined : opener
}

/** The position after the label, or a problem. */
function labelEnd(text: string, from: number, opener: string): number | string {
  const closers = CLOSERS[opener] ?? []
  if (text[from] === '"') {
    const close = text.indexOf('"', from + 1)
    const closer = close === -1 ? undefined : closers.find((it) => text.startsWith(it, close + 1))
    if (closer === undefined)
      return `the text after \`${opener}"\` is not closed by \`"${closers[0]}\``
    return close + 1 + closer.length
  }
  const ends = closers.map((it) => [text.indexOf(it, from), it.length] as const)
  const [end, length] = ends.filter(([it]) => it !== -1).toSorted(([a], [b]) => a - b)[0] ?? [-1, 0]
  if (end === -1) return `\`${opener}\` is not closed by \`${closers[0]}\``
  const label = text.slice(from, end)
  if (/[()[\]{}]/.test(label)) {
    return "the text of a node has brackets; put it in double quotes"
  }
  return end + length
}

const SEQUENCE_BLOCKS = ["loop", "alt", "opt", "par", "critical", "break", "rect", "box"]
const PARTS: Readonly<Record<string, readonly string[]>> = {
  else: ["alt"],
  and: ["par"],
  option: ["critical"],
}
const SEQUENCE_LINE =
  /^(?:participant|actor|create|destroy|activate|deactivate|autonumber|title|note|links?|accTitle|accDescr|properties|details)\b/i
const ARROW = /(?:<<)?--?(?:>>|>|x|\)|\|\\|\\|\/)[+-]?/

/** `A->>B: text`. */
function isMessage(text: string): boolean {
  const [names, content] = splitAt(text, ":")
  return content !== undefined && hasBothSides(names, ARROW)
}

function splitAt(text: string, mark: string): readonly [string, string | undefined] {
  const at = text.indexOf(mark)
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + mark.length)]
}

function hasBothSides(text: string, between: RegExp): boolean {
  const match = between.exec(text)
  if (match === null) return false
  const right = text.slice(match.index + match[0].length)
  return text.slice(0, match.index).trim() !== "" && right.trim() !== ""
}

function checkSequence(lines: readonly SourceLine[]): readonly DiagramProblem[] {
  const problems: DiagramProblem[] = []
  const open: { readonly line: number; readonly word: string }[] = []
  for (const { number, text } of lines) {
    const [word = ""] = /^\w+/.exec(text) ?? []
    const report = (problem: string) => void problems.push({ line: number, problem })
    if (SEQUENCE_BLOCKS.includes(word)) open.push({ line: number, word })
    else if (text === "end") {
      if (open.pop() === undefined) report("`end` closes no block")
    } else if (Object.hasOwn(PARTS, word) && !isMessage(text)) {
      const block = open.at(-1)?.word ?? ""
      if (!PARTS[word]?.includes(block)) report(`\`${word}\` belongs to ${PARTS[word]?.join(", ")}`)
    } else if (!SEQUENCE_LINE.test(text) && !isMessage(text)) {
      report("this is no message (`A->>B: text`), participant, note or block")
    }
  }
  const left = open.map((it) => ({ line: it.line, problem: `\`${it.word}\` has no \`end\`` }))
  return [...problems, ...left]
}

function checkClass(lines: readonly SourceLine[]): readonly DiagramProblem[] {
  return [...checkBraces(lines), ...arrowsOf(lines, /(?:--|\.\.)/)]
}

function checkState(lines: readonly SourceLine[]): readonly DiagramProblem[] {
  return [...checkBraces(lines), ...arrowsOf(lines, /-->/)]
}

/** A relation with nothing on one side. */
function arrowsOf(lines: readonly SourceLine[], arrow: RegExp): readonly DiagramProblem[] {
  return lines.flatMap(({ number, text }) => {
    const content = splitAt(text, ":")[0].trim()
    const [left = "", ...rest] = content.split(arrow)
    if (rest.length === 0 || text === "--") return []
    const right = rest.at(-1) ?? ""
    const isBare = [left, right].some((it) => it.replaceAll(/[<>|*o\s-]/g, "") === "")
    return isBare ? [{ line: number, problem: "a relation has nothing on one side" }] : []
  })
}

const ENTITY_LINK = /(?:\|o|\|\||\}o|\}\|)(?:--|\.\.)(?:o\||\|\||o\{|\|\{)/

/** `A ||--o{ B : has`. */
function isEntityRelation(text: string): boolean {
  const [entities, label] = splitAt(text, ":")
  return (label ?? "").trim() !== "" && hasBothSides(entities, ENTITY_LINK)
}

function checkEntities(lines: readonly SourceLine[]): readonly DiagramProblem[] {
  const relations = lines.filter((it) => /--|\.\./.test(it.text))
  const wrong = relations.filter((it) => !isEntityRelation(it.text))
  const rest = lines.filter((it) => !relations.includes(it))
  return [
    ...checkBraces(rest),
    ...wrong.map((it) => ({
      line: it.number,
      problem: "a relation needs two entities and a label: `A ||--o{ B : has`",
    })),
  ]
}

function checkBraces(lines: readonly SourceLine[]): readonly DiagramProblem[] {
  const open: number[] = []
  const problems: DiagramProblem[] = []
  for (const { number, text } of lines) {
    for (const char of text.replaceAll(/"[^"]*"/g, "")) {
      if (char === "{") open.push(number)
      if (char === "}" && open.pop() === undefined) {
        problems.push({ line: number, problem: "`}` closes nothing" })
      }
    }
  }
  return [...problems, ...unclosed(open, "{")]
}

function unclosed(lines: readonly number[], what: string): readonly DiagramProblem[] {
  return lines.map((line) => ({ line, problem: `\`${what}\` is not closed` }))
}

export type DiagramBlock = { readonly line: number; readonly source: string }

/** The fenced mermaid blocks of a markdown text; `line` is the line after the fence. */
export function diagramsIn(markdown: string): readonly DiagramBlock[] {
  const blocks: DiagramBlock[] = []
  let open: { readonly line: number; readonly fence: string; readonly lines: string[] } | undefined
  for (const [at, line] of markdown.split(/\r?\n/).entries()) {
    if (open === undefined) {
      const [, fence] = /^ {0,3}(`{3,10}|~{3,10})\s*mermaid\b/.exec(line) ?? []
      if (fence !== undefined) open = { line: at + 2, fence, lines: [] }
    } else if (line.trim().startsWith(open.fence)) {
      blocks.push({ line: open.line, source: open.lines.join("\n") })
      open = undefined
    } else open.lines.push(line)
  }
  return open === undefined
    ? blocks
    : [...blocks, { line: open.line, source: open.lines.join("\n") }]
}
