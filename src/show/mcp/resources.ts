import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { firstLine, formatExact, isAppError, plural } from "#ground/base"
import { Capture, CaptureList, PackBuilt, PackList } from "#ground/contract"
import { explain, failureText } from "./answer.ts"
import { ask, type McpApp, type ToolCall } from "./tools/tool.ts"

/** The newest; older ones are read by their id. */
const MOST_RESOURCES_LISTED = 50

type ResourceDeps = {
  readonly app: McpApp
  callOf(context: ServerContext): ToolCall
}

type ResourceEntry = { readonly id: string; readonly title: string; readonly description: string }

/** Stored, and read by its id or as `last`. */
type ResourceKind = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
  list(call: ToolCall): Promise<readonly ResourceEntry[]>
  read(id: string, call: ToolCall): Promise<string>
}

export function addResources(server: McpServer, deps: ResourceDeps): void {
  for (const resource of KEPT) addKept(server, resource, deps)
}

const packs: ResourceKind = {
  name: "pack",
  title: "Context package",
  description: "A package built for a task, as an agent gets it",
  mimeType: "text/markdown",
  async list(call) {
    const { packs: listed } = PackList.parse(
      await ask(call, "pack.list", { limit: MOST_RESOURCES_LISTED }),
    )
    return listed.map((it) => ({
      id: it.id,
      title: firstLine(it.task, 60),
      description: `${formatExact(it.tokens)} tokens, ${plural(it.files, "file")}`,
    }))
  },
  async read(id, call) {
    return PackBuilt.parse(await ask(call, "pack.show", { id, format: "markdown" })).text
  },
}

const manifests: ResourceKind = {
  name: "manifest",
  title: "Context manifest",
  description: "The contents of a host's window before the first prompt",
  mimeType: "application/json",
  async list(call) {
    const { captures } = CaptureList.parse(
      await ask(call, "capture.list", { limit: MOST_RESOURCES_LISTED }),
    )
    return captures.map((it) => ({
      id: it.id,
      title: `${it.host} in ${it.workingDirectory}`,
      description: `${formatExact(it.tokensInWindow)} tokens, ${plural(it.files, "file")}`,
    }))
  },
  async read(id, call) {
    const { manifest } = Capture.parse(await ask(call, "capture.show", { id }))
    return JSON.stringify(manifest, undefined, 2)
  },
}

const KEPT: readonly ResourceKind[] = [packs, manifests]

function addKept(server: McpServer, kind: ResourceKind, { app, callOf }: ResourceDeps): void {
  const { name, title, description, mimeType } = kind
  const list = async (context: ServerContext) => {
    const listed = await kind.list(callOf(context)).catch(async (error: unknown) => {
      const failure = await explain(error, app)
      throw new ProtocolError(ProtocolErrorCode.InternalError, failureText(failure))
    })
    const newest = listed.slice(0, 1).map((it) => ({ ...it, id: "last", title: "The newest" }))
    return {
      resources: [...newest, ...listed].map(({ id, ...it }) => ({
        uri: `qm://${name}/${id}`,
        name: `${name} ${id}`,
        mimeType,
        ...it,
      })),
    }
  }
  const template = new ResourceTemplate(`qm://${name}/{id}`, { list })
  const about = { title, description, mimeType }
  server.registerResource(name, template, about, async ({ href: uri }, variables, context) => {
    const id = String(variables["id"])
    const text = await kind.read(id, callOf(context)).catch(async (error: unknown) => {
      throw await notRead(uri, error, app)
    })
    return { contents: [{ uri, mimeType, text }] }
  })
}

async function notRead(uri: string, error: unknown, app: McpApp): Promise<ProtocolError> {
  const failure = await explain(error, app)
  const isMissing = isAppError(error) && error.family === "not-found"
  if (!isMissing) return new ProtocolError(ProtocolErrorCode.InternalError, failureText(failure))
  return new ResourceNotFoundError(await app.redact(uri), failureText(failure))
}
