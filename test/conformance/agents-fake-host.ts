import { chmod, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { childFile } from "#test/child"

/** A program that runs a command line, with the arguments of its caller. */
export async function writeProgram(folder: string, words: readonly string[]): Promise<string> {
  const program = join(folder, "host")
  await writeFile(program, `#!/bin/sh\nexec ${words.map(quoted).join(" ")} "$@"\n`)
  await chmod(program, 0o755)
  return program
}

/** A program that runs one of our scripts with some arguments before those of its caller. */
export async function writeFakeHost(
  folder: string,
  script: URL,
  args: readonly string[],
): Promise<string> {
  return writeProgram(folder, [process.execPath, childFile(script), ...args])
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
