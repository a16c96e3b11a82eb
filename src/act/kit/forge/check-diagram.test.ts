import { createRequire } from "node:module"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { beforeAll, expect, test } from "vitest"
import { checkDiagram, diagramsIn } from "./check-diagram.ts"

type Mermaid = { parse(source: string): Promise<unknown> }
let mermaid: Mermaid

/** The real parser, which the console draws with. Without a page, its sanitizer has no document. */
beforeAll(async () => {
  const console = path.join(import.meta.dirname, "../../../../console/package.json")
  const { resolve } = createRequire(console)
  const load = (name: string) => import(/* @vite-ignore */ pathToFileURL(resolve(name)).href)
  mermaid = (await load("mermaid")).default
  const fromMermaid = createRequire(resolve("mermaid"))
  const folder = path.dirname(fromMermaid.resolve("dompurify"))
  const module = pathToFileURL(path.join(folder, "purify.es.mjs")).href
  const purify = await import(/* @vite-ignore */ module)
  Object.assign(purify.default, { addHook: () => {}, sanitize: (text: string) => text })
})

const GOOD: readonly string[] = [
  "graph TD\n  A[Start] --> B{Is it?}\n  B -->|yes| C(Do it)\n  B -- no --> D((Stop))",
  'flowchart LR\n  a["x (y)"] --> b[["sub"]]\n  subgraph one\n    b --> c[(Store)]\n  end',
  "graph TD; A-->B; B-->C;",
  "flowchart TB\n  A & B --> C & D\n  C -.-> E ==> F\n  classDef big fill:#fff\n  class A big",
  "flowchart LR\n  A --x B --o C\n  A <--> C\n  D{{six}} --> E[/in/]\n  style A fill:#f9f",
  "%% a comment\nflowchart LR\n  A --- B\n  A ~~~ C",
  "---\ntitle: T\n---\nflowchart LR\n  A([round]) --> B>flag]",
  "sequenceDiagram\n  participant A as Alice\n  A->>B: hello\n  B-->>A: hi\n  Note over A,B: talk\n  loop daily\n    A-)B: ping\n  end",
  "sequenceDiagram\n  alt ok\n    A->>+B: go\n  else not\n    B--x A: no\n  end\n  activate A\n  deactivate A",
  "classDiagram\n  class Animal {\n    +int age\n    +eat() void\n  }\n  Animal <|-- Dog\n  Dog --> Bone : eats",
  "stateDiagram-v2\n  [*] --> Idle\n  Idle --> Busy : work\n  state Busy {\n    [*] --> One\n  }",
  "erDiagram\n  CUSTOMER ||--o{ ORDER : places\n  ORDER {\n    int id\n  }",
  "gantt\n  title Plan\n  section A\n  one : a1, 2026-01-01, 3d",
]

const BAD: readonly (readonly [source: string, problem: RegExp])[] = [
  ["", /empty/],
  ["grph TD\n  A-->B", /nearest is graph/],
  ["graph UP\n  A-->B", /no direction/],
  ["graph TD\n  A[foo (bar)] --> B", /double quotes/],
  ["graph TD\n  A[foo --> B", /not closed/],
  ["graph TD\n  A --> ", /no node/],
  ["graph TD\n  A -> B", /`-->`/],
  ["graph TD\n  A --> end", /reserved/],
  ["graph TD\n  subgraph x\n  A --> B", /subgraph.*not closed/],
  ["graph TD\n  A --> B\n  end", /closes no subgraph/],
  ['graph TD\n  A["x] --> B', /not closed/],
  ["graph TD\n  hello there friend", /no node and no link/],
  ["sequenceDiagram\n  A->>B", /no message/],
  ["sequenceDiagram\n  loop x\n  A->>B: y", /no `end`/],
  ["sequenceDiagram\n  A->>B: y\n  end", /closes no block/],
  ["sequenceDiagram\n  A says hello to B", /no message/],
  ["classDiagram\n  class A {\n    +int x", /not closed/],
  ["stateDiagram-v2\n  Idle -->", /nothing on one side/],
  ["erDiagram\n  A ||--o{ B", /label/],
]

test.each(GOOD)("[KIT-26] a diagram that mermaid accepts has no problem: %j", async (source) => {
  await expect(mermaid.parse(source)).resolves.toBeTruthy()
  expect(checkDiagram(source).problems).toEqual([])
})

test.each(BAD)(
  "[KIT-26] a diagram that mermaid refuses has a problem with its line: %j",
  async (source, problem) => {
    await expect(mermaid.parse(source)).rejects.toBeTruthy()
    const { problems } = checkDiagram(source)
    expect(problems.map((it) => it.problem).join("; ")).toMatch(problem)
    const lines = source.split("\n").length
    expect(problems.every((it) => it.line >= 1 && it.line <= lines)).toBe(true)
  },
)

test("[KIT-26] a type without rules of its own is reported as checked in outline", () => {
  expect(checkDiagram("gantt\n  title x")).toMatchObject({ type: "gantt", isOutline: true })
  expect(checkDiagram("graph TD\n  A-->B")).toMatchObject({ type: "graph", isOutline: false })
})

test("[KIT-26] blocks of a file are found with their lines, also without a closing fence", () => {
  const text = "# T\n\n```mermaid\ngraph TD\nA-->B\n```\n\n~~~ts\nx\n~~~\n\n```mermaid\npie\n"
  expect(diagramsIn(text)).toEqual([
    { line: 4, source: "graph TD\nA-->B" },
    { line: 13, source: "pie\n" },
  ])
})

test("[KIT-26] long and hostile input ends quickly", () => {
  for (const part of ["A[", "A--", "<", '"', "-.", "A:", "(((", "|"]) {
    const source = `graph TD\n${part.repeat(12_000)}\nsequenceDiagram\n${part.repeat(6_000)}`
    expect(checkDiagram(source).problems.length).toBeLessThanOrEqual(20)
    expect(
      checkDiagram(source.replace("graph TD", "sequenceDiagram")).problems.length,
    ).toBeLessThanOrEqual(20)
  }
})
