import path from "node:path"
import { casesOf } from "#choose/report"
import type { PlannedSymbol, TestRunner } from "#ground/contract"
import type { SymbolFact } from "#know/map"
import type { DetectedProject } from "./detect-stack.ts"

export type SourceFile = {
  readonly path: string
  /** The package of a Go file, or the namespace of a PHP file. */
  readonly package: string | undefined
  /** Rust: whether tests outside the crate can import it. */
  readonly isPublicModule: boolean
}

export type TestSymbol = PlannedSymbol & Pick<SymbolFact, "kind" | "signature">

const MOST_EDGES = 6

/** One row of the matrix, from name, kind and signature only: the same code gives the same row. */
export function planSymbol(symbol: SymbolFact, runner: TestRunner): TestSymbol {
  const { name, kind, signature, fromLine } = symbol
  const cases = casesOf(name, signature, "")
  const edges = cases.filter((it) => it.kind === "edge").map((it) => it.text)
  const happy = cases.find((it) => it.kind === "happy")?.text ?? ""
  return {
    name,
    kind,
    signature,
    line: fromLine,
    happy: kind === "function" ? happy : `${name} with usual values`,
    edge: edges.slice(0, MOST_EDGES).join("; ") || "called twice, it gives the same result",
    failure: failureText(signature, runner),
  }
}

function failureText(signature: string, runner: TestRunner): string {
  switch (runner) {
    case "go test":
      return /\berror\b/.test(signature)
        ? "returns an error for invalid input"
        : "handles invalid input without a panic"
    case "cargo test":
      return signature.includes("Result")
        ? "returns Err for invalid input"
        : "handles invalid input without a panic"
    case "pytest":
    case "unittest":
      return "raises for a value of a wrong type"
    case "phpunit":
      return "throws for invalid input"
    default:
      return /\basync\b|Promise</.test(signature)
        ? "rejects for invalid input"
        : "throws for invalid input"
  }
}

/** Where the starter test of a source file belongs. */
export function testPathOf(source: string, project: DetectedProject): string {
  const { dir, name, ext } = path.posix.parse(source)
  const inProject = path.posix.relative(project.folder, source)
  const flat = inProject
    .replace(/^src\//, "")
    .slice(0, -ext.length)
    .split("/")
  switch (project.stack) {
    case "node":
      return path.posix.join(dir, `${name}.test${ext}`)
    case "go":
      return path.posix.join(dir, `${name}_test.go`)
    case "python":
      return path.posix.join(
        project.folder,
        "tests",
        `test_${flat.filter((it) => it !== "__init__").join("_")}.py`,
      )
    case "rust":
      return path.posix.join(
        project.folder,
        "tests",
        `${flat.filter((it) => it !== "mod").join("_")}_test.rs`,
      )
    case "php":
      return path.posix.join(project.folder, "tests", `${flat.map(capital).join("")}Test.php`)
    default:
      return project.stack satisfies never
  }
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

type Starter = {
  readonly source: SourceFile
  readonly test: string
  readonly symbols: readonly TestSymbol[]
  readonly project: DetectedProject
}

/** A test file that runs, checks that each symbol is there, and fails until it is filled in. */
export function renderStarter(starter: Starter): string {
  const { runner } = starter.project
  switch (runner) {
    case "vitest":
    case "jest":
    case "node:test":
      return nodeTest(starter, runner)
    case "pytest":
    case "unittest":
      return pythonTest(starter, runner)
    case "go test":
      return goTest(starter)
    case "cargo test":
      return rustTest(starter)
    case "phpunit":
      return phpTest(starter)
    default:
      return runner satisfies never
  }
}

const CASES = ["happy", "edge", "failure"] as const
const fillIn = (symbol: TestSymbol, kind: (typeof CASES)[number]) =>
  `Fill in: ${symbol.name}, ${kind}: ${symbol[kind]}`

function nodeTest(
  { source, test, symbols, project }: Starter,
  runner: "vitest" | "jest" | "node:test",
): string {
  const { dir, name, ext } = path.posix.parse(source.path)
  const relative = path.posix.relative(path.posix.dirname(test), path.posix.join(dir, name))
  const near = relative.startsWith(".") ? relative : `./${relative}`
  // node:test resolves no extension; the others do, also for TypeScript.
  const isExact = runner === "node:test" || ext === ".mjs" || (ext === ".js" && project.isModule)
  const from = JSON.stringify(isExact ? near + ext : near)
  const isRequire = ext === ".cjs" || (ext === ".js" && !project.isModule && runner !== "vitest")
  const names = `{ ${symbols.map((it) => it.name).join(", ")} }`
  const lines = [
    ...(runner === "vitest" ? ['import { describe, expect, test } from "vitest"'] : []),
    ...(runner === "node:test" && isRequire
      ? [
          'const assert = require("node:assert/strict")',
          'const { describe, test } = require("node:test")',
        ]
      : []),
    ...(runner === "node:test" && !isRequire
      ? ['import assert from "node:assert/strict"', 'import { describe, test } from "node:test"']
      : []),
    isRequire ? `const ${names} = require(${from})` : `import ${names} from ${from}`,
  ]
  const check = (it: string) =>
    runner === "node:test"
      ? `assert.equal(typeof ${it}, "function")`
      : `expect(typeof ${it}).toBe("function")`
  const blocks = symbols.map((symbol) => {
    const tests = CASES.map(
      (kind) => `  test(${JSON.stringify(`${kind}: ${symbol[kind]}`)}, () => {
    ${check(symbol.name)}
    throw new Error(${JSON.stringify(fillIn(symbol, kind))})
  })`,
    )
    return `describe(${JSON.stringify(symbol.name)}, () => {\n${tests.join("\n\n")}\n})`
  })
  return `${lines.join("\n")}\n\n${blocks.join("\n\n")}\n`
}

function pythonTest(
  { source, test, symbols, project }: Starter,
  runner: "pytest" | "unittest",
): string {
  const inProject = path.posix.relative(project.folder, source.path)
  const isInSrc = inProject.startsWith("src/")
  const module = inProject
    .replace(/^src\//, "")
    .replace(/\.py$/, "")
    .replace(/\/__init__$/, "")
    .replaceAll("/", ".")
  const up = path.posix.relative(project.folder, path.posix.dirname(test)).split("/").length
  const folder = `Path(__file__).resolve().parents[${up}]${isInSrc ? ' / "src"' : ""}`
  const lines = [
    "import sys",
    ...(runner === "unittest" ? ["import unittest"] : []),
    "from pathlib import Path",
    ...(runner === "pytest" ? ["", "import pytest"] : []),
    "",
    `sys.path.insert(0, str(${folder}))`,
    "",
    `from ${module} import ${symbols.map((it) => it.name).join(", ")}  # noqa: E402`,
  ]
  const snake = (text: string) => text.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase()
  const blocks = symbols.map((symbol) => {
    const tests = CASES.map((kind) => {
      const title = `test_${snake(symbol.name)}_${kind}`
      const text = JSON.stringify(fillIn(symbol, kind))
      return runner === "pytest"
        ? `def ${title}():\n    assert callable(${symbol.name})\n    pytest.fail(${text})`
        : `    def ${title}(self):\n        self.assertTrue(callable(${symbol.name}))\n        self.fail(${text})`
    })
    if (runner === "pytest") return tests.join("\n\n\n")
    return `class ${capital(symbol.name)}Test(unittest.TestCase):\n${tests.join("\n\n")}`
  })
  const end = runner === "unittest" ? '\n\n\nif __name__ == "__main__":\n    unittest.main()' : ""
  return `${lines.join("\n")}\n\n\n${blocks.join("\n\n\n")}${end}\n`
}

function goTest({ source, symbols }: Starter): string {
  const blocks = symbols.flatMap((symbol) =>
    CASES.map((kind) => {
      // A generic function has no value without its types.
      const isGeneric =
        /^func\s+\w+\s*\[/.test(symbol.signature) || /^type\s+\w+\s*\[/.test(symbol.signature)
      const use = symbol.kind === "function" ? `_ = ${symbol.name}` : `var _ *${symbol.name}`
      const lines = [
        ...(isGeneric ? [] : [`\t${use}`]),
        `\tt.Fatal(${JSON.stringify(fillIn(symbol, kind))})`,
      ]
      return `func Test${capital(symbol.name)}${capital(kind)}(t *testing.T) {\n${lines.join("\n")}\n}`
    }),
  )
  return `package ${source.package ?? "main"}\n\nimport "testing"\n\n${blocks.join("\n\n")}\n`
}

function rustTest({ source, symbols, project }: Starter): string {
  const module = path.posix
    .relative(path.posix.join(project.folder, "src"), source.path)
    .replace(/\.rs$/, "")
    .replace(/\/mod$/, "")
    .replaceAll("/", "::")
  const at = [project.crate, ...(module === "lib" ? [] : [module])].join("::")
  const names = symbols.map((it) => it.name).join(", ")
  const use = source.isPublicModule
    ? `#[allow(unused_imports)]\nuse ${at}::{${names}};\n\n`
    : `// ${source.path} is not public: move these tests into it, or make the module public.\n\n`
  const snake = (text: string) => text.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase()
  const blocks = symbols.flatMap((symbol) =>
    CASES.map(
      (kind) =>
        `#[test]\nfn ${snake(symbol.name)}_${kind}() {\n    panic!("{}", ${JSON.stringify(fillIn(symbol, kind))});\n}`,
    ),
  )
  return `${use}${blocks.join("\n\n")}\n`
}

function phpTest({ source, test, symbols }: Starter): string {
  const quoted = (text: string) => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`
  const space = source.package === undefined ? "" : `${source.package}\\`
  const relative = path.posix.relative(path.posix.dirname(test), source.path)
  const methods = symbols.flatMap((symbol) =>
    CASES.map((kind) => {
      const exists = symbol.kind === "function" ? "function_exists" : "class_exists"
      return `    public function test${capital(symbol.name)}${capital(kind)}(): void
    {
        $this->assertTrue(${exists}(${quoted(space + symbol.name)}));
        $this->fail(${quoted(fillIn(symbol, kind))});
    }`
    }),
  )
  return `<?php

declare(strict_types=1);

use PHPUnit\\Framework\\TestCase;

require_once __DIR__ . ${quoted(`/${relative}`)};

final class ${path.posix.parse(test).name} extends TestCase
{
${methods.join("\n\n")}
}
`
}
