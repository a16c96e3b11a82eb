import type { z } from "zod"
import type { Operation } from "#ground/contract"
import type { Screen } from "../screen.ts"

type Draw<Output> = (output: Output, screen: Screen) => string

/** How an operation's result reads in a terminal. */
type Renderer<Output> =
  | Draw<Output>
  | {
      readonly text: Draw<Output>
      /** Whether the command ends with 0; else it ends with 1. */
      readonly isGood?: (output: Output) => boolean
      /** Whether it wants the texts as they are, and makes them safe itself. */
      readonly isExact?: boolean
    }

/** Renderers of a group of operations, by verb. What has none is printed as JSON. */
export type Renderers<Operations> = {
  readonly [Name in keyof Operations as Name extends `${string}.${infer Verb}`
    ? Verb
    : never]?: Operations[Name] extends Operation<z.ZodType, infer Output>
    ? Renderer<z.output<Output>>
    : never
}
