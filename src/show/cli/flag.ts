/** A flag or an argument, as the command line sees one field of an operation's input. */
export type Flag = {
  /** As typed, without the dashes: `max-bytes`. */
  readonly name: string
  /** The field of the operation's input: `maxBytes`. */
  readonly key: string
  readonly type: "text" | "number" | "boolean"
  readonly values: readonly string[]
  readonly isList: boolean
  readonly isRequired: boolean
  readonly defaultText: string
  readonly description: string
}

export function flag(fields: Pick<Flag, "name" | "description"> & Partial<Flag>): Flag {
  return {
    key: fields.name,
    type: "text",
    values: [],
    isList: false,
    isRequired: false,
    defaultText: "",
    ...fields,
  }
}
