import { join } from "node:path"
import { createMatcher, guidelineFields, isRecord, parseJson, readTextBounded } from "#ground/base"
import type { HookContext, HookEvent, Rule, Verdict } from "../event.ts"
import { shown } from "../message-format.ts"

/** The same limit as in `show/app/rooms/pack.ts`. */
const LARGEST_GUIDELINES_BYTES = 4_000_000

type ToolEvent = Extract<HookEvent, { kind: "before-edit" | "before-agent" | "before-tool" }>

/**
 * Enforces the guidelines of `.qm/guidelines.json` before a tool: a restriction denies, a gate asks
 * the user, telemetry is a line in the log. Conditions on actions and domains are not known before
 * a tool, so guidelines with them give advice in packages only.
 */
export const guideline: Rule = {
  name: "guideline",
  level: 5,
  kinds: ["before-edit", "before-agent", "before-tool"],
  async judge(event, context) {
    if (!isToolEvent(event)) return SILENT
    const applying = (await readGuidelines(context)).filter((it) => appliesTo(it, event))
    const verdict = denialOf(applying, event) ?? gateOf(applying, event) ?? SILENT
    const note = telemetryOf(applying)
    return note === undefined ? verdict : { ...verdict, note }
  },
}

const SILENT: Verdict = { kind: "silent" }

function isToolEvent(event: HookEvent): event is ToolEvent {
  return ["before-edit", "before-agent", "before-tool"].includes(event.kind)
}

type HookGuideline = {
  readonly id: string
  readonly title: string
  readonly priority: number
  readonly agents: readonly string[] | undefined
  readonly notAgents: readonly string[]
  readonly paths: readonly string[] | undefined
  readonly denied: readonly string[]
  readonly allowed: readonly (readonly string[])[]
  readonly gates: readonly string[]
  readonly telemetry: readonly string[]
}

/** Mistakes, which `qm guidelines` reports, leave a guideline out here. */
async function readGuidelines({ root }: HookContext): Promise<readonly HookGuideline[]> {
  const file = join(root, ".qm", "guidelines.json")
  const read = await readTextBounded(file, { maxBytes: LARGEST_GUIDELINES_BYTES, root })
  const value = read.kind === "read" ? parseJson(read.text.replace(/^\uFEFF/, "")) : undefined
  const listed: unknown = isRecord(value) ? value["guidelines"] : undefined
  if (!Array.isArray(listed)) return []
  return listed.flatMap(guidelineOf).toSorted((a, b) => b.priority - a.priority)
}

function guidelineOf(written: unknown): readonly HookGuideline[] {
  const fields = guidelineFields(written)
  if (!isRecord(fields) || fields["isEnabled"] === false) return []
  const { id, title, priority, when = {}, actions } = fields
  if (typeof id !== "string" || !isRecord(when) || !Array.isArray(actions)) return []
  if (when["actions"] !== undefined || when["domains"] !== undefined) return []
  const records = actions.filter(isRecord)
  const ofType = (type: string) => records.filter((it) => it["type"] === type)
  const restrictions = ofType("tool_restriction")
  return [
    {
      id,
      title: textOr(title, id),
      priority: typeof priority === "number" ? priority : 0,
      agents: textsIn(when["agents"]),
      notAgents: textsIn(when["notAgents"]) ?? [],
      paths: textsIn(when["paths"]),
      denied: restrictions.flatMap((it) => textsIn(it["denied"]) ?? []),
      allowed: restrictions.flatMap((restriction) => {
        const list = textsIn(restriction["allowed"])
        return list === undefined ? [] : [list]
      }),
      gates: ofType("hitl_gate").map((it) => textOr(it["reason"], textOr(title, id))),
      telemetry: ofType("telemetry").map((it) => textOr(it["event"], id)),
    },
  ]
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise
}

function textsIn(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((it) => typeof it === "string") : undefined
}

function appliesTo(guideline: HookGuideline, event: ToolEvent): boolean {
  const role = event.agent
  if (role !== undefined && guideline.notAgents.includes(role)) return false
  if (guideline.agents !== undefined && (role === undefined || !guideline.agents.includes(role)))
    return false
  if (guideline.paths === undefined) return true
  const isMatch = createMatcher(guideline.paths)
  return pathsOf(event).some(isMatch)
}

function denialOf(applying: readonly HookGuideline[], event: ToolEvent): Verdict | undefined {
  const tool = toolOf(event)
  const denying = applying.find(
    (it) =>
      it.denied.some((name) => isTool(name, tool)) ||
      it.allowed.some((list) => !list.some((name) => isTool(name, tool))),
  )
  if (denying === undefined) return undefined
  const text = [
    `Tool ${shown(tool)} denied by the guideline ${shown(denying.id)}: ${shown(denying.title)}.`,
    "The guideline is in .qm/guidelines.json. Use another tool, or ask the user to change it.",
  ].join("\n")
  return { kind: "deny", text, paths: pathsOf(event) }
}

function gateOf(applying: readonly HookGuideline[], event: ToolEvent): Verdict | undefined {
  const gated = applying.filter((it) => it.gates.length > 0)
  if (gated.length === 0) return undefined
  const reasons = gated.flatMap((it) => it.gates.map((why) => `${shown(why)} (${shown(it.id)})`))
  const text = `Approval needed before ${shown(toolOf(event))}: ${reasons.join("; ")}.`
  return { kind: "ask", text, paths: pathsOf(event) }
}

function telemetryOf(applying: readonly HookGuideline[]): string | undefined {
  const events = applying.flatMap((it) => it.telemetry.map((name) => `${name} (${it.id})`))
  return events.length === 0 ? undefined : `Telemetry: ${events.join(", ")}`
}

function toolOf(event: ToolEvent): string {
  return event.kind === "before-agent" ? "Agent" : event.tool
}

function pathsOf(event: ToolEvent): readonly string[] {
  return event.kind === "before-agent" ? [] : event.paths
}

/** A name, or the beginning of names: `mcp__github__*`. */
function isTool(name: string, tool: string): boolean {
  return name.endsWith("*") ? tool.startsWith(name.slice(0, -1)) : name === tool
}
