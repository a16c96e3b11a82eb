import { KeySheet } from "../../ui/command/command.tsx"
import { Dialog } from "../../ui/dialog/dialog.tsx"
import { KEYMAP } from "./keymap.ts"
import { type Scope, scopesOf } from "./scopes.ts"

const NAMES: Readonly<Record<Scope, string>> = {
  everywhere: "Everywhere",
  list: "In lists",
  work: "Runs and approvals",
  now: "On Now",
  runs: "On Runs",
  gateway: "On Gateway",
  run: "In a run",
  capture: "On Capture",
  map: "On Map",
  knowledge: "On Knowledge",
  memory: "On Memory",
  sessions: "On Sessions",
  session: "In a session",
  cost: "On Cost",
  pack: "On Pack",
  folds: "On Folds",
  guard: "On Guard",
  board: "On Board",
  ticket: "In a ticket",
  swarm: "On Swarm",
  pipelines: "On Pipelines",
  pipeline: "In a pipeline",
  recipes: "On Recipes",
  skills: "On Skills",
  sources: "On Sources",
  events: "On Events",
  settings: "On Settings",
}

type HelpSheetProps = { readonly scope: Scope; onClose(): void }

export function HelpSheet({ scope, onClose }: HelpSheetProps) {
  const groups = scopesOf(scope).map((it) => ({
    name: NAMES[it],
    rows: KEYMAP.filter((row) => row.scope === it),
  }))
  return (
    <Dialog title="Keyboard shortcuts" showsTitle hasClose onClose={onClose}>
      <KeySheet groups={groups} />
    </Dialog>
  )
}
