import { execFileSync } from "node:child_process"
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import path from "node:path"
import { parseArgs } from "node:util"
import { z } from "zod"
import {
  checkVersion,
  foldChanges,
  ReleaseError,
  setVersion,
  VERSIONED,
} from "./release/release.ts"

/**
 * `npm run release -- 0.2.0 [--dry-run]`: folds changes/ into CHANGELOG.md, sets the version in
 * every manifest, writes the bill of materials, and prints how to publish. It commits and publishes
 * nothing.
 */
const SBOM = "dist/sbom.cdx.json"

try {
  main()
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error
  process.stderr.write(`release: ${error.message}\n  → ${error.hint}  [${error.code}]\n`)
  process.exitCode = 1
}

function main(): void {
  const { isDryRun, wanted } = readArguments()
  const current = z.object({ version: z.string() }).parse(JSON.parse(read("package.json"))).version
  const version = checkVersion(wanted, current)
  checkRepository(version)
  const { texts, changes } = planFiles(version)
  const verb = isDryRun ? "would change" : "changed"
  if (!isDryRun) {
    writeAll(texts, changes)
    writeBill()
  }
  print(`${current} → ${version}`)
  for (const file of texts.keys()) print(`  ${verb}  ${file}`)
  for (const file of changes) print(`  ${isDryRun ? "would remove" : "removed"}  ${file}`)
  print(`  ${isDryRun ? "would write" : "wrote"}  ${SBOM}`)
  print(nextSteps(version))
}

function readArguments(): { readonly isDryRun: boolean; readonly wanted: string | undefined } {
  try {
    const { values, positionals } = parseArgs({
      options: { "dry-run": { type: "boolean", default: false } },
      allowPositionals: true,
    })
    if (positionals.length <= 1) return { isDryRun: values["dry-run"], wanted: positionals[0] }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
  const usage = "Usage: `npm run release -- <version> [--dry-run]`."
  throw new ReleaseError("RELEASE_ARGUMENTS", "Unknown or additional arguments.", usage)
}

function checkRepository(version: string): void {
  const changed = git("status", "--porcelain").split("\n").filter(Boolean)
  if (changed.length > 0) {
    throw new ReleaseError(
      "RELEASE_NOT_CLEAN",
      `${changed.length} files are not committed, such as ${changed[0]?.slice(3)}.`,
      "Commit or remove them: a release contains only committed files.",
    )
  }
  if (git("tag", "--list", `v${version}`) !== "") {
    const hint = "Name another version, or delete the tag if it was never published."
    throw new ReleaseError("RELEASE_TAG_EXISTS", `The tag v${version} exists.`, hint)
  }
}

type Plan = { readonly texts: ReadonlyMap<string, string>; readonly changes: readonly string[] }

/** Computes every text before the first write. */
function planFiles(version: string): Plan {
  const changes = globSync("changes/*.md").map((it) => it.replaceAll(path.sep, "/"))
  const date = new Date().toISOString().slice(0, 10)
  const changelog = foldChanges(
    read("CHANGELOG.md"),
    Object.fromEntries(changes.map((it) => [it, read(it)])),
    { version, date },
  )
  const texts = new Map([["CHANGELOG.md", changelog]])
  for (const [file, paths] of Object.entries(VERSIONED)) {
    if (existsSync(file)) texts.set(file, setVersion(read(file), paths, version))
  }
  return { texts, changes: changes.toSorted() }
}

function writeAll(texts: ReadonlyMap<string, string>, changes: readonly string[]): void {
  for (const [file, text] of texts) replaceFile(file, text)
  for (const file of changes) rmSync(file)
}

/** From the lockfile, without a network. npm names the folder instead of the package. */
function writeBill(): void {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"]
  const output = execFileSync("npm", args, {
    encoding: "utf8",
    maxBuffer: 100_000_000,
    shell: process.platform === "win32",
  })
  const bill = z
    .looseObject({ metadata: z.looseObject({ component: z.looseObject({ name: z.string() }) }) })
    .parse(JSON.parse(output))
  bill.metadata.component.name = "quartermaster"
  mkdirSync(path.dirname(SBOM), { recursive: true })
  replaceFile(SBOM, `${JSON.stringify(bill, undefined, 2)}\n`)
}

function nextSteps(version: string): string {
  return [
    "",
    "Next: check the changes, then",
    `  git commit --all --message "chore(release): ${version}"`,
    `  git tag v${version}`,
    `  git push origin HEAD v${version}`,
    "The tag starts .github/workflows/publish.yml, which runs",
    "  npm publish --provenance --access public",
  ].join("\n")
}

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { encoding: "utf8" }).trimEnd()
}

function read(file: string): string {
  return readFileSync(file, "utf8")
}

function replaceFile(file: string, text: string): void {
  writeFileSync(`${file}.tmp`, text)
  renameSync(`${file}.tmp`, file)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
