import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"

/**
 * A fake Claude Code that writes at a given rate. Its prompt is `go <per second> <seconds> <when>`,
 * and each text it writes contains its send time.
 */
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)
const stamp = (): number => performance.timeOrigin + performance.now()

async function talk(rate: number, seconds: number, beginsAt: number): Promise<void> {
  await sleep(Math.max(0, beginsAt - stamp()))
  const total = rate * seconds
  for (let written = 0; written < total; await sleep(5)) {
    const due = Math.min(total, Math.ceil(((stamp() - beginsAt) / 1_000) * rate))
    for (; written < due; written++) {
      const text = `${stamp()} ${WORDS}`
      say({ type: "assistant", message: { content: [{ type: "text", text }] } })
    }
  }
  say({ type: "result", subtype: "success", is_error: false, result: "done", num_turns: 1 })
}

const WORDS = "I looked at the file and changed two lines of it. ".repeat(4)

for await (const line of createInterface({ input: process.stdin })) {
  const [, rate, seconds, beginsAt] = /go (\d+) (\d+) (\d+)/.exec(line) ?? []
  if (rate === undefined) continue
  say({ type: "system", subtype: "init", session_id: `s-${process.pid}`, cwd: process.cwd() })
  void talk(Number(rate), Number(seconds), Number(beginsAt))
}
