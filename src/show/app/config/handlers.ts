import path from "node:path"
import { applyEdits, type ModificationOptions, modify } from "jsonc-parser"
import { z } from "zod"
import {
  ensureDirectory,
  invariant,
  isAppError,
  type Log,
  readTextBounded,
  statFile,
  whileLocked,
  writeFileAtomic,
} from "#ground/base"
import {
  configFields,
  type configOperations,
  type EventBody,
  type Handlers,
} from "#ground/contract"
import type { Store } from "#ground/store"
import { ConfigInvalid, ConfigKeyUnknown, describeUnreadable } from "../errors.ts"
import type { RepositoryPaths } from "../places.ts"
import { complainAbout, readConfigText, sayUnknownKey } from "./file.ts"
import {
  CONFIG_FILE_LIMIT_BYTES,
  coerce,
  type EffectiveSetting,
  type LoadedConfig,
  type Origin,
  sayPersonal,
} from "./layers.ts"

type ConfigDeps = {
  loaded(): LoadedConfig
  reload(): Promise<void>
  places(): Pick<RepositoryPaths, "userConfig" | "projectConfig">
  store(): Promise<Pick<Store, "forRoom">>
  readonly log: Log
}

export const configHandlers = (deps: ConfigDeps): Handlers<typeof configOperations> => ({
  set: ({ key, value, layer }) => change(deps, { key, layer, value }),
  unset: ({ key, layer }) => change(deps, { key, layer, value: undefined }),
  async show(input) {
    // Another process or an editor may have changed a file.
    await deps.reload()
    const { settings, files, problems } = deps.loaded()
    if (problems.length > 0) throw ConfigInvalid({ problems })
    const selected = settings.filter(({ field }) => isSelected(field, input.key))
    if (selected.length === 0) throw unknownKey(input.key ?? "")
    return {
      settings: selected.map(reportSetting),
      files: [...files],
      withSources: input.sources,
    }
  },
  async check() {
    await deps.reload()
    const { problems, files } = deps.loaded()
    return { problems: [...problems], files: [...files], isValid: problems.length === 0 }
  },
})

type Change = { key: string; layer: "user" | "project"; value: string | undefined }

async function change(deps: ConfigDeps, { key, layer, value }: Change) {
  const field = configFields().find((it) => it.key === key)
  if (field === undefined) throw unknownKey(key)
  // The value arrives as text; the field's schema determines its type.
  const typedValue = value === undefined ? undefined : coerce(field, value)
  const problem = typedValue === undefined ? undefined : complainAbout(field, typedValue)
  if (problem !== undefined)
    throw ConfigInvalid({ problems: [{ place: key, key, message: problem }] })
  if (layer === "project" && field.isPersonal) {
    throw ConfigInvalid({ problems: [{ place: key, key, message: sayPersonal(key) }] })
  }
  const { userConfig, projectConfig } = deps.places()
  const file = layer === "user" ? userConfig : projectConfig
  const isWritten = await writeSetting({ file, isShared: layer === "project" }, key, typedValue)
  await deps.reload()
  if (isWritten) await announce(deps, { key, layer, isSet: typedValue !== undefined })
  const settled = deps.loaded().settings.find((it) => it.field.key === key)
  invariant(settled !== undefined, "every field has a setting")
  return reportSetting(settled)
}

/** The file is authoritative: if the store is unreachable, the written setting stays. */
async function announce(deps: ConfigDeps, event: EventBody<"config.changed">): Promise<void> {
  try {
    const events = (await deps.store()).forRoom("config")
    await events.transaction(async (tx) => tx.emit("config.changed", event))
  } catch (error) {
    if (!isAppError(error)) throw error
    deps.log.warn("setting written, but the event could not be stored", { error })
  }
}

function isSelected(field: EffectiveSetting["field"], key: string | undefined): boolean {
  return key === undefined || field.key === key || field.section === key
}

function unknownKey(key: string): Error {
  const names = configFields().map((it) => it.key)
  return ConfigKeyUnknown({ advice: sayUnknownKey(key, key, names).replace("unknown key ", "") })
}

function reportSetting({ field, value, origin, hides }: EffectiveSetting) {
  return {
    key: field.key,
    value: field.isSecret && value !== "" ? "[hidden]" : value,
    origin: sayOrigin(origin),
    hides: hides.map(sayOrigin),
    description: field.description,
    env: field.env,
    isSecret: field.isSecret,
    schema: jsonSchemaOf(field.schema),
  }
}

type JsonSchema = Readonly<Record<string, unknown>>

const jsonSchemas = new WeakMap<z.ZodType, JsonSchema>()

/** Stored: the palette reads all settings, and converting their schemas takes 10 ms. */
function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const converted = jsonSchemas.get(schema) ?? { ...z.toJSONSchema(schema) }
  jsonSchemas.set(schema, converted)
  return converted
}

function sayOrigin(origin: Origin): string {
  switch (origin.kind) {
    case "default":
      return "default"
    case "user":
    case "project":
      return `${origin.kind} file ${origin.file}:${origin.line}`
    case "environment":
      return `environment ${origin.variable}`
    case "flag":
      return `flag ${origin.flag}`
    default:
      return origin satisfies never
  }
}

const STYLE: ModificationOptions = {
  formattingOptions: { insertSpaces: true, tabSize: 2, eol: "\n" },
}

/**
 * Writes or removes (`undefined`) one setting and preserves comments and all other content. Does
 * not touch an invalid file. False when there was nothing to remove.
 */
async function writeSetting(
  { file, isShared }: { file: string; isShared: boolean },
  key: string,
  value: unknown,
): Promise<boolean> {
  if (value === undefined && (await statFile(file)).kind === "missing") return false
  // A project's file is for all readers of the repository; the user's file is private.
  await ensureDirectory(path.dirname(file), { mode: isShared ? 0o755 : 0o700 })
  return whileLocked(file, () => replaceSetting({ file, isShared }, key, value))
}

async function replaceSetting(
  { file, isShared }: { file: string; isShared: boolean },
  key: string,
  value: unknown,
): Promise<boolean> {
  const before = await readExisting(file)
  const isThere = readConfigText(file, before).settings.some((it) => it.key === key)
  if (value === undefined && !isThere) return false
  const edits = modify(before, key.split("."), value, STYLE)
  const after = applyEdits(before, edits)
  const { problems } = readConfigText(file, after)
  if (problems.length > 0) throw ConfigInvalid({ problems })
  const text = after.endsWith("\n") ? after : `${after}\n`
  await writeFileAtomic(file, text, { mode: isShared ? 0o644 : 0o600 })
  return true
}

async function readExisting(file: string): Promise<string> {
  const outcome = await readTextBounded(file, { maxBytes: CONFIG_FILE_LIMIT_BYTES })
  if (outcome.kind === "missing") return "{}\n"
  if (outcome.kind !== "read") {
    const message = describeUnreadable(outcome, CONFIG_FILE_LIMIT_BYTES)
    throw ConfigInvalid({ problems: [{ place: file, message }] })
  }
  const { problems } = readConfigText(file, outcome.text)
  if (problems.length > 0) throw ConfigInvalid({ problems })
  return outcome.text.trim() === "" ? "{}\n" : outcome.text
}
