import { z } from "zod"
import type { OperationRoute } from "./routes.ts"

/** The API as an OpenAPI 3.1 document, derived from the operation table. */
export function describeApi(routes: readonly OperationRoute[], version: string) {
  return {
    openapi: "3.1.0",
    info: {
      title: "Quartermaster",
      version,
      description:
        "Every operation of the product. Send `Authorization: Bearer` with what `qm token` prints.",
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    paths: Object.fromEntries(
      routes.map((it) => [it.path, { [it.method.toLowerCase()]: describe(it) }]),
    ),
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
    code: { type: "string", description: "Matched by callers; never changes its meaning" },
    message: { type: "string", description: "What happened" },
    hint: { type: "string", description: "What to do next" },
    data: { description: "The figures behind the message" },
  },
}

function describe({ operation, method }: OperationRoute) {
  const input = z.toJSONSchema(operation.input, { io: "input" })
  const asQuery = Object.entries(input.properties ?? {}).map(([name, schema]) => ({
    name,
    in: "query",
    required: input.required?.includes(name) === true,
    schema,
  }))
  const asBody = { required: true, content: { "application/json": { schema: input } } }
  return {
    operationId: operation.name,
    summary: operation.summary,
    ...(method === "GET" ? { parameters: asQuery } : { requestBody: asBody }),
    responses: {
      200: {
        description: "The result",
        content: { "application/json": { schema: z.toJSONSchema(operation.output) } },
      },
      default: {
        description: "A failure",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Failure" } } },
      },
    },
  }
}
