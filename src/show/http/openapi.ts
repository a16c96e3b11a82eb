import { z } from "zod"
import type { DoorRoute } from "./agents-door.ts"
import type { OperationRoute } from "./routes.ts"

type Route = OperationRoute | DoorRoute

/** An OpenAPI 3.1 document, derived from the operations and the REST routes of runs. */
export function describeApi(routes: readonly Route[], version: string) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, "{$1}")
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describe(route) }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Quartermaster",
      version,
      description:
        "All operations of the product. Send `Authorization: Bearer` with the output of `qm token`.",
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Failure: FAILURE },
    },
  }
}

const FAILURE = {
  type: "object",
  required: ["code", "message", "hint"],
  properties: {
    code: { type: "string", description: "Stable; match errors by it" },
    message: { type: "string", description: "What happened" },
    hint: { type: "string", description: "What to do next" },
    data: { description: "The values of the message" },
    formerCode: { type: "string", description: "Its code in earlier versions, if it was renamed" },
  },
}

function describe(route: Route) {
  return "operation" in route ? describeOperation(route) : describeDoor(route)
}

function describeOperation({ operation, method }: OperationRoute) {
  return {
    operationId: operation.name,
    summary: operation.summary,
    ...(method === "GET"
      ? { parameters: asQuery(operation.input) }
      : { requestBody: asBody(operation.input) }),
    responses: { 200: resultOf(operation.output), default: FAILED },
  }
}

function describeDoor(route: DoorRoute) {
  const id = { name: "id", in: "path", required: true, schema: { type: "string" } }
  const query = route.query === undefined ? [] : asQuery(route.query)
  return {
    operationId: `${route.method} ${route.path}`,
    summary: route.summary,
    parameters: [...(route.path.includes(":id") ? [id] : []), ...query],
    ...(route.body === undefined ? {} : { requestBody: asBody(route.body) }),
    responses: { [route.status]: resultOf(route.result), default: FAILED },
  }
}

function asQuery(schema: z.ZodType) {
  const input = z.toJSONSchema(schema, { io: "input" })
  return Object.entries(input.properties ?? {}).map(([name, field]) => ({
    name,
    in: "query",
    required: input.required?.includes(name) === true,
    schema: field,
  }))
}

function asBody(schema: z.ZodType) {
  const body = z.toJSONSchema(schema, { io: "input" })
  return { required: true, content: { "application/json": { schema: body } } }
}

function resultOf(schema: z.ZodType | undefined) {
  if (schema === undefined) return { description: "Done" }
  const result = z.toJSONSchema(schema)
  return { description: "The result", content: { "application/json": { schema: result } } }
}

const FAILED = {
  description: "A failure",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Failure" } } },
}
