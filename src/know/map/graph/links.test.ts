import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { madeTree } from "#test/indexed-tree"
import { fcParameters } from "#test/seed"
import type { IndexedTree } from "../tree/types.ts"
import { createGraphs, type TreeGraph } from "./graph.ts"
import { calledFrom, callersOf, type Link } from "./links.ts"
import { resolveNames } from "./names.ts"

async function symbolAt(graph: TreeGraph, path: string, name: string) {
  const position = graph.positionOf(path) ?? -1
  const number = graph.tree.files[position]?.content ?? -1
  const content = (await graph.tree.contents([number])).get(number)
  return { position, symbol: content?.symbols.findIndex((it) => it.name === name) ?? -1 }
}

async function formatLinks(tree: IndexedTree, links: readonly Link[]) {
  const contents = await tree.contents(tree.files.map((it) => it.content))
  return links.map(({ end, line, hops, confidence }) => {
    const file = tree.files[end.position]
    const symbols = contents.get(file?.content ?? -1)?.symbols
    const name = end.symbol === undefined ? "" : `#${symbols?.[end.symbol]?.name}`
    return `${hops} ${file?.path}${name}:${line} ${confidence}`
  })
}

async function resolve(files: Readonly<Record<string, string>>, path: string, name: string) {
  await using made = await madeTree(files)
  const graph = createGraphs().of(made.tree)
  const position = graph.positionOf(path) ?? -1
  const meanings = await resolveNames(graph, new Map([[position, [name]]]))
  const meaningsOfName = meanings.get(position)?.get(name) ?? []
  return [
    ...new Set(
      meaningsOfName.map((it) => `${made.tree.files[it.position]?.path} ${it.confidence}`),
    ),
  ]
}

const tug = "export function tug() {}\n"

describe("resolving a name", () => {
  test.for([
    [
      "prefers the file's own symbol",
      { "a.ts": `import { tug } from "./b.ts"\n${tug}`, "b.ts": tug },
      ["a.ts package"],
    ],
    [
      "prefers a name that is imported over one that an imported file merely contains",
      {
        "a.ts": 'import { tug } from "./c.ts"\nimport { x } from "./b.ts"',
        "b.ts": tug,
        "c.ts": tug,
      },
      ["c.ts import"],
    ],
    [
      "follows re-exports to the defining file",
      {
        "a.ts": 'import { tug } from "./quay/index.ts"',
        "quay/index.ts": 'export * from "./inner.ts"',
        "quay/inner.ts": 'export { tug } from "./tug.ts"',
        "quay/tug.ts": tug,
        "other/tug.ts": tug,
      },
      ["quay/tug.ts import"],
    ],
    [
      "finds a member of a class imported through a re-export",
      {
        "a.ts": 'import { Boat } from "./quay/index.ts"',
        "quay/index.ts": 'export { Boat } from "./boat.ts"',
        "quay/boat.ts": "export class Boat { tug() {} }",
        "other/boat.ts": "export class Ship { tug() {} }",
      },
      ["quay/boat.ts import"],
    ],
    ["takes the only definition in the tree", { "a.ts": "tug()", "b.ts": tug }, ["b.ts unique"]],
    [
      "returns each of a few definitions as ambiguous",
      { "a.ts": "tug()", "b.ts": tug, "c.ts": `${tug}// other` },
      ["b.ts ambiguous", "c.ts ambiguous"],
    ],
    [
      "ignores a symbol that is not exported",
      { "a.ts": "tug()", "b.ts": "function tug() {}", "c.ts": tug },
      ["c.ts unique"],
    ],
    [
      "prefers an imported name over the package",
      {
        "a.ts": "",
        "p/A.java": "package p;\nimport q.tug;\nclass A { }\n",
        "p/tug.java": "package p;\npublic class tug { }\n",
        "q/tug.java": "package q;\npublic class tug { }\n",
      },
      ["q/tug.java import"],
      "p/A.java",
    ],
    [
      "prefers the package over a name that an imported file merely contains",
      {
        "go.mod": "module m\n",
        "p/a.go": 'package p\n\nimport "m/q"\n',
        "p/b.go": "package p\n\ntype tug struct{}\n",
        "q/c.go": "package q\n\ntype tug struct{ }\n",
      },
      ["p/b.go package"],
      "p/a.go",
    ],
    [
      "ignores definitions of tests and documents",
      { "a.ts": "tug()", "a.test.ts": tug, "docs/conf.ts": `${tug}// other` },
      [],
    ],
    [
      "takes the definition of a test that is imported",
      { "a.ts": 'import { tug } from "./testing/tug.ts"', "testing/tug.ts": tug },
      ["testing/tug.ts import"],
    ],
    [
      "ignores tests of the same package",
      {
        "p/a.go": "package p\n",
        "p/b.go": "package p\n\ntype tug struct{}\n",
        "p/a_test.go": "package p\n\ntype tug struct{ }\n",
      },
      ["p/b.go package"],
      "p/a.go",
    ],
    ["ignores other languages", { "a.ts": "tug()", "b.py": "def tug(): pass\n" }, []],
    [
      "ignores a name that more than five files define",
      {
        "a.ts": "tug()",
        ...Object.fromEntries([..."bcdefg"].map((it) => [`${it}.ts`, `${tug}//${it}`])),
      },
      [],
    ],
    [
      "takes an imported name, however many files define it",
      {
        "a.ts": 'import { tug } from "./g.ts"',
        ...Object.fromEntries([..."bcdefg"].map((it) => [`${it}.ts`, `${tug}//${it}`])),
      },
      ["g.ts import"],
    ],
  ] as const)("[MAP-43] %s", async ([, files, expected, from = "a.ts"]) => {
    expect(await resolve(files, from, "tug")).toEqual(expected)
  })

  test("[MAP-43] names of built-in methods resolve only through an import", async () => {
    const files = { "a.ts": "[].map(1)", "b.ts": "export function map() {}" }
    expect(await resolve(files, "a.ts", "map")).toEqual([])
    const importing = { ...files, "a.ts": 'import { map } from "./b.ts"' }
    expect(await resolve(importing, "a.ts", "map")).toEqual(["b.ts import"])
    const member = {
      "a.ts": 'import { Boat } from "./b.ts"',
      "b.ts": "export class Boat { map() {} }",
    }
    expect(await resolve(member, "a.ts", "map")).toEqual([])
    const java = {
      "p/A.java": "package p;\nclass A { }\n",
      "p/B.java": "package p;\nclass B { void get() { } }\n",
      "p/C.java": "package p;\nclass C { void get() {} }\n",
    }
    expect(await resolve(java, "p/A.java", "get")).toEqual([])
  })

  test("[MAP-43] files of one package see each other, by folder and by package statement", async () => {
    const go = { "p/a.go": "package p\n", "p/b.go": "package p\nfunc Tug() {}\n" }
    expect(
      await resolve({ ...go, "q/b.go": "package p\nfunc Tug() { }\n" }, "p/a.go", "Tug"),
    ).toEqual(["p/b.go package"])
    const java = {
      "test/a/ATest.java": "package a;\nclass ATest { }\n",
      "main/a/Tug.java": "package a;\nclass Tug { }\n",
      "main/b/Tug.java": "package b;\nclass Tug { }\n",
    }
    expect(await resolve(java, "test/a/ATest.java", "Tug")).toEqual(["main/a/Tug.java package"])
  })
})

const HARBOUR = {
  "src/main.ts": 'import { open } from "./pier.ts"\nopen()\n',
  "src/pier.ts": [
    'import { tide } from "./tide.ts"',
    "export function open() {",
    "  return tide() + own()",
    "}",
    "function own() { return own2() }",
    "function own2() { return own() }",
  ].join("\n"),
  "src/tide.ts": "export function tide() { return moon() }\nexport function moon() { return 1 }\n",
  "src/watch.ts": [
    'import { open } from "./pier.ts"',
    "export class Watch {",
    "  start() {",
    "    open()",
    "    open()",
    "  }",
    "}",
    'import { Watch as Other } from "./other.ts"',
  ].join("\n"),
  "lib/pier.ts": "export function open() {}\n",
}

describe("callers and callees", () => {
  test("[MAP-44] one hop lists each use with its line, including code outside symbols", async () => {
    await using made = await madeTree(HARBOUR)
    const graph = createGraphs().of(made.tree)
    const open = await symbolAt(graph, "src/pier.ts", "open")
    const callers = await callersOf(graph, open, 1)
    expect(await formatLinks(made.tree, callers.links)).toEqual([
      "1 src/main.ts:2 import",
      "1 src/watch.ts#start:4 import",
    ])
    const called = await calledFrom(graph, open, 1)
    expect(await formatLinks(made.tree, called.links)).toEqual([
      "1 src/pier.ts#own:3 package",
      "1 src/tide.ts#tide:3 import",
    ])
    expect([callers.isCut, called.isCut]).toEqual([false, false])
  })

  test("[MAP-44] two hops continue from there, and no symbol is listed twice", async () => {
    await using made = await madeTree(HARBOUR)
    const graph = createGraphs().of(made.tree)
    const open = await symbolAt(graph, "src/pier.ts", "open")
    const called = await calledFrom(graph, open, 2)
    expect(await formatLinks(made.tree, called.links)).toEqual([
      "1 src/pier.ts#own:3 package",
      "1 src/tide.ts#tide:3 import",
      "2 src/pier.ts#own2:5 package",
      "2 src/tide.ts#moon:1 package",
    ])
    const moon = await symbolAt(graph, "src/tide.ts", "moon")
    const callers = await callersOf(graph, moon, 2)
    expect(await formatLinks(made.tree, callers.links)).toEqual([
      "1 src/tide.ts#tide:1 package",
      "2 src/pier.ts#open:3 import",
    ])
    const tide = await symbolAt(graph, "src/tide.ts", "tide")
    expect(callers.links.map((it) => it.via)).toEqual([undefined, tide])
  })

  test("[MAP-44] a name that resolves to nothing has no callers", async () => {
    await using made = await madeTree(HARBOUR)
    const graph = createGraphs().of(made.tree)
    const other = await symbolAt(graph, "lib/pier.ts", "open")
    expect(await callersOf(graph, other, 2)).toEqual({ links: [], isCut: false })
    expect(await callersOf(graph, { position: 99, symbol: 0 }, 1)).toEqual({
      links: [],
      isCut: false,
    })
  })

  test("[MAP-44] lists at most a hundred, and reports that there are more", async () => {
    const users = Array.from({ length: 120 }, (_, at) => `export function f${at}() { hub() }`)
    const all = [`import { hub } from "./hub.ts"`, ...users].join("\n")
    await using made = await madeTree({ "hub.ts": "export function hub() {}", "users.ts": all })
    const graph = createGraphs().of(made.tree)
    const hub = await symbolAt(graph, "hub.ts", "hub")
    const { links, isCut } = await callersOf(graph, hub, 1)
    expect([links.length, isCut]).toEqual([100, true])
  })

  test.for([
    { near: 120, farOfEach: 1, expected: [80, 20, true] },
    { near: 120, farOfEach: 9, expected: [50, 50, true] },
    { near: 30, farOfEach: 9, expected: [30, 70, true] },
    { near: 20, farOfEach: 1, expected: [20, 20, false] },
    { near: 60, farOfEach: 0, expected: [60, 0, true] },
  ] as const)(
    "[MAP-44] of $near first-hop symbols with $farOfEach behind each, lists $expected",
    async ({ near, farOfEach, expected }) => {
      const nearOnes = Array.from({ length: near }, (_, at) => at)
      const lines = nearOnes.flatMap((at) => [
        `export function n${at}() { hub() }`,
        ...Array.from({ length: farOfEach }, (_, it) => `function f${at}x${it}() { n${at}() }`),
      ])
      const users = [`import { hub } from "./hub.ts"`, ...lines].join("\n")
      await using made = await madeTree({ "hub.ts": "export function hub() {}", "users.ts": users })
      const graph = createGraphs().of(made.tree)
      const { links, isCut } = await callersOf(graph, await symbolAt(graph, "hub.ts", "hub"), 2)
      const [first, second] = [1, 2].map((hops) => links.filter((it) => it.hops === hops))
      expect([first?.length, second?.length, isCut]).toEqual(expected)
      const ends = new Set(first?.map((it) => JSON.stringify(it.end)))
      expect(second?.every((it) => ends.has(JSON.stringify(it.via)))).toBe(true)
    },
  )

  test("[MAP-44] reads no file twice", async () => {
    await using made = await madeTree(HARBOUR)
    const requests: unknown[] = []
    const graph = createGraphs().of({
      ...made.tree,
      contents(numbers) {
        requests.push(...numbers)
        return made.tree.contents(numbers)
      },
      definers(names) {
        requests.push(...names)
        return made.tree.definers(names)
      },
    })
    const open = await symbolAt(graph, "src/pier.ts", "open")
    requests.length = 0
    const [callers, called] = [await callersOf(graph, open, 2), await calledFrom(graph, open, 2)]
    expect(requests.length).toBeGreaterThan(0)
    expect(requests).toEqual([...new Set(requests)])
    requests.length = 0
    expect(await callersOf(graph, open, 2)).toEqual(callers)
    expect(await calledFrom(graph, open, 2)).toEqual(called)
    expect(requests).toEqual([])
  })

  test("[MAP-44] callers and callees agree in both directions", async () => {
    const name = fc.constantFrom("tug", "quay", "berth", "pilot")
    const fn = fc.record({ name, calls: fc.uniqueArray(name, { maxLength: 3 }) })
    const file = fc.record({
      functions: fc.uniqueArray(fn, { maxLength: 3, selector: (it) => it.name }),
      imports: fc.uniqueArray(fc.nat({ max: 3 }), { maxLength: 2 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(file, { minLength: 2, maxLength: 4 }), async (files) => {
        const texts = files.map(({ functions, imports }, at) => [
          `f${at}.ts`,
          [
            `// ${at}`,
            ...imports.map((it) => `import * as m${it} from "./f${it}.ts"`),
            ...functions.map((it) => `export function ${it.name}() { ${it.calls.join("();")}() }`),
          ].join("\n"),
        ])
        await using made = await madeTree(Object.fromEntries(texts))
        const graph = createGraphs().of(made.tree)
        const symbols = files.flatMap((it, position) =>
          it.functions.map((_, symbol) => ({ position, symbol })),
        )
        const pairs = new Set<string>()
        const backwards = new Set<string>()
        const text = (it: object) => JSON.stringify(it)
        for (const symbol of symbols) {
          const { links: called } = await calledFrom(graph, symbol, 1)
          for (const { end } of called) pairs.add(text([symbol, end]))
          const { links: callers } = await callersOf(graph, symbol, 1)
          for (const { end } of callers) backwards.add(text([end, symbol]))
        }
        expect([...pairs].toSorted()).toEqual([...backwards].toSorted())
      }),
      fcParameters({ numRuns: 12 }),
    )
  })
})

test("[MAP-43] a function inside another function is called only from inside it", async () => {
  const runner = (name: string) =>
    `export function ${name}() {\n  function next() {\n    return 1\n  }\n  return next()\n}\n`
  const file = `${runner("first")}${runner("second")}`
  await using made = await madeTree({ "a.ts": file })
  const graph = createGraphs().of(made.tree)
  const second = await symbolAt(graph, "a.ts", "second")
  const called = await calledFrom(graph, second, 1)
  expect(called.links.map((it) => [it.end.symbol, it.line])).toEqual([[second.symbol + 1, 11]])
  const next = await symbolAt(graph, "a.ts", "next")
  const { links } = await callersOf(graph, next, 1)
  expect(await formatLinks(made.tree, links)).toEqual(["1 a.ts#first:5 package"])
})

test("[MAP-44] calls in the arguments of a Rust macro are calls", async () => {
  const lines = [
    "fn tug(force: u32) -> u32 { force }",
    "struct Quay;",
    "impl Quay { fn haul(&self) -> u32 { 1 } }",
    "fn check(quay: &Quay) {",
    '    assert_eq!(tug(1), quay.haul(), "tide(2)");',
    "}",
    "fn tide(height: u32) -> u32 { height }",
  ]
  await using made = await madeTree({ "src/lib.rs": lines.join("\n") })
  const graph = createGraphs().of(made.tree)
  const { links } = await calledFrom(graph, await symbolAt(graph, "src/lib.rs", "check"), 1)
  const called = await formatLinks(made.tree, links)
  expect(called).toContain("1 src/lib.rs#tug:5 package")
  expect(called).toContain("1 src/lib.rs#haul:5 package")
  expect(called).not.toContain("1 src/lib.rs#tide:5 package")
})
