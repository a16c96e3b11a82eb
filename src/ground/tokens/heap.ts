/** The smallest number first, in log n a step: a binary heap in one array. */
export function createHeap(numbers: number[]) {
  for (let index = (numbers.length >> 1) - 1; index >= 0; index--) sink(numbers, index)
  return {
    push(number: number): void {
      numbers.push(number)
      rise(numbers, numbers.length - 1)
    },
    pop(): number | undefined {
      const smallest = numbers[0]
      const last = numbers.pop()
      if (last === undefined || numbers.length === 0) return smallest
      numbers[0] = last
      sink(numbers, 0)
      return smallest
    },
  }
}

function rise(numbers: number[], start: number): void {
  let index = start
  const number = at(numbers, index)
  while (index > 0) {
    const parent = (index - 1) >> 1
    if (at(numbers, parent) <= number) break
    numbers[index] = at(numbers, parent)
    index = parent
  }
  numbers[index] = number
}

function sink(numbers: number[], start: number): void {
  let index = start
  const number = at(numbers, index)
  for (let child = 2 * index + 1; child < numbers.length; child = 2 * index + 1) {
    const isRightSmaller = at(numbers, child + 1) < at(numbers, child)
    const smaller = isRightSmaller ? child + 1 : child
    if (at(numbers, smaller) >= number) break
    numbers[index] = at(numbers, smaller)
    index = smaller
  }
  numbers[index] = number
}

/** Past the end lies nothing smaller. */
function at(numbers: readonly number[], index: number): number {
  return numbers[index] ?? Number.POSITIVE_INFINITY
}
