import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { asWriteFailure } from "./system-error.ts"

export type TemporaryDirectory = AsyncDisposable & { readonly path: string }

/** An empty folder that only we can enter, outside every project; gone with all in it at the end. */
export async function makeTemporaryDirectory(): Promise<TemporaryDirectory> {
  try {
    const path = await mkdtemp(join(await realpath(tmpdir()), "qm-"))
    return {
      path,
      [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
    }
  } catch (error) {
    throw asWriteFailure(error, { path: tmpdir() })
  }
}
