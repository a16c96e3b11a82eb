import path from "node:path"
import { ensureDirectory, silentLog, writeFileAtomic } from "#ground/base"
import { createFolders, type FoldersDeps } from "./folders.ts"

export const HEAD = "---\nname: Small\ndescription: Asks once\n---\n"

export const STAGE = { name: "answer", title: "Answer", kind: "ask", prompt: "answer.md" }

export const SMALL: Readonly<Record<string, string>> = {
  "RECIPE.md": HEAD,
  "config.json": JSON.stringify({ stages: [STAGE] }),
  "prompts/answer.md": "Answer {{query}}.\n",
}

export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name)
    await ensureDirectory(path.dirname(file))
    await writeFileAtomic(file, content)
  }
}

export function foldersIn(folder: string, more: Partial<FoldersDeps> = {}) {
  const places = {
    shipped: path.join(folder, "shipped"),
    user: path.join(folder, "user"),
    project: path.join(folder, "project"),
    trustFile: path.join(folder, "home/approvals/agents.json"),
  }
  const { shipped, user, project, trustFile } = places
  const folders = { shipped, user: [user], project: [project], trustFile }
  const deps = { ...folders, log: silentLog, ...more }
  return { ...places, folders: createFolders(deps) }
}
