import { execFileSync, spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { tempDirectory } from "#test/temp"

export const REPOSITORY = join(import.meta.dirname, "../..")

/** Files by path; null removes a file of the clean tree. */
export type Files = Readonly<Record<string, string | null>>

/**
 * A small tree that every check accepts, plus the given files. It has the repository's
 * configuration and packages, so the same rules apply as in the repository.
 */
export async function plant(files: Files = {}) {
  const directory = await tempDirectory()
  const root = directory.path
  for (const path of CONFIGURATION) copyInto(root, path)
  for (const [path, text] of Object.entries({ ...CLEAN, ...files })) {
    if (text === null) rmSync(join(root, path), { recursive: true, force: true })
    else write(join(root, path), text)
  }
  symlinkSync(join(REPOSITORY, "node_modules"), join(root, "node_modules"))
  execFileSync("git", ["init", "--quiet", root])
  return { root, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() }
}

export function runScript(args: readonly string[], environment: Readonly<NodeJS.ProcessEnv> = {}) {
  const { CI: _, QM_FULL: __, QM_NIGHT: ___, ...inherited } = process.env
  const ended = spawnSync(process.execPath, args, {
    cwd: REPOSITORY,
    encoding: "utf8",
    env: { ...inherited, NO_COLOR: "1", ...environment },
    timeout: 600_000,
  })
  return { exitCode: ended.status, output: `${ended.stdout}${ended.stderr}`, stdout: ended.stdout }
}

const CONFIGURATION = [
  "biome.json",
  "knip.json",
  "tsconfig.json",
  "console/tsconfig.json",
  ".oxlintrc.json",
  "scripts/lint/house.ts",
]

const IMPORTS = ["ground", "see", "know", "choose", "act", "show"].map((wing) => [
  `#${wing}/*`,
  `./src/${wing}/*/index.ts`,
])

const CLEAN: Files = {
  ".gitignore": "node_modules\n",
  "package.json": `${JSON.stringify(
    { name: "planted", private: true, type: "module", imports: Object.fromEntries(IMPORTS) },
    undefined,
    2,
  )}\n`,
  "console/package.json": `${JSON.stringify({ name: "pages", private: true }, undefined, 2)}\n`,
  "bin/planted.mjs": 'export { count } from "#see/repo"\n',
  "console/src/app/main.tsx": 'document.title = "planted"\n',
  "README.md": "# planted\n\nSee [base](src/ground/base/README.md).\n",
  "src/ground/base/README.md": "# base\n",
  "src/ground/base/index.ts": 'export { double } from "./number.ts"\n',
  "src/ground/base/number.ts":
    "export function double(value: number): number {\n  return value * 2\n}\n",
  "src/see/repo/README.md": "# repo\n\n- REPO-1 It counts.\n",
  "src/see/repo/index.ts": 'export { count } from "./repo.ts"\n',
  "src/see/repo/repo.ts":
    'import { double } from "#ground/base"\n\nexport const count = (): number => double(21)\n',
}

function copyInto(root: string, path: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  copyFileSync(join(REPOSITORY, path), join(root, path))
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
