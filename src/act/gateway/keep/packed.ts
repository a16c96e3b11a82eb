import { promisify } from "node:util"
import { deflateRaw, inflateRawSync } from "node:zlib"
import { z } from "zod"
import { giveOthersATurn } from "#ground/base"
import { LARGEST_UNPACKED_BYTES, ROWS_PER_TURN, SHORTEST_COMPRESSED_BYTES } from "./limits.ts"

const PLAIN = 0
const COMPRESSED = 1

const deflate = promisify(deflateRaw)

/**
 * As JSON, so that NUL and half a surrogate pair come back as they were, and compressed when it is
 * worth it, away from the thread that passes answers on. The first byte says whether it is.
 */
export async function pack(value: unknown): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Buffer.from(JSON.stringify(value))
  const isShort = bytes.length < SHORTEST_COMPRESSED_BYTES
  const body = isShort ? bytes : await deflate(bytes, { level: 1 })
  const packed = new Uint8Array(body.length + 1)
  packed[0] = isShort ? PLAIN : COMPRESSED
  packed.set(body, 1)
  return packed
}

export function unpack<Schema extends z.ZodType>(
  schema: Schema,
  packed: Uint8Array,
): z.output<Schema> {
  const bytes = packed.subarray(1)
  const limit = { maxOutputLength: LARGEST_UNPACKED_BYTES }
  const plain = packed[0] === PLAIN ? Buffer.from(bytes) : inflateRawSync(bytes, limit)
  const value: unknown = JSON.parse(plain.toString("utf8"))
  return schema.parse(value)
}

/** Many rows: others get their turn in between. */
export async function mapInTurns<Row, Value>(
  rows: readonly Row[],
  one: (row: Row) => Value,
): Promise<readonly Value[]> {
  const values: Value[] = []
  for (const [at, row] of rows.entries()) {
    values.push(one(row))
    if (at % ROWS_PER_TURN === ROWS_PER_TURN - 1) await giveOthersATurn()
  }
  return values
}

/** A column of packed bytes, unpacked by whoever has the time for it. */
export const Packed = z.instanceof(Uint8Array)

/** A column of JSON. */
export const json = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(schema)
