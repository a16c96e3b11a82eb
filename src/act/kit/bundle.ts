import path from "node:path"
import { pickEnvironment, readBounded, readTextBounded, run, statFile } from "#ground/base"
import { BundleMissing } from "./errors.ts"
import { digest } from "./files/inspect.ts"
import { LARGEST_BUNDLE_BYTES } from "./limits.ts"

/** A build takes about a second. */
const BUILD_TIMEOUT_MS = 60_000

/**
 * Loads the hook bundle and its SHA-256. A published package contains the bundle; a clone builds it
 * when its sources changed.
 */
export async function loadHookBundle(
  packageFolder: string,
  environment: Readonly<Record<string, string | undefined>>,
) {
  const build = path.join(packageFolder, "scripts/build.ts")
  if ((await statFile(build)).kind === "found") {
    const built = await run(process.execPath, [build, "--hooks", "--if-needed"], {
      cwd: packageFolder,
      env: pickEnvironment(environment, ["PATH", "HOME", "TMPDIR"]),
      timeoutMs: BUILD_TIMEOUT_MS,
      maxOutputBytes: 100_000,
    })
    if (built.kind !== "exited" || built.code !== 0) throw BundleMissing({ why: "was not built" })
  }
  const file = path.join(packageFolder, "dist/hooks/qm-hook.mjs")
  const read = await readBounded(file, { maxBytes: LARGEST_BUNDLE_BYTES })
  if (read.kind !== "read") throw BundleMissing({ why: "is missing" })
  const plugin = await readTextBounded(path.join(packageFolder, "dist/hooks/qm-opencode.mjs"), {
    maxBytes: LARGEST_BUNDLE_BYTES,
  })
  if (plugin.kind !== "read") throw BundleMissing({ why: "has no plugin beside it" })
  return { bytes: read.bytes, hash: digest(read.bytes), pluginCode: plugin.text }
}
