import { readFileSync } from "node:fs"
import path from "node:path"
import { expect, test } from "vitest"

const ROOT = path.join(import.meta.dirname, "../../..")

/** Files and packages loaded before the first line of `main.ts` runs. */
function loadedWith(entry: string): ReadonlySet<string> {
  const loaded = new Set<string>()
  const waiting = [entry]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (loaded.has(file)) continue
    loaded.add(file)
    if (file.endsWith(".ts")) waiting.push(...importsOf(file))
  }
  return loaded
}

function importsOf(file: string): string[] {
  const text = readFileSync(path.join(ROOT, file), "utf8")
  const statements = text.matchAll(/^(?:import|export) (?!type )[^;]*? from "([^"]+)"/gm)
  return [...statements].map(([, specifier = ""]) => {
    if (specifier.startsWith(".")) return path.join(path.dirname(file), specifier)
    return specifier.startsWith("#") ? `src/${specifier.slice(1)}/index.ts` : specifier
  })
}

test("[CLI-5] help, completion and a mistyped command load no room except base, and no package", () => {
  const loaded = [...loadedWith("src/show/main.ts")]
  const rooms = new Set(loaded.map((it) => it.split("/").slice(0, 3).join("/")))
  const others = [...rooms].filter((it) => !it.startsWith("node:")).toSorted()
  expect(others).toEqual(["src/ground/base", "src/show/cli", "src/show/main.ts"])
  expect(loaded.length).toBeGreaterThan(20)
})
