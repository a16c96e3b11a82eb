import path from "node:path"
import { type Clock, systemClock } from "#ground/base"
import { type AgentType, INSTALL_COMMANDS } from "#ground/contract"
import type { Agent, ProgramSearch } from "../agent.ts"
import { findProgramOf } from "../find-program.ts"
import { type AcpProfile, GEMINI, genericProfile, OPENCODE } from "./profiles.ts"
import { startSession } from "./session.ts"

type AcpAgent = {
  readonly type: AgentType
  readonly profile: AcpProfile
  readonly clock: Clock
  find: Agent["find"]
}

/**
 * Runs a program that speaks the Agent Client Protocol. The protocol has no prompt outside a
 * session, so it completes nothing.
 */
export function createAcpAgent({ type, profile, clock, find }: AcpAgent): Agent {
  return {
    type,
    title: profile.title,
    find,
    start: (options) => startSession(profile, options, clock),
    complete: () => Promise.resolve(undefined),
  }
}

export const gemini: Agent = createAcpAgent({
  type: "gemini",
  profile: GEMINI,
  clock: systemClock,
  find: (options) =>
    findProgramOf(
      { host: "gemini", title: GEMINI.title, install: INSTALL_COMMANDS.gemini },
      options,
    ),
})

export const opencode: Agent = createAcpAgent({
  type: "opencode",
  profile: OPENCODE,
  clock: systemClock,
  find: (options) =>
    findProgramOf(
      { host: "opencode", title: OPENCODE.title, install: INSTALL_COMMANDS.opencode },
      options,
    ),
})

/** The agent of the setting `agents.acp`: a program on the PATH and its arguments. */
export function configuredAgent(command: string, clock: Clock = systemClock): Agent {
  const [program = "", ...args] = command.split(/\s+/).filter((it) => it !== "")
  const name = path.basename(program)
  const profile = genericProfile(name === "" ? "The ACP agent" : name, args)
  return createAcpAgent({
    type: "acp",
    profile,
    clock,
    async find(options): Promise<ProgramSearch> {
      if (program === "") return { kind: "missing", hint: NOT_CONFIGURED }
      if (path.basename(program) !== program) return { kind: "missing", hint: notAName(program) }
      const host = { names: [program], packages: [] }
      return findProgramOf({ host, title: program, install: undefined }, options)
    },
  })
}

const NOT_CONFIGURED =
  'Name its command, for example `qm config set agents.acp "copilot --acp"`, then try again.'

function notAName(program: string): string {
  return `agents.acp must be the name of a program on the PATH, not the path ${program}.`
}
