/**
 * Ties stay in tree order. Sorting the bare numbers and looking each one up takes half the time of
 * a comparator.
 */
export function orderOf(values: Float64Array): Int32Array {
  const rising = values.toSorted()
  const { length } = values
  const sorted = new Int32Array(length)
  const order = new Int32Array(length)
  for (let index = 0; index < length; index++) {
    const slot = firstNotAbove(rising, values[index] ?? 0)
    const earlier = sorted[slot] ?? 0
    order[slot + earlier] = index
    sorted[slot] = earlier + 1
  }
  return order
}

function firstNotAbove(rising: Float64Array, value: number): number {
  const last = rising.length - 1
  let low = 0
  let high = last
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rising[last - middle] ?? 0) > value) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * 1 for the largest value, 1/2 for the ninth, and so on; 0 for the smallest value, which usually
 * means "no value".
 */
export function rankShares(values: Float64Array): Float64Array {
  const shares = new Float64Array(values.length)
  const above = indexesAbove(values, smallest(values))
  const order = orderOf(Float64Array.from(above, (index) => values[index] ?? 0))
  for (let rank = 0; rank < order.length; rank++) {
    shares[above[order[rank] ?? 0] ?? 0] = 1 / (1 + rank / 8)
  }
  return shares
}

function indexesAbove(values: Float64Array, least: number): Int32Array {
  const above = new Int32Array(values.length)
  let count = 0
  for (let index = 0; index < values.length; index++) {
    if ((values[index] ?? 0) > least) above[count++] = index
  }
  return above.subarray(0, count)
}

export function shareOfLargest(values: Float64Array): Float64Array {
  const most = largest(values)
  if (most <= 0) return values
  const shares = new Float64Array(values.length)
  for (let index = 0; index < values.length; index++) shares[index] = (values[index] ?? 0) / most
  return shares
}

export function largest(values: Float64Array): number {
  let most = Number.NEGATIVE_INFINITY
  for (let index = 0; index < values.length; index++) most = Math.max(most, values[index] ?? 0)
  return most
}

export function mean(values: Float64Array): number {
  let sum = 0
  for (let index = 0; index < values.length; index++) sum += values[index] ?? 0
  return values.length === 0 ? 0 : sum / values.length
}

export function smallest(values: Float64Array): number {
  let least = Number.POSITIVE_INFINITY
  for (let index = 0; index < values.length; index++) least = Math.min(least, values[index] ?? 0)
  return least
}
