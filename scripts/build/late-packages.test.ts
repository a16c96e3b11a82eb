import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import path from "node:path"
import { rolldown } from "rolldown"
import { expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { latePackages, packageEntries } from "./late-packages.ts"

const PACKAGES = { "smol-toml": ["parse"] }

test("a package loads at the first call of its function, and the result is the same", async () => {
  await using temp = await tempDirectory()
  const source = path.join(temp.path, "source")
  await mkdir(source)
  const file = (name: string, text: string) => writeFileSync(path.join(source, name), text)
  file("main.mjs", `export const start = () => import("./late.mjs")`)
  file("late.mjs", `import { parse } from "smol-toml"\nexport const read = (text) => parse(text)`)
  const bundle = await rolldown({
    cwd: path.join(import.meta.dirname, "../.."),
    input: { main: path.join(source, "main.mjs"), ...packageEntries(PACKAGES) },
    platform: "node",
    plugins: [latePackages(PACKAGES, [path.join(source, "late.mjs")])],
    resolve: { modules: [path.join(import.meta.dirname, "../../node_modules")] },
  })
  const dir = path.join(temp.path, "engine")
  await bundle.write({
    dir,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "chunks/[name]-[hash].mjs",
  })
  await bundle.close()
  const program = `
    import { registerHooks } from "node:module"
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    const hasPackage = () => loaded.some((it) => it.includes("/packages/"))
    const { read } = await (await import(${JSON.stringify(path.join(dir, "main.mjs"))})).start()
    const before = hasPackage()
    const value = read("a = 1")
    console.log(JSON.stringify({ before, value, after: hasPackage() }))`
  const args = ["--input-type=module", "-e", program]
  const printed = execFileSync(process.execPath, args, { encoding: "utf8" })
  expect(JSON.parse(printed)).toEqual({ before: false, value: { a: 1 }, after: true })
})
