// Written by scripts/host-baselines.ts; do not edit.
import type { HostBaselines } from "../baseline.ts"

export const GEMINI_BASELINES: HostBaselines = {
 "version": "0.61.0",
 "measuredAt": "2026-11-17",
 "models": [
  {
   "model": "default",
   "window": 1000000,
   "system": { "claude": 6684, "o200k": 6238 },
   "memoryPathMentions": 0,
   "environment": { "claude": 0, "o200k": 0 },
   "directoryMentions": 2,
   "git": { "claude": 0, "o200k": 0 },
   "instructionsFrame": { "claude": 0, "o200k": 0 },
   "tools": [
    { "name": "update_topic", "tokens": { "claude": 206, "o200k": 202 } },
    { "name": "list_directory", "tokens": { "claude": 194, "o200k": 185 } },
    { "name": "read_file", "tokens": { "claude": 223, "o200k": 209 } },
    { "name": "grep_search", "tokens": { "claude": 360, "o200k": 341 } },
    { "name": "glob", "tokens": { "claude": 240, "o200k": 225 } },
    { "name": "google_web_search", "tokens": { "claude": 82, "o200k": 78 } },
    { "name": "enter_plan_mode", "tokens": { "claude": 61, "o200k": 58 } },
    { "name": "invoke_agent", "tokens": { "claude": 164, "o200k": 156 } }
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
