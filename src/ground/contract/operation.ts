import type { z } from "zod"
import { type CallingPerson, ROLES, type Role } from "./shapes/person.ts"

type Surface = "cli" | "http" | "mcp"

/** Topics of `qm help --all`. */
export type CommandGroup =
  | "Context"
  | "Code"
  | "Knowledge"
  | "Runs"
  | "Guard"
  | "Pipelines"
  | "Memory"
  | "Sessions"
  | "Board"
  | "Gateway"
  | "Store"
  | "People"
  | "Setup"

/** A flag of the command line only; all others are input fields. */
type ExtraFlag = {
  readonly name: string
  readonly type: "boolean" | "number" | "text"
  readonly description: string
}

export type CliCommand = {
  readonly group: CommandGroup
  /** Default: the operation's group and verb. */
  readonly words?: readonly string[]
  /** Command lines that work as written, most common first. Help and the reference show them. */
  readonly examples: readonly string[]
  /** Commands that also work and that help does not list: `fold tree` is `fold`. */
  readonly aliases?: readonly string[]
  /** Input fields that need no flag, in order; only the last may be a list. */
  readonly args?: readonly string[]
  /** Default: the operation's summary. */
  readonly summary?: string
  /** Input fields with fixed values: `qm approve` is an answer that allows. */
  readonly given?: Readonly<Record<string, string>>
  /** Input fields that this command does not take. */
  readonly omit?: readonly string[]
  /** Flag names that differ from their input field, by field. */
  readonly flagNames?: Readonly<Record<string, string>>
  /** Flag names before a rename, by field; they are still accepted. */
  readonly formerFlags?: Readonly<Record<string, string>>
  readonly extraFlags?: readonly ExtraFlag[]
  /** Sentences at the end of the help. */
  readonly notes?: readonly string[]
}

/** The rows of a list from which the shell completes ids, such as the runs of `qm runs`. */
export type ListedRows = {
  /** Field of the output with the rows. */
  readonly field: string
  /** Field of a row with the text to complete. */
  readonly id: string
  /** Fields of a row that describe it. */
  readonly title: readonly string[]
  /** Text that means the first row: `last`. */
  readonly newest?: string
  /** Input fields that differ from their defaults. */
  readonly given?: Readonly<Record<string, boolean | number | string>>
}

export const TOOL_SETS = ["core", "knowledge", "sessions", "board", "work", "sources"] as const
export type ToolSetName = (typeof TOOL_SETS)[number]

/** An operation as an MCP tool. All texts are constants: they are in every window. */
export type McpTool = {
  readonly set: ToolSetName
  /** Default: the operation's name with an underscore, e.g. `memory_search`. */
  readonly name?: string
  readonly title: string
  readonly description: string
  /** Position in its set, from 1; tools without one come last. */
  readonly rank?: number
  /** Default: read-only if the operation reads. */
  readonly annotations?: {
    readonly readOnlyHint: boolean
    readonly destructiveHint?: boolean
    readonly idempotentHint?: boolean
    /** Whether it uses the network. Default: false. */
    readonly openWorldHint?: boolean
  }
  /** Input field of each argument. Default: all fields, in snake_case. */
  readonly fields?: Readonly<Record<string, string>>
  /** Descriptions that differ from the input field's. */
  readonly texts?: Readonly<Record<string, string>>
  /** Input fields with fixed values. */
  readonly given?: Readonly<Record<string, string>>
  readonly meta?: Readonly<Record<string, unknown>>
  /** Not listed with folding off. */
  readonly needsFolding?: boolean
}

/** Hosts that defer tool definitions (Claude Code) send these at once: a deferred tool is rarely found. */
export const ALWAYS_LOADED = { "anthropic/alwaysLoad": true } as const

/** Everything about an operation except its handler. */
type OperationDescriptor<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> = {
  readonly summary: string
  readonly effect: "read" | "write"
  readonly surfaces: readonly Surface[]
  /**
   * The least role of a person who may call it over the network. Default: viewer if it reads,
   * operator if it writes. Owner for people, permissions, settings and credentials, and for
   * everything that shows files or accounts of the machine outside the repository.
   */
  readonly role?: Role
  /** Input fields that need an owner: always, or with these values. */
  readonly ownerFields?: Readonly<Record<string, "always" | readonly (boolean | string)[]>>
  /** Whether it starts or continues paid work of an agent, which quotas of a person limit. */
  readonly quota?: "run" | "turn"
  readonly cli?: CliCommand | readonly CliCommand[]
  readonly mcp?: McpTool | readonly McpTool[]
  /** For a list whose rows complete fields declared with `listedBy`. */
  readonly rows?: ListedRows
  readonly input: Input
  readonly output: Output
  /** Name before a rename; its HTTP route still works. */
  readonly formerName?: string
}

/** The least role for a call with this input. A new operation has one by its effect. */
export function roleFor(
  operation: Pick<OperationDescriptor, "effect" | "ownerFields" | "role">,
  input: unknown = {},
): Role {
  const given = typeof input === "object" && input !== null ? Object.entries(input) : []
  const needsOwner = given.some(([field, value]) => {
    const values = operation.ownerFields?.[field]
    if (values === undefined || value === undefined || isEmptyList(value)) return false
    return values === "always" || values.some((it) => it === value)
  })
  if (needsOwner) return "owner"
  return operation.role ?? (operation.effect === "read" ? "viewer" : "operator")
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

export function isRoleEnough(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed)
}

export type Operation<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> = OperationDescriptor<Input, Output> & { readonly name: string }

type Descriptors = Readonly<Record<string, OperationDescriptor>>

type NamedOperations<Group extends string, Declared extends Descriptors> = {
  readonly [Verb in keyof Declared & string as `${Group}.${Verb}`]: Operation<
    Declared[Verb]["input"],
    Declared[Verb]["output"]
  >
}

/** Declares operations by verb; each is called `group.verb`. */
export function defineOperations<const Group extends string, const Declared extends Descriptors>(
  group: Group,
  descriptors: Declared,
): NamedOperations<Group, Declared>
export function defineOperations(group: string, descriptors: Descriptors): object {
  return Object.fromEntries(
    Object.entries(descriptors).map(([verb, descriptor]) => {
      const name = `${group}.${verb}`
      // Copies getters as such: the bundle builds `input` and `output` at their first use.
      return [name, Object.defineProperties({ name }, Object.getOwnPropertyDescriptors(descriptor))]
    }),
  )
}

/** Handlers of a group, by verb. A missing or wrong one does not compile. */
export type Handlers<Operations> = {
  readonly [Name in keyof Operations as Name extends `${string}.${infer Verb}`
    ? Verb
    : never]: Operations[Name] extends Operation<infer Input, infer Output>
    ? (input: z.output<Input>, context: CallContext) => Promise<z.input<Output>>
    : never
}

/** Handles of stored results are bound to the caller. */
export type Caller = {
  /** From the credentials, never from the caller's own claims. */
  readonly principal: string
  /** The name the client reports: shown, never trusted. */
  readonly client?: string
  /** The session of calls that name none. */
  readonly session: string
  /** A person of the store; absent for the machine's own user. */
  readonly person?: CallingPerson
}

/** A user at the terminal or the console, or a person of the store; never an agent's client. */
export function isHuman(caller: Caller | undefined): boolean {
  if (caller === undefined) return true
  const isKnown = caller.principal === "owner" || caller.person !== undefined
  return isKnown && caller.client === undefined
}

export type CallContext = {
  readonly signal: AbortSignal
  /** Absent for the user at the terminal. */
  readonly caller?: Caller
  /** Receives progress of long work; absent if nothing shows it. */
  readonly onProgress?: (progress: Progress) => void
}

export type Progress = {
  /** For example "reading files". */
  readonly what: string
  readonly done: number
  readonly total: number
}
