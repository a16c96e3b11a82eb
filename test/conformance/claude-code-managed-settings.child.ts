import { type HostPlace, realDisk } from "#see/hosts"
import { claudeCode, observe } from "./claude-code-run.ts"

// Runs inside a mount namespace with its own /etc and /, which both the host and the survey must
// see.
const place = JSON.parse(process.argv[2] ?? "") as HostPlace
const survey = await claudeCode().survey(place, realDisk())
const observed = await observe(place)
console.log(JSON.stringify({ survey, observed }))
