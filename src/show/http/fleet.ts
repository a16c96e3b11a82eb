import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import type { App } from "#show/app"
import { answerError } from "./api.ts"
import type { LiveUpdates } from "./live/live.ts"

export type OpenedRepository = { readonly app: App; close(): Promise<void> }

type Site = {
  readonly handle: RequestListener
  readonly live: Pick<LiveUpdates, "handleUpgrade">
  close(): Promise<void>
}

type Upgrade = {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
}

const UNDER_REPOSITORY = /^\/r\/(?<id>[a-z0-9-]{1,80})(?<rest>[/?].*)?$/

/**
 * The id in `/r/<id>/api/now/show`; the request continues as `/api/now/show`, so guard and routes
 * are the same for all repositories. Undefined for the server's own repository.
 */
export function takeRepository(request: IncomingMessage, ownId: string): string | undefined {
  const match = UNDER_REPOSITORY.exec(request.url ?? "")
  const { id, rest = "/" } = match?.groups ?? {}
  if (id === undefined) return undefined
  request.url = rest.startsWith("?") ? `/${rest}` : rest
  return id === ownId ? undefined : id
}

/** The other repositories of this user, each opened by the first request for it. */
export function createFleet(openSite: (id: string) => Promise<Site>) {
  const sites = new Map<string, Promise<Site>>()
  let isClosed = false

  function open(id: string): Promise<Site> {
    const opened = sites.get(id)
    if (opened !== undefined) return opened
    const opening = openSite(id)
    sites.set(id, opening)
    // A folder that is missing now may be there at the next request.
    opening.catch(() => sites.delete(id))
    return opening
  }

  return {
    handle(id: string, request: IncomingMessage, response: ServerResponse): void {
      open(id).then(
        (site) => (isClosed ? response.destroy() : site.handle(request, response)),
        (error: unknown) => refuse(error, request, response),
      )
    },
    /** For an upgrade that the guard admitted. */
    handleUpgrade(id: string, { request, socket, head }: Upgrade): void {
      open(id).then(
        (site) => site.live.handleUpgrade(request, socket, head),
        () => socket.destroy(),
      )
    },
    async close(): Promise<void> {
      isClosed = true
      const opened = await Promise.allSettled(sites.values())
      for (const it of opened) if (it.status === "fulfilled") await it.value.close()
    },
  }
}

function refuse(error: unknown, request: IncomingMessage, response: ServerResponse): void {
  const { status, body } = answerError(error)
  request.resume()
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" })
  response.end(JSON.stringify(body))
}
