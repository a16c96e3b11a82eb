import { chmod, mkdir, symlink, writeFile } from "node:fs/promises"
import path from "node:path"

type Folders = { readonly home: string; readonly project: string; readonly parent: string }

const TITLES = [
  "Explain the tariff tables",
  "Round quotes half to even",
  "Why is night pilotage billed",
]

/** Two agents on the PATH, one signed in, and three sessions of this repository. */
export async function prepareFirstRun({ home, project, parent }: Folders) {
  const bin = path.join(parent, "bin")
  const versions = [
    ["claude", path.join(home, ".local/share/claude/versions/2.1.325")],
    ["codex", path.join(bin, "codex")],
  ] as const
  await mkdir(bin, { recursive: true })
  for (const [name, file] of versions) {
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, "#!/bin/sh\nexit 1\n")
    await chmod(file, 0o755)
    if (path.dirname(file) !== bin) await symlink(file, path.join(bin, name))
  }
  await mkdir(path.join(home, ".codex"), { recursive: true })
  await writeFile(path.join(home, ".codex/auth.json"), "{}")
  await writeFile(path.join(project, "CLAUDE.md"), "# Tideline\n\nAmounts are integers.\n")
  const folder = path.join(home, ".claude/projects", project.replaceAll(/[^A-Za-z0-9]/g, "-"))
  await mkdir(folder, { recursive: true })
  for (const [i, title] of TITLES.entries()) {
    const sessionId = `0f3c2a9e-1111-4222-8333-44445555666${i}`
    const line = (type: string, content: string) => {
      const timestamp = `2026-11-1${i}T08:00:00.000Z`
      const uuid = `${type}-${i}`
      const base = { sessionId, cwd: project, uuid, parentUuid: null, timestamp }
      return JSON.stringify({ type, ...base, message: { role: type, content } })
    }
    const lines = [line("user", title), line("assistant", "Amounts are integers.")]
    await writeFile(path.join(folder, `${sessionId}.jsonl`), `${lines.join("\n")}\n`)
  }
  return { PATH: `${bin}${path.delimiter}${process.env["PATH"] ?? ""}` }
}
