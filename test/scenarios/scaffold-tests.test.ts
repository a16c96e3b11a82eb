import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { ScaffoldTests } from "#ground/contract"
import { createApp } from "#show/app"
import { git } from "#test/git"
import { needs, type Tool } from "#test/needs"
import { isNight } from "#test/seed"
import { tempDirectory } from "#test/temp"

const signal = new AbortController().signal
const ROOT = path.join(import.meta.dirname, "../..")

type Fixture = {
  readonly files: Readonly<Record<string, string>>
  readonly runner: string
  readonly test: string
  readonly symbols: readonly string[]
  /** The real runner. */
  readonly run: (root: string) => readonly [string, ...string[]]
  readonly tool?: Tool
  /** The runner compiles its own library first, which takes 25 s of computing time. */
  readonly isNightly?: true
}

/** One text per starter test. */
const FILL_IN = /Fill in: \w+, (?:happy|edge|failure):/g

const BILL_TS =
  "export function total(items: number[], rate = 1): number {\n  return items.reduce((sum, it) => sum + it * rate, 0)\n}\n\nexport async function load(name: string): Promise<string> {\n  return name\n}\n\nfunction hidden() {}\n"

const FIXTURES: Readonly<Record<string, Fixture>> = {
  "node with vitest": {
    files: {
      "package.json": '{"type":"module","devDependencies":{"vitest":"1"}}',
      "src/bill.ts": BILL_TS,
    },
    runner: "vitest",
    test: "src/bill.test.ts",
    symbols: ["total", "load"],
    run: (root) => [
      process.execPath,
      path.join(ROOT, "node_modules/vitest/vitest.mjs"),
      "run",
      "--root",
      root,
    ],
  },
  "node with node:test": {
    files: {
      "package.json": "{}",
      "lib/bill.js":
        "function total(items) { return items.length }\nmodule.exports = { total }\nexports.total = total\n",
      "lib/mod.mjs": "export function add(a, b) { return a + b }\n",
    },
    runner: "node:test",
    test: "lib/mod.test.mjs",
    symbols: ["add"],
    run: () => [process.execPath, "--test", "lib/mod.test.mjs"],
  },
  "python with pytest": {
    files: {
      "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["pytest"]\n',
      "src/shop/bill.py":
        "def total(items: list, rate=1):\n    return sum(items) * rate\n\n\ndef _hidden():\n    pass\n\n\nclass Bill:\n    pass\n",
    },
    runner: "pytest",
    test: "tests/test_shop_bill.py",
    symbols: ["total", "Bill"],
    run: () => ["python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"],
    tool: "pytest",
  },
  "python with unittest": {
    files: { "setup.py": "", "shop.py": "def total(items):\n    return sum(items)\n" },
    runner: "unittest",
    test: "tests/test_shop.py",
    symbols: ["total"],
    run: () => ["python3", "-m", "unittest", "discover", "-s", "tests"],
    tool: "python",
  },
  go: {
    files: {
      "go.mod": "module example.invalid/shop\n\ngo 1.21\n",
      "bill/bill.go":
        "package bill\n\nfunc Total(items []int) (int, error) {\n\treturn len(items), nil\n}\n\nfunc Map[T any](items []T) []T {\n\treturn items\n}\n\nfunc hidden() {}\n",
    },
    runner: "go test",
    test: "bill/bill_test.go",
    symbols: ["Total", "Map"],
    run: () => ["go", "test", "./..."],
    tool: "go",
    isNightly: true,
  },
  rust: {
    files: {
      "Cargo.toml": '[package]\nname = "shop-bill"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/lib.rs":
        "pub mod bill;\nmod inner;\n\npub fn total(items: &[i64]) -> Result<i64, String> {\n    Ok(items.iter().sum())\n}\n",
      "src/bill.rs": "pub fn round(value: f64) -> f64 {\n    value\n}\n",
      "src/inner.rs": "pub fn secret() {}\n",
    },
    runner: "cargo test",
    test: "tests/lib_test.rs",
    symbols: ["total"],
    run: () => ["cargo", "test", "--offline", "--no-fail-fast"],
    tool: "cargo",
  },
  php: {
    files: {
      "composer.json": "{}",
      "src/bill.php":
        "<?php\n\nnamespace Shop;\n\nfunction total(array $items, float $rate = 1.0): float\n{\n    return array_sum($items) * $rate;\n}\n\nclass Bill\n{\n}\n",
    },
    runner: "phpunit",
    test: "tests/BillTest.php",
    symbols: ["total", "Bill"],
    run: () => ["phpunit", "--do-not-cache-result", "tests"],
    tool: "phpunit",
  },
}

async function project(files: Readonly<Record<string, string>>) {
  const temp = await tempDirectory()
  const root = path.join(temp.path, "project")
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    writeFileSync(path.join(root, file), text)
  }
  git(root, "init", "-q", "-b", "main")
  const app = await createApp({
    directory: root,
    environment: { PATH: process.env["PATH"], QM_HOME: path.join(temp.path, "home") },
    settings: [],
    writeLog: () => {},
  })
  return {
    root,
    home: temp.path,
    scaffold: async (input: object) =>
      ScaffoldTests.parse(await app.call("scaffold.tests", input, { signal })),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await temp[Symbol.asyncDispose]()
    },
  }
}

/** Runners of other languages are tools of full mode. */
const RUNNING = new Map(
  Object.entries(FIXTURES).map(([name, { tool, isNightly = false }]) => [
    name,
    (isNight() || !isNightly) && (tool === undefined || needs("SCAFFOLD-3", tool)),
  ]),
)

describe("starter tests", () => {
  test.for(Object.entries(FIXTURES))(
    "[SCAFFOLD-1] [SCAFFOLD-3] %s: planned, written once, and failing in the real runner for the right reason",
    { timeout: 240_000 },
    async ([name, fixture]) => {
      await using it = await project(fixture.files)
      const before = readdirSync(it.root, { recursive: true }).filter(
        (file) => !String(file).startsWith(".git"),
      )
      const plan = await it.scaffold({})
      expect(plan.projects).toMatchObject([{ folder: "", runner: fixture.runner }])
      const planned = plan.files.find((file) => file.test === fixture.test)
      expect(planned).toMatchObject({
        state: "missing",
        symbols: fixture.symbols.map((name) => ({ name })),
      })
      expect(
        readdirSync(it.root, { recursive: true }).filter(
          (file) => !String(file).startsWith(".git"),
        ),
      ).toEqual(before)

      const { written } = await it.scaffold({ write: true })
      expect(written).toContain(fixture.test)
      const again = await it.scaffold({ write: true })
      expect(again.written).toEqual([])
      expect(again.files.find((file) => file.test === fixture.test)?.state).toBe("present")

      if (RUNNING.get(name) !== true) return
      const [program, ...args] = fixture.run(it.root)
      const done = spawnSync(program, args, {
        cwd: it.root,
        encoding: "utf8",
        env: {
          PATH: process.env["PATH"] ?? "",
          HOME: process.env["HOME"] ?? it.home,
          NO_COLOR: "1",
          GOFLAGS: "-mod=mod",
          PYTHONDONTWRITEBYTECODE: "1",
        },
      })
      const output = done.stdout + done.stderr
      expect([done.status, output]).not.toEqual([0, expect.anything()])
      const reasons = new Set(output.match(FILL_IN) ?? [])
      expect(reasons.size, output).toBeGreaterThanOrEqual(3 * fixture.symbols.length)
    },
  )

  test("[SCAFFOLD-2] the rows come from the signatures, tested files are covered, and the limit is reported", async () => {
    await using it = await project({
      "package.json": '{"type":"module","scripts":{"test":"jest --ci"}}',
      "src/bill.ts": BILL_TS,
      "src/tested.ts": "export function tested() {}\n",
      "src/other.spec.ts": 'import { tested } from "./tested.ts"\ntest("x", () => tested())\n',
    })
    const plan = await it.scaffold({})
    expect(plan.projects).toMatchObject([{ runner: "jest", why: "the test script runs jest" }])
    expect(plan.files.map((file) => [file.source, file.state])).toEqual([
      ["src/tested.ts", "covered"],
      ["src/bill.ts", "missing"],
    ])
    expect(plan.files[1]?.symbols).toEqual([
      {
        name: "total",
        line: 1,
        happy: "usual items, rate",
        edge: "items: 0; items: a negative number; items: the largest number allowed; items: no items; items: one item; items: many items, and the same item twice",
        failure: "throws for invalid input",
      },
      {
        name: "load",
        line: 5,
        happy: "usual name",
        edge: "name: empty text; name: text with characters outside ASCII",
        failure: "rejects for invalid input",
      },
    ])
    const short = await it.scaffold({ limit: 1 })
    expect([short.files.length, short.left]).toEqual([1, 1])
    expect(
      (await it.scaffold({ paths: ["src/bill.ts"] })).files.map((file) => file.source),
    ).toEqual(["src/bill.ts"])
    await expect(it.scaffold({ paths: ["package.json"] })).rejects.toMatchObject({
      code: "SCAFFOLD_NO_SOURCE",
    })
    await expect(it.scaffold({ paths: ["../elsewhere"] })).rejects.toMatchObject({
      code: "SCAFFOLD_NO_SOURCE",
    })
  })

  test("[SCAFFOLD-4] a target outside the repository or without rights is refused, and nothing is written", async () => {
    await using it = await project({
      "pyproject.toml": "",
      "a.py": "def one(x):\n    return x\n",
      "lib/b.ts": "export function two() {}\n",
      "package.json": "{}",
    })
    mkdirSync(path.join(it.home, "outside"))
    symlinkSync(path.join(it.home, "outside"), path.join(it.root, "tests"))
    await expect(it.scaffold({ write: true })).rejects.toMatchObject({
      code: "SCAFFOLD_NOT_WRITABLE",
    })
    expect(readdirSync(path.join(it.home, "outside"))).toEqual([])
    expect(readdirSync(path.join(it.root, "lib"))).toEqual(["b.ts"])
    if (process.getuid?.() === 0) return
    execFileSync("rm", [path.join(it.root, "tests")])
    chmodSync(path.join(it.root, "lib"), 0o500)
    await expect(it.scaffold({ write: true })).rejects.toMatchObject({
      code: "SCAFFOLD_NOT_WRITABLE",
    })
    chmodSync(path.join(it.root, "lib"), 0o700)
  })
})
