import { answerQuestions } from "#ground/base"
import { createRequestReader } from "../request-reading.ts"

const { platform } = process

answerQuestions(
  createRequestReader({
    platform: platform === "darwin" || platform === "win32" ? platform : "linux",
  }),
)
