// Written by scripts/host-baselines.ts; do not edit.
import type { HostBaselines } from "../baseline.ts"

export const CODEX_BASELINES: HostBaselines = {
 "version": "0.166.0",
 "measuredAt": "2026-11-17",
 "models": [
  {
   "model": "gpt-6.1-sol",
   "window": 272000,
   "system": { "claude": 5364, "o200k": 4973 },
   "memoryPathMentions": 0,
   "environment": { "claude": 179, "o200k": 161 },
   "directoryMentions": 2,
   "git": { "claude": 0, "o200k": 0 },
   "instructionsFrame": { "claude": 21, "o200k": 15 },
   "tools": [
    { "name": "exec", "tokens": { "claude": 3842, "o200k": 3677 } },
    { "name": "wait", "tokens": { "claude": 317, "o200k": 315 } },
    { "name": "request_user_input", "tokens": { "claude": 288, "o200k": 287 } },
    { "name": "request_user_input_async", "tokens": { "claude": 310, "o200k": 295 } },
    { "name": "clock", "tokens": { "claude": 112, "o200k": 112 } },
    { "name": "collaboration", "tokens": { "claude": 1243, "o200k": 1194 } }
   ],
   "deferredTools": [],
   "deferredList": { "claude": 0, "o200k": 0 },
   "agents": { "claude": 0, "o200k": 0 },
   "skillsFrame": { "claude": 102, "o200k": 96 },
   "skills": [
    { "name": "imagegen", "characters": 611, "isFixed": false, "tokens": { "claude": 135, "o200k": 126 } },
    { "name": "openai-docs", "characters": 506, "isFixed": false, "tokens": { "claude": 137, "o200k": 128 } },
    { "name": "skill-creator", "characters": 157, "isFixed": false, "tokens": { "claude": 36, "o200k": 36 } },
    { "name": "skill-installer", "characters": 280, "isFixed": false, "tokens": { "claude": 71, "o200k": 69 } }
   ],
   "mcpFrame": { "claude": 0, "o200k": 0 }
  },
  {
   "model": "gpt-6-sol",
   "window": 272000,
   "system": { "claude": 4847, "o200k": 4460 },
   "memoryPathMentions": 0,
   "environment": { "claude": 179, "o200k": 161 },
   "directoryMentions": 2,
   "git": { "claude": 0, "o200k": 0 },
   "instructionsFrame": { "claude": 21, "o200k": 15 },
   "tools": [
    { "name": "exec", "tokens": { "claude": 3842, "o200k": 3677 } },
    { "name": "wait", "tokens": { "claude": 317, "o200k": 315 } },
    { "name": "request_user_input", "tokens": { "claude": 288, "o200k": 287 } },
    { "name": "request_user_input_async", "tokens": { "claude": 310, "o200k": 295 } },
    { "name": "clock", "tokens": { "claude": 112, "o200k": 112 } },
    { "name": "collaboration", "tokens": { "claude": 1243, "o200k": 1194 } }
   ],
   "deferredTools": [],
   "deferredList": { "claude": 0, "o200k": 0 },
   "agents": { "claude": 0, "o200k": 0 },
   "skillsFrame": { "claude": 102, "o200k": 96 },
   "skills": [
    { "name": "imagegen", "characters": 611, "isFixed": false, "tokens": { "claude": 135, "o200k": 126 } },
    { "name": "openai-docs", "characters": 506, "isFixed": false, "tokens": { "claude": 137, "o200k": 128 } },
    { "name": "skill-creator", "characters": 157, "isFixed": false, "tokens": { "claude": 36, "o200k": 36 } },
    { "name": "skill-installer", "characters": 280, "isFixed": false, "tokens": { "claude": 71, "o200k": 69 } }
   ],
   "mcpFrame": { "claude": 0, "o200k": 0 }
  },
  {
   "model": "gpt-5.5",
   "window": 272000,
   "system": { "claude": 4661, "o200k": 4397 },
   "memoryPathMentions": 0,
   "environment": { "claude": 179, "o200k": 161 },
   "directoryMentions": 2,
   "git": { "claude": 0, "o200k": 0 },
   "instructionsFrame": { "claude": 21, "o200k": 15 },
   "tools": [
    { "name": "exec_command", "tokens": { "claude": 355, "o200k": 342 } },
    { "name": "write_stdin", "tokens": { "claude": 167, "o200k": 167 } },
    { "name": "request_user_input", "tokens": { "claude": 288, "o200k": 287 } },
    { "name": "apply_patch", "tokens": { "claude": 287, "o200k": 252 } },
    { "name": "view_image", "tokens": { "claude": 110, "o200k": 108 } },
    { "name": "get_goal", "tokens": { "claude": 61, "o200k": 58 } },
    { "name": "create_goal", "tokens": { "claude": 153, "o200k": 149 } },
    { "name": "update_goal", "tokens": { "claude": 446, "o200k": 438 } },
    { "name": "tool_search", "tokens": { "claude": 188, "o200k": 175 } },
    { "name": "web_search", "tokens": { "claude": 25, "o200k": 21 } }
   ],
   "deferredTools": [],
   "deferredList": { "claude": 0, "o200k": 0 },
   "agents": { "claude": 0, "o200k": 0 },
   "skillsFrame": { "claude": 672, "o200k": 649 },
   "skills": [
    { "name": "imagegen", "characters": 611, "isFixed": false, "tokens": { "claude": 135, "o200k": 126 } },
    { "name": "openai-docs", "characters": 506, "isFixed": false, "tokens": { "claude": 137, "o200k": 128 } },
    { "name": "skill-creator", "characters": 157, "isFixed": false, "tokens": { "claude": 36, "o200k": 36 } },
    { "name": "skill-installer", "characters": 280, "isFixed": false, "tokens": { "claude": 71, "o200k": 69 } }
   ],
   "mcpFrame": { "claude": 0, "o200k": 0 }
  }
 ]
}
