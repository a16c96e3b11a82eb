import path from "node:path"
import { KIT_HOSTS } from "#ground/contract"
import {
  anchorOf,
  isOwnStatusLine,
  kitFolder,
  SERVER_NAME,
  STATUS_LINE_FIELD,
} from "./desired-files.ts"
import { inspectText } from "./files/inspect.ts"
import { leadsInto } from "./hosts/host.ts"
import { HOST_FORMS } from "./hosts/hosts.ts"
import type { FileRecord, Files } from "./manifest.ts"
import type { KitDeps } from "./plan.ts"
import { hookEditor } from "./texts/hook-entries.ts"
import { fieldEditor, settingEditor } from "./texts/json-text.ts"
import { allOf, blockEditor, type Editor } from "./texts/text.ts"

type Home = Pick<KitDeps, "home">

function editorOf({ home }: Home): (file: string, record: FileRecord) => Editor {
  return (file, { host }) => {
    if (host === null) return settingEditor({ path: file, section: "kit", name: "level", value: 2 })
    if (file.endsWith(".md")) return blockEditor({ path: file, lines: [] })
    const { container } = HOST_FORMS[host].settings(NOWHERE)
    if (HOST_FORMS[host].server !== undefined)
      return settingEditor({ path: file, section: container, name: SERVER_NAME, value: null })
    const isOurs = leadsInto(kitFolder(home))
    const hooks = hookEditor({ path: file, container, entries: [], isOurs })
    if (HOST_FORMS[host].hasStatusLine !== true) return hooks
    const field = { path: file, name: STATUS_LINE_FIELD, value: null, mayReplace: false }
    return allOf([hooks, fieldEditor({ ...field, isOurs: isOwnStatusLine(home) })])
  }
}

/** Only the container name is needed, which is the same in every home folder. */
const NOWHERE = { userHome: "/", environment: {} }

export async function findStrays(
  deps: KitDeps,
  it: { readonly known: Files; readonly wanted: ReadonlySet<string> },
): Promise<Files> {
  const isOurs = leadsInto(kitFolder(deps.home))
  const strays: Files = {}
  for (const host of KIT_HOSTS) {
    const form = HOST_FORMS[host]
    const { path: file } = form.settings(deps)
    const within = anchorOf(form, deps)
    if (it.known[file] !== undefined || it.wanted.has(file)) continue
    const text = await textOf({ path: file, within })
    if (text === undefined || !isOurs(text)) continue
    strays[file] = {
      kind: "shared",
      host,
      within,
      what: "hooks",
      before: null,
      isSealed: false,
      after: "",
      folders: [],
    }
  }
  return strays
}

/** An unusable file of a host that was not requested is ignored. */
async function textOf(location: {
  readonly path: string
  readonly within: string
}): Promise<string | undefined> {
  try {
    return (await inspectText(location)).found?.bytes.toString()
  } catch {
    return undefined
  }
}

export function reconcileDeps(deps: Home) {
  return {
    backups: path.join(kitFolder(deps.home), "backups"),
    editorOf: editorOf(deps),
  }
}
