import { chmod, mkdtemp, readdir, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

export type TempDirectory = AsyncDisposable & { readonly path: string }

/** `await using directory = await tempDirectory()`: its real path, gone at the end of the test. */
export async function tempDirectory(): Promise<TempDirectory> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "qm-test-")))
  return {
    path,
    async [Symbol.asyncDispose]() {
      await openUp(path)
      await rm(path, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Tests take rights away; without them `rm` cannot look inside, unless it is root. */
async function openUp(directory: string): Promise<void> {
  try {
    await chmod(directory, 0o700)
    const entries = await readdir(directory, { withFileTypes: true })
    for (const entry of entries) if (entry.isDirectory()) await openUp(join(directory, entry.name))
  } catch {
    // Gone or not ours to change: `rm` says so, if it matters.
  }
}
