import { z } from "zod"
import { Config, configFields } from "#ground/contract"
import { typeOf } from "./fields.ts"
import { code, pageHead, table } from "./markdown.ts"

export function configPage(): string {
  const about =
    "Every setting, with its default. Later layers win: defaults, the user's file, the project's " +
    "file, the environment, flags. `qm config show --sources` shows where each value comes from."
  const rows = configFields().map((it) => [
    code(it.key),
    code(it.env),
    it.isSecret ? `${typeOf(it.schema)}, never shown` : typeOf(it.schema),
    code(JSON.stringify(it.defaultValue)),
    it.description,
  ])
  const head = ["Setting", "Environment", "Value", "Default", "What it does"]
  return `${pageHead("Config", about)}\n${table(head, rows)}`
}

export function configSchema(): string {
  const schema = z.toJSONSchema(Config, {
    io: "input",
    // Our own annotations are not JSON Schema keywords, and strict validators refuse unknown ones.
    override({ jsonSchema }) {
      delete jsonSchema["env"]
      delete jsonSchema["secret"]
    },
  })
  return `${JSON.stringify(schema, undefined, 2)}\n`
}
