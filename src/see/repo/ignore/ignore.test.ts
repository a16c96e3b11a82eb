import { spawnSync } from "node:child_process"
import { mkdir, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { needs } from "#test/needs"
import { fcParameters } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { IGNORE_FILES, type IgnoreLevel, isIgnored, parseIgnoreRules } from "./ignore.ts"

function decide(ignoreFiles: ReadonlyMap<string, string>, file: string): boolean {
  const parts = file.split("/")
  const levels: IgnoreLevel[] = []
  for (let depth = 0; depth < parts.length; depth++) {
    const folder = parts.slice(0, depth).join("/")
    const text = ignoreFiles.get(folder)
    if (text !== undefined) levels.push({ folder, rules: parseIgnoreRules(Buffer.from(text)) })
    const isFolder = depth < parts.length - 1
    if (isIgnored(levels, { path: parts.slice(0, depth + 1).join("/"), isFolder }, { steps: 0 }))
      return true
  }
  return false
}

const decideAtTop = (rules: string, file: string) => decide(new Map([["", rules]]), file)

test.each([
  ["*.log", "a/b.log", true],
  ["*.log\n!keep.log", "keep.log", false],
  ["build/", "build/x", true],
  ["build/", "build", false],
  ["/top", "a/top", false],
  ["a/b", "x/a/b", false],
  ["**/b", "x/y/b", true],
  ["a/**", "a/x/y", true],
  ["a/**/b", "a/b", true],
  ["a/**/b", "a/x/y/b", true],
  ["a/**/b", "a/xb", false],
  ["**b/c", "ab/c", true],
  ["[a-c]x", "bx", true],
  ["[!a-c]x", "bx", false],
  ["[[:digit:]]", "7", true],
  ["[]x]", "]", true],
  ["a[", "a[", false],
  ["\\#x", "#x", true],
  ["#x", "#x", false],
  ["\\!x", "!x", true],
  ["x  ", "x", true],
  ["x\\ ", "x ", true],
  ["x\r\ny", "x", true],
  ["x\\", "x\\", false],
  ["d/\n!d/f", "d/f", true],
  ["d/*\n!d/f", "d/f", false],
  ["\ufeffx", "x", true],
  ["?", "é", false],
  ["??", "é", true],
  ["é*", "école", true],
  ["", "x", false],
  ["/", "x", false],
  ["!", "x", false],
])("[REPO-13] the rules %j on %j", (rules, file, expected) => {
  expect(decideAtTop(rules, file)).toBe(expected)
})

test("[REPO-13] rules of a deeper folder take precedence", () => {
  const files = new Map([
    ["", "*.txt\n"],
    ["a", "!b.txt\n"],
  ])
  expect(decide(files, "a/b.txt")).toBe(false)
  expect(decide(files, "a/c.txt")).toBe(true)
  expect(IGNORE_FILES).toEqual([".gitignore", ".ignore", ".qmignore"])
})

test("[REPO-13] [F1] no pattern throws or takes long", () => {
  const pattern = fc.string({ unit: fc.constantFrom(..."ab*?[]!^-:/\\ #é"), maxLength: 40 })
  const file = fc.string({ unit: fc.constantFrom(..."ab[]*-é"), minLength: 1, maxLength: 30 })
  const property = fc.property(fc.array(pattern, { maxLength: 5 }), file, (lines, name) => {
    expect(typeof decideAtTop(lines.join("\n"), `d/${name}`)).toBe("boolean")
  })
  fc.assert(property, fcParameters({ numRuns: 3_000 }))
})

test("[REPO-13] [F6] patterns that make regular expressions explode take few steps", () => {
  const started = process.cpuUsage()
  const name = "a".repeat(250)
  for (const pattern of [
    "*a".repeat(100),
    "**/a/".repeat(50),
    "[a-z]*".repeat(80),
    "*".repeat(4_000),
  ])
    decideAtTop(`${pattern}b\n${pattern}/b`, `${name}/${name}/${name}/c`)
  const { user } = process.cpuUsage(started)
  expect(user / 1_000).toBeLessThan(2_000)
})

describe.runIf(needs("REPO-13", "git"))("compared with git", () => {
  const unit = fc.constantFrom(
    "a",
    "b",
    "*",
    "**",
    "/",
    "?",
    "[ab]",
    "[!a]",
    "[a-",
    "\\",
    " ",
    "é",
    "!",
    "]",
  )
  const line = fc.oneof(
    fc.array(unit, { minLength: 1, maxLength: 6 }).map((it) => it.join("")),
    fc.constantFrom(
      "*.b",
      "/a",
      "a/",
      "!a",
      "!a/b",
      "a/**",
      "**/a",
      "a/**/b",
      "#a",
      "[[:alpha:]]",
      "*",
      "!*/",
    ),
  )
  const rules = fc.array(line, { maxLength: 5 }).map((it) => it.join("\n"))
  const name = fc.constantFrom("a", "b", "ab", "é", "a.b", "*", "a ", "[a", "!a")
  const file = fc.array(name, { minLength: 1, maxLength: 4 }).map((it) => it.join("/"))

  test("[REPO-13] the same files are ignored as by git, for random rules and trees", async () => {
    await using temp = await tempDirectory()
    const git = (args: readonly string[], input?: string) =>
      // git exits with 1 if nothing is ignored.
      spawnSync("git", args, { cwd: temp.path, input }).stdout
    git(["init", "-q"])
    const property = fc.asyncProperty(
      fc.tuple(rules, rules),
      fc.array(file, { minLength: 4, maxLength: 12 }),
      async ([top, deeper], files) => {
        await using tree = await makeTree(temp.path, files)
        await writeFile(path.join(temp.path, ".gitignore"), top)
        await mkdir(path.join(temp.path, "a"), { recursive: true }).catch(() => {})
        const isNested = await writeFile(path.join(temp.path, "a", ".gitignore"), deeper).then(
          () => true,
          () => false,
        )
        const ignoreFiles = new Map([["", top], ...(isNested ? [["a", deeper] as const] : [])])
        expect(tree.files.filter((it) => decide(ignoreFiles, it))).toEqual(
          ignoredByGit(git, tree.files),
        )
      },
    )
    await fc.assert(property, fcParameters({ numRuns: 250 }))
  })
})

/** Only files that can coexist: a name is a file or a folder, never both. */
async function makeTree(root: string, wanted: readonly string[]) {
  const files: string[] = []
  for (const it of [...new Set(wanted)].toSorted()) {
    try {
      await mkdir(path.join(root, path.dirname(it)), { recursive: true })
      await writeFile(path.join(root, it), "")
      files.push(it)
    } catch {
      // The name is already a file or a folder.
    }
  }
  return {
    files,
    async [Symbol.asyncDispose]() {
      const tops = new Set(["a", ...files.map((it) => it.split("/")[0] ?? "")])
      for (const it of tops) await rm(path.join(root, it), { recursive: true, force: true })
    },
  }
}

function ignoredByGit(
  git: (args: readonly string[], input?: string) => Buffer,
  files: readonly string[],
): string[] {
  const args = ["check-ignore", "-z", "--stdin", "--verbose", "--non-matching", "--no-index"]
  const fields = git(args, files.map((it) => `./${it}\0`).join(""))
    .toString()
    .split("\0")
  return files.filter((_, at) => {
    const pattern = fields[at * 4 + 2] ?? ""
    return pattern !== "" && !pattern.startsWith("!")
  })
}
