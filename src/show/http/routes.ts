import { z } from "zod"
import { type Operation } from "#ground/contract"

/** An operation as HTTP offers it: reading is GET, writing is POST, and the path is its name. */
export type OperationRoute = {
  readonly operation: Operation
  readonly method: "GET" | "POST"
  readonly path: `/api/${string}/${string}`
}

export function operationRoutes(operations: readonly Operation[]): readonly OperationRoute[] {
  return operations
    .filter((it) => it.surfaces.includes("http"))
    .map((operation) => ({
      operation,
      method: operation.effect === "read" ? "GET" : "POST",
      path: pathOf(operation),
    }))
}

function pathOf({ name }: Operation): OperationRoute["path"] {
  const [room = "", verb = ""] = name.split(".")
  return `/api/${room}/${verb}`
}

const Field = z.object({
  type: z.string().optional(),
  items: z.object({ type: z.string() }).optional(),
})
const Input = z.object({ properties: z.record(z.string(), Field).default({}) })

/**
 * A query string as an operation's input. Inputs are flat (decision 0002), so a field is text, a
 * number, a boolean or a list of them, and a list is the same name several times.
 */
export function readQuery(operation: Operation, query: URLSearchParams): Record<string, unknown> {
  const { properties } = Input.parse(z.toJSONSchema(operation.input, { io: "input" }))
  const names = [...new Set(query.keys())]
  return Object.fromEntries(
    names.map((name) => {
      const field = properties[name]
      const values = query.getAll(name)
      if (field?.type === "array") return [name, values.map((it) => asType(it, field.items?.type))]
      return [name, values.length > 1 ? values : asType(values[0] ?? "", field?.type)]
    }),
  )
}

function asType(text: string, type: string | undefined): unknown {
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true"
  const isNumber = type === "integer" || type === "number"
  return isNumber && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
}
