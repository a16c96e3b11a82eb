import path from "node:path"
import { ensureDirectory, makeTemporaryDirectory, writeFileAtomic } from "#ground/base"
import { createApp } from "#show/app"

const HARBOUR = {
  "src/berth.ts":
    'import { tide } from "./tide.ts"\n\nexport function berthFor(draught: number): number {\n  return draught + tide()\n}\n',
  "src/tide.ts": "export function tide(): number {\n  return 3\n}\n",
  "docs/harbour.md": "# Harbour\n\nA berth is chosen by draught and tide.\n",
  "CLAUDE.md": "# House rules\n\nSay berth, not dock.\n",
}

/** A small project with a home beside it, and the whole app on it. */
export async function newFixture(environment: Readonly<Record<string, string>> = {}) {
  const temp = await makeTemporaryDirectory()
  const project = path.join(temp.path, "project")
  for (const [name, text] of Object.entries(HARBOUR)) {
    const file = path.join(project, name)
    await ensureDirectory(path.dirname(file))
    await writeFileAtomic(file, text)
  }
  const lines: string[] = []
  const options = {
    PATH: process.env["PATH"] ?? "",
    HOME: path.join(temp.path, "home"),
    QM_HOME: path.join(temp.path, "home"),
    ...environment,
  }
  const open = () =>
    createApp({
      directory: project,
      environment: options,
      settings: [],
      writeLog: (line) => void lines.push(line),
    })
  return Object.assign(temp, { project, environment: options, lines, open })
}
