import { answerQuestions } from "#ground/base"
import { createPdfSession } from "../open-pdf.ts"

answerQuestions(createPdfSession())
