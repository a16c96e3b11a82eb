import { execFile, execFileSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { readdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { promisify } from "node:util"
import type { JSONPath } from "jsonc-parser"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import { z } from "zod"
import { tempDirectory } from "#test/temp"
import { checkVersion, foldChanges, setVersion, VERSIONED } from "./release.ts"

const ROOT = path.join(import.meta.dirname, "../..")
const Versioned = z.looseObject({ version: z.string() })
const CURRENT = Versioned.parse(JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")))

describe("checkVersion", () => {
  test.each([
    ["0.1.1", "0.1.0"],
    ["0.10.0", "0.9.9"],
    ["1.0.0-rc.1", "0.9.0"],
    ["1.0.0", "1.0.0-rc.10"],
    ["1.0.0-rc.10", "1.0.0-rc.9"],
  ])("[RELEASE-1] %s is newer than %s", (next, current) => {
    expect(checkVersion(next, current)).toBe(next)
  })

  test.each([
    [undefined, "RELEASE_NO_VERSION"],
    ["next", "RELEASE_VERSION_INVALID"],
    ["v0.2.0", "RELEASE_VERSION_INVALID"],
    ["0.2", "RELEASE_VERSION_INVALID"],
    ["0.1.0", "RELEASE_VERSION_OLD"],
    ["0.1.0-rc.1", "RELEASE_VERSION_OLD"],
    ["0.0.9", "RELEASE_VERSION_OLD"],
  ])("[RELEASE-1] %s is refused with %s", (next, code) => {
    expect(() => checkVersion(next, "0.1.0")).toThrow(expect.objectContaining({ code }))
  })
})

const release = { version: "0.2.0", date: "2026-01-02" }

test("[RELEASE-1] changes become entries of the version, sorted by file, above older versions", () => {
  const changelog = "# Changelog\n\n## Unreleased\nSee changes.\n\n## 0.1.0 (2025-01-01)\n- Old.\n"
  const changes = { "changes/b.md": "Second\nline.\n", "changes/a.md": "First.\n" }
  expect(foldChanges(changelog, changes, release)).toBe(
    "# Changelog\n\n## Unreleased\nSee changes.\n\n## 0.2.0 (2026-01-02)\n- First.\n- Second line.\n\n## 0.1.0 (2025-01-01)\n- Old.\n",
  )
  const first = foldChanges("## Unreleased\nSee changes.\n", changes, release)
  expect(first).toBe(
    "## Unreleased\nSee changes.\n\n## 0.2.0 (2026-01-02)\n- First.\n- Second line.\n",
  )
})

test("[RELEASE-1] no changes, an empty change, and a missing section or field are refused", () => {
  const fold = (text: string, changes: Record<string, string>) => () =>
    foldChanges(text, changes, release)
  expect(fold("## Unreleased\n", {})).toThrow(
    expect.objectContaining({ code: "RELEASE_NO_CHANGES" }),
  )
  expect(fold("## Unreleased\n", { a: " \n" })).toThrow(
    expect.objectContaining({ code: "RELEASE_CHANGE_EMPTY" }),
  )
  expect(fold("# Changelog\n", { a: "x" })).toThrow(
    expect.objectContaining({ code: "RELEASE_NO_SECTION" }),
  )
  expect(() => setVersion("{}", [["version"]], "1.0.0")).toThrow(
    expect.objectContaining({ code: "RELEASE_FIELD_MISSING" }),
  )
})

test("[RELEASE-1] a manifest keeps its formatting", () => {
  const text = '{\n\t"name": "x", "version": "0.1.0",\n\t"list": [1,2]\n}\n'
  expect(setVersion(text, [["version"]], "0.2.0")).toBe(text.replace("0.1.0", "0.2.0"))
})

/** Paths of all fields `version`, or `default` of an option `version`, with this value. */
function versionFields(value: unknown, at: JSONPath = []): JSONPath[] {
  if (typeof value === "string") {
    return value === CURRENT.version && at.includes("version") ? [at] : []
  }
  if (typeof value !== "object" || value === null) return []
  const keyOf = (key: string) => (Array.isArray(value) ? Number(key) : key)
  return Object.entries(value).flatMap(([key, it]) => versionFields(it, [...at, keyOf(key)]))
}

test("[RELEASE-2] every tracked manifest with the product's version is in the list", () => {
  const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
  })
  const manifests = tracked
    .split("\n")
    .filter((it) => it.endsWith(".json") && !/(?:^|\/)(?:test|bench|corpus|templates)\//.test(it))
  expect(manifests).toContain("package.json")
  for (const file of manifests) {
    const fields = versionFields(JSON.parse(readFileSync(path.join(ROOT, file), "utf8")))
    // Packages of others may have the same version by chance.
    const own = fields.filter((it) => !String(it[1]).includes("node_modules/"))
    expect(own, file).toEqual(VERSIONED[file] ?? [])
  }
})

test("[RELEASE-3] workflows pin actions to commits and declare their permissions", () => {
  const Workflow = z.object({
    permissions: z.record(z.string(), z.string()),
    jobs: z.record(
      z.string(),
      z.object({
        "timeout-minutes": z.number(),
        steps: z.array(z.object({ uses: z.string().optional(), run: z.string().optional() })),
      }),
    ),
  })
  const files = globSync(".github/workflows/*.yml", { cwd: ROOT })
  expect(files).toHaveLength(1)
  for (const file of files) {
    const text = readFileSync(path.join(ROOT, file), "utf8")
    const { jobs } = Workflow.parse(parse(text))
    const steps = Object.values(jobs).flatMap((it) => it.steps)
    for (const { uses } of steps) if (uses !== undefined) expect(uses).toMatch(/@[0-9a-f]{40}$/)
    expect(steps.map((it) => it.run)).toContain("npm publish --provenance --access public")
    expect(text).not.toMatch(/secrets\.|registry-url/)
  }
})

/** A clone of this repository with the files of the working tree, all committed. */
async function cloned() {
  const temp = await tempDirectory()
  const folder = path.join(temp.path, "clone")
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.invalid", ...args], {
      cwd: folder,
      encoding: "utf8",
    })
  execFileSync("git", ["clone", "--quiet", "--depth=1", `file://${ROOT}`, folder])
  async function run(...args: readonly string[]) {
    const script = path.join(ROOT, "scripts/release.ts")
    return await promisify(execFile)(process.execPath, [script, ...args], { cwd: folder }).then(
      (it) => ({ code: 0, ...it }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    )
  }
  const read = (file: string) => readFile(path.join(folder, file), "utf8")
  return Object.assign(temp, { folder, git, run, read })
}

describe("npm run release, on a clone", () => {
  test("[RELEASE-1] it sets every version, folds the changes and writes the bill of materials", async () => {
    await using clone = await cloned()
    const changes = await readdir(path.join(clone.folder, "changes"))
    const dry = await clone.run("9.9.9", "--dry-run")
    expect(dry).toMatchObject({ code: 0, stderr: "" })
    expect(dry.stdout).toContain("would change  package.json")
    expect(clone.git("status", "--porcelain")).toBe("")

    const { code, stdout } = await clone.run("9.9.9")
    expect(code).toBe(0)
    expect(stdout).toContain("npm publish --provenance --access public\n")
    const changelog = await clone.read("CHANGELOG.md")
    expect(changelog).toMatch(/\n## Unreleased\n.+\n\n## 9\.9\.9 \(\d{4}-\d\d-\d\d\)\n- /)
    expect(changelog.match(/^- /gm)).toHaveLength(changes.length)
    expect(clone.git("ls-files", "--deleted", "changes").trim().split("\n")).toHaveLength(
      changes.length,
    )
    for (const file of ["package.json", "console/package.json", "package-lock.json"]) {
      expect(Versioned.parse(JSON.parse(await clone.read(file))).version, file).toBe("9.9.9")
      expect(clone.git("diff", "--numstat", file), file).toMatch(/^([123])\t\1\t/)
    }
    const bill = JSON.parse(await clone.read("dist/sbom.cdx.json"))
    expect(bill).toMatchObject({
      bomFormat: "CycloneDX",
      metadata: { component: { name: "quartermaster", version: "9.9.9" } },
    })
    const names = z.object({ components: z.array(z.object({ name: z.string() })) }).parse(bill)
    expect(names.components.map((it) => it.name)).toContain("zod")
  })

  test("[RELEASE-1] a tree with changes, an existing tag and unknown arguments are refused", async () => {
    await using clone = await cloned()
    clone.git("tag", "v9.9.9")
    expect(await clone.run("9.9.9")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("The tag v9.9.9 exists."),
    })
    await writeFile(path.join(clone.folder, "notes.txt"), "x")
    expect((await clone.run("9.9.8")).stderr).toBe(
      "release: 1 files are not committed, such as notes.txt.\n  → Commit or remove them: a release contains only committed files.  [RELEASE_NOT_CLEAN]\n",
    )
    expect((await clone.run("9.9.8", "--publish")).stderr).toContain("[RELEASE_ARGUMENTS]")
    expect((await clone.run()).stderr).toContain("[RELEASE_NO_VERSION]")
    expect(clone.git("status", "--porcelain")).toBe("?? notes.txt\n")
  })
})
