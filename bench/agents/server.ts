import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import path from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Server } from "socket.io"
import { createApp } from "#show/app"
import { serve } from "#show/http"

/**
 * The server of the benchmark in its own process: `node … <folder>`. Its Claude Code is the fake
 * beside this file. A second, bare socket.io server starts the same programs and forwards their
 * output without authentication, store or redaction: that is the floor. Ends when stdin closes.
 */
const folder = process.argv[2] ?? ""
const [project, programs] = [path.join(folder, "project"), path.join(folder, "programs")]
const program = path.join(programs, "claude")
const host = fileURLToPath(new URL("host.ts", import.meta.url))
await mkdir(project, { recursive: true })
await mkdir(programs)
await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${host}'\n`)
await chmod(program, 0o755)

const app = await createApp({
  directory: project,
  environment: {
    QM_HOME: path.join(folder, "home"),
    HOME: folder,
    PATH: `${programs}:/usr/bin:/bin`,
  },
  settings: ["agents.maxRunning=20"],
  writeLog: () => {},
})
const serving = await serve({ app, port: 0, mayMove: false })

const bare = createServer()
const floor = new Server(bare, { transports: ["websocket"], serveClient: false })
floor.on("connection", (socket) => {
  socket.on("start", (prompt: string, runs: number) => {
    for (let run = 0; run < runs; run++) relay(prompt, (line) => socket.emit("line", line))
  })
})
await new Promise<void>((resolve) => bare.listen(0, "127.0.0.1", resolve))

function relay(prompt: string, pass: (line: string) => void): void {
  const child = spawn(program, {
    stdio: ["pipe", "pipe", "inherit"],
    env: { PATH: "/usr/bin:/bin" },
  })
  child.stdin.write(`${prompt}\n`)
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line.includes('"type":"assistant"')) pass(line)
    if (line.includes('"type":"result"')) child.stdin.end()
  })
}

const address = bare.address()
const hello = {
  url: serving.url,
  floorPort: typeof address === "object" ? (address?.port ?? 0) : 0,
  token: (await readFile(path.join(app.places.home, "token"), "utf8")).trim(),
  link: serving.link(),
}
process.stdout.write(`${JSON.stringify(hello)}\n`)
await once(process.stdin.resume(), "end")
floor.disconnectSockets(true)
bare.close()
await serving.close()
await app[Symbol.asyncDispose]()
