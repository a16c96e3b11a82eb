import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { z } from "zod"
import { mcpBundle } from "./mcpb/bundle.ts"

/**
 * Builds the MCP bundle for desktop hosts: `node scripts/mcpb.ts [--tarball file] [--out file]`. It
 * installs the tarball, or the one that `npm pack` makes here, with its dependencies and without the
 * pinned runtime.
 */
const ROOT = join(import.meta.dirname, "..")

const Packed = z.tuple([z.object({ filename: z.string() })])

const { values } = parseArgs({
  options: {
    tarball: { type: "string" },
    out: { type: "string", default: "artifacts/quartermaster.mcpb" },
  },
})
const folder = mkdtempSync(join(tmpdir(), "qm-mcpb-"))
try {
  const tarball = values.tarball === undefined ? pack() : resolve(values.tarball)
  writeFileSync(join(folder, "package.json"), "{}")
  npm("install", "--omit=dev", "--omit=optional", "--ignore-scripts", "--no-audit", tarball)
  const bytes = mcpBundle(folder)
  const out = resolve(ROOT, values.out)
  mkdirSync(join(out, ".."), { recursive: true })
  writeFileSync(out, bytes)
  process.stdout.write(`mcpb: ${out}, ${(bytes.length / 1e6).toFixed(1)} MB\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function pack(): string {
  const listed = execFileSync("npm", ["pack", "--json", "--pack-destination", folder], {
    cwd: ROOT,
  })
  const [packed] = Packed.parse(JSON.parse(listed.toString()))
  return join(folder, packed.filename)
}

function npm(...args: readonly string[]): void {
  execFileSync("npm", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] })
}
