import { answerQuestions } from "#ground/base"
import { createRequestReader } from "../read-request.ts"

const { platform } = process

answerQuestions(
  createRequestReader({
    platform: platform === "darwin" || platform === "win32" ? platform : "linux",
  }),
)
