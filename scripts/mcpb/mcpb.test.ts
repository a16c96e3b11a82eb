import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { crc32, inflateRawSync } from "node:zlib"
import { expect, test } from "vitest"
import { z } from "zod"
import { tempDirectory } from "#test/temp"
import { mcpBundle } from "./bundle.ts"

/** Reads an archive by its central directory, as unpackers do. */
function unzip(archive: Buffer): ReadonlyMap<string, { text: string; mode: number }> {
  const files = new Map<string, { text: string; mode: number }>()
  const end = archive.length - 22
  expect(archive.readUInt32LE(end)).toBe(0x06054b50)
  let at = archive.readUInt32LE(end + 16)
  for (let nth = 0; nth < archive.readUInt16LE(end + 10); nth++) {
    expect(archive.readUInt32LE(at)).toBe(0x02014b50)
    const nameLength = archive.readUInt16LE(at + 28)
    const path = archive.toString("utf8", at + 46, at + 46 + nameLength)
    const local = archive.readUInt32LE(at + 42)
    expect(archive.readUInt32LE(local)).toBe(0x04034b50)
    expect(archive.toString("utf8", local + 30, local + 30 + nameLength)).toBe(path)
    const start = local + 30 + nameLength
    const bytes = inflateRawSync(archive.subarray(start, start + archive.readUInt32LE(at + 20)))
    expect([bytes.length, crc32(bytes)]).toEqual([
      archive.readUInt32LE(at + 24),
      archive.readUInt32LE(at + 16),
    ])
    files.set(path, {
      text: bytes.toString(),
      mode: (archive.readUInt32LE(at + 38) >>> 16) & 0o777,
    })
    at += 46 + nameLength
  }
  return files
}

/** The closed manifest schema 0.3 of MCPB, as far as it is used. */
const Manifest = z.strictObject({
  manifest_version: z.literal("0.3"),
  name: z.string(),
  display_name: z.string(),
  version: z.string(),
  description: z.string(),
  author: z.strictObject({ name: z.string() }),
  license: z.string(),
  keywords: z.array(z.string()),
  server: z.strictObject({
    type: z.literal("node"),
    entry_point: z.string(),
    mcp_config: z.strictObject({ command: z.string(), args: z.array(z.string()) }),
  }),
  tools_generated: z.boolean(),
  user_config: z.record(
    z.string(),
    z.strictObject({
      type: z.literal("directory"),
      title: z.string(),
      description: z.string(),
      required: z.boolean(),
    }),
  ),
  compatibility: z.strictObject({
    platforms: z.array(z.enum(["darwin", "win32", "linux"])),
    runtimes: z.strictObject({ node: z.string() }),
  }),
})

test("[MCPB-1] a bundle has the installed package, its dependencies and a manifest that starts qm mcp", async () => {
  await using temp = await tempDirectory()
  const own = join(temp.path, "node_modules/quartermaster")
  mkdirSync(join(own, "bin"), { recursive: true })
  mkdirSync(join(temp.path, "node_modules/.bin"))
  const about = { version: "1.2.3", description: "d", license: "MIT", bin: { qm: "./bin/qm.mjs" } }
  writeFileSync(join(own, "package.json"), JSON.stringify(about))
  writeFileSync(join(own, "bin/qm.mjs"), "console.log('ü')\n", { mode: 0o755 })
  symlinkSync(join(own, "bin/qm.mjs"), join(temp.path, "node_modules/.bin/qm"))
  const archive = mcpBundle(temp.path)
  const files = unzip(archive)
  expect([...files.keys()]).toEqual([
    "manifest.json",
    "node_modules/quartermaster/bin/qm.mjs",
    "node_modules/quartermaster/package.json",
  ])
  const entry = "node_modules/quartermaster/bin/qm.mjs"
  expect(files.get(entry)).toEqual({ text: "console.log('ü')\n", mode: 0o755 })
  const manifest = Manifest.parse(JSON.parse(files.get("manifest.json")?.text ?? ""))
  expect(manifest.version).toBe("1.2.3")
  expect(manifest.server).toMatchObject({
    entry_point: entry,
    mcp_config: { args: [`\${__dirname}/${entry}`, "mcp", "-C", "${user_config.repository}"] },
  })
  expect(mcpBundle(temp.path).equals(archive)).toBe(true)
})
