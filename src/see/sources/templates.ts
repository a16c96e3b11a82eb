import path from "node:path"
import { z } from "zod"
import {
  ensureDirectory,
  isRecord,
  listDirectory,
  nearest,
  parseJson,
  readTextBounded,
  statFile,
  writeFileAtomic,
} from "#ground/base"
import {
  ModelConnection,
  type SourceAdded,
  SourceConfig,
  SourceSlug,
  type SourceTemplate,
} from "#ground/contract"
import { SourceExists, TemplateUnknown, TemplateValueInvalid } from "./errors.ts"

const LARGEST_TEMPLATE_BYTES = 32_000

const Value = z.strictObject({ name: z.string(), description: z.string(), example: z.string() })

const TemplateHead = z.strictObject({
  kind: z.enum(["source", "connection"]),
  title: z.string(),
  description: z.string(),
  values: z.array(Value),
  /** A program that works in the folder it is in belongs to the repository. */
  place: z.enum(["user", "project"]).default("user"),
  config: z.record(z.string(), z.unknown()).optional(),
  connection: z.record(z.string(), z.unknown()).optional(),
})

type Template = z.infer<typeof TemplateHead> & { readonly slug: string; readonly guide: string }

const HEAD = /^```json\n([\s\S]{0,30000}?)\n```\n+/

/** The templates that ship: a JSON block with the description, and a guide below it. */
export async function readTemplates(directory: string): Promise<readonly Template[]> {
  const listed = await listDirectory(directory)
  const files = listed.kind === "listed" ? listed.entries.map((it) => it.name) : []
  const slugs = files.filter((it) => it.endsWith(".md")).map((it) => it.slice(0, -".md".length))
  return Promise.all(slugs.toSorted().map((slug) => readTemplate(directory, slug)))
}

async function readTemplate(directory: string, slug: string): Promise<Template> {
  const file = path.join(directory, `${slug}.md`)
  const read = await readTextBounded(file, { maxBytes: LARGEST_TEMPLATE_BYTES })
  const text = read.kind === "read" ? read.text : ""
  const [block = "", json = ""] = HEAD.exec(text) ?? []
  const head = TemplateHead.parse(parseJson(json))
  return { ...head, slug: SourceSlug.parse(slug), guide: text.slice(block.length).trim() }
}

export function viewTemplate(template: Template): SourceTemplate {
  const { slug, title, description, kind, values, guide } = template
  const [needs = ""] = keyCommands(template, slug)
  return { slug, title, description, kind, values, guide, needs }
}

type AddDeps = {
  readonly templatesDirectory: string
  readonly places: Readonly<Record<"user" | "project", string>>
  addConnection(connection: ModelConnection): Promise<string>
}

export type AddRequest = {
  readonly template: string
  readonly name?: string | undefined
  readonly values: readonly string[]
}

export async function addFromTemplate(request: AddRequest, deps: AddDeps): Promise<SourceAdded> {
  const templates = await readTemplates(deps.templatesDirectory)
  const template = templates.find((it) => it.slug === request.template)
  if (template === undefined) {
    const slugs = templates.map((it) => it.slug)
    throw TemplateUnknown({ slug: request.template, nearest: nearest(request.template, slugs) })
  }
  const name = request.name ?? template.slug
  const values = new Map([...readValues(template, request.values), ["name", name]])
  const keys = keyCommands(template, name)
  if (template.kind === "connection") {
    const filled = { ...fillRecord(template.connection ?? {}, values), name, credential: name }
    const file = await deps.addConnection(ModelConnection.parse(filled))
    return { kind: "connection", name, file, next: [...keys, `qm connection test ${name}`] }
  }
  const { title, description } = template
  const config = { title, description, ...fillRecord(template.config ?? {}, values) }
  const file = await writeSource(path.join(deps.places[template.place], name), config)
  // A program is approved after its complete command was shown; an address of ours has no program.
  const isProgram = SourceConfig.parse(config).transport.type === "stdio"
  const approval = isProgram ? ["qm source list", `qm source approve ${name}`] : []
  return { kind: "source", name, file, next: [...approval, ...keys, `qm source test ${name}`] }
}

async function writeSource(
  folder: string,
  config: Readonly<Record<string, unknown>>,
): Promise<string> {
  if ((await statFile(folder)).kind !== "missing")
    throw SourceExists({ slug: path.basename(folder) })
  await ensureDirectory(folder)
  const file = path.join(folder, "config.json")
  await writeFileAtomic(file, `${JSON.stringify(config, undefined, 2)}\n`)
  return file
}

/** The commands that give it its key or its sign-in. */
function keyCommands({ kind, config }: Template, name: string): readonly string[] {
  if (kind === "connection") return [`qm credential set ${name}`]
  const transport = isRecord(config?.["transport"]) ? config["transport"] : {}
  if (transport["oauth"] !== undefined) return [`qm source login ${name}`]
  const { credential } = transport
  if (typeof credential !== "string") return []
  const keyName = credential === "{{name}}" ? name : credential
  return [`qm credential set ${keyName}`]
}

/** Values that are paths or programs of the user; all others become parts of an address or a name. */
const PATH_VALUES = new Set(["program"])
const PLAIN_VALUE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/

function readValues(template: Template, texts: readonly string[]): Map<string, string> {
  const { slug } = template
  const names = template.values.map((it) => it.name)
  const values = new Map<string, string>()
  for (const text of texts) {
    const at = text.indexOf("=")
    const [name, value] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)]
    if (!names.includes(name)) {
      // Without the text: it may be a key in the wrong place.
      const problem = `a value is not one of ${names.join(", ") || "none"}`
      throw TemplateValueInvalid({ slug, problem })
    }
    const isValid = PATH_VALUES.has(name) ? value.trim() !== "" : PLAIN_VALUE.test(value)
    if (!isValid) throw TemplateValueInvalid({ slug, problem: `the value of ${name} is invalid` })
    values.set(name, value)
  }
  const missing = names.filter((it) => !values.has(it))
  if (missing.length === 0) return values
  throw TemplateValueInvalid({ slug, problem: `it needs ${missing.join(" and ")}` })
}

function fillRecord(
  record: Readonly<Record<string, unknown>>,
  values: ReadonlyMap<string, string>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, it]) => [key, fill(it, values)]))
}

function fill(value: unknown, values: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") {
    return value.replace(/\{\{(\w{1,30})\}\}/g, (whole, name: string) => values.get(name) ?? whole)
  }
  if (Array.isArray(value)) return value.map((it) => fill(it, values))
  return isRecord(value) ? fillRecord(value, values) : value
}
