import { existsSync } from "node:fs"
import { chmod, mkdtemp, readdir, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

export type TempDirectory = AsyncDisposable & { readonly path: string }

/** Linux has a file system in memory there. */
const IN_MEMORY = "/dev/shm"

/**
 * `await using directory = await tempDirectory()`: its real path, removed at the end of the test. In
 * memory where there is such a folder: for processes that compete, not for what survives them.
 */
export async function tempDirectory(where: "disk" | "memory" = "disk"): Promise<TempDirectory> {
  const parent = where === "memory" && existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir()
  const path = await realpath(await mkdtemp(join(parent, "qm-test-")))
  return {
    path,
    async [Symbol.asyncDispose]() {
      await openUp(path)
      await rm(path, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Tests remove permissions, without which `rm` cannot read a folder, unless it is root. */
async function openUp(directory: string): Promise<void> {
  try {
    await chmod(directory, 0o700)
    const entries = await readdir(directory, { withFileTypes: true })
    for (const entry of entries) if (entry.isDirectory()) await openUp(join(directory, entry.name))
  } catch {
    // Already removed or not ours to change; `rm` reports it if it matters.
  }
}
