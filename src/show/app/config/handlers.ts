import { z } from "zod"
import { invariant, isAppError, type Log } from "#ground/base"
import {
  configFields,
  type configOperations,
  type EventBody,
  type Handlers,
} from "#ground/contract"
import type { Store } from "#ground/store"
import { ConfigInvalid, ConfigKeyUnknown } from "../errors.ts"
import type { Places } from "../places.ts"
import { complainAbout, sayUnknownKey } from "./file.ts"
import {
  coerce,
  type EffectiveSetting,
  type LoadedConfig,
  type Origin,
  sayPersonal,
} from "./layers.ts"
import { writeSetting } from "./write.ts"

type ConfigDeps = {
  loaded(): LoadedConfig
  /** Read the layers again, after one of them was written. */
  reload(): Promise<void>
  places(): Pick<Places, "userConfig" | "projectConfig">
  store(): Promise<Pick<Store, "forRoom">>
  readonly log: Log
}

export const configHandlers = (deps: ConfigDeps): Handlers<typeof configOperations> => ({
  set: ({ key, value, layer }) => change(deps, { key, layer, value }),
  unset: ({ key, layer }) => change(deps, { key, layer, value: undefined }),
  async show(input) {
    // Another process, or an editor, may have written a file since.
    await deps.reload()
    const { settings, files, problems } = deps.loaded()
    if (problems.length > 0) throw ConfigInvalid({ problems })
    const asked = settings.filter(({ field }) => isAsked(field, input.key))
    if (asked.length === 0) throw unknownKey(input.key ?? "")
    return {
      settings: asked.map(reportSetting),
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
  // What comes is text; the field knows what it means.
  const meant = value === undefined ? undefined : coerce(field, value)
  const problem = meant === undefined ? undefined : complainAbout(field, meant)
  if (problem !== undefined)
    throw ConfigInvalid({ problems: [{ place: key, key, message: problem }] })
  if (layer === "project" && field.isPersonal) {
    throw ConfigInvalid({ problems: [{ place: key, key, message: sayPersonal(key) }] })
  }
  const { userConfig, projectConfig } = deps.places()
  const file = layer === "user" ? userConfig : projectConfig
  const isWritten = await writeSetting({ file, isShared: layer === "project" }, key, meant)
  await deps.reload()
  if (isWritten) await announce(deps, { key, layer, isSet: meant !== undefined })
  const settled = deps.loaded().settings.find((it) => it.field.key === key)
  invariant(settled !== undefined, "every field has a setting")
  return reportSetting(settled)
}

/** The file is the truth. A store that cannot be reached just now does not undo what was written. */
async function announce(deps: ConfigDeps, said: EventBody<"config.changed">): Promise<void> {
  try {
    const events = (await deps.store()).forRoom("config")
    await events.transaction(async (tx) => tx.emit("config.changed", said))
  } catch (error) {
    if (!isAppError(error)) throw error
    deps.log.warn("a setting was written, and the journal could not be told", { error })
  }
}

function isAsked(field: EffectiveSetting["field"], key: string | undefined): boolean {
  return key === undefined || field.key === key || field.section === key
}

function unknownKey(key: string): Error {
  const known = configFields().map((it) => it.key)
  return ConfigKeyUnknown({ advice: sayUnknownKey(key, key, known) })
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
    schema: { ...z.toJSONSchema(field.schema) },
  }
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
