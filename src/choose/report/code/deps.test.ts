import { expect, test } from "vitest"
import { compareText } from "#ground/base"
import { findingsOf } from "./deps.ts"
import { readLockFile } from "./lock-files.ts"

const SUM = { integrity: "sha512-x" }
const at = (name: string, version = "1.0.0") =>
  `https://registry.invalid/${name}/-/${name}-${version}.tgz`

const NPM = {
  lockfileVersion: 3,
  packages: {
    "": {
      dependencies: { left: "^1.0.0", any: "*", gone: "^2.0.0", fork: "github:a/fork" },
      devDependencies: { copy: "^1.0.0" },
    },
    "node_modules/left": {
      version: "1.0.0",
      resolved: at("left"),
      license: "MIT",
      ...SUM,
      deprecated: "use right",
    },
    "node_modules/any": {
      version: "3.0.0",
      resolved: at("any", "3.0.0"),
      license: "GPL-3.0",
      ...SUM,
    },
    "node_modules/fork": {
      version: "1.0.0",
      resolved: "git+ssh://git@host.invalid/a/fork.git#abc",
    },
    "node_modules/copy": {
      version: "1.0.0",
      resolved: at("copy"),
      license: "(MIT OR GPL-3.0)",
      dev: true,
      hasInstallScript: true,
    },
    "node_modules/left/node_modules/copy": {
      version: "2.0.0",
      resolved: at("copy", "2.0.0"),
      license: "LGPL-3.0",
      ...SUM,
    },
  },
}

test("[REPORT-4] findings of a package-lock come from its own fields", () => {
  const file = readLockFile("package-lock.json", JSON.stringify(NPM))
  const findings = findingsOf(file).map((it) => [it.kind, it.package, it.severity])
  expect(findings.toSorted((a, b) => compareText(a.join(), b.join()))).toEqual([
    ["deprecated", "left", "medium"],
    ["duplicate", "copy", "medium"],
    ["insecure-source", "fork", "medium"],
    ["install-script", "copy", "low"],
    ["licence", "any", "high"],
    ["licence", "copy", "low"],
    ["licence", "fork", "low"],
    ["lock-drift", "gone", "medium"],
    ["no-integrity", "copy", "medium"],
    ["unpinned", "any", "high"],
    ["unpinned", "fork", "high"],
  ])
})

test("[REPORT-4] Cargo and Python lock files are read for duplicates and other sources", () => {
  const table = (name: string, version: string, source: string) =>
    `[[package]]\nname = "${name}"\nversion = "${version}"\n${source}\n`
  const registry = 'source = "registry+https://index.invalid"'
  const text = [
    "version = 4\n",
    table("serde", "1.0.0", registry),
    table("serde", "2.0.0", registry),
    table("own", "0.1.0", ""),
    table("fork", "0.1.0", 'source = "git+http://host.invalid/fork"'),
  ].join("\n")
  const findings = findingsOf(readLockFile("Cargo.lock", text))
  expect(findings.map((it) => [it.kind, it.package])).toEqual([
    ["insecure-source", "fork"],
    ["duplicate", "serde"],
  ])
  expect(readLockFile("sub/poetry.lock", text).ecosystem).toBe("python")
})

test.each([
  ["package-lock.json", "{", "it is not valid JSON"],
  [
    "package-lock.json",
    '{"lockfileVersion":1}',
    "it has no field `packages`; lock files of npm 6 are not supported",
  ],
  ["Cargo.lock", "nothing", "it has no [[package]] table"],
  ["yarn.lock", "", "its format is not supported"],
])("[REPORT-4] a broken %s is refused: %s", (path, text, wrong) => {
  expect(() => readLockFile(path, text)).toThrow(
    expect.objectContaining({ code: "REPORT_LOCK_FILE_INVALID", data: { path, wrong } }),
  )
})
