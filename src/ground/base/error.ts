/** A surface maps the family, never the code, to a status. */
export type ErrorFamily =
  | "invalid"
  | "not-found"
  | "conflict"
  | "denied"
  | "too-many"
  | "unavailable"
  | "full"

/** An expected failure. Any other exception is a bug and is reported with its stack. */
export class AppError<Code extends string = string, Data = unknown> extends Error {
  override readonly name = "AppError"
  readonly code: Code
  readonly family: ErrorFamily
  readonly hint: string
  readonly data: Data
  readonly formerCode: string | undefined

  constructor(fields: {
    code: Code
    formerCode?: string | undefined
    family: ErrorFamily
    message: string
    hint: string
    data: Data
    cause?: unknown
  }) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause })
    this.code = fields.code
    this.family = fields.family
    this.hint = fields.hint
    this.data = fields.data
    this.formerCode = fields.formerCode
  }
}

type Text<Data> = (data: Data) => string
type ErrorText<Data> = {
  family: ErrorFamily
  message: Text<Data>
  hint: Text<Data>
  /** Code before a rename; sent beside the new one, so that clients can match either. */
  formerCode?: string
}

export type ErrorFactory<Code extends string, Data> = {
  (data: Data, cause?: unknown): AppError<Code, Data>
  readonly code: Code
  readonly text: ErrorText<Data>
  readonly is: (error: unknown) => error is AppError<Code, Data>
}

/** One error of a room: `export const Stale = defineError<{ age: number }>()("ROOM_STALE", { ... })`. */
export function defineError<Data>() {
  return <const Code extends string>(
    code: Code,
    text: ErrorText<Data>,
  ): ErrorFactory<Code, Data> => {
    const make = (data: Data, cause?: unknown): AppError<Code, Data> =>
      new AppError({
        code,
        formerCode: text.formerCode,
        family: text.family,
        message: text.message(data),
        hint: text.hint(data),
        data,
        cause,
      })
    const is = (error: unknown): error is AppError<Code, Data> =>
      error instanceof AppError && error.code === code
    return Object.assign(make, { code, text, is })
  }
}

/** Plain `instanceof` would make code and data `any`. */
export function isAppError(error: unknown): error is AppError {
  return error instanceof AppError
}

export function invariant(condition: unknown, belief: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${belief}`)
}
