import { expect, test } from "vitest"
import { takeStdout } from "./stdout.ts"

type Write = NodeJS.WriteStream["write"]

/** Records writes, and fails on request. */
function stream(failure?: Error) {
  const written: string[] = []
  const write: Write = (chunk: string | Uint8Array, ...rest: readonly unknown[]) => {
    written.push(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString())
    const done = rest.findLast((it): it is (error?: Error) => void => typeof it === "function")
    done?.(failure)
    return true
  }
  return { written, write }
}

test("[MCP-10] only frames reach stdout while it is taken; afterwards it works as before", async () => {
  const stdout = stream()
  const stderr = stream()
  let told = 0
  {
    using taken = takeStdout(stdout, stderr)
    stdout.write("a word")
    stdout.write(Buffer.from("bytes"), () => {
      told += 1
    })
    stdout.write("text", "utf8", () => {
      told += 1
    })
    await taken.write("frame\n")
  }
  stdout.write("after")
  expect(stdout.written).toEqual(["frame\n", "after"])
  expect(stderr.written).toEqual(["a word", "bytes", "text"])
  expect(told).toBe(2)
})

test("[MCP-10] a failed write rejects for its sender", async () => {
  using taken = takeStdout(stream(new Error("EPIPE")), stream())
  await expect(taken.write("frame\n")).rejects.toThrow("EPIPE")
})
