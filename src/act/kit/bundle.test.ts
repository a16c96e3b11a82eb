import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { loadHookBundle } from "./bundle.ts"

test("a package without the hook bundle, and a build that fails, are refused", async () => {
  await using folder = await tempDirectory()
  const missing = { code: "APP_BUNDLE_MISSING" }
  await expect(loadHookBundle(folder.path, {})).rejects.toMatchObject(missing)
  await mkdir(path.join(folder.path, "scripts"))
  await writeFile(path.join(folder.path, "scripts/build.ts"), "process.exitCode = 3\n")
  await expect(loadHookBundle(folder.path, {})).rejects.toMatchObject(missing)
})

test("the bundle is returned with its hash and the plugin of opencode", async () => {
  await using folder = await tempDirectory()
  await mkdir(path.join(folder.path, "dist/hooks"), { recursive: true })
  await writeFile(path.join(folder.path, "dist/hooks/qm-hook.mjs"), "export {}\n")
  const incomplete = { code: "APP_BUNDLE_MISSING", data: { why: "has no plugin beside it" } }
  await expect(loadHookBundle(folder.path, {})).rejects.toMatchObject(incomplete)
  await writeFile(path.join(folder.path, "dist/hooks/qm-opencode.mjs"), "export const plugin = 1\n")
  const { bytes, hash, pluginCode } = await loadHookBundle(folder.path, {})
  expect(pluginCode).toBe("export const plugin = 1\n")
  expect(Buffer.from(bytes).toString()).toBe("export {}\n")
  expect(hash).toMatch(/^[0-9a-f]{64}$/)
})
