import { chmod, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** A program that runs one of our scripts with some arguments before those of its caller. */
export async function writeFakeHost(
  folder: string,
  script: URL,
  args: readonly string[],
): Promise<string> {
  const program = join(folder, "host")
  const words = [process.execPath, fileURLToPath(script), ...args].map(quoted).join(" ")
  await writeFile(program, `#!/bin/sh\nexec ${words} "$@"\n`)
  await chmod(program, 0o755)
  return program
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
