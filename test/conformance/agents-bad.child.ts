import { spawn } from "node:child_process"
import { appendFileSync, writeFileSync } from "node:fs"

/** A host that misbehaves in the way its first argument names; the host's own arguments follow. */
const [, , how = "", speaks = "", note = ""] = process.argv

/** The first messages of a session in each protocol; responses of JSON-RPC have fixed numbers. */
const BEGINNINGS: Readonly<Record<string, readonly string[]>> = {
  "claude-code": ['{"type":"system","subtype":"init","session_id":"s-1","cwd":"/"}'],
  codex: ['{"id":1,"result":{}}', '{"id":2,"result":{"thread":{"id":"s-1"},"cwd":"/"}}'],
  acp: ['{"id":1,"result":{"protocolVersion":1}}', '{"id":2,"result":{"sessionId":"s-1"}}'],
  copilot: ['{"type":"session.start","data":{}}'],
}

const say = (text: string | Uint8Array) => process.stdout.write(text)
const begin = () => say(`${(BEGINNINGS[speaks] ?? []).join("\n")}\n`)
const stay = () => setInterval(() => {}, 60_000)

function flood(line: string): void {
  const block = `${line}\n`.repeat(1_000)
  const more = () => {
    while (say(block));
    process.stdout.once("drain", more)
  }
  more()
}

const WAYS: Readonly<Record<string, () => void>> = {
  "never answers": stay,
  "floods with noise": () => flood("no message at all"),
  "floods with unknown messages": () => flood('{"type":"news","method":"news","params":{}}'),
  "dies in the middle of a line": () => say('{"type":"system","subtype":"in'),
  "writes a line of 50 MB": () => {
    begin()
    const part = "x".repeat(1024 * 1024)
    for (let megabyte = 0; megabyte < 50; megabyte++) say(part)
    say("\n")
  },
  "writes bytes that are no UTF-8": () => say(Buffer.from([0x7b, 0xff, 0xfe, 0xc3, 0x28, 0x0a])),
  "writes JSON that is no message": () => say('[1,2,3]\n"text"\n{"a":{}}\nnull\n{}\n'),
  "exits at once": () => {
    process.stderr.write("the licence has run out\n")
    process.exitCode = 3
  },
  "closes its output and lives on": () => {
    begin()
    process.stdout.end()
    stay()
  },
  "speaks of what we do not know": () => {
    begin()
    say('{"type":"news","method":"news","params":{"a":1}}\n')
  },
  "gives a result without a session": () =>
    say('{"type":"result","is_error":true,"errors":["no such session"],"exitCode":1,"id":9}\n'),
  "answers what was not asked": () => {
    begin()
    say('{"type":"control_response","response":{"subtype":"success","request_id":"nobody"}}\n')
    say('{"type":"control_cancel_request","request_id":"nobody"}\n{"id":77,"result":{}}\n')
    say('{"method":"serverRequest/resolved","params":{"requestId":77}}\n')
  },
  "never reads its input": stay,
  "tells what it was given": () => {
    writeFileSync(note, JSON.stringify({ args: process.argv.slice(5), env: process.env }))
    process.stdin.on("data", (chunk) => appendFileSync(`${note}.input`, chunk))
    begin()
    stay()
  },
  "has a family": () => {
    const stubborn = "trap '' TERM; while :; do sleep 1; done"
    spawn("sh", ["-c", `(${stubborn}) & ${stubborn}`], { stdio: "ignore" })
    spawn("setsid", ["sh", "-c", stubborn], { stdio: "ignore" })
    writeFileSync(note, "grown")
    begin()
    stay()
  },
}

writeFileSync(note, "here")
WAYS[how]?.()
