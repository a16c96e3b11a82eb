import { mkdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { mapStack, missingBuiltFile, packageFile } from "./package-files.ts"

test("[BASE-36] a file of the package is found from the folder of package.json", async () => {
  const { name } = JSON.parse(await readFile(packageFile("package.json"), "utf8"))
  expect(name).toBe("quartermaster")
})

test("[BASE-36] a position in the bundle becomes that in src; one without a source map stays", async () => {
  await using folder = await tempDirectory()
  const engine = path.join(folder.path, "dist/engine")
  await mkdir(engine, { recursive: true })
  const map = { version: 3, sources: ["../../src/show/main.ts"], names: [], mappings: "AAAA" }
  await writeFile(path.join(engine, "main.mjs.map"), JSON.stringify(map))
  const stack = (file: string) => `Error: x\n    at f (file://${engine}/${file}:1:1)`
  expect(mapStack(stack("main.mjs"))).toBe("Error: x\n    at f (src/show/main.ts:1:1)")
  expect(mapStack(stack("other.mjs"))).toBe(stack("other.mjs"))
})

test("[BASE-36] a failed import of a built file names the file; a source and other errors do not", () => {
  const failed = (message: string, code: string) => Object.assign(new Error(message), { code })
  const missing = (name: string, code = "ERR_MODULE_NOT_FOUND") =>
    missingBuiltFile(failed(`Cannot find module '${name}' imported from /x`, code), "/p")
  expect(missing("/p/dist/engine/chunks/a.mjs")).toBe("dist/engine/chunks/a.mjs")
  expect(missing("../packages/yaml.mjs", "MODULE_NOT_FOUND")).toBe("dist/engine/packages/yaml.mjs")
  expect(missing("/p/src/show/gone.ts")).toBeUndefined()
  expect(missing("/p/dist/engine/chunks/a.mjs", "EACCES")).toBeUndefined()
  expect(missingBuiltFile("text", "/p")).toBeUndefined()
})
