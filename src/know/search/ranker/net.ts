import { invariant } from "#ground/base"
import type { Inputs } from "./features.ts"

/** A small net: tanh(x W1 + b1) w2 + x v, with the inputs in the order of `features`. */
export type Net = {
  readonly features: readonly string[]
  /** By feature, then by hidden unit. */
  readonly W1: Float64Array
  readonly b1: Float64Array
  readonly w2: Float64Array
  readonly v: Float64Array
}

/** One score a file, by position. */
export function runNet(net: Net, inputs: Inputs, size: number): Float64Array {
  const units = net.b1.length
  const { bias, constant, columns } = split(net, inputs)
  const scores = new Float64Array(size)
  const hidden = new Float64Array(units)
  for (let at = 0; at < size; at++) {
    hidden.set(bias)
    let score = constant
    for (const { values, offset, direct } of columns) {
      const value = values[at] ?? 0
      if (value === 0) continue
      score += value * direct
      for (let unit = 0; unit < units; unit++) {
        hidden[unit] = (hidden[unit] ?? 0) + value * (net.W1[offset + unit] ?? 0)
      }
    }
    for (let unit = 0; unit < units; unit++) {
      score += Math.tanh(hidden[unit] ?? 0) * (net.w2[unit] ?? 0)
    }
    scores[at] = score
  }
  return scores
}

type Column = { readonly values: Float64Array; readonly offset: number; readonly direct: number }

/** Gates are the same for every file: they are added once, before the files. */
function split(net: Net, inputs: Inputs) {
  const bias = Float64Array.from(net.b1)
  const columns: Column[] = []
  let constant = 0
  for (const [index, name] of net.features.entries()) {
    const input = inputs.get(name)
    invariant(input !== undefined, `the feature ${name} was measured`)
    const offset = index * bias.length
    const direct = net.v[index] ?? 0
    if (typeof input !== "number") {
      columns.push({ values: input, offset, direct })
      continue
    }
    constant += input * direct
    for (let unit = 0; unit < bias.length; unit++) {
      bias[unit] = (bias[unit] ?? 0) + input * (net.W1[offset + unit] ?? 0)
    }
  }
  return { bias, constant, columns }
}
