import type {
  RemoteMessages,
  RemoteRun,
  RemoteRunners,
  RemoteRuns,
  remoteOperations,
  SharedItems,
} from "#ground/contract"
import type { Screen } from "../terminal/screen.ts"
import { listing, timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

function renderRunners({ runners }: RemoteRunners, screen: Screen): string {
  const { paint } = screen
  if (runners.length === 0) return paint.muted("No machine has connected to this server.")
  const rows = runners.map((it) => [
    it.id,
    it.name,
    it.person,
    it.isConnected ? "connected" : paint.muted(timeText(it.seenAt)),
    it.repositories.map((one) => [one.name, ...one.shares].join(" ")).join(", "),
  ])
  return listing(["Runner", "Name", "Person", "State", "Repositories"], rows, screen)
}

function renderRuns({ runs }: RemoteRuns, screen: Screen): string {
  if (runs.length === 0) return screen.paint.muted("No runs on connected machines.")
  const rows = runs.map((it) => [it.id, it.repository, it.type, it.state, it.requestedBy, it.note])
  return listing(["Run", "Repository", "Agent", "State", "By", "Note"], rows, screen)
}

function renderRun(run: RemoteRun): string {
  return `${run.id} is ${run.state}. \`qm runners messages ${run.id}\` shows its messages.`
}

function renderMessages({ messages }: RemoteMessages): string {
  return messages.map((it) => `${it.seq} ${it.kind}: ${it.text}`).join("\n")
}

function renderShared({ items }: SharedItems, screen: Screen): string {
  if (items.length === 0) return screen.paint.muted("No connected machine shares anything.")
  const rows = items.map((it) => [it.repository, it.kind, it.id, it.title])
  return listing(["Repository", "Kind", "Id", "Title"], rows, screen)
}

export const remoteRenderers: Renderers<typeof remoteOperations> = {
  list: renderRunners,
  runs: renderRuns,
  messages: renderMessages,
  shared: renderShared,
  start: renderRun,
  stop: renderRun,
}
