/** Compared natively; large enough that the calls do not count. */
const COMPARED_BYTES = 16_384

/** The number of bytes at the start that both have. */
export function commonPrefixBytes(a: Buffer, b: Buffer): number {
  const length = Math.min(a.length, b.length)
  let equal = 0
  for (let step = COMPARED_BYTES; step >= 1; step = Math.floor(step / 2)) {
    while (equal + step <= length && isEqual(a, b, { from: equal, to: equal + step })) equal += step
  }
  return equal
}

type Range = { readonly from: number; readonly to: number }

function isEqual(a: Buffer, b: Buffer, { from, to }: Range): boolean {
  return a.compare(b, from, to, from, to) === 0
}
