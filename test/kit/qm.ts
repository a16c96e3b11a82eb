import { spawn } from "node:child_process"
import { mkdir } from "node:fs/promises"
import path from "node:path"
import { text } from "node:stream/consumers"
import { tempDirectory } from "./temp.ts"

/**
 * `npm test` names a folder with the bundled engine and the built console, which saves their tests
 * most of the start (scripts/test/package.ts). Without it `qm` runs from the sources.
 */
export const BUILT_PACKAGE = process.env["QM_TEST_PACKAGE"]

const ROOT = path.join(import.meta.dirname, "../..")
export const LAUNCHER = path.join(BUILT_PACKAGE ?? ROOT, "bin/qm")

export type QmResult = {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/**
 * A fresh user in a fresh project outside git: `await using user = await newUser()`, then `await
 * user.qm(["doctor"])` runs the real launcher with its own environment.
 */
export async function newUser() {
  const temp = await tempDirectory()
  const home = path.join(temp.path, "home")
  const project = path.join(temp.path, "project")
  await mkdir(home)
  await mkdir(project)
  return Object.assign(temp, {
    home,
    project,
    projectConfig: path.join(project, ".qm", "config.json"),
    userConfig: path.join(home, ".qm", "config.json"),
    database: path.join(project, ".qm", "local", "store.db"),
    qm: (args: readonly string[], options: { env?: Record<string, string>; cwd?: string } = {}) =>
      runQm(args, {
        cwd: options.cwd ?? project,
        env: { PATH: process.env["PATH"] ?? "", HOME: home, ...options.env },
      }),
  })
}

export async function runQm(
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Record<string, string> },
): Promise<QmResult> {
  const child = spawn(LAUNCHER, args, { ...options, stdio: ["ignore", "pipe", "pipe"] })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", resolve)
  })
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, stdout, stderr }
}
