import { flushCompileCache } from "node:module"
import { createApp } from "#show/app"
import { serve } from "#show/http"
import { say } from "./store-journal.ts"

/**
 * A server with fake hosts: `node … <project> <home> <path> <life>`. `<life>` is in the environment
 * of each process it starts and of no other.
 */
const [directory = "", home = "", path = "", life = ""] = process.argv.slice(2)
const app = await createApp({
  directory,
  environment: { QM_HOME: home, HOME: home, PATH: path, CLAUDE_STAND_IN_LIFE: life },
  settings: ["agents.maxRunning=20"],
  writeLog: () => {},
})
const { port } = await serve({ app, port: 0, mayMove: false })
flushCompileCache()
say(String(port))
