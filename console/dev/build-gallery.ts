import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build } from "vite"

/** The gallery of parts, built into a folder that goes away with the caller. */
export async function buildGallery() {
  const directory = await mkdtemp(join(tmpdir(), "qm-gallery-"))
  await build({
    root: join(import.meta.dirname, "gallery"),
    configFile: join(import.meta.dirname, "../vite.config.ts"),
    logLevel: "error",
    build: { outDir: directory, emptyOutDir: true },
  })
  return {
    directory,
    async [Symbol.asyncDispose]() {
      await rm(directory, { recursive: true, force: true })
    },
  }
}
