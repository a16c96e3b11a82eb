import type { CallingPerson, TokenScope } from "#ground/contract"
import { ROLES, type Role } from "#ground/contract"
import { newServer, type ServerFixture, type ServerOptions } from "#test/server"

const LOCAL = { person: undefined, via: "cli" } as const

/** A person of the server's store with a token. */
export async function addPerson(
  server: ServerFixture,
  name: string,
  options: { readonly role?: Role; readonly scope?: TokenScope; readonly days?: number } = {},
) {
  const { role = "operator", scope = "all", days } = options
  const people = await server.app().people()
  const { person, secret } = await people.invite({ name, role, hours: 1 }, LOCAL)
  const issued = await people.issue({ name, label: "test", scope, days }, LOCAL)
  const caller: CallingPerson = { id: person.id, name, role }
  return { person: caller, link: secret, token: issued.token, tokenId: issued.id }
}

export type TeamMember = Awaited<ReturnType<typeof addPerson>>

/** A server with one person of each role. */
export async function newTeam(options: ServerOptions = {}) {
  const server = await newServer(options)
  const members = await Promise.all(
    ROLES.map(async (role) => [role, await addPerson(server, `${role}-person`, { role })] as const),
  )
  const team = new Map<Role, TeamMember>(members)
  return {
    server,
    of(role: Role): TeamMember {
      const member = team.get(role)
      if (member === undefined) throw new Error(`nobody is ${role}`)
      return member
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** The code of an error body; undefined for anything else. */
export function codeOf(text: string): string | undefined {
  try {
    const value = JSON.parse(text) as { code?: unknown }
    return typeof value.code === "string" ? value.code : undefined
  } catch {
    return undefined
  }
}

/** Opens a link as a browser does and returns the cookie. */
export async function openLink(server: ServerFixture, link: string) {
  const body = JSON.stringify({ token: link })
  const answer = await server.ask({ method: "POST", path: "/api/session", token: "none", body })
  const [given = ""] = [answer.headers["set-cookie"] ?? []].flat()
  return { status: answer.status, code: codeOf(answer.text), cookie: given.split(";")[0] ?? "", given }
}
