import path from "node:path"
import { z } from "zod"
import { listDirectory, readTextBounded } from "#ground/base"
import { KIT_HOSTS, KitHost } from "#ground/contract"
import { TemplateInvalid } from "./errors.ts"
import type { Template } from "./hosts/host.ts"
import { LARGEST_TEMPLATE_BYTES } from "./limits.ts"

const KINDS = ["command", "agent", "skill", "playbook"] as const

export const PACKS = ["daily", "audit", "pipeline", "qa", "vcs", "forge", "setup"] as const
export const SQUADS = ["dev", "qa", "design", "security", "compliance", "ops", "forge"] as const

const Head = z.object({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,40}$/),
  description: z.string().min(1).max(200),
  kind: z.enum(KINDS).optional(),
  level: z.int().min(1).max(7).default(4),
  hosts: z.array(KitHost).default([...KIT_HOSTS]),
  tools: z.string().optional(),
  pack: z.enum(PACKS).optional(),
  squad: z.enum(SQUADS).optional(),
  cost: z.literal("low").optional(),
  servers: z.array(z.literal("qm")).default([]),
})

export async function readTemplates(folder: string): Promise<readonly Template[]> {
  const templates: Template[] = []
  for (const kind of KINDS) {
    const listed = await listDirectory(path.join(folder, `${kind}s`))
    if (listed.kind !== "listed") continue
    for (const { name } of listed.entries.filter((it) => it.name.endsWith(".md")))
      templates.push(await readTemplate(path.join(folder, `${kind}s`, name), kind))
  }
  return templates
}

async function readTemplate(file: string, kind: Template["kind"]): Promise<Template> {
  const read = await readTextBounded(file, { maxBytes: LARGEST_TEMPLATE_BYTES })
  if (read.kind !== "read") throw TemplateInvalid({ path: file, wrong: `it is ${read.kind}` })
  const { head, body } = await parseDefinition(read.text)
  if (head === undefined) throw TemplateInvalid({ path: file, wrong: "it has no valid header" })
  const parsed = Head.safeParse(head)
  if (!parsed.success)
    throw TemplateInvalid({ path: file, wrong: "its header is invalid" }, parsed.error)
  const { pack, squad, servers, ...fields } = parsed.data
  return {
    ...fields,
    kind: fields.kind ?? kind,
    pack: squad === undefined ? (pack ?? "daily") : `squad-${squad}`,
    cost: fields.cost,
    hasServer: servers.length > 0,
    tools: fields.tools,
    body,
  }
}

/** The header of a markdown file as a value, undefined without a valid one, and the text below it. */
export async function parseDefinition(
  text: string,
): Promise<{ readonly head: unknown; readonly body: string }> {
  const [, head, body] =
    /^---\r?\n([\s\S]*?)\r?\n---\r?\n([\s\S]*)$/.exec(text.replace(/^\uFEFF/, "")) ?? []
  if (head === undefined || body === undefined) return { head: undefined, body: text }
  return { head: await parseYaml(head), body }
}

/** Loaded lazily, because every command of qm loads this room. */
async function parseYaml(text: string): Promise<unknown> {
  const { parse } = await import("yaml")
  try {
    const value: unknown = parse(text)
    return value
  } catch {
    return undefined
  }
}
