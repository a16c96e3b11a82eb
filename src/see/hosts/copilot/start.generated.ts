// Written by scripts/host-baselines.ts; do not edit.
import type { HostBaselines } from "../baseline.ts"

export const COPILOT_BASELINES: HostBaselines = {
 "version": "1.0.102",
 "measuredAt": "2026-11-17",
 "models": [
  {
   "model": "gpt-4.1",
   "window": 128000,
   "system": { "claude": 5201, "o200k": 4727 },
   "memoryPathMentions": 0,
   "environment": { "claude": 0, "o200k": 0 },
   "directoryMentions": 1,
   "git": { "claude": 0, "o200k": 0 },
   "instructionsFrame": { "claude": 0, "o200k": 0 },
   "tools": [
    { "name": "bash", "tokens": { "claude": 610, "o200k": 606 } },
    { "name": "read_bash", "tokens": { "claude": 229, "o200k": 225 } },
    { "name": "stop_bash", "tokens": { "claude": 102, "o200k": 100 } },
    { "name": "list_bash", "tokens": { "claude": 88, "o200k": 86 } },
    { "name": "view", "tokens": { "claude": 198, "o200k": 197 } },
    { "name": "create", "tokens": { "claude": 129, "o200k": 125 } },
    { "name": "edit", "tokens": { "claude": 232, "o200k": 217 } },
    { "name": "fetch_copilot_cli_documentation", "tokens": { "claude": 51, "o200k": 50 } },
    { "name": "skill", "tokens": { "claude": 195, "o200k": 192 } },
    { "name": "sql", "tokens": { "claude": 159, "o200k": 154 } },
    { "name": "session_store_sql", "tokens": { "claude": 1759, "o200k": 1622 } },
    { "name": "read_agent", "tokens": { "claude": 302, "o200k": 294 } },
    { "name": "list_agents", "tokens": { "claude": 293, "o200k": 274 } },
    { "name": "write_agent", "tokens": { "claude": 521, "o200k": 503 } },
    { "name": "grep", "tokens": { "claude": 367, "o200k": 355 } },
    { "name": "glob", "tokens": { "claude": 127, "o200k": 124 } },
    { "name": "task", "tokens": { "claude": 666, "o200k": 633 } }
   ],
   "deferredTools": [],
   "deferredList": { "claude": 0, "o200k": 0 },
   "agents": { "claude": 0, "o200k": 0 },
   "skillsFrame": { "claude": 0, "o200k": 0 },
   "skills": [],
   "mcpFrame": { "claude": 0, "o200k": 0 }
  }
 ]
}
