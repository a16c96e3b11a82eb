import { type InputField, inputFields, type Operation } from "#ground/contract"

/** Reads are GET, writes are POST; the path is the operation's name. */
export type OperationRoute = {
  readonly operation: Operation
  readonly method: "GET" | "POST"
  readonly path: `/api/${string}/${string}`
}

export function operationRoutes(operations: readonly Operation[]): readonly OperationRoute[] {
  return operations
    .filter((it) => it.surfaces.includes("http"))
    .map((operation) => routeOf(operation, operation.name))
}

/** Routes under the names that operations had before a rename; not documented. */
export function formerRoutes(operations: readonly Operation[]): readonly OperationRoute[] {
  return operations
    .filter((it) => it.surfaces.includes("http"))
    .flatMap((it) => (it.formerName === undefined ? [] : [routeOf(it, it.formerName)]))
}

function routeOf(operation: Operation, name: string): OperationRoute {
  const method = operation.effect === "read" ? "GET" : "POST"
  return { operation, method, path: pathOf(name) }
}

function pathOf(name: string): OperationRoute["path"] {
  const [room = "", verb = ""] = name.split(".")
  return `/api/${room}/${verb}`
}

/**
 * Inputs are flat (decision 0002): a field is text, a number, a boolean or a list of them, and a
 * list repeats the name.
 */
export function readQuery(operation: Operation, query: URLSearchParams): Record<string, unknown> {
  const fields = new Map(inputFields(operation).map((it) => [it.key, it]))
  const names = [...new Set(query.keys())]
  return Object.fromEntries(
    names.map((name) => {
      const field = fields.get(name)
      const values = query.getAll(name).map((it) => asType(it, field?.type))
      return [name, field?.isList === true || values.length > 1 ? values : values[0]]
    }),
  )
}

function asType(text: string, type: InputField["type"] | undefined): unknown {
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true"
  return type === "number" && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
}
