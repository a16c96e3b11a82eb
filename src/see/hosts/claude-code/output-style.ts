import path from "node:path"
import { splitFrontmatter, textField } from "../frontmatter.ts"
import type { Found } from "../host.ts"
import type { Look } from "../look.ts"
import type { World } from "./instructions.ts"
import { type ListedFile, listedFolders, markdownBelow, trustOfListed } from "./listed-folders.ts"
import { SOURCES } from "./sources.ts"

/** The output style that the settings choose, if a file holds it; others are not even listed. */
export async function readOutputStyle(world: World, look: Look): Promise<readonly Found[]> {
  const chosen = world.settings.value("outputStyle")
  if (typeof chosen !== "string" || chosen === "") return []
  const files: ListedFile[] = []
  for (const folder of await listedFolders("output-styles", world, look)) {
    files.push(...(await markdownBelow(folder, SOURCES.outputStyle.source, look)))
  }
  const style = files.map(readStyle).findLast((it) => it.name === chosen)
  return style === undefined ? [] : [toFound(style, world)]
}

type Style = ListedFile & { readonly name: string; readonly body: string }

function readStyle(listed: ListedFile): Style {
  const { fields, body } = splitFrontmatter(listed.file.bytes.toString())
  const name = textField(fields, "name") || path.basename(listed.path, ".md")
  return { ...listed, name, body: body.trim() }
}

function toFound(style: Style, world: World): Found {
  const { scope } = style.folder
  return {
    path: style.path,
    source: SOURCES.outputStyle.source,
    priority: SOURCES.outputStyle.priority,
    scope,
    load: "always",
    reason: SOURCES.outputStyle.reason,
    kind: "instructions",
    trust: trustOfListed(style, world),
    file: style.file,
    sent: style.body,
    frame: `# Output Style: ${style.name}\n`,
    later: "",
  }
}
