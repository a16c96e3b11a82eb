import { z } from "zod"
import { configFields, defineOperation, SIGNATURES } from "#ground/contract"
import type { EffectiveSetting, LoadedConfig, Origin } from "./config.ts"
import { sayUnknownKey } from "./config-file.ts"
import { ConfigInvalid, ConfigKeyUnknown } from "./errors.ts"

export function configOperations(deps: { loaded(): LoadedConfig }) {
  return [
    defineOperation({
      name: "config.show",
      summary: "Show every setting and, with --sources, where its value came from",
      effect: "read",
      surfaces: ["cli", "http"],
      ...SIGNATURES["config.show"],
      async run(input) {
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
    }),
    defineOperation({
      name: "config.check",
      summary: "Check the config files, with line, column and the nearest key",
      effect: "read",
      surfaces: ["cli", "http"],
      ...SIGNATURES["config.check"],
      async run() {
        const { problems, files } = deps.loaded()
        return { problems: [...problems], files: [...files], isValid: problems.length === 0 }
      },
    }),
  ] as const
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
