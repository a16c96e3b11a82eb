import { RankerDamaged } from "../errors.ts"

/** Learned from other repositories; see models/ranker/README.md. */
export type WordTable = {
  readonly dimensions: number
  readonly rowByWord: ReadonlyMap<string, number>
  readonly constants: Readonly<Record<(typeof CONSTANTS)[number], number>>
  readonly levels: Float64Array
  readonly columns: Readonly<Record<(typeof COLUMNS)[number], Float64Array>>
  readonly vectors: Int8Array
}

export const MOST_TABLE_TERMS = 32

const TABLE_FILE = "model.bin"
const HEADER_BYTES = 20
const CONSTANTS = ["defd", "pathd", "subd", "defs", "paths", "k1", "b", "subs", "idf0"] as const
const TF_LEVELS = 16
const COLUMNS = ["scale", "inQuery", "inDocument", "inBm25", "inPath"] as const

export function parseWordTable(bytes: Uint8Array, words: readonly string[]): WordTable {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const { rows, dimensions } = readHeader(view, words)
  const levelsAt = HEADER_BYTES + 4 * CONSTANTS.length
  const columnsAt = levelsAt + 4 * TF_LEVELS
  const column = (name: (typeof COLUMNS)[number]) =>
    readFloats(view, columnsAt + 4 * rows * COLUMNS.indexOf(name), rows)
  const vectorsAt = view.byteOffset + columnsAt + 4 * rows * COLUMNS.length
  return {
    dimensions,
    rowByWord: new Map(words.map((word, row) => [word, row])),
    constants: readConstants(readFloats(view, HEADER_BYTES, CONSTANTS.length)),
    levels: readFloats(view, levelsAt, TF_LEVELS),
    columns: {
      scale: column("scale"),
      inQuery: column("inQuery"),
      inDocument: column("inDocument"),
      inBm25: column("inBm25"),
      inPath: column("inPath"),
    },
    vectors: new Int8Array(view.buffer, vectorsAt, rows * dimensions),
  }
}

/** From 0 to 15, two levels per doubling. */
export function tfLevel(count: number): number {
  return Math.min(TF_LEVELS - 1, Math.round(2 * Math.log2(1 + count)))
}

function readHeader(view: DataView, words: readonly string[]) {
  const damaged = (wrong: string) => RankerDamaged({ file: TABLE_FILE, wrong })
  const least = HEADER_BYTES + 4 * (CONSTANTS.length + TF_LEVELS)
  if (view.byteLength < least) throw damaged(`it has ${view.byteLength} bytes`)
  const mark = [0, 1, 2, 3].map((at) => String.fromCharCode(view.getUint8(at))).join("")
  if (mark !== "QMSE") throw damaged("it does not begin with QMSE")
  const [version, rows, dimensions, levels] = [4, 8, 12, 16].map((at) => view.getUint32(at, true))
  if (version !== 1) throw damaged(`its version is ${version}, not 1`)
  if (levels !== TF_LEVELS) throw damaged(`it has ${levels} levels, not ${TF_LEVELS}`)
  if (rows === undefined || dimensions === undefined) throw damaged("its header is truncated")
  if (rows !== words.length) throw damaged(`it has ${rows} rows for ${words.length} words`)
  const size = least + 4 * rows * COLUMNS.length + rows * dimensions
  if (view.byteLength !== size) throw damaged(`it has ${view.byteLength} bytes, not ${size}`)
  return { rows, dimensions }
}

/** One by one, because the bytes may be unaligned. */
function readFloats(view: DataView, offset: number, count: number): Float64Array {
  const floats = new Float64Array(count)
  for (let index = 0; index < count; index++) {
    const value = view.getFloat32(offset + 4 * index, true)
    if (!Number.isFinite(value)) {
      throw RankerDamaged({ file: TABLE_FILE, wrong: `${value} at byte ${offset + 4 * index}` })
    }
    floats[index] = value
  }
  return floats
}

function readConstants(values: Float64Array) {
  const at = (name: (typeof CONSTANTS)[number]) => values[CONSTANTS.indexOf(name)] ?? 0
  return {
    defd: at("defd"),
    pathd: at("pathd"),
    subd: at("subd"),
    defs: at("defs"),
    paths: at("paths"),
    k1: at("k1"),
    b: at("b"),
    subs: at("subs"),
    idf0: at("idf0"),
  }
}
