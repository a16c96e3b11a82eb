import { spawn } from "node:child_process"
import { linkSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import path from "node:path"
import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters, isNight, seed } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { openTree, readTreeFile, type TreeFile } from "./tree-file.ts"
import { walkTree } from "./walk.ts"

const { signal } = new AbortController()
const OUTSIDE = "outside"
const INSIDE = "inside"

function textOf(outcome: TreeFile): string {
  return outcome.kind === "read" ? outcome.bytes.toString() : outcome.kind
}

function makeLayout(base: string): string {
  const at = (...names: string[]) => path.join(base, ...names)
  for (const place of ["root", "root-twin", "away"]) {
    const text = place === "root" ? INSIDE : OUTSIDE
    for (const folder of ["", "a", "a/b", "b"]) {
      mkdirSync(at(place, folder), { recursive: true })
      for (const name of ["f", "..f", "f.ts"]) writeFileSync(at(place, folder, name), text)
    }
  }
  const links = { out: at("away"), up: "..", twin: "../root-twin", file: "../../away/f", self: "." }
  for (const [name, target] of Object.entries(links)) {
    for (const folder of ["", "a", "a/b"]) symlinkSync(target, at("root", folder, name))
  }
  linkSync(at("root", "f"), at("root", "hard"))
  return at("root")
}

test("[F4] [REPO-16] no path leads out of the root, through any links", async () => {
  await using temp = await tempDirectory()
  const root = makeLayout(temp.path)
  const inside = ["a", "b", "f", "..f", "f.ts", "out", "up", "twin", "file", "self", "hard"]
  const strange = ["..", ".", "", "...", "root-twin", "away", "..\\away", "%2e%2e", "a\0b", "~"]
  const name = fc.constantFrom(...inside, ...strange)
  const given = fc.oneof(
    fc.array(name, { minLength: 1, maxLength: 6 }).map((it) => it.join("/")),
    fc.constantFrom(path.join(temp.path, "away/f"), "/etc/passwd", `${root}/../away/f`),
    fc.string(),
  )
  using tree = openTree(root)
  const property = fc.property(given, (it) => {
    const outcome = readTreeFile(root, it)
    expect(tree.read(it)).toEqual(outcome)
    if (outcome.kind === "read") expect(outcome.bytes.toString()).toBe(INSIDE)
    const isPlain = /^(?:a\/b\/|a\/|b\/)?(?:f|\.\.f|f\.ts)$/.test(it)
    expect(outcome.kind === "read").toBe(isPlain || it === "hard")
  })
  fc.assert(property, fcParameters({ numRuns: 5_000, nightRuns: 50_000 }))
})

test("[F4] [REPO-16] a path is read exactly if it has no link in it", async () => {
  await using temp = await tempDirectory()
  const roots = fc.sample(LAYOUT, { seed: seed(), numRuns: 20 }).map((links, at) => {
    const root = makeLayout(path.join(temp.path, String(at)))
    for (const { name, target } of links) addLink(path.join(root, name), target)
    return root
  })
  const names = ["a", "b", "f", "new", "a/new", "a/b/new", "out", "up", "self", "..f", ".", ".."]
  const given = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 5 })
  const property = fc.property(fc.constantFrom(...roots), given, (root, parts) => {
    const outcome = readTreeFile(root, parts.join("/"))
    expect(outcome.kind === "read").toBe(isFileWithoutLinks(root, parts.join("/").split("/")))
    if (outcome.kind === "read") expect(outcome.bytes.toString()).toBe(INSIDE)
  })
  fc.assert(property, fcParameters({ numRuns: 5_000, nightRuns: 50_000 }))
})

const LAYOUT = fc.array(
  fc.record({
    name: fc.constantFrom("new", "a/new", "a/b/new", "b/new", "a/b/f", "b/f"),
    target: fc.constantFrom("f", "..", "../..", "a", ".", "../../away", "../../../away/f", "new"),
  }),
  { maxLength: 5 },
)

function addLink(at: string, target: string): void {
  rmSync(at, { force: true })
  symlinkSync(target, at)
}

function isFileWithoutLinks(root: string, names: readonly string[]): boolean {
  if (names.some((it) => it === "." || it === "..")) return false
  return names.every((_, at) => {
    const step = path.join(root, ...names.slice(0, at + 1))
    const found = lstatSync(step, { throwIfNoEntry: false })
    return at === names.length - 1 ? found?.isFile() : found?.isDirectory()
  })
}

test("[F4] [REPO-16] a folder that is constantly swapped for a link never leads out", async () => {
  await using temp = await tempDirectory()
  const at = (...names: string[]) => path.join(temp.path, ...names)
  for (const [place, text] of Object.entries({ root: INSIDE, away: OUTSIDE })) {
    mkdirSync(at(place, "d", "e"), { recursive: true })
    for (const file of ["d/f", "d/e/f"]) writeFileSync(at(place, file), text)
    writeFileSync(at(place, "d", `only-${place}`), text)
  }
  const script = `const fs = require("node:fs"); const [d, kept, away] = process.argv.slice(1)
    for (;;) {
      fs.renameSync(d, kept); fs.symlinkSync(away, d); fs.unlinkSync(d); fs.renameSync(kept, d)
    }`
  const swapped = [at("root", "d"), at("kept"), at("away", "d")]
  const swapper = spawn(process.execPath, ["-e", script, ...swapped], { stdio: "ignore" })
  const seen = new Set<string>()
  try {
    // Enough rounds to meet each state; one second by day and ten at night.
    const rounds = isNight() ? 40_000 : 4_000
    for (let i = 0; i < rounds || seen.size < 3; i++) {
      const outcome = readTreeFile(at("root"), i % 2 === 0 ? "d/f" : "d/e/f")
      seen.add(textOf(outcome))
      using tree = openTree(at("root"))
      for (const name of ["d/e/f", "d/f"]) seen.add(textOf(tree.read(name)))
    }
    const repository = { root: at("root"), gitCommonDirectory: undefined }
    for (let i = 0; i < rounds / 10; i++) {
      const { files } = await walkTree(repository, { signal })
      for (const file of files) seen.add(path.basename(file.path))
    }
  } finally {
    swapper.kill("SIGKILL")
  }
  expect(seen).toContain(INSIDE)
  expect(seen).toContain("skipped")
  expect(seen).not.toContain(OUTSIDE)
  expect(seen).not.toContain("only-away")
})
