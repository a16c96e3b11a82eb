import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** Git without the machine's config and with fixed authors and times. */
export function git(cwd: string, ...args: readonly string[]): string {
  return gitWith(cwd, {}, ...args)
}

export function gitWith(
  cwd: string,
  options: { readonly input?: string | Buffer; readonly env?: Readonly<Record<string, string>> },
  ...args: readonly string[]
): string {
  const output = execFileSync("git", ["-c", "protocol.file.allow=always", ...args], {
    cwd,
    stdio: ["pipe", "pipe", "pipe"],
    ...(options.input === undefined ? {} : { input: options.input }),
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: cwd,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_AUTHOR_NAME: "t",
      GIT_AUTHOR_EMAIL: "t@example.invalid",
      GIT_COMMITTER_NAME: "t",
      GIT_COMMITTER_EMAIL: "t@example.invalid",
      GIT_AUTHOR_DATE: "1700000000 +0000",
      GIT_COMMITTER_DATE: "1700000000 +0000",
      ...options.env,
    },
  })
  return output.toString().trimEnd()
}

export function commit(
  root: string,
  message: string,
  files: Readonly<Record<string, string>> = {},
): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  git(root, "add", "-A")
  git(root, "commit", "-q", "--allow-empty", "-m", message)
  return git(root, "rev-parse", "HEAD")
}
