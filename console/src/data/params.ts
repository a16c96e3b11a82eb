/**
 * URL parameters of a page: declared once by name, kind and default. A value that cannot be parsed
 * becomes the default, and defaults are not written, so a URL is as short as what it says.
 */
type Param<Value> = {
  /** Name in the URL, where it differs from the field. */
  readonly name?: string
  parse(values: readonly string[]): Value
  format(value: Value): readonly string[]
}

type Fields = Readonly<Record<string, Param<unknown>>>

export type ParamsOf<Of> = Of extends { parse(search: string): infer Values } ? Values : never

export type ParamsCodec<Values> = {
  parse(search: string): Values
  /** With its `?`, or empty. */
  format(values: Partial<Values>): string
}

export function defineParams<Declared extends Fields>(fields: Declared) {
  type Values = {
    readonly [Field in keyof Declared]: Declared[Field] extends Param<infer Value> ? Value : never
  }
  const declared = Object.entries(fields)
  const codec: ParamsCodec<Values> = {
    parse(search) {
      const query = new URLSearchParams(search)
      const parsed = declared.map(([field, param]) => [
        field,
        param.parse(query.getAll(param.name ?? field)),
      ])
      // oxlint-disable-next-line typescript/consistent-type-assertions -- one entry for each field
      return Object.fromEntries(parsed) as Values
    },
    format(values) {
      const query = new URLSearchParams()
      for (const [field, param] of declared) {
        const value = values[field]
        if (value === undefined) continue
        for (const one of param.format(value)) query.append(param.name ?? field, one)
      }
      return query.size === 0 ? "" : `?${query}`
    },
  }
  return codec
}

const nonEmpty = (text: string): readonly string[] => (text === "" ? [] : [text])

export const text: Param<string> = { parse: ([first = ""]) => first, format: nonEmpty }

export const whole: Param<number | null> = {
  parse: ([first = ""]) => (/^\d{1,15}$/.test(first) ? Number(first) : null),
  format: (value) => (value === null ? [] : [String(value)]),
}

export function flag(name?: string): Param<boolean> {
  return {
    ...(name === undefined ? {} : { name }),
    parse: ([first]) => first === "yes",
    format: (value) => (value ? ["yes"] : []),
  }
}

export const list: Param<readonly string[]> = {
  parse: (values) => values.filter((it) => it !== ""),
  format: (values) => values.filter((it) => it !== ""),
}

export function set(name?: string): Param<readonly string[]> {
  return {
    ...list,
    ...(name === undefined ? {} : { name }),
    parse: (values) => [...new Set(list.parse(values))],
  }
}

export function choice<const One extends string | number>(
  all: readonly One[],
  fallback: NoInfer<One>,
): Param<One> {
  return {
    parse: ([first]) => all.find((it) => String(it) === first) ?? fallback,
    format: (value) => (value === fallback ? [] : [String(value)]),
  }
}

export function optional<const One extends string>(all: readonly One[]): Param<One | null> {
  return {
    parse: ([first]) => all.find((it) => it === first) ?? null,
    format: (value) => (value === null ? [] : [value]),
  }
}

export type ParamsProps<Params> = {
  readonly params: Params
  /** Changes the URL; other parameters stay. */
  onParams(change: Partial<Params>, how?: "push" | "replace"): void
}

export type PageProps<Params> = ParamsProps<Params> & { readonly now: number }

/** Undoes the first step that is done; the detail closes before the filter. */
export function leaveOne<Params>(
  onParams: ParamsProps<Params>["onParams"],
  ...steps: readonly (readonly [isDone: boolean, undo: Partial<Params>])[]
): (() => void) | undefined {
  const undo = steps.find(([isDone]) => isDone)?.[1]
  return undo === undefined ? undefined : () => onParams(undo, "replace")
}
