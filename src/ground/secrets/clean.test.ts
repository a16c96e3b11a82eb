import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { systemRandom } from "#ground/base"
import { isNight } from "#test/seed"
import { createSecrets } from "./secrets.ts"

const { redact } = createSecrets({ random: systemRandom })
const ROOT = path.resolve(import.meta.dirname, "../../..")

/**
 * Tests, their fixtures, examples and documentation contain realistic fake keys, which are rightly
 * found.
 */
const LEFT_OUT: readonly RegExp[] = [
  /(?:^|[/.])(?:__)?tests?(?:__)?[/.]/,
  /[.-](?:test|spec|bench)[.-]/,
  /(?:^|\/)(?:__)?(?:fixtures?|mocks?|snapshots?|testdata|test-utils?)(?:__)?\//,
  /(?:^|\/)(?:examples?|samples?|demos?|docs?|website)\//,
  /(?:^|\/)(?:readme|changelog|changes|history)\b/i,
]
const SOURCE = /\.(?:[cm]?[jt]sx?|json|css|html|ya?ml|toml|sh|py|c|h)$/

function sources(folder: string): readonly string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile() && SOURCE.test(it.name))
    .map((it) => path.join(it.parentPath, it.name))
    .filter((it) => {
      const within = path.relative(path.join(ROOT, folder), it)
      const isSource = !LEFT_OUT.some((left) => left.test(within))
      return isSource && !within.split(path.sep).includes("node_modules")
    })
}

/**
 * By day a selection of packages including minified code; at night everything that `npm ci`
 * installs.
 */
function packages(): readonly string[] {
  const chosen =
    "zod fastify vite react-dom yaml pg marked socket.io engine.io-client axe-core fast-check knip " +
    "@floating-ui pino"
  if (!isNight()) return chosen.split(" ")
  return readdirSync(path.join(ROOT, "node_modules"), { withFileTypes: true })
    .filter((it) => it.isDirectory() && !it.name.startsWith("."))
    .map((it) => it.name)
}

function falseFindings(files: readonly string[]) {
  let characters = 0
  const found = files.flatMap((file) => {
    const text = readFileSync(file, "utf8")
    characters += text.length
    return redact(text).findings.map((it) => `${path.relative(ROOT, file)}:${it.line} ${it.kind}`)
  })
  return { megabytes: characters / 1_000_000, found }
}

describe("false findings per megabyte", () => {
  test("[SECRETS-7] at most one in the code of this repository", () => {
    const files = ["src", "scripts", "bench", "bin", "console/src"].flatMap(sources)
    const { megabytes, found } = falseFindings([...files, path.join(ROOT, "package-lock.json")])
    expect(megabytes).toBeGreaterThan(1)
    expect(found.length, found.join("\n")).toBeLessThanOrEqual(Math.floor(megabytes))
  })

  test("[H7][SECRETS-7] at most one in the code of packages, including minified code", () => {
    const files = packages().flatMap((it) => sources(`node_modules/${it}`))
    const { megabytes, found } = falseFindings(files)
    expect(megabytes).toBeGreaterThan(10)
    expect(found.length, found.join("\n")).toBeLessThanOrEqual(Math.floor(megabytes))
  })

  const hex = (bytes: number) => Buffer.from(systemRandom.bytes(bytes)).toString("hex")
  const base64 = (bytes: number) => Buffer.from(systemRandom.bytes(bytes)).toString("base64")
  const uuid = () => hex(16).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
  test.for([
    ["git hashes", () => `${hex(20)} Merge branch 'main' of the other side`],
    ["digests", () => `${createHash("sha256").update(hex(8)).digest("hex")}  dist/${hex(4)}.js`],
    ["integrity lines", () => `      "integrity": "sha512-${base64(64)}",`],
    ["identifiers", () => `  { "id": "${uuid()}", "parent": "${uuid()}" },`],
    ["pictures", () => `<img src="data:image/png;base64,iVBORw0KGgo${base64(3_000)}">`],
    ["etags", () => `etag: W/"${hex(12)}-${base64(20)}"`],
  ] as const)("[SECRETS-7] thousands of %s give no finding", ([, line]) => {
    const lines = Array.from({ length: 2_000 }, line)
    expect(redact(lines.join("\n")).findings).toEqual([])
  })
})
