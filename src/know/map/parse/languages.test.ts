import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { renderFacts } from "#test/facts"
import { LANGUAGE_NAMES, type LanguageName, type SymbolFact } from "../facts.ts"
import { createSourceIndex, goModuleName, type PackagedFile } from "../source-index.ts"
import { LANGUAGES, languageOf } from "./languages.ts"
import { createParser } from "./parser.ts"

const FIXTURES = join(import.meta.dirname, "../../../../test/languages")
const fixture = (name: string) => readFileSync(join(FIXTURES, `${name}.txt`), "utf8")
const parser = createParser()

describe("facts of each language", () => {
  test.for(LANGUAGE_NAMES)(
    "[MAP-1] %s: symbols, references and imports equal the fixture",
    async (language) => {
      const facts = await parser.parse({ language, text: fixture(language) })
      expect(renderFacts(facts)).toBe(fixture(`${language}.facts`))
    },
  )
})

test.for(LANGUAGE_NAMES)("[MAP-2] %s: the same text gives the same facts", async (language) => {
  const text = fixture(language)
  const first = await parser.parse({ language, text })
  await parser.parse({ language, text: text.slice(0, text.length / 2) })
  expect(await parser.parse({ language, text })).toEqual(first)
  const windows = await parser.parse({ language, text: text.replaceAll("\n", "\r\n") })
  const lines = (symbols: readonly SymbolFact[]) => symbols.map((it) => [it.name, it.fromLine])
  expect(lines(windows.symbols)).toEqual(lines(first.symbols))
})

test("[MAP-2] wide characters shift no name and no line", async () => {
  const text = "// 😀 é 中\n// Quay 😀\nfunction møør(ship) { return Berth.of('😀', ship) }\n"
  const facts = await parser.parse({ language: "javascript", text })
  expect(renderFacts(facts)).toBe(
    "3 function møør | function møør(ship) | 😀 é 中 Quay 😀\n3 uses Berth of\n",
  )
})

describe("broken files", () => {
  const SHARES = [0.3, 0.5, 0.7, 0.9]

  test.for(LANGUAGE_NAMES)(
    "[MAP-3] %s: a truncated file gives the facts before the end",
    async (language) => {
      const lines = fixture(language).split("\n")
      const whole = (await parser.parse({ language, text: lines.join("\n") })).symbols
      let ended = 0
      let survivors = 0
      for (const share of SHARES) {
        const cut = Math.floor(lines.length * share)
        const { symbols } = await parser.parse({ language, text: lines.slice(0, cut).join("\n") })
        const before = whole.filter((it) => it.toLine < cut)
        ended += before.length
        survivors += before.filter((it) => symbols.some((other) => isSame(it, other))).length
      }
      expect(survivors / ended).toBeGreaterThan(0.7)
    },
  )

  test("[MAP-3] nine of ten definitions survive one missing character", async () => {
    let all = 0
    let survivors = 0
    for (const language of LANGUAGE_NAMES) {
      const text = fixture(language)
      const whole = (await parser.parse({ language, text })).symbols
      for (const character of "(){}[]:=") {
        const at = text.indexOf(character, text.length / 2)
        const broken = text.slice(0, at) + text.slice(at + 1)
        const { symbols } = await parser.parse({ language, text: broken })
        all += whole.length
        survivors += whole.filter((it) => symbols.some((other) => other.name === it.name)).length
      }
    }
    expect(survivors / all).toBeGreaterThan(0.9)
  })

  test("[MAP-3] reports the line of the error", async () => {
    const text = "export function moor(ship) {\n  return ship.fits(\n}\n\nfunction leave() {}\n"
    const facts = await parser.parse({ language: "javascript", text })
    expect(facts.symbols.map((it) => [it.signature, it.isExported])).toEqual([
      ["export function moor(ship)", true],
      ["function leave()", false],
    ])
    expect(facts.problems.map((it) => [it.reason, it.line])).toEqual([
      ["syntax", 1],
      ["syntax", 3],
    ])
  })
})

function isSame(a: SymbolFact, b: SymbolFact): boolean {
  return a.name === b.name && a.fromLine === b.fromLine
}

describe("exported symbols", () => {
  test.for([
    ["typescript", "class Quay { open() {} }\nexport { Quay }", "Quay open"],
    ["typescript", "export class Quay { private open() {} #close() {} }", "Quay"],
    ["typescript", "class Quay { open() {} }", ""],
    ["javascript", "function a() {}\nfunction b() {}\nmodule.exports = { b }", "b"],
    ["javascript", "function a() {}\nmodule.exports = a", "a"],
    ["javascript", "export default function a() { function b() {} }", "a"],
    ["python", "def _a(): pass\ndef b(): pass", "b"],
    ["python", "__all__ = ['_a']\ndef _a(): pass\ndef b(): pass", "_a"],
    ["go", "package q\nfunc a() {}\nfunc B() {}", "B"],
    ["rust", "fn a() {}\npub(crate) fn b() {}\nmod m { pub fn c() {} }", "b"],
    ["java", "class A { private void b() {} void c() {} }", "A c"],
    ["c", "static int a(void) { return 1; }\nint b(void) { return 1; }", "b"],
    ["cpp", "class A { void b(); public: void c(); };\nstruct D { void e(); };", "A D c e"],
    ["cpp", "namespace { void a() {} }\nvoid b() {}", "b"],
    ["csharp", "class A { void B() {} public void C() {} }", "A C"],
    ["ruby", "class A\n def b; end\n private\n def c; end\n def self.d; end\nend", "A b d"],
    ["php", "<?php class A { private function b() {} public function c() {} }", "A c"],
    ["kotlin", "private class A { fun b() {} }\nclass C", "C"],
    ["swift", "fileprivate func a() {}\npublic private(set) var b = 1\nfunc c() {}", "b c"],
    ["scala", "private class A { def b = 1 }\nclass C", "C"],
    ["bash", "a() { :; }", "a"],
  ] as const)("[MAP-5] %s: of %j, exported are %j", async ([language, text, names]) => {
    const { symbols } = await parser.parse({ language, text })
    const exported = symbols.filter((it) => it.isExported).map((it) => it.name)
    expect(exported.toSorted().join(" ")).toBe(names)
  })
})

describe("symbols inside functions", () => {
  test.for([
    ["javascript", "function a() { const b = 1\n function c() {}\n class D {} }", "D a c"],
    ["python", "def a():\n    B = 1\n    def c(): pass\n", "a c"],
    ["go", "package q\nfunc a() { const b = 1; var c int; type d int }", "a d"],
    ["rust", "fn a() { const B: u8 = 1; fn c() {} }", "a c"],
    ["c", "int a(void) { int b = 1; static const int c = 2; return b; }", "a"],
    ["kotlin", "fun a() { val b = 1\n fun c() {} }\nval d = run { val e = 1\n e }", "a c d"],
    ["swift", "func a() { let b = 1\n func c() {} }", "a c"],
    ["php", "<?php function a() { define('B', 1); }", "a"],
  ] as const)(
    "%s: only named functions and types: in %j they are %j",
    async ([language, text, names]) => {
      const { symbols } = await parser.parse({ language, text })
      expect(
        symbols
          .map((it) => it.name)
          .toSorted()
          .join(" "),
      ).toBe(names)
    },
  )
})

describe("language of a file", () => {
  test.for([
    ["src/quay.ts", "", "typescript"],
    ["src/Quay.TSX", "", "tsx"],
    ["quay.d.ts", "", "typescript"],
    ["quay.pyi", "", "python"],
    ["quay.h", "struct quay { int berths; };", "c"],
    ["quay.h", "namespace tideline {\n}", "cpp"],
    ["bin/moor", "#!/usr/bin/env bash\nmoor", "bash"],
    ["bin/moor", "#!/usr/bin/env -S node --harmony\n", "javascript"],
    ["bin/moor", "#!/usr/bin/python3\n", "python"],
    ["bin/moor", "moor", undefined],
    ["Makefile", "", undefined],
    ["README.md", "#!/bin/sh\n", undefined],
    [".bash", "", undefined],
    ["constructor", "#!/usr/bin/env toString\n", undefined],
  ] as const)("[MAP-9] %s beginning with %j is %s", ([path, text, language]) => {
    expect(languageOf(path, text)).toBe(language)
  })

  test("[MAP-9] no extension belongs to two languages", () => {
    const all = LANGUAGE_NAMES.flatMap((it) => LANGUAGES[it].extensions)
    expect(new Set(all).size).toBe(all.length)
  })
})

type Case = readonly [from: string, specifier: string, ...paths: readonly string[]]
type Table = {
  readonly files: readonly string[]
  readonly packages?: Readonly<Record<string, readonly [name: string, ...defines: string[]]>>
  readonly cases: readonly Case[]
}

const RESOLUTION: Partial<Record<LanguageName, Table>> = {
  typescript: {
    files: [
      "src/a.ts",
      "src/ship.ts",
      "src/tides/index.tsx",
      "lib/poly.mts",
      "index.ts",
      "src/o.json",
    ],
    cases: [
      ["src/a.ts", "./ship", "src/ship.ts"],
      ["src/a.ts", "./ship.js", "src/ship.ts"],
      ["src/a.ts", "./ship.ts?raw", "src/ship.ts"],
      ["src/a.ts", "./tides", "src/tides/index.tsx"],
      ["src/a.ts", "../lib/poly.mjs", "lib/poly.mts"],
      ["src/a.ts", "..", "index.ts"],
      ["src/a.ts", "./o.json", "src/o.json"],
      ["src/a.ts", "../../ship"],
      ["src/a.ts", "./none"],
      ["src/a.ts", "react"],
    ],
  },
  javascript: {
    files: ["a.js", "chart/index.js", "boot.cjs", "weigh.ts"],
    cases: [
      ["a.js", "./chart", "chart/index.js"],
      ["chart/index.js", "../boot", "boot.cjs"],
      ["a.js", "./weigh", "weigh.ts"],
      ["a.js", "node:path"],
    ],
  },
  tsx: { files: ["g/gauge.tsx", "g/tide.tsx"], cases: [["g/gauge.tsx", "./tide", "g/tide.tsx"]] },
  python: {
    files: [
      "src/tideline/__init__.py",
      "src/tideline/charts.py",
      "src/tideline/ships/__init__.py",
      "src/tideline/ships/crew.py",
      "src/tideline/harbour/find.py",
      "src/tideline/harbour/quay.py",
      "scripts/run.py",
    ],
    cases: [
      ["src/tideline/harbour/find.py", ".#quay", "src/tideline/harbour/quay.py"],
      ["src/tideline/harbour/find.py", ".quay#Quay", "src/tideline/harbour/quay.py"],
      ["src/tideline/harbour/find.py", "..charts#low", "src/tideline/charts.py"],
      [
        "src/tideline/harbour/find.py",
        "..ships#crew",
        "src/tideline/ships/__init__.py",
        "src/tideline/ships/crew.py",
      ],
      ["src/tideline/harbour/find.py", "tideline.charts", "src/tideline/charts.py"],
      ["scripts/run.py", "tideline.ships.crew", "src/tideline/ships/crew.py"],
      ["scripts/run.py", "tideline#*", "src/tideline/__init__.py"],
      ["scripts/run.py", "......up#x"],
      ["scripts/run.py", "os"],
    ],
  },
  go: {
    files: [
      "go.mod",
      "ship/ship.go",
      "ship/ship_test.go",
      "ship/crew.go",
      "tools/go.mod",
      "tools/x/x.go",
    ],
    cases: [
      ["main.go", "example.org/tideline/ship", "ship/crew.go", "ship/ship.go"],
      ["main.go", "example.org/tideline/tools/x", "tools/x/x.go"],
      ["main.go", "example.org/tidelines/ship"],
      ["main.go", "fmt"],
    ],
  },
  rust: {
    files: [
      "core/src/lib.rs",
      "core/src/ship.rs",
      "core/src/ship/crew.rs",
      "core/src/quay/mod.rs",
      "core/src/quay/crane.rs",
      "tideline-charts/src/lib.rs",
      "tideline-charts/src/maps.rs",
    ],
    cases: [
      ["core/src/lib.rs", "self::ship", "core/src/ship.rs"],
      ["core/src/ship.rs", "self::crew", "core/src/ship/crew.rs"],
      ["core/src/quay/mod.rs", "self::crane", "core/src/quay/crane.rs"],
      [
        "core/src/ship/crew.rs",
        "crate::ship#Ship,crew",
        "core/src/ship.rs",
        "core/src/ship/crew.rs",
      ],
      ["core/src/quay/crane.rs", "super::super::ship#Ship", "core/src/ship.rs"],
      ["core/src/ship.rs", "super::quay#Quay", "core/src/quay/mod.rs"],
      ["core/src/ship.rs", "crate#Harbour", "core/src/lib.rs"],
      ["core/src/lib.rs", "ship::crew#Crew", "core/src/ship/crew.rs"],
      ["core/src/lib.rs", "tideline_charts::maps#*", "tideline-charts/src/maps.rs"],
      ["core/src/lib.rs", "std::fmt#Display"],
    ],
  },
  java: {
    files: ["app/src/main/java/org/tideline/ship/Ship.java", "app/x/Charts.kt", "y/Map.java"],
    packages: {
      "app/x/Charts.kt": ["org.tideline.charts", "draw", "Chart"],
      "y/Map.java": ["org.tideline.charts", "Map"],
    },
    cases: [
      ["a/A.java", "org.tideline.ship.Ship", "app/src/main/java/org/tideline/ship/Ship.java"],
      ["a/A.java", "org.tideline.ship.Ship.low", "app/src/main/java/org/tideline/ship/Ship.java"],
      ["a/A.java", "org.tideline.charts#*", "app/x/Charts.kt", "y/Map.java"],
      ["a/A.java", "java.util.List"],
    ],
  },
  kotlin: {
    files: ["app/x/Charts.kt", "app/y/Ship.kt"],
    packages: {
      "app/x/Charts.kt": ["org.tideline.charts", "draw"],
      "app/y/Ship.kt": ["org.tideline.ship", "Ship"],
    },
    cases: [
      ["a.kt", "org.tideline.charts.draw", "app/x/Charts.kt"],
      ["a.kt", "org.tideline.ship.Ship.Crew", "app/y/Ship.kt"],
      ["a.kt", "org.tideline.ship#*", "app/y/Ship.kt"],
      ["a.kt", "kotlin.math.abs"],
    ],
  },
  scala: {
    files: ["x/Charts.scala", "y/org/tideline/Ship.scala"],
    packages: { "x/Charts.scala": ["org.tideline.charts", "Chart", "Plan"] },
    cases: [
      ["a.scala", "org.tideline.charts#Chart,Plan", "x/Charts.scala"],
      ["a.scala", "org.tideline.Ship", "y/org/tideline/Ship.scala"],
      ["a.scala", "scala.util#Try"],
    ],
  },
  c: {
    files: [
      "src/quay/quay.c",
      "src/quay/ship.h",
      "include/tides/low.h",
      "vendor/x/crane.h",
      "string.h",
    ],
    cases: [
      ["src/quay/quay.c", "ship.h", "src/quay/ship.h"],
      ["src/quay/quay.c", "tides/low.h", "include/tides/low.h"],
      ["src/quay/quay.c", "<tides/low.h>", "include/tides/low.h"],
      ["src/quay/quay.c", "crane.h", "vendor/x/crane.h"],
      ["src/quay/quay.c", "../../../../etc/passwd"],
      ["src/quay/quay.c", "<stdio.h>"],
    ],
  },
  cpp: {
    files: ["lib/src/a.cpp", "lib/include/tideline/ship.hpp", "other/include/tideline/ship.hpp"],
    cases: [
      ["lib/src/a.cpp", "tideline/ship.hpp", "lib/include/tideline/ship.hpp"],
      ["other/src/b.cpp", "<tideline/ship.hpp>", "other/include/tideline/ship.hpp"],
      ["lib/src/a.cpp", "<vector>"],
    ],
  },
  csharp: {
    files: ["a/Ship.cs", "b/Crew.cs", "c/Table.cs"],
    packages: {
      "a/Ship.cs": ["Tideline.Ships", "Ship"],
      "b/Crew.cs": ["Tideline.Ships", "Crew"],
      "c/Table.cs": ["Tideline.Tides", "Table"],
    },
    cases: [
      ["x.cs", "Tideline.Ships", "a/Ship.cs", "b/Crew.cs"],
      ["x.cs", "Tideline.Tides.Table", "c/Table.cs"],
      ["x.cs", "System"],
    ],
  },
  ruby: {
    files: [
      "lib/tideline.rb",
      "lib/tideline/ship.rb",
      "lib/tideline/tides/low.rb",
      "app/models/quay.rb",
    ],
    cases: [
      ["lib/tideline/harbour.rb", "./tides/low", "lib/tideline/tides/low.rb"],
      ["lib/tideline/harbour.rb", "../tideline", "lib/tideline.rb"],
      ["bin/run.rb", "tideline/ship", "lib/tideline/ship.rb"],
      ["bin/run.rb", "models/quay.rb", "app/models/quay.rb"],
      ["bin/run.rb", "json"],
    ],
  },
  php: {
    files: ["src/Ships/Ship.php", "src/Charts/Chart.php", "src/legacy/quay.php", "odd/place.php"],
    packages: { "odd/place.php": ["Tideline\\Tides", "low"] },
    cases: [
      ["src/Harbour.php", "Tideline\\Ships\\Ship", "src/Ships/Ship.php"],
      ["src/Harbour.php", "Tideline\\Charts#Chart,Map", "src/Charts/Chart.php"],
      ["src/Harbour.php", "Tideline\\Tides\\low", "odd/place.php"],
      ["src/Harbour.php", "./legacy/quay.php", "src/legacy/quay.php"],
      ["src/deep/er/Harbour.php", "./legacy/quay.php", "src/legacy/quay.php"],
      ["src/Harbour.php", "Vendor\\Other\\Thing"],
    ],
  },
  swift: {
    files: [
      "Sources/Ships/Ship.swift",
      "Sources/Ships/a/Crew.swift",
      "Charts/Chart.swift",
      "Ships.md",
    ],
    cases: [
      ["Sources/App/main.swift", "Ships", "Sources/Ships/Ship.swift", "Sources/Ships/a/Crew.swift"],
      ["Sources/App/main.swift", "Charts", "Charts/Chart.swift"],
      ["Sources/App/main.swift", "Foundation"],
    ],
  },
  bash: {
    files: ["bin/run.sh", "bin/lib/tides.sh", "quay.bash", "shared/ships.sh"],
    cases: [
      ["bin/run.sh", "./lib/tides.sh", "bin/lib/tides.sh"],
      ["bin/run.sh", "../quay.bash", "quay.bash"],
      ["bin/run.sh", "./shared/ships.sh", "shared/ships.sh"],
      ["bin/run.sh", "ships.sh", "shared/ships.sh"],
      ["bin/run.sh", "/etc/profile"],
    ],
  },
}

const GO_MODULES = [
  { folder: "", name: "example.org/tideline" },
  { folder: "tools", name: "example.org/tideline/tools" },
]

describe("import resolution", () => {
  const rows = LANGUAGE_NAMES.flatMap((language) =>
    (RESOLUTION[language]?.cases ?? []).map((it) => [language, ...it] as const),
  )

  test.for(rows)("[MAP-7] %s: %s imports %s", ([language, from, asked, ...paths]) => {
    const [specifier = "", names] = asked.split("#")
    const imported = { specifier, ...(names !== undefined && { names: names.split(",") }) }
    const resolved = LANGUAGES[language].resolveImport(imported, from, indexOf(language))
    expect(resolved).toEqual(paths)
  })

  test("[MAP-7] every language has cases, and one that resolves to nothing", () => {
    const withoutOutside = LANGUAGE_NAMES.filter(
      (it) => it !== "tsx" && !RESOLUTION[it]?.cases.some((row) => row.length === 2),
    )
    expect(withoutOutside).toEqual([])
  })

  test("[MAP-7] go.mod sets the root of the module's packages", () => {
    expect(goModuleName("// us\nmodule example.org/tideline\n\ngo 1.24\n")).toBe(
      "example.org/tideline",
    )
    expect(goModuleName('module "example.org/a"\n')).toBe("example.org/a")
    expect(goModuleName("go 1.24\n")).toBeUndefined()
  })
})

function indexOf(language: LanguageName) {
  const { files = [], packages = {} } = RESOLUTION[language] ?? {}
  return createSourceIndex(
    files.map((path): PackagedFile => {
      const [name, ...defines] = packages[path] ?? []
      if (name === undefined) return { path }
      return { path, facts: { packages: [name], symbols: defines.map(symbolNamed) } }
    }),
    GO_MODULES,
  )
}

function symbolNamed(name: string): SymbolFact {
  return { name, kind: "class", signature: name, fromLine: 1, toLine: 1, isExported: true }
}
