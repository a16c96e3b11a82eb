import { describe, expect, test } from "vitest"
import { madeTree } from "#test/indexed-tree"
import { changedWith } from "../find/show.ts"
import { createGraphs } from "./graph.ts"

const SHORE = {
  "package.json": '{ "imports": { "#tide": "./src/tide/index.ts" } }',
  "src/app.ts": 'import { moon } from "#tide"\nimport { readFile } from "node:fs"\nmoon()\n',
  "src/tide/index.ts": 'export { moon } from "./moon.ts"\n',
  "src/tide/moon.ts": "export function moon() { return 1 }\n",
  "go.mod": "module example.org/shore\n",
  "cmd/main.go": 'package main\n\nimport "example.org/shore/pier"\n\nfunc main() { pier.Open() }\n',
  "pier/pier.go": "package pier\n\nfunc Open() {}\n",
  "pier/lock.go": "package pier\n\nfunc Lock() {}\n",
  "java/a/Boat.java": "package harbour;\npublic class Boat { }\n",
  "java/b/Crew.java": "package crew;\nimport harbour.Boat;\nclass Crew { Boat boat; }\n",
  "tools/self.py": "import self\nimport os\n",
  "notes.md": "# Notes\n",
}

describe("the import graph", () => {
  test("[MAP-41] follows imports through manifests, modules and packages, in both directions", async () => {
    await using made = await madeTree(SHORE)
    const graph = createGraphs().of(made.tree)
    const { imports, importers } = await graph.whole()
    const pathAt = (it: number) => made.tree.files[it]?.path
    const edges = made.tree.files.map(({ path }, position) => [
      path,
      (imports[position] ?? []).map((it) => [it.specifier, ...it.positions.map(pathAt)]),
    ])
    expect(Object.fromEntries(edges)).toMatchObject({
      "src/app.ts": [["#tide", "src/tide/index.ts"], ["node:fs"]],
      "src/tide/index.ts": [["./moon.ts", "src/tide/moon.ts"]],
      "cmd/main.go": [["example.org/shore/pier", "pier/lock.go", "pier/pier.go"]],
      "java/b/Crew.java": [["harbour.Boat", "java/a/Boat.java"]],
      "tools/self.py": [["self"], ["os"]],
    })
    const back = made.tree.files.map(({ path }, at) => [path, (importers[at] ?? []).map(pathAt)])
    expect(Object.fromEntries(back)).toMatchObject({
      "src/tide/moon.ts": ["src/tide/index.ts"],
      "pier/lock.go": ["cmd/main.go"],
      "java/a/Boat.java": ["java/b/Crew.java"],
      "notes.md": [],
    })
  })

  test("[MAP-41] gives the same edges for a few files as for the whole tree", async () => {
    await using made = await madeTree(SHORE)
    const { imports } = await createGraphs().of(made.tree).whole()
    for (const position of made.tree.files.keys()) {
      const alone = await createGraphs().of(made.tree).imports([position])
      expect(alone.get(position)).toEqual(imports[position])
    }
  })

  test("[MAP-41] equal trees share one graph, and two graphs are cached", async () => {
    await using made = await madeTree({ "a.ts": "" })
    const graphs = createGraphs()
    const wholeOf = (digest: string) => graphs.of({ ...made.tree, digest }).whole()
    const first = await wholeOf("1")
    expect(await wholeOf("1")).toBe(first)
    await wholeOf("2")
    expect(await wholeOf("1")).toBe(first)
    await wholeOf("3")
    expect(await wholeOf("1")).toBe(first)
    await wholeOf("4")
    await wholeOf("5")
    expect(await wholeOf("1")).not.toBe(first)
  })

  test("[MAP-41] an equal tree that was scanned later has its own history and contents", async () => {
    await using made = await madeTree(SHORE)
    const graphs = createGraphs()
    const before = graphs.of(made.tree)
    const whole = await before.whole()
    const commits = [{ message: "Open the pier", files: ["pier/pier.go"] }]
    const later = graphs.of({ ...made.tree, commits })
    expect(later.tree.commits).toBe(commits)
    expect(await later.whole()).toBe(whole)

    const { signal } = new AbortController()
    const { tree } = await made.index.scan(made.source, { mode: "full", signal })
    expect(tree.digest).toBe(made.tree.digest)
    const renewed = graphs.of(tree)
    for (const { content } of tree.files) {
      expect(renewed.positionsWith(content)).not.toEqual([])
    }
    expect(await renewed.whole()).toEqual(whole)
  })

  test("[MAP-41] retries after a failed read", async () => {
    await using made = await madeTree(SHORE)
    let isBroken = true
    const tree = {
      ...made.tree,
      contents(numbers: readonly number[]) {
        if (isBroken) return Promise.reject(new Error("the store is away"))
        return made.tree.contents(numbers)
      },
    }
    const graph = createGraphs().of(tree)
    await expect(graph.whole()).rejects.toThrow("the store is away")
    isBroken = false
    const { importers } = await graph.whole()
    expect(importers.flat()).not.toEqual([])
  })

  test("[MAP-41] an empty tree has an empty graph", async () => {
    await using made = await madeTree({})
    const { imports, importers, ranks } = await createGraphs().of(made.tree).whole()
    expect([imports, importers, [...ranks]]).toEqual([[], [], []])
  })
})

describe("co-changed files", () => {
  const files = ["a.ts", "b.ts", "c.ts"].map((path) => ({ path }))
  const sweep = { message: "", files: ["a.ts", "c.ts", ...Array(30).keys()].map(String) }
  const tree = (commits: readonly (readonly string[])[]) => {
    const past = commits.map((it) => ({ message: "", files: it }))
    return { files, commits: [...past, sweep] } as unknown as Parameters<typeof changedWith>[0]
  }

  test("are listed by frequency, without large commits, deleted files and the file itself", () => {
    const past = tree([["a.ts", "b.ts"], ["a.ts", "c.ts", "gone.ts"], ["c.ts", "a.ts"], ["b.ts"]])
    expect(changedWith(past, "a.ts")).toEqual([
      { path: "c.ts", times: 2 },
      { path: "b.ts", times: 1 },
    ])
    expect(changedWith(past, "unknown.ts")).toEqual([])
  })
})
