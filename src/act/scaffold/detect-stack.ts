import path from "node:path"
import { isRecord, parseJsonRecord, readTextBounded, statFile } from "#ground/base"
import type { TestProject, TestStack } from "#ground/contract"
import type { IndexedFile } from "#know/map"

const LARGEST_PROJECT_FILE_BYTES = 1_000_000

type Language = NonNullable<IndexedFile["language"]>

const STACK_OF: Readonly<Partial<Record<Language, TestStack>>> = {
  typescript: "node",
  tsx: "node",
  javascript: "node",
  python: "python",
  go: "go",
  rust: "rust",
  php: "php",
}

export function stackOf(language: IndexedFile["language"]): TestStack | undefined {
  return language === undefined ? undefined : STACK_OF[language]
}

const PROJECT_FILES: Readonly<Record<TestStack, readonly string[]>> = {
  node: ["package.json"],
  python: ["pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", "requirements.txt"],
  go: ["go.mod"],
  rust: ["Cargo.toml"],
  php: ["composer.json", "phpunit.xml", "phpunit.xml.dist"],
}

export type DetectedProject = TestProject & {
  /** Whether plain `.js` files are ES modules. */
  readonly isModule: boolean
  /** Name of the crate, as code imports it. */
  readonly crate: string | undefined
}

/** The nearest folder with a project file of the stack, and the runner that its files name. */
export function createProjectFinder(root: string) {
  const projects = new Map<string, Promise<DetectedProject>>()
  const texts = new Map<string, Promise<string | undefined>>()

  function read(file: string): Promise<string | undefined> {
    const text =
      texts.get(file) ??
      readTextBounded(path.join(root, file), {
        maxBytes: LARGEST_PROJECT_FILE_BYTES,
        root,
      }).then((it) => (it.kind === "read" ? it.text : undefined))
    texts.set(file, text)
    return text
  }

  async function folderOf(source: string, stack: TestStack): Promise<string> {
    for (let at = path.posix.dirname(source); ; at = path.posix.dirname(at)) {
      const folder = at === "." ? "" : at
      for (const name of PROJECT_FILES[stack]) {
        if ((await read(path.posix.join(folder, name))) !== undefined) return folder
      }
      if (folder === "") return ""
    }
  }

  return {
    async projectOf(source: string, stack: TestStack): Promise<DetectedProject> {
      const folder = await folderOf(source, stack)
      const key = `${stack}:${folder}`
      const project = projects.get(key) ?? describe(folder, stack)
      projects.set(key, project)
      return project
    },
  }

  async function describe(folder: string, stack: TestStack): Promise<DetectedProject> {
    const at = (name: string) => path.posix.join(folder, name)
    const base = { folder, stack, isModule: false, crate: undefined }
    switch (stack) {
      case "node":
        return { ...base, ...nodeRunner((await read(at("package.json"))) ?? "") }
      case "python":
        return { ...base, ...(await pythonRunner(at)) }
      case "go":
        return { ...base, runner: "go test", why: "there is a go.mod", command: "go test ./..." }
      case "rust": {
        const manifest = (await read(at("Cargo.toml"))) ?? ""
        const crate = /^name {0,20}= {0,20}"([\w-]{1,200})"/m
          .exec(manifest)?.[1]
          ?.replaceAll("-", "_")
        return {
          ...base,
          crate,
          runner: "cargo test",
          why: "there is a Cargo.toml",
          command: "cargo test",
        }
      }
      case "php":
        return { ...base, runner: "phpunit", why: "there are PHP files", command: "phpunit tests" }
      default:
        return stack satisfies never
    }
  }

  async function pythonRunner(at: (name: string) => string) {
    const named = [
      "pyproject.toml",
      "setup.cfg",
      "setup.py",
      "tox.ini",
      "requirements.txt",
      "requirements-dev.txt",
    ]
    for (const name of named) {
      const isNamed = /\bpytest\b/.test((await read(at(name))) ?? "")
      if (isNamed)
        return { runner: "pytest", why: `${name} mentions pytest`, command: PYTEST } as const
    }
    for (const name of ["pytest.ini", "conftest.py", "tests/conftest.py"]) {
      const isThere = (await statFile(path.join(root, at(name)))).kind === "found"
      if (isThere) return { runner: "pytest", why: `there is a ${name}`, command: PYTEST } as const
    }
    const command = "python -m unittest discover -s tests"
    return { runner: "unittest", why: "no project file mentions pytest", command } as const
  }
}

const PYTEST = "python -m pytest"

function nodeRunner(text: string) {
  const manifest = parseJsonRecord(text) ?? {}
  const isModule = manifest["type"] === "module"
  const { dependencies, devDependencies, scripts } = manifest
  const script = isRecord(scripts) && typeof scripts["test"] === "string" ? scripts["test"] : ""
  const has = (name: string) =>
    [dependencies, devDependencies].some((it) => isRecord(it) && name in it)
  for (const runner of ["vitest", "jest"] as const) {
    const isInScript = new RegExp(`(?:^|[\\s/&;])${runner}(?:\\s|$)`).test(script)
    const why = isInScript ? `the test script runs ${runner}` : `${runner} is a dependency`
    const command = runner === "vitest" ? "npx vitest run" : "npx jest"
    if (isInScript || has(runner)) return { runner, why, command, isModule }
  }
  const why = script.includes("node --test")
    ? "the test script runs node --test"
    : "no other runner is configured"
  return { runner: "node:test" as const, why, command: "node --test", isModule }
}
