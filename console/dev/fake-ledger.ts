import type { Claim } from "../src/contract.ts"
import { CLAIMS, HOOKS, LIVE, LOGGED, shownSession } from "./fake-ledger-tables.ts"
import { type WorldState, worldDoctor } from "./fake-world.ts"

type Body = Readonly<Record<string, unknown>>
type Answer = { readonly status: number; readonly answer: unknown }

/** Who works in the fake world; taking and releasing claims changes it. */
export type FakeLedger = { readonly isEmpty: boolean; claims: readonly Claim[] }

export function worldLedger(state: WorldState): FakeLedger {
  const isEmpty = state === "empty"
  return { isEmpty, claims: isEmpty ? [] : CLAIMS }
}

/** What the doctor says, with the hooks that it saw. */
export function doctorOf(state: WorldState) {
  return { ...worldDoctor(state), hooks: state === "empty" ? [] : [...HOOKS] }
}

/** The operations on sessions and claims; undefined for every other address. */
export function answerLedger(world: FakeLedger, url: URL, body: Body): Answer | undefined {
  switch (url.pathname) {
    case "/api/session/list":
      return ok(
        world.isEmpty
          ? { live: [], logged: [], loggedCount: 0 }
          : { live: LIVE, logged: LOGGED, loggedCount: LOGGED.length },
      )
    case "/api/session/show":
      return show(world, url.searchParams.get("session") ?? "")
    case "/api/claim/list":
      return ok({ claims: world.claims.toSorted((a, b) => a.path.localeCompare(b.path)) })
    case "/api/claim/release":
      return ok(release(world, body))
    case "/api/claim/take":
      return ok(take(world, body))
    default:
      return undefined
  }
}

const ok = (answer: unknown): Answer => ({ status: 200, answer })

function show({ claims }: FakeLedger, id: string): Answer {
  const shown = shownSession(id, claims)
  return shown === undefined ? NO_SUCH : ok(shown)
}

function pathsOf({ paths }: Body): readonly string[] {
  return Array.isArray(paths) ? paths.map(String) : []
}

function release(world: FakeLedger, body: Body) {
  const paths = pathsOf(body)
  const isTheirs = (it: Claim) => paths.includes(it.path) && it.session === body.session
  const released = world.claims.filter(isTheirs).map((it) => it.path)
  world.claims = world.claims.filter((it) => !isTheirs(it))
  return { released, notHeld: paths.filter((it) => !released.includes(it)) }
}

function take(world: FakeLedger, body: Body) {
  const paths = pathsOf(body)
  const held = world.claims.find((it) => paths.includes(it.path))
  if (held !== undefined) return { claims: [], held }
  const like = CLAIMS[0]
  const taken =
    like === undefined
      ? []
      : paths.map((path) => ({ ...like, path, session: String(body.session) }))
  world.claims = [...world.claims, ...taken]
  return { claims: taken, held: null }
}

const NO_SUCH: Answer = {
  status: 404,
  answer: {
    code: "LEDGER_SESSION_UNKNOWN",
    message: "No session of this name is known here.",
    hint: "List them with `qm session`; a ledger is swept a month after its last edit.",
    data: {},
  },
}
