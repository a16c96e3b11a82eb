import type { z } from "zod"

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
  | "Gateway"
  | "Store"
  | "Setup"

/** A flag that only the command line has; everything else it takes is a field of the input. */
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
  /** Alias that help does not list: `qm fold tree` is `qm fold`. */
  readonly alsoWords?: readonly string[]
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
  readonly extraFlags?: readonly ExtraFlag[]
  /** Sentences below what it takes. */
  readonly notes?: readonly string[]
}

/** The sets of tools that a host can ask for. */
export const TOOL_SETS = ["core", "knowledge"] as const
export type ToolSetName = (typeof TOOL_SETS)[number]

/** How an operation is offered as a tool over MCP. All texts are constants: they are in every window. */
export type McpTool = {
  readonly set: ToolSetName
  /** Default: the operation's name with an underscore, e.g. `memory_search`. */
  readonly name?: string
  readonly title: string
  readonly description: string
  /** Place among the tools of its set, from 1; those without one come last. */
  readonly rank?: number
  /** Default: read-only, when the operation reads. */
  readonly annotations?: {
    readonly readOnlyHint: boolean
    readonly destructiveHint?: boolean
    readonly idempotentHint?: boolean
    /** Whether it asks the world outside. Default: false. */
    readonly openWorldHint?: boolean
  }
  /** Arguments with the input field behind each. Default: all fields, in snake_case. */
  readonly fields?: Readonly<Record<string, string>>
  /** Descriptions of arguments, where that of the input field does not fit. */
  readonly texts?: Readonly<Record<string, string>>
  /** Input fields with fixed values. */
  readonly given?: Readonly<Record<string, string>>
  readonly meta?: Readonly<Record<string, unknown>>
  /** Not listed when folding is switched off. */
  readonly needsFolding?: boolean
}

/** One operation as it is declared: everything about it except what it does. */
type OperationDescriptor<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> = {
  readonly summary: string
  readonly effect: "read" | "write"
  readonly surfaces: readonly Surface[]
  readonly cli?: CliCommand | readonly CliCommand[]
  readonly mcp?: McpTool | readonly McpTool[]
  readonly input: Input
  readonly output: Output
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

/** Declares the operations of a group by their verbs; each is found by `group.verb`. */
export function defineOperations<const Group extends string, const Declared extends Descriptors>(
  group: Group,
  descriptors: Declared,
): NamedOperations<Group, Declared>
export function defineOperations(group: string, descriptors: Descriptors): object {
  return Object.fromEntries(
    Object.entries(descriptors).map(([verb, descriptor]) => {
      const name = `${group}.${verb}`
      return [name, { name, ...descriptor }]
    }),
  )
}

/** The functions behind a group of operations, by verb. A missing or wrong one does not compile. */
export type Handlers<Operations> = {
  readonly [Name in keyof Operations as Name extends `${string}.${infer Verb}`
    ? Verb
    : never]: Operations[Name] extends Operation<infer Input, infer Output>
    ? (input: z.output<Input>, context: CallContext) => Promise<z.input<Output>>
    : never
}

/** Handles of stored results are bound to the caller. */
export type Caller = {
  /** By what opened the door, never by what the caller says about itself. */
  readonly principal: string
  /** The name the client reports: shown, never trusted. */
  readonly client?: string
  /** Stands for the session of a call that names none. */
  readonly session: string
}

export type CallContext = {
  readonly signal: AbortSignal
  /** Absent for the person at the terminal. */
  readonly caller?: Caller
  /** Receives progress of long work; absent if nothing shows it. */
  readonly onProgress?: (progress: Progress) => void
}

export type Progress = {
  /** What is being done, e.g. reading files. */
  readonly what: string
  readonly done: number
  readonly total: number
}
