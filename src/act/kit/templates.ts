import path from "node:path"
import { z } from "zod"
import { listDirectory, readTextBounded } from "#ground/base"
import { KIT_HOSTS, KitHost } from "#ground/contract"
import { TemplateInvalid } from "./errors.ts"
import type { Template } from "./hosts/host.ts"
import { LARGEST_TEMPLATE_BYTES } from "./limits.ts"

const KINDS = ["command", "agent", "skill"] as const

const Head = z.object({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,40}$/),
  description: z.string().min(1).max(200),
  kind: z.enum(KINDS).optional(),
  level: z.int().min(1).max(7).default(4),
  hosts: z.array(KitHost).default([...KIT_HOSTS]),
  tools: z.string().optional(),
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
  const [, head, body] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n([\s\S]*)$/.exec(read.text) ?? []
  if (head === undefined || body === undefined)
    throw TemplateInvalid({ path: file, wrong: "it has no header" })
  const parsed = Head.safeParse(await parseYaml(head))
  if (!parsed.success)
    throw TemplateInvalid({ path: file, wrong: "its header is invalid" }, parsed.error)
  return { ...parsed.data, kind: parsed.data.kind ?? kind, tools: parsed.data.tools, body }
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
