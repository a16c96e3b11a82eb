import { mkdir, writeFile } from "node:fs/promises"
import { SourceMap } from "node:module"
import path from "node:path"
import { rolldown } from "rolldown"
import { describe, expect, test } from "vitest"
import { invariant } from "#ground/base"
import { tempDirectory } from "#test/temp"
import { lazySchemas } from "./lazy-schemas.ts"

/** Each name is printed when its schema is built. */
const TRACE = `
  import { z } from "zod"
  export const built = []
  export function field(name) {
    built.push(name)
    return z.string()
  }
  export function defineOperations(group, descriptors) {
    return Object.fromEntries(Object.entries(descriptors).map(([verb, it]) => [
      group + "." + verb,
      Object.defineProperties({}, Object.getOwnPropertyDescriptors(it)),
    ]))
  }
`

type Files = Readonly<Record<string, string>>

/** Bundles modules with the plugin. */
async function bundle(files: Files) {
  await using temp = await tempDirectory()
  const zod = import.meta.resolve("zod").replace("file://", "")
  for (const [name, code] of Object.entries({ "trace.ts": TRACE, ...files })) {
    const file = path.join(temp.path, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, code)
  }
  const built = await rolldown({
    input: path.join(temp.path, "main.ts"),
    resolve: { alias: { zod } },
    plugins: [
      lazySchemas({ folder: temp.path, isPure: (file) => path.basename(file) !== "main.ts" }),
    ],
  })
  const { output } = await built.generate({ format: "esm", codeSplitting: false, sourcemap: true })
  await built.close()
  return output[0]
}

/** The exports of main.ts. */
async function run(files: Files): Promise<Record<string, unknown>> {
  const { code } = await bundle(files)
  return import(`data:text/javascript,${encodeURIComponent(code)}`)
}

describe("schemas of the bundle", () => {
  test("[APP-49] a schema is built at its first use, once, with what it depends on", async () => {
    const main = await run({
      "shapes.ts": `
        import { z } from "zod"
        import { field } from "./trace.ts"
        const Id = z.object({ id: field("id") })
        export const Run = Id.extend({ title: field("title") })
        export type Run = z.infer<typeof Run>
        export const Unused = z.object({ unused: field("unused") })`,
      "index.ts": `export { Run, Unused } from "./shapes.ts"`,
      "main.ts": `
        import { built } from "./trace.ts"
        import { Run } from "./index.ts"
        const before = [...built]
        const parse = (value: unknown): Run => Run.parse(value)
        const both = [parse({ id: "r", title: "t" }), { Run }.Run === Run]
        export const result = { before, both, after: built }`,
    })
    expect(main["result"]).toEqual({
      before: [],
      both: [{ id: "r", title: "t" }, true],
      after: ["id", "title"],
    })
  })

  test("[APP-49] input and output of an operation are built separately", async () => {
    const main = await run({
      "main.ts": `
        import { z } from "zod"
        import { built, defineOperations, field } from "./trace.ts"
        const operations = defineOperations("fold", {
          list: { summary: "List", input: z.object({ a: field("input") }), output: field("output") },
          show: { summary: "Show", input: z.object({ a: field("other") }), output: field("other") },
        })
        const list = operations["fold.list"]
        const isSame = list.input === list.input
        export const result = { isSame, parsed: list.input.parse({ a: "x" }), built }`,
    })
    expect(main["result"]).toEqual({ isSame: true, parsed: { a: "x" }, built: ["input"] })
  })

  test("[APP-49] a schema whose name an inner variable has stays a value", async () => {
    const main = await run({
      "shapes.ts": `import { z } from "zod"\nexport const text = z.string()\nexport const other = text.min(2)`,
      "main.ts": `
        import { other, text } from "./shapes.ts"
        const inner = (text: string, { other } = { other: "o" }) => text + other
        export const result = [inner("i"), text.parse("a"), other.safeParse("b").success]`,
    })
    expect(main["result"]).toEqual(["io", "a", false])
  })

  test("[APP-49] a dynamic import reads values", async () => {
    const main = await run({
      "shapes.ts": `
        import { z } from "zod"
        export const A = z.string()
        export const B = z.object({ a: A })
        export const C = z.number()`,
      "main.ts": `
        const first = (await import("./shapes.ts")).A.parse("a")
        const { B } = await import("./shapes.ts")
        const shapes = await import("./shapes.ts")
        export const result = [first, B.parse({ a: "b" }), shapes.C.parse(1)]`,
    })
    expect(main["result"]).toEqual(["a", { a: "b" }, 1])
  })

  test("[APP-49] a position in the bundle leads to its line in the source", async () => {
    const { code, map } = await bundle({
      "shapes.ts": `import { z } from "zod"
        export const Shape =
          z.object({ a:
            z.string() })
        export const last = () => "marked"`,
      "main.ts": `
        import { last, Shape } from "./shapes.ts"
        console.log(Shape.parse({ a: "a" }), last())`,
    })
    const lines = code.split("\n")
    const line = lines.findIndex((it) => it.includes('"marked"'))
    invariant(map !== null, "the bundle has a source map")
    const entry = new SourceMap(JSON.parse(map.toString())).findEntry(
      line,
      lines[line]?.indexOf('"marked"') ?? 0,
    )
    expect(entry).toMatchObject({
      originalLine: 4,
      originalSource: expect.stringMatching(/shapes\.ts$/),
    })
  })
})
