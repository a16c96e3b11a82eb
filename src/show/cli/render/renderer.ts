import type { z } from "zod"
import type { Operation } from "#ground/contract"
import type { Screen } from "../terminal/screen.ts"

type Draw<Output> = (output: Output, screen: Screen) => string

type Renderer<Output> =
  | Draw<Output>
  | {
      readonly text: Draw<Output>
      /** Exit code 0 when true, 1 when false. */
      readonly isGood?: (output: Output) => boolean
      /** The renderer gets texts unescaped and makes them safe for a terminal itself. */
      readonly isExact?: boolean
      /** Output for another program or a model: printed without wrapping. */
      readonly isVerbatim?: (output: Output) => boolean
    }

/** Renderers of a group of operations, by verb. Results without one are printed as JSON. */
export type Renderers<Operations> = {
  readonly [Name in keyof Operations as Name extends `${string}.${infer Verb}`
    ? Verb
    : never]?: Operations[Name] extends Operation<z.ZodType, infer Output>
    ? Renderer<z.output<Output>>
    : never
}
